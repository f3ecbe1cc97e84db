"""A kept engine is used only as long as one made anew would be the same."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from conftest import Project

from .served import LONG, Raw, Served, plain, settle, until

HOOK = '[[hook]]\non = "tool.before"\ncommand = "echo {}"\n'
FUNCTION = '[[hook]]\non = "tool.before"\ntype = "python"\nfunction = "guard.answer"\n'


def reason(raw: Raw, *words: str) -> str:
    kind, text = raw.ask("tool.before", *words, stdin=b'{"tool_name": "Bash"}')
    assert kind == b"X"
    return str(json.loads(text[1:])["reason"])


def test_a_config_that_changes_all_the_time_is_never_an_old_one(raw: Raw, project: Project) -> None:
    """Changed between two events that follow at once, with the same size: the clock may not even have ticked."""
    project.write("helper.py", "def denying(n):\n    return lambda event: {'decision': 'deny', 'reason': str(n)}\n")
    project.write("guard.py", "from helper import denying\none, two = denying(1), denying(2)\n")
    found = []
    for n in range(60):
        project.write("tenterhook.toml", FUNCTION.replace("answer", ("one", "two")[n % 2]))
        found.append(reason(raw, "--trust"))

    assert found == ["1", "2"] * 30


def test_a_file_that_comes_to_be_behind_a_link_is_noticed(raw: Raw, project: Project, tmp_path: Path) -> None:
    """The link is there, and leads nowhere yet."""
    (project.root / ".claude").symlink_to(tmp_path / "elsewhere")
    settle()
    event = b'{"tool_name": "Bash", "tool_input": {}}'

    def attempts() -> int:
        _, text = raw.ask("PreToolUse", "--trust", "--dialect", "claude", stdin=event)
        return len(json.loads(text[1:])["attempts"])

    assert [attempts(), attempts()] == [0, 0]
    (tmp_path / "elsewhere").mkdir()
    entry = {"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "exit 2"}]}]}}
    (tmp_path / "elsewhere" / "settings.json").write_text(json.dumps(entry))
    assert attempts() == 1


def test_a_home_that_is_no_whole_path_keeps_nobody_waiting(served: Served, project: Project) -> None:
    project.write("tenterhook.toml", '[[hook]]\non = "tool.before"\ncommand = "exit 2"\n')
    served.start()
    served.environ = {name: value for name, value in served.environ.items() if not name.startswith("XDG_STATE")}
    words = ("fire", "tool.before", "--trust")
    runs = [plain(served.run(*words, environ={"HOME": "nowhere"}, served=one)) for one in (False, True, True)]

    assert runs[0] == runs[1] == runs[2]
    assert runs[0][0] == 2


def test_a_function_whose_module_changed_is_the_new_one(raw: Raw, project: Project, served: Served) -> None:
    """It cannot be imported anew in the same process: another worker takes over."""
    project.write("tenterhook.toml", FUNCTION)
    project.write(
        "guard.py", "import part\n\ndef answer(event):\n    return {'decision': 'deny', 'reason': part.WHY}\n"
    )
    found = []
    for n in range(4):
        project.write("part.py", f"WHY = 'reason {n}'\n")
        found += [reason(raw, "--trust"), reason(raw, "--trust")]

    assert found == [f"reason {n}" for n in range(4) for _ in range(2)]


def test_a_module_that_a_function_imports_when_it_is_called_is_the_new_one(raw: Raw, project: Project) -> None:
    project.write("tenterhook.toml", FUNCTION)
    project.write(
        "guard.py",
        "def answer(event):\n    if event['tool_name'] == 'Bash':\n        import part\n"
        "        return {'decision': 'deny', 'reason': part.WHY}\n",
    )
    settle()
    raw.ask("tool.before", "--trust", stdin=b'{"tool_name": "Other"}')
    found = []
    for n in range(3):
        project.write("part.py", f"WHY = 'reason {n}'\n")
        settle()
        found += [reason(raw, "--trust"), reason(raw, "--trust")]

    assert found == [f"reason {n}" for n in range(3) for _ in range(2)]


def test_a_package_that_comes_before_a_module_is_found_when_it_does(raw: Raw, project: Project) -> None:
    project.write("tenterhook.toml", FUNCTION)
    text = "def answer(event):\n    return {'decision': 'deny', 'reason': __name__ + __file__[-11:]}\n"
    project.write("guard.py", text)
    settle()
    assert reason(raw, "--trust").endswith("guard.py")
    project.write("guard/__init__.py", text)

    assert reason(raw, "--trust") == "guard__init__.py"


def test_what_functions_import_when_they_are_called_is_their_own_projects(raw: Raw, project: Project) -> None:
    """Modules of two projects may have the same names: one worker has the functions of one project."""
    for name in ("one", "two"):
        project.write(f"{name}/tenterhook.toml", FUNCTION)
        project.write(
            f"{name}/guard.py",
            "def answer(event):\n    import part\n    return {'decision': 'deny', 'reason': part.WHY}\n",
        )
        project.write(f"{name}/part.py", f"WHY = {name!r}\n")

    asked = ["one", "two", "two", "one"]
    assert [reason(raw, "--trust", "--project", name) for name in asked] == asked


def test_a_module_that_was_not_there_is_found_when_it_is(raw: Raw, project: Project) -> None:
    project.write("tenterhook.toml", FUNCTION)
    _, text = raw.ask("tool.before", "--trust", stdin=b'{"tool_name": "Bash"}')
    assert json.loads(text[1:])["attempts"][0]["error"] == "import"
    project.write("guard.py", "def answer(event):\n    return {'decision': 'deny', 'reason': 'there now'}\n")

    assert reason(raw, "--trust") == "there now"


def test_files_of_every_scope_count_from_the_moment_they_are_there(served: Served, project: Project) -> None:
    served.start()
    assert served.fire("Bash")["attempts"] == []
    config = project.home(".config/tenterhook/tenterhook.toml", HOOK.format("user"))
    assert [one["stdout"] for one in served.fire("Bash")["attempts"]] == ["user\n"]
    config.write_text("[settings]\nsandbox = 1\n")
    broken = served.run("fire", "tool.before", stdin=b"{}")
    assert broken.returncode == 1
    assert plain(broken) == plain(served.run("fire", "tool.before", stdin=b"{}", served=False))
    config.unlink()

    assert served.fire("Bash")["attempts"] == []


def test_approvals_are_heard_of_at_once_and_so_is_a_hook_that_was_modified(served: Served, project: Project) -> None:
    script = project.root / "run"
    project.script("run", "echo approved\n")
    project.write("tenterhook.toml", '[[hook]]\non = "tool.before"\ncommand = "./run"\n')
    served.start()

    def both() -> tuple[int, Any, bytes]:
        words = ("fire", "tool.before")
        found = plain(served.run(*words, stdin=b"{}"))
        assert found == plain(served.run(*words, stdin=b"{}", served=False))
        return found

    assert both()[1]["skipped"][0]["why"] == "untrusted"
    assert served.run("trust", "--yes").returncode == 0
    assert both()[1]["attempts"][0]["stdout"] == "approved\n"
    before = script.read_text()
    script.write_text(before.replace("approved", "modified"))
    outcome = both()[1]
    assert (outcome["decision"], outcome["attempts"][0]["error"]) == ("ask", "modified")
    script.write_text(before)

    assert both()[1]["decision"] == "none"


def test_a_function_that_changes_its_process_changes_it_for_nobody_else(raw: Raw, project: Project) -> None:
    project.write("tenterhook.toml", FUNCTION)
    text = "import os\n\ndef answer(event):\n    said = os.environ.get('MARK', '') + os.getcwd()\n"
    text += "    os.environ['MARK'] = 'changed'\n    os.chdir('/')\n"
    project.write("guard.py", text + "    return {'decision': 'deny', 'reason': said}\n")

    assert [reason(raw, "--trust") for _ in range(3)] == [str(project.root)] * 3


LEFT = """
import os, resource

def answer(event):
    found = {name: resource.getrlimit(getattr(resource, name))[0] for name in ("RLIMIT_NOFILE", "RLIMIT_CORE")}
    said = f"{found} {os.umask(0o1)} {os.nice(1)} {sorted(os.sched_getaffinity(0))}"
    resource.setrlimit(resource.RLIMIT_NOFILE, (333, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    os.sched_setaffinity(0, [max(os.sched_getaffinity(0))])
    return {"decision": "deny", "reason": said}
"""


def test_what_a_function_does_to_umask_limits_and_priority_is_nobody_elses(raw: Raw, project: Project) -> None:
    project.write("tenterhook.toml", FUNCTION)
    project.write("guard.py", LEFT)

    assert len({reason(raw, "--trust") for _ in range(3)}) == 1


def test_a_function_that_never_returns_ends_with_its_worker(raw: Raw, project: Project, served: Served) -> None:
    project.write("tenterhook.toml", FUNCTION + "timeout = 0.2\n")
    project.write("guard.py", f"import time\n\ndef answer(event):\n    time.sleep({LONG * 10})\n")
    _, text = raw.ask("tool.before", "--trust", stdin=b'{"tool_name": "Bash"}')

    assert json.loads(text[1:])["attempts"][0]["error"] == "timeout"
    until(lambda: not served.workers(), "the worker ends")


def test_that_a_script_cannot_run_warm_is_no_matter_of_the_outcome(served: Served, project: Project) -> None:
    project.write("tenterhook.toml", '[[hook]]\non = "tool.before"\nscript = "guard.py"\n')
    project.write("guard.py", "import sys\nsys.path.insert(0, 'lib')\nsys.exit(2)")
    words = ("fire", "tool.before", "--trust")
    alone = plain(served.run(*words, stdin=b"{}", served=False))
    served.start()

    for _ in range(4):  # in the second or third one it is found out
        assert plain(served.run(*words, stdin=b"{}")) == alone
        time.sleep(0.3)
    assert served.requests() == 4


def test_an_approved_script_runs_warm_and_its_outcome_is_the_same(served: Served, project: Project) -> None:
    """No engine is kept for hooks that are bound to an approval; the interpreter is."""
    project.write("tenterhook.toml", '[[hook]]\non = "tool.before"\nscript = "guard.py"\n')
    project.write("guard.py", "import json, sys\nsys.exit(f\"no {json.load(sys.stdin)['tool_name']}\")")
    assert served.run("trust", "--yes").returncode == 0
    event = b'{"tool_name": "Bash"}'
    cold = plain(served.run("fire", "tool.before", stdin=event, served=False))
    served.start()

    def is_warm() -> bool:
        assert plain(served.run("fire", "tool.before", stdin=event)) == cold
        told = served.run("log", "--json").stdout
        return b'"warm":true' in told.replace(b" ", b"")

    assert until(is_warm)
