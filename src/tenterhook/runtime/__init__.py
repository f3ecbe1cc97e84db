"""Child processes: starting, supervising, confining and killing them, and keeping Python interpreters warm."""
