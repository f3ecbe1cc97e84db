#!/bin/sh
if ! grep -q -- --dry-run; then
    echo "Only dry runs are allowed here." >&2
    exit 2
fi
