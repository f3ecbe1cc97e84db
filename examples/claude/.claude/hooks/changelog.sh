#!/bin/sh
# Keeps the agent going once: without a look at stop_hook_active it would do so eight times.
if ! grep -q '"stop_hook_active": *true'; then
  echo '{"decision": "block", "reason": "Say in CHANGELOG.md what users will notice."}'
fi
