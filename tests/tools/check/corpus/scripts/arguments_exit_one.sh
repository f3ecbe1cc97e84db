#!/bin/bash
# Looks at its arguments, tells stdout why, and refuses by 1.
COMMAND="$1"
for pattern in "rm -rf" "git push --force" "git reset --hard"; do
  if echo "$COMMAND" | grep -qi -- "$pattern"; then
    echo "BLOCKED: $pattern"
    exit 1
  fi
done
exit 0
