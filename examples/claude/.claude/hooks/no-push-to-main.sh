#!/bin/sh
# Exit 2 blocks, and stderr is the reason.
if grep -q 'git push[^"]*main'; then
  echo "Push a branch of your own and open a pull request." >&2
  exit 2
fi
