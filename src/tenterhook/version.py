"""The one place that says which version this is; read without importing the rest."""

__version__ = "0.2.0"
