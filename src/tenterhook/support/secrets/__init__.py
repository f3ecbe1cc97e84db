"""Secrets: which variables hold one, what one looks like, and how text is redacted."""
