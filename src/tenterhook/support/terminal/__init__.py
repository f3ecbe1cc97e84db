"""Text for a terminal: escaping, colours, tables, URLs."""
