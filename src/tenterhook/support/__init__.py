"""Helpers that know nothing of hooks: files, paths, secrets, terminal text, readers, shell grammar."""
