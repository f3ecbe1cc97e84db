#!/bin/sh
if grep -q deploy; then
    cat <<'JSON'
{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "ask",
 "permissionDecisionReason": "This deploys. Are you sure?"}}
JSON
fi
