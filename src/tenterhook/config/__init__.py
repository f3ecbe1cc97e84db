"""Config files become hooks that know their file and line."""
