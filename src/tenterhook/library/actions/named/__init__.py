"""The named actions of `tenter hook agent ACTION`, one file per action."""
