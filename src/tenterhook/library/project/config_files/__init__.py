"""Config files: whether they parse, and what the linters that are installed say of them."""
