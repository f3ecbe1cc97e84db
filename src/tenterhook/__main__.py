"""`python -m tenterhook`: the command, where `tenter` is not on the path."""

import sys

from tenterhook.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
