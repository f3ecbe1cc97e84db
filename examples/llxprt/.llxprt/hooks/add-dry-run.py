#!/usr/bin/env python3
"""Turns an rsync into a dry run; the next hook of the chain sees the changed command."""

import json
import sys

call = json.load(sys.stdin)
command = call["tool_input"]["command"]
if command.startswith("rsync ") and "--dry-run" not in command:
    changed = command.replace("rsync ", "rsync --dry-run ", 1)
    print(json.dumps({"hookSpecificOutput": {"tool_input": {"command": changed}}}))
