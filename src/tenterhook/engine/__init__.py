"""The engine: it plans an event, runs the hooks, and returns the outcome. Start with engine.py."""
