#!/usr/bin/env bash
# permission, with the messages under the names of an older version: userMessage, agentMessage.
set -euo pipefail
command="$(cat | python3 -c 'import json,sys; print(json.load(sys.stdin).get("command",""))')"
deny() {
  python3 -c 'import json,sys; print(json.dumps({"permission": "deny", "userMessage": sys.argv[1], "agentMessage": sys.argv[1]}))' "$1"
  exit 0
}
case "$command" in
  *"rm -rf"*) deny "recursive delete" ;;
  *"git push"*"--force"*) deny "force push" ;;
esac
echo '{"permission":"allow"}'
