#!/usr/bin/env bash
# As it should be: the command from the event, the reason to stderr, and 2.
set -u
command="$(cat | jq -r '.tool_input.command // ""')"
refuse() {
  echo "refused: $1" >&2
  exit 2
}
case "$command" in
  *"git push"*"--force"*) refuse "no force push" ;;
  *"git reset"*"--hard"*) refuse "no hard reset" ;;
esac
exit 0
