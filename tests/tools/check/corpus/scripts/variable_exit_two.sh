#!/usr/bin/env bash
# Reads the call from a variable that no agent sets.
set -euo pipefail
COMMAND=$(echo "$CLAUDE_TOOL_INPUT" | python3 -c "import json,sys; print(json.load(sys.stdin).get('command',''))" 2>/dev/null || echo "")
[ -z "$COMMAND" ] && exit 0
if echo "$COMMAND" | grep -qE 'rm -rf (/|~)'; then
  echo "BLOCKED: destructive rm" >&2
  exit 2
fi
exit 0
