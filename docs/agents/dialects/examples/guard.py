"""A hook that refuses forced pushes. Exit code 2 denies in every dialect; stderr is the reason, where that is read."""

import json
import sys

call = json.load(sys.stdin)
command = call.get("tool_input", {}).get("command", "")
if "push --force" in command:
    print("Forced pushes are not allowed here.", file=sys.stderr)
    sys.exit(2)
