"""apply_patch, which matchers know as Edit and Write: the patch is text. A refusal needs a reason."""

import json
import re
import sys

event = json.load(sys.stdin)
files = re.findall(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", event["tool_input"].get("command", ""), re.MULTILINE)
if made := [file for file in files if file.startswith("generated/")]:
    print(f"{made[0]} is made by `make docs`: change what it is made from.", file=sys.stderr)
    sys.exit(2)
