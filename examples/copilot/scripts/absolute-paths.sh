#!/bin/sh
# Under a PascalCase event: snake_case fields and Claude Code's names of tools; its form of an answer counts.
if grep -q '"path":"/' ; then exit 0; fi
echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
  "permissionDecisionReason": "Name files by their whole paths."}}'
