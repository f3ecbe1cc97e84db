"""Asks before a file outside of src/ and tests/ is written."""

import json
import sys

event = json.load(sys.stdin)
path = event["tool_input"].get("path", "")
if not path.startswith(("src/", "tests/")):
    print(json.dumps({"decision": "ask", "reason": f"{path} lies outside of src/ and tests/."}))
