"""The one hook file that every client is given, unchanged, by tenter install."""

import json
from pathlib import Path

from tenterhook import hook


def note(event):
    """The kit reads it, to tell whether the hook fired; by the name that the client has for the event."""
    line = {"event": event.raw["caller"]["event"], "stdin": json.dumps(event.raw), "environ": {}}
    with Path(__file__).with_name("fired.jsonl").open("a") as file:
        file.write(json.dumps(line) + "\n")


@hook("tool.before", match="shell")
def no_removal(event, folder="precious"):
    note(event)
    removes = event.command.startswith("rm -rf") and folder in event.command
    return hook.deny("Precious things are not removed here.") if removes else None


@hook("tool.before", match="shell")
def newer(event):
    return hook.rewrite(command="./mark.sh new") if event.command == "./mark.sh old" else None


@hook("session.start")
def at_the_start(event):
    return hook.context("The session began with this.")


@hook("prompt.submit")
def with_the_prompt(event):
    return hook.context("The prompt came with this.")


@hook("tool.after", match="shell")
def with_the_result(event):
    return hook.context("The result came with this.")
