"""The rows of the list of faults, by what goes wrong; `faults.py` runs them."""
