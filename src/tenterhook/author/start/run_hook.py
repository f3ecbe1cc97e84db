"""What the engine starts for a hook of an author's file: run_hook.py FILE --only NAME --given OPTIONS --event EVENT.

It lies in a folder of its own, because Python puts a script's folder first on the path.
"""

import sys

from tenterhook.author import ahead, loading, own_forms, process  # noqa: F401 (read before the hook is needed)

if __name__ == "__main__":
    sys.exit(process.main(sys.argv[1:], loading.of_call))
