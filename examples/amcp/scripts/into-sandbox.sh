#!/bin/sh
cat > /dev/null
printf '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"path": "sandbox/notes.md"}}}\n'
