"""The reason of a block takes the place of what the tool gave."""

import json
import re
import sys

TOKEN = re.compile(r"\bgh[pousr]_[A-Za-z0-9]{8,}\b")

text = str(json.load(sys.stdin).get("tool_response", ""))
if TOKEN.search(text):
    print(json.dumps({"decision": "block", "reason": TOKEN.sub("[a token was here]", text)}))
