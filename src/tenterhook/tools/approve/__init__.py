"""Review and approve what a project brings: hooks, status lines, lock files."""
