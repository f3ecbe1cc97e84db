"""Python scripts run by a copy of an interpreter that is running already.

    host --PREPARE--> warm interpreter --forks--> trial: may what the script imports be loaded for good?
         --START--->                   --forks--> the script, with everything of its own

A warm interpreter is a spawner (see runtime/supervisor) that has confined itself and then become the hook's own
Python: `program` is what it runs, `server` what it serves, `trial`, `imports` and `footprint` how it gets ready for a
script, `copies`, `child`, `ending` and `kept` how it runs one. All of these are the standard library alone, for any
Python from 3.9 on. `script` and `host` are the host's side: what is a Python script, and what is ready for it.
"""

# Part of what is said, once, of a script that cannot run in a copy.
EACH_TIME = "runs in an interpreter of its own each time"
