"""What looks like a secret does not reach the model."""

import json
import re
import sys

output = json.load(sys.stdin)["tool_output"]
hidden = re.sub(r"(?m)(TOKEN|KEY|PASSWORD)=\S+", r"\1=[hidden]", output)
if hidden != output:
    print(json.dumps({"output": hidden}))
