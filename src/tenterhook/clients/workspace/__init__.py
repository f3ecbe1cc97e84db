"""The files of a project, read so that no path leads out of it, and the read-only tools over them."""
