#!/bin/sh
# Exit 2 blocks, and stderr is the reason that the model is told.
if grep -q 'push --force'; then
    echo "Force pushes are not allowed here; push a new commit instead." >&2
    exit 2
fi
