"""One file per command; each has `run(words)`."""
