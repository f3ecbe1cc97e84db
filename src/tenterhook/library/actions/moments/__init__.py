"""What `tenter hook EVENT` does, one file per moment."""
