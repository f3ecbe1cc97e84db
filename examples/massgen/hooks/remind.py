#!/usr/bin/env python3
"""Adds a line to the result of every tool."""

import json
import sys

event = json.load(sys.stdin)
note = f"({event['tool_name']} done; run the tests before you finish.)"
print(json.dumps({"inject": {"content": note, "strategy": "tool_result"}}))
