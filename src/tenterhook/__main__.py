"""`python -m tenterhook`: the command, where `tenter` is not on the path."""

import os
import sys
from contextlib import suppress

with suppress(OSError):  # a folder that is gone
    if sys.path[:1] == [os.getcwd()]:  # Python put it there; the project's modules are not trusted yet
        del sys.path[0]

from tenterhook.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
