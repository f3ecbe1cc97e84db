"""The program of a hook's process, which `RUN_HOOK` names."""

import os

RUN_HOOK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "run_hook.py")
