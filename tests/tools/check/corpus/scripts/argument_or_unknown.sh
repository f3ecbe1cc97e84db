#!/usr/bin/env bash
# Takes the tool's name from its first argument, which the entry does not give.
set -euo pipefail
TOOL="${1:-unknown}"
case "$TOOL" in
  write_file | edit) echo "code changed" ;;
  *) echo "tool: $TOOL" ;;
esac
exit 0
