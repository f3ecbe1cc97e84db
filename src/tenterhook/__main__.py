"""`python -m tenterhook`: the command, where `tenter` is not on the path."""

import sys

if not sys.flags.safe_path:
    del sys.path[0]  # the folder we are in: whose modules these are, nobody has asked yet

from tenterhook.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
