"""What `tenter install` does: make an agent's own config call your hooks, and restore that config later.

hookfiles.py     the hooks of your files, and the agent's events that they are for
command_line.py  the command that the agent runs; it stays the same across upgrades
own_config.py    hooks as entries of our own config, and their approval
target.py        which file is changed, and where the original is recorded
own_entries.py   recognises our entries when no record says so
earlier_form.py  the hooks of entries that an earlier form of install wrote
change.py        the changes of an install, and of an uninstall
limits.py        what the agent does not enforce, whatever a hook answers
canary.py        fires an event through the installed command: is the hook reached?
editing/         edits JSON, TOML and YAML in place; init/ is `tenter init`
"""
