#!/usr/bin/env python3
"""Keeps a result that holds a token from the model: the reason takes its place."""

import json
import re
import sys

result = json.load(sys.stdin)["tool_response"]
if re.search(r"ghp_\w{36}", json.dumps(result)):
    print(json.dumps({"decision": "deny", "reason": "The result holds a GitHub token and was left out."}))
