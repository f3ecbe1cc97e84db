#!/bin/sh
cat > /dev/null
printf '{"additionalContext": "House rule: every change comes with a test."}\n'
