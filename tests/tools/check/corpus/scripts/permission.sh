#!/bin/bash
# As Cursor's shell events want it: permission, user_message and agent_message.
set -euo pipefail
command=$(cat | jq -r '.command // empty')
if echo "$command" | grep -qE 'git push .*--force'; then
  echo '{"permission": "deny", "user_message": "no force push", "agent_message": "Do not push by force."}'
  exit 0
fi
echo '{ "permission": "allow" }'
exit 0
