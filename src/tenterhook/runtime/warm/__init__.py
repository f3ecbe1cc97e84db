"""Run Python scripts in forks of an interpreter that is already running.

    host --PREPARE--> warm interpreter --forks--> trial: is it safe to keep the script's imports loaded?
         --START--->                   --forks--> the script, with its own environment and streams

A warm interpreter is a spawner (see runtime/supervisor) that has confined itself and then executed the hook's own
Python. `program` is its main program and `server` its loop. `trial`, `imports` and `footprint` prepare it for a script;
`forks`, `child` and `run_script` run one. These use the standard library alone and work on Python
3.9 and later. `script` and `host` are the host's side: they recognise Python scripts and track which are prepared.
"""

# Part of the note, given once, about a script that cannot run in a fork.
EACH_TIME = "starts a new interpreter each time"
