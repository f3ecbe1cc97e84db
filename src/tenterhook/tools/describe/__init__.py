"""Dialects described for people: tables, the words that they use, JSON Schema."""
