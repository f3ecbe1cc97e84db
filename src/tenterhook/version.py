"""The one place that says which version this is; read without importing the rest."""

__version__ = "0.1.0"
