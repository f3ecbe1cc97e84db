"""The real programs: their versions, how each is started and closed off, and how hooks get there."""
