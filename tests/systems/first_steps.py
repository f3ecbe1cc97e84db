"""The first steps of an author, on the system that this runs on: needs Python and `tenterhook`, nothing else.

    python first_steps.py            in this system
    python first_steps.py windows    as if this were Windows, or macos; see pretend.py

It makes a project of its own, calls `tenter` as the documentation says, and stops at the first surprise.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

GUARD = """from tenterhook import hook


@hook("tool.before", match="shell")
def no_force_push(event):
    if "push --force" in event.command:
        return hook.deny("Force pushes are not allowed here.")


if __name__ == "__main__":
    hook.main()
"""
FORCED = {
    "hook_event_name": "PreToolUse", "session_id": "s1", "transcript_path": "/x", "cwd": "/x",
    "permission_mode": "default", "tool_name": "Bash", "tool_use_id": "t1",
    "tool_input": {"command": "git push --force"},
}  # fmt: skip
SETTINGS = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "exit 2"}]}]}}
STRICT = ("-X", "warn_default_encoding", "-W", "error::EncodingWarning:tenterhook")


class Project:
    """A project in which `tenter` runs, perhaps as on another system."""

    def __init__(self, folder: Path, pretended: str = "") -> None:
        self.folder, self.home = folder / "project", folder / "home"
        (self.folder / ".claude").mkdir(parents=True)
        self.home.mkdir()
        (self.folder / "guard.py").write_text(GUARD, "utf-8")
        self.pretended = pretended

    def call(self, *words: str, given: object = None, code: int = 0) -> str:
        environ = os.environ | {
            "HOME": str(self.home),
            "USERPROFILE": str(self.home),
            "XDG_STATE_HOME": str(self.home / "state"),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "TENTERHOOK_SERVE": "off",
        }
        done = subprocess.run(
            [sys.executable, *STRICT, *self.program(words)], input=json.dumps(given) if given else "",
            cwd=self.folder, env=environ, capture_output=True, encoding="utf-8", timeout=120, check=False,
        )  # fmt: skip
        wrong = "Traceback" in done.stderr or done.returncode != code
        if wrong:
            raise AssertionError(f"{words}: exit {done.returncode}, not {code}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def program(self, words: tuple[str, ...]) -> list[str]:
        if self.pretended:
            return [str(Path(__file__).with_name("pretend.py")), self.pretended, *words]
        return list(words) if words[0].endswith(".py") else ["-m", "tenterhook", *words]


def install_run_and_uninstall(project: Project) -> None:
    expect("refused, as it said", project.call("install", "guard.py", "--agent", "claude,gemini", "--yes"))
    answer = json.loads(project.call("run", "--agent", "claude", given=FORCED))
    by_hand = json.loads(project.call("guard.py", "--agent", "claude", given=FORCED))
    expect("deny", answer["hookSpecificOutput"]["permissionDecision"])
    expect(json.dumps(answer), json.dumps(by_hand))
    expect("Force pushes", project.call("log"))
    expect("removed", project.call("uninstall", "--yes"))
    expect("[]", str(os.listdir(project.folder / ".claude")))


def check_explain_convert_and_fire(project: Project) -> None:
    (project.folder / ".claude" / "settings.json").write_text(json.dumps(SETTINGS), "utf-8")
    project.call("check", "--dialect", "claude")
    expect("exit 2", project.call("list", "--dialect", "claude"))
    expect("settings.json:1", project.call("explain", "PreToolUse", "--dialect", "claude", "--trust"))
    expect("BeforeTool", project.call("convert", "--from", "claude", "--to", "gemini", code=3))
    fired = ("fire", "PreToolUse", "--dialect", "claude")
    expect("deny", json.loads(project.call(*fired, "--trust", given=FORCED, code=2))["decision"])
    project.call("trust", "--yes")
    expect("2", str(json.loads(project.call(*fired, given=FORCED, code=2))["attempts"][0]["exit_code"]))


def look_around(project: Project) -> None:
    expect("sandbox", project.call("doctor"))
    expect("claude", project.call("dialects"))
    expect("dangerous-commands", project.call("library"))


STEPS = (install_run_and_uninstall, check_explain_convert_and_fire, look_around)


def expect(wanted: str, found: str) -> None:
    if wanted not in found:
        raise AssertionError(f"{wanted!r} is not in what was printed:\n{found}")


if __name__ == "__main__":
    for step in STEPS:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as made:
            step(Project(Path(made).resolve(), *sys.argv[1:]))
            print(f"{step.__name__}: as expected")
