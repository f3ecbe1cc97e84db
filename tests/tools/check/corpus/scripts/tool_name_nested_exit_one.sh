#!/bin/bash
# Written for another agent's event: tool_name, an answer in hookSpecificOutput, and 1 with it.
allow() {
  jq -n --arg why "$1" '{hookSpecificOutput: {hookEventName: "PreToolUse", permissionDecision: "allow", permissionDecisionReason: $why}}'
  exit 0
}
deny() {
  jq -n --arg why "$1" '{hookSpecificOutput: {hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: $why}}'
  exit 1
}
EVENT=$(cat)
TOOL=$(echo "$EVENT" | jq -r '.tool_name // empty')
FILE=$(echo "$EVENT" | jq -r '.tool_input.filePath // empty')
[[ "$TOOL" == "create_file" ]] || allow "nothing to look at"
[ -f "$FILE" ] || deny "no such file"
allow "fine"
