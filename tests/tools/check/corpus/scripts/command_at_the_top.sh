#!/usr/bin/env bash
# Looks for the command at the top of the event, where it is not, and tells stdout why it refuses by 2.
set -euo pipefail
event=$(cat)
command=$(echo "$event" | python3 -c "import json,sys; print(json.load(sys.stdin).get('command',''))" 2>/dev/null || true)
if ! echo "$command" | grep -qE '(git push|gh pr create)'; then
  exit 0
fi
if [ ! -f ".approved" ]; then
  echo "BLOCKED: needs an approval"
  exit 2
fi
exit 0
