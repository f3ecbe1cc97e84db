"""Ctrl-C at a terminal: at a question, in a tool, and what hooks and the transcript hear of it."""

import json

from conftest import Project

from .agents import call, script, words
from .terminal import Person


def test_ctrl_c_at_a_question_leaves_the_next_line_to_the_prompt(project: Project) -> None:
    path = script(project, [call("Bash", command="touch made")], "Answer.")
    kept = project.home_folder / "transcript.jsonl"
    options = ("--script", str(path), "--transcript", str(kept))
    with Person(project, words(project, "tenterhook", *options)) as person:
        person.sees("What should I do?")
        person.types("one\n")
        person.sees("[y]es or [n]o:")
        person.types("\x03")
        person.sees("\n> ", 5)
        person.types("two\n")
        person.sees("Answer.", 5)
        person.types("/exit\n")

        assert person.leaves() == 0
    entries = [json.loads(line) for line in kept.read_text().splitlines()]
    assert [one["text"] for one in entries if one["kind"] == "prompt"] == ["one", "two"]
    assert not project.has("made")


def test_hooks_and_the_transcript_hear_of_a_tool_that_was_interrupted(project: Project) -> None:
    project.write("tenterhook.toml", '[[hook]]\non = "tool.failed"\ncommand = "cat > failed.json"\n')
    path = script(project, [call("Bash", command="touch begun; sleep 30")])
    kept = project.home_folder / "transcript.jsonl"
    options = ("--script", str(path), "--transcript", str(kept), "--yes", "--trust")
    with Person(project, words(project, "tenterhook", *options)) as person:
        person.sees("What should I do?")
        person.types("one\n")
        while not project.has("begun"):
            person.read(0)
        person.types("\x03")
        person.sees("\n> ")
        person.types("/exit\n")
        person.leaves()
    assert project.json("failed.json")["is_interrupt"] is True
    (tool,) = [one for one in map(json.loads, kept.read_text().splitlines()) if one["kind"] == "tool"]
    assert (tool["ran"], tool["result"]) == (True, "the user interrupted it")
