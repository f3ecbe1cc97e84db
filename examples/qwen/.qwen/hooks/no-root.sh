#!/bin/sh
# Qwen Code calls the tool run_shell_command; a matcher may call it Bash all the same.
if grep -q '"command":"sudo '; then
    echo "Nothing runs as root here." >&2
    exit 2
fi
