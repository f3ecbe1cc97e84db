#!/bin/sh
echo "release.sh $*: version 1.4 would be published"
