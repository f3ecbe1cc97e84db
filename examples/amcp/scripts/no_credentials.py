"""Denies writes to places where credentials live."""

import json
import sys

call = json.load(sys.stdin)
path = call["tool_input"].get("path", "").lower()
if any(word in path for word in (".env", "credentials", ".ssh/")):
    answer = {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": f"{path} is where credentials live",
    }
    print(json.dumps({"hookSpecificOutput": answer}))
