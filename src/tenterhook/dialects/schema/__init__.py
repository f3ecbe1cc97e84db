"""How a dialect is written: its records, its config files, and the words that it may use."""
