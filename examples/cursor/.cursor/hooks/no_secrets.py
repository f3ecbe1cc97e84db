#!/usr/bin/env python3
"""Refuses calls with a token in them; as it fails closed, it must say so where it allows one."""

import json
import sys

call = json.load(sys.stdin)
if "ghp_" in json.dumps(call["tool_input"]):
    print(json.dumps({"permission": "deny", "agent_message": "Leave the token out: read it from the environment."}))
else:
    print(json.dumps({"permission": "allow"}))
