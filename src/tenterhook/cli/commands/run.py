"""`tenter run`: run hook files and library hooks in one process, with one answer, for any agent."""

from __future__ import annotations

from tenterhook.author import loading, process

HELP = """Read an agent's event on stdin, run the hooks of these files, and answer in the form that the agent obeys.
A FILE holds functions with @hook(kind); library:NAME is a hook that comes with tenterhook.

usage: tenter run FILE... [--set NAME=VALUE]... [--agent NAME] [--event EVENT] [--options FILE]

  --agent NAME      who calls, NAME or NAME@VERSION (default: as the event and the environment tell)
  --event EVENT     what happened, where the agent does not say it on stdin; its own name for it, or ours
  --set NAME=VALUE  an option for the hooks of the file before it; NAME may be HOOK.NAME
  --options FILE    a TOML file with a table of options for each hook, by the hook's name

exit codes: as the agent wants them; 2 refused, 1 could not run

example:
  echo '{"tool_name": "Bash", "tool_input": {"command": "ls"}}' |
    tenter run guard.py --agent claude --event tool.before"""


def run(argv: list[str]) -> int:
    if "-h" in argv or "--help" in argv:
        print(HELP)
        return 0
    return process.main(argv, loading.of_call)
