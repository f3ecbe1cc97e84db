#!/bin/sh
# Without the text on stderr Gemini CLI would let the command pass, exit 2 or not.
if grep -Eq 'curl [^|]*\| *(ba)?sh'; then
    echo "Download the script, read it, then run it." >&2
    exit 2
fi
