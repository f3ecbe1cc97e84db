"""Every action by the real command: it refuses with a reason in the nested form, and lets pass in the flat one."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tenterhook.library.actions import ACTIONS

from . import samples
from .conftest import Act
from .samples import Hook, Nested

# A project, and what the event says.
Work = tuple[Path, dict[str, Any]]
Make = Callable[[Path], Work]
ADDS = "FAILED tests/test_app.py::test_adds"
SPEC = {f".moai/specs/SPEC-A-001/{name}.md": f"# {name}\n\n- Requirements\n" for name in ("plan", "acceptance")}


def wrote(root: Path, name: str, text: str | None = None) -> Work:
    return root, samples.write(root, name, text)


def made(root: Path, **files: str) -> Work:
    """A file in a folder of its own, written by a tool."""
    ((name, text),) = files.items()
    return wrote(samples.put(root / samples.FOLDER, {name: text}), name)


def old_work(root: Path, code: str) -> Work:
    samples.committed(samples.python(root))
    return samples.put(root / samples.FOLDER, {"src/app.py": code}), {}


def documents(root: Path, files: dict[str, str]) -> Work:
    return samples.put(root / samples.FOLDER, {"README.md": "# A\n\nb\n", **files}), {}


def code_in(file: str, head: str = "the change leaves something red") -> tuple[Make, str, Make, str]:
    return (
        lambda at: wrote(samples.python(at, samples.BAD), file),
        f"{file}: {head}\nran 2 tests of {file} in ... s: not all pass ...\n  {ADDS} - assert -1 == 3",
        lambda at: wrote(samples.python(at), file),
        f"ran 2 tests of {file} in ... s: all pass",
    )


COMPLETED = (
    lambda at: old_work(at, samples.BAD),
    ADDS,
    lambda at: old_work(at, f"{samples.GOOD}\n"),
    "1 changed file, nothing is red",
)
CODE = code_in("src/app.py")
# What is refused, and a part of the reason; what passes, and a part of the line about it. Dots stand for anything.
CASES: dict[str, tuple[Make, str, Make, str]] = {
    "ddd-pre-transformation": (
        lambda at: wrote(samples.python(at, samples.BAD), "src/app.py", samples.GOOD),
        ADDS,
        lambda at: wrote(samples.unittests(at), "app.py", samples.BAD),
        "ran 1 test of app.py in ",
    ),
    "tdd-pre-implementation": (
        lambda at: wrote(samples.python(at), "src/tax.py", samples.GOOD),
        "Write tests/test_tax.py first",
        lambda at: wrote(samples.python(at), "src/app.py", samples.GOOD),
        "src/app.py has a test",
    ),
    "backend-validation": (
        lambda at: wrote(documents(at, {})[0], "a.py", "x = ("),
        "would not parse",
        lambda at: wrote(documents(at, {})[0], "a.py", "x = 1"),
        "found nothing against writing a.py",
    ),
    "frontend-validation": (
        lambda at: wrote(documents(at, {})[0], "package.json", "{"),
        "would not parse",
        lambda at: wrote(documents(at, {})[0], "package.json", "{}"),
        "found nothing against writing package.json",
    ),
    "frontend-verification": (
        lambda at: wrote(samples.node(at, samples.NODE_BAD), "app.js"),
        "not ok 1 - adds",
        lambda at: wrote(samples.node(at), "app.js"),
        "ran 1 test of app.js in ",
    ),
    "testing-verification": (
        lambda at: wrote(samples.python(at, tests="def test_it():\n    assert True\n"), "tests/test_app.py"),
        "asserts nothing that could be false",
        *code_in("tests/test_app.py")[2:],
    ),
    "debug-verification": (
        lambda at: wrote(samples.python(at, f"{samples.GOOD}breakpoint()\n"), "src/app.py"),
        "left behind: breakpoint()",
        *CODE[2:],
    ),
    "devops-verification": (
        lambda at: made(at, Dockerfile="RUN x\n"),
        "Dockerfile must begin with `FROM`",
        lambda at: made(at, **{"a.toml": "a = 1\n"}),
        "read a.toml: sound",
    ),
    "docs-verification": (
        lambda at: made(at, **{"a.md": "[x](gone.md)\n"}),
        "there is no 'gone.md'",
        lambda at: made(at, **{"$(touch x) it's.md": "# A\n"}),
        "it's.md: sound",
    ),
    "devops-completion": (
        lambda at: documents(at, {"a.toml": "a = \n"}),
        "a.toml:1:5",
        lambda at: documents(at, {"a.toml": "a = 1\n"}),
        "sound",
    ),
    "docs-completion": (
        lambda at: documents(at, {"new.md": "[x](nowhere.md)\n"}),
        "there is no 'nowhere.md'",
        lambda at: documents(at, {"new.md": "# Fine\n"}),
        "2 documents, sound",
    ),
    "quality-completion": (
        lambda at: documents(at, {}),
        "There is no quality report",
        lambda at: documents(at, {"docs/quality.md": "# Quality\n\n87 %\n"}),
        "0 problems",
    ),
    "spec-completion": (
        lambda at: documents(at, {}),
        "spec.md: there is no such document; write it",
        lambda at: documents(at, {**SPEC, ".moai/specs/SPEC-A-001/spec.md": "# A\n\n## Requirements\n\nText.\n"}),
        "complete",
    ),
    "ddd-post-transformation": code_in("src/app.py", "the change does not preserve the behaviour"),
    "tdd-post-implementation": code_in("src/app.py", "the tests are not green yet"),
    "backend-verification": code_in("src/app.py"),
    **dict.fromkeys(("ddd-completion", "tdd-completion", "testing-completion", "debug-completion"), COMPLETED),
}
EVENTS = {"tool.before": "PreToolUse", "tool.after": "PostToolUse", "agent.stop": "SubagentStop"}


@pytest.mark.req("CC-ACT-table", "CC-ACT-command")
@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=samples.needs_node if "frontend-v" in one else ()) for one in ACTIONS]
)
def test_the_command_refuses_nested_and_passes_flat(hook: Hook, nested: Nested, tmp_path: Path, name: str) -> None:
    bad, reason, good, note = CASES[name]
    root, given = bad(tmp_path / "bad")
    tool = (given["tool_name"], given["tool_input"]) if given else ()
    refused = hook(name, nested(name, root, *tool), project=root)
    fine, given = good(tmp_path / "good")
    event = {"hook_event_name": EVENTS[ACTIONS[name].kind], "cwd": str(fine), "session_id": "s", **given}
    passed = hook(name, event, project=fine)

    assert (refused.code, passed.code) == (2, 0)
    assert re.search(".*".join(map(re.escape, reason.split("..."))), refused.stderr)
    assert re.search(".*".join(map(re.escape, note.split("..."))), passed.stderr)
    assert not (root / "run").exists()
    assert not (fine / "x").exists()


@pytest.mark.parametrize("name", [one.name for one in ACTIONS.values() if one.kind == "agent.stop"])
def test_an_agent_that_was_refused_its_end_once_may_end(act: Act, tmp_path: Path, name: str) -> None:
    bad, reason, _, _ = CASES[name]
    root, _ = bad(tmp_path)

    said = act(name, project=root, stop_hook_active=True)

    assert said.decision == "none"
    assert "red: tests of src/app.py" in said.message if reason == ADDS else reason.lower() in said.message.lower()
