"""Under a camelCase event: camelCase fields on stdin, a flat answer."""

import json
import sys

call = json.load(sys.stdin)
print(json.dumps({"type": "progress", "message": "Looking at the command ..."}))
if "push --force" in call["toolArgs"].get("command", ""):
    print(json.dumps({"permissionDecision": "deny", "permissionDecisionReason": "Force pushes are not allowed here."}))
