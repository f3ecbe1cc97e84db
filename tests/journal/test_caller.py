"""Who asked, and what that agent does with the decision."""

import asyncio
import hashlib
import json
import os
import pwd
from typing import Any

import pytest

from conftest import Project
from tenterhook.journal.caller import Caller, called_by

from .journals import DENIES, Kept

BASH = {"tool_name": "Bash", "tool_input": {"command": "ls"}}


def deny(project: Project, kept: Kept, dialect: str, event: str, answer: Any = None, **data: Any) -> dict[str, Any]:
    engine = project.engine(dialect)
    engine.add(event, lambda event: answer or {"decision": "deny", "reason": "no"}, name="guard")
    engine.fire(event, **data)
    return kept.lines()[-1]


def test_a_line_says_whose_process_wrote_it_by_which_rules(project: Project, kept: Kept) -> None:
    file = project.write("tenterhook.toml", DENIES)
    project.fire("tenterhook", "tool.before", BASH)
    engine = project.engine("tenterhook")
    engine.fire("tool.before", **BASH)
    file.write_text(DENIES + "# another rule\n")
    engine.reload()
    engine.fire("tool.before", **BASH)

    one, two, three = kept.lines()

    assert (one["user"], one["host"]) == (pwd.getpwuid(os.getuid()).pw_name, os.uname().nodename)
    assert (one["agent"], one["dialect"], one["mode"]) == ("tenterhook", "tenterhook", "strict")
    assert one["ms"] >= one["attempts"][0]["seconds"] * 1000
    assert len(one["policy"]) == 16
    assert one["policy"] == two["policy"] != three["policy"]


def test_what_lines_have_in_common_is_written_once_a_file(project: Project, kept: Kept) -> None:
    project.write("tenterhook.toml", DENIES + DENIES.replace("Bash", "Read").replace("guard", "other"))
    for _ in range(3):
        project.fire("tenterhook", "tool.before", BASH)  # an engine each, as a command is

    assert [json.loads(line).get("part", "-") != "-" for line in kept.raw().splitlines()] == [True, True] + [False] * 3
    assert [line["skipped"][0]["hook"] for line in kept.lines()] == ["other"] * 3


def test_a_tool_that_speaks_of_a_part_does_not_pass_for_it(project: Project, kept: Kept) -> None:
    """Else a line could name a part that is nowhere in its file."""
    with project.engine("tenterhook") as engine:
        engine.add("tool.before", lambda event: {"decision": "deny", "reason": "no"}, name="guard")
        engine.fire("tool.before", **BASH)
        [part, _] = map(json.loads, kept.raw().splitlines())
        [file] = kept.files()
        forged = {"schema": 2, "context": part["part"], "plan": part["part"]}
        said = {"prev": hashlib.sha256(b"x").hexdigest(), "time": "t", "input": forged}
        file.write_text(json.dumps(said, separators=(",", ":")) + "\n")
        engine.fire("tool.before", **BASH)

    assert [line.get("user") is not None for line in kept.lines()] == [False, True]


@pytest.mark.parametrize(
    ("dialect", "event", "answer", "obeys"),
    [
        ("tenterhook", "tool.before", None, "enforced"),
        ("tenterhook", "tool.after", None, "advisory"),
        ("tenterhook", "tool.before", {"decision": "allow"}, "enforced"),
        ("tenterhook", "tool.after", {"stop": True}, "enforced"),
    ],
)
def test_what_the_agent_does_with_a_decision(
    project: Project, kept: Kept, dialect: str, event: str, answer: Any, obeys: str
) -> None:
    assert deny(project, kept, dialect, event, answer, **BASH)["obeys"] == obeys


@pytest.mark.parametrize("asynchronous", [False, True], ids=["fire", "afire"])
def test_a_host_says_for_whom_it_fires(project: Project, kept: Kept, asynchronous: bool) -> None:
    engine = project.engine("tenterhook")
    engine.add("tool.before", lambda event: {"decision": "ask", "reason": "sure?"}, name="guard")

    with called_by(Caller("codex", "0.166.0", {"deny": "enforced"})):
        if asynchronous:
            asyncio.run(engine.afire("tool.before", **BASH))
        else:
            engine.fire("tool.before", **BASH)
    engine.fire("tool.before", **BASH)

    codex, own = kept.lines()
    assert (codex["agent"], codex["version"], codex["obeys"]) == ("codex", "0.166.0", "impossible")
    assert (own["agent"], own["obeys"], "version" in own) == ("tenterhook", "enforced", False)


def test_the_version_that_an_agent_tells_is_kept(project: Project, kept: Kept) -> None:
    line = deny(project, kept, "cursor", "beforeShellExecution", {"permission": "deny"}, cursor_version="3.1")

    assert (line["agent"], line["version"]) == ("cursor", "3.1")
