"""Whose config file it is."""

# Files of the user and the system, and the host's own code. What has any other scope came with a project.
OWN_SCOPES = {"user", "system", "defaults", "managed", "code"}
