"""The scopes of config files: whose file it is. `tenter hook` needs them, and does without the records of types.py."""

# Files of the user and the system, and the host's own code. Any other scope came with a project.
OWN_SCOPES = {"user", "system", "defaults", "managed", "code"}
