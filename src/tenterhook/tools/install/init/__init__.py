"""What `tenter init` does: add wrapper scripts and config entries to a project, and remove both.

install.py and undo.py compute the changes, as Changes; writing.py makes them all, or none. edit.py adds entries to a
config's text, with one module per format; everything else in the file stays, byte for byte.
"""
