"""Hook processes, confined: what they may read, write and reach, and how this machine can see to it."""
