"""An MCP server that says what no SDK would let it say: its tools are the JSON of its first argument."""

import json
import signal
import sys
import time
from pathlib import Path

if sys.argv[1] == "mute":  # it never answers, and does not end when it is asked to
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    Path(sys.argv[2]).touch()
    time.sleep(300)

for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    answers = {
        "initialize": {
            "protocolVersion": asked.get("params", {}).get("protocolVersion"),
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "by hand", "version": "1"},
        },
        "tools/list": {"tools": json.loads(sys.argv[1])},
        "tools/call": {"content": [{"type": "text", "text": f"called with {asked.get('params')}"}]},
    }
    found = answers.get(asked["method"])
    answer = {"error": {"code": -32601, "message": "no"}} if found is None else {"result": found}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answer}), flush=True)
