"""The scopes of config files: whose file it is."""

# Files of the user and the system, and the host's own code. Any other scope came with a project.
OWN_SCOPES = {"user", "system", "defaults", "managed", "code"}
