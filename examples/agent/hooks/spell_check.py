"""Takes its time, and nobody waits for it: what it finds is told on a later turn."""

import json
import sys
import time

event = json.load(sys.stdin)
time.sleep(0.02)
print(json.dumps({"message": f"{event['tool_input']['file_path']} has no spelling mistakes."}))
