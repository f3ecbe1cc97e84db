"""The programs that agents' own APIs come from, driven over the same files as ours."""
