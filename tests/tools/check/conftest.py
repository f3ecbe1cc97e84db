"""A project to be checked, and what the command says about it."""

import json
import re

import pytest

from tenterhook.cli.main import main

GROUP = {
    "wave": ".wave/settings.json",
    "moai": ".claude/settings.json",
    "llxprt": ".llxprt/settings.json",
    "claude": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "qwen": ".qwen/settings.json",
}

# The rule at the end of a line; test_rules.py looks at it.
RULE = re.compile(r" \[TH\d+[^\]]*\]$")


@pytest.fixture(autouse=True)
def home(tmp_path_factory, monkeypatch):
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return home


@pytest.fixture
def check(tmp_path, capsys):
    """Run the command on a project; its exit code and the lines it printed, with the project's path left out."""

    def run(*argv: str) -> tuple[int, list[str]]:
        code = main(["check", "--project", str(tmp_path), *argv])
        lines = capsys.readouterr().out.replace(f"{tmp_path}/", "").splitlines()
        return code, [RULE.sub("", line) for line in lines]

    return run


@pytest.fixture
def write(tmp_path):
    def write(path: str, text: str | bytes, *, mode: int = 0o644) -> None:
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        file.chmod(mode)

    return write


@pytest.fixture
def one_hook(write, check):
    """What is said about one hook of a dialect that writes groups: its lines without the summary."""

    def run(dialect: str, event: str, *, matcher: str | None = None, **hook: object) -> list[str]:
        group = {"hooks": [{"type": "command", "command": "true", **hook}]}
        if matcher is not None:
            group["matcher"] = matcher
        settings = {"hooks": {event: [group]}, **({"enableHooks": True} if dialect == "llxprt" else {})}
        write(GROUP[dialect], json.dumps(settings, indent=1))
        return check("--dialect", dialect)[1][:-1]

    return run


@pytest.fixture
def massgen(write, check):
    def run(**hook: str) -> list[str]:
        write("massgen.yaml", json.dumps({"hooks": {"PreToolUse": [hook]}}))
        return check("--dialect", "massgen")[1][:-1]

    return run
