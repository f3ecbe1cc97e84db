"""The tests of a project: which belong to a file, and whether they can fail."""
