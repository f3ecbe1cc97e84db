"""Hook systems side by side, each in a process of its own that is given hooks and events: a driver.

`cases.py` is what all are asked, `driver.py` the side that asks; `driving.py` is what the drivers in Python share, and
there is one file for each system. `installing.py` fetches those that are not ours.
"""
