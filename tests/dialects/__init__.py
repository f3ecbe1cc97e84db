"""The dialects of agents as they are shipped: what was measured of the real programs, statement by statement."""
