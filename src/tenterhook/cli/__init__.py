"""The `tenter` command: main and one file per command. Hot commands import only what they need."""
