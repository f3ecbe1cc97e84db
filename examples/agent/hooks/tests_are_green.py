"""The agent may stop when the tests pass; until then it is told what fails."""

import json
import subprocess
import sys

tests = subprocess.run([sys.executable, "-m", "unittest", "-q"], capture_output=True, text=True)
if tests.returncode:
    failure = next(line for line in tests.stderr.splitlines() if line.startswith("AssertionError"))
    print(json.dumps({"decision": "deny", "reason": f"The tests fail: {failure}"}))
