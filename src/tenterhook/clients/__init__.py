"""What hooks and hosts talk to: HTTP servers, models, MCP servers, and the files of a workspace."""
