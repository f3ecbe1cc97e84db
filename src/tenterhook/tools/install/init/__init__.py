"""What `tenter init` does: wrapper scripts and config entries into a project, and both out of it again.

install.py and undo.py say what shall change, as Changes; writing.py makes them all, or none. edit.py adds entries to a
config's text, with one module per format; everything else in the file stays as it is, byte for byte.
"""
