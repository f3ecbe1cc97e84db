"""Dialects described for people: tables, glossary, JSON Schema."""
