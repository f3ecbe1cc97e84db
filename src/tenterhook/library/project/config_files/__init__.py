"""Config files: whether they parse, and what the installed linters report."""
