"""A new Python file gets the licence's line. updatedInput replaces the whole input, so all of it is given."""

import json
import sys

LINE = "# SPDX-License-Identifier: Apache-2.0\n"

event = json.load(sys.stdin)
given = event["tool_input"]
text = given.get("content", "")
if given.get("file_path", "").endswith(".py") and text and not text.startswith(LINE):
    changed = {**given, "content": LINE + text}
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": changed}}))
