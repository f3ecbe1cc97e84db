#!/usr/bin/env bash
# As Copilot's camelCase events want it: toolName, toolArgs, and a flat answer.
set -euo pipefail
event="$(cat)"
[[ "$(jq -r '.toolName' <<<"$event")" == "bash" ]] || exit 0
command="$(jq -r '.toolArgs | if type == "string" then fromjson else . end | .command // ""' <<<"$event")"
if grep -Eq 'rm -rf /|mkfs' <<<"$command"; then
  jq -n '{permissionDecision: "deny", permissionDecisionReason: "destructive"}'
fi
