"""What `tenter check`, `list`, `explain` and `fire` say of an http hook before and after it is called."""

import json
import subprocess
import sys
from typing import Any

import pytest
from msgspec.json import decode

from tenterhook.cli.main import main
from tenterhook.tools.check.handlers import no_handler, no_headers, no_url
from tenterhook.tools.check.run_checks import look_at

from .hooks import CALL, http_hook, moai_hook
from .http_server import dialled, response, serving

__all__ = ["dialled"]


def hazards(project: Any, url: str, environ: dict[str, str] | None = None, **keys: Any) -> list[str]:
    http_hook(project, url, **{"loopback": False, **keys})
    engine = project.engine("tenterhook", environ=environ)
    (hook,) = engine.hooks()
    look = look_at(hook, engine.hookset)
    problems = [problem for hazard in (no_handler, no_url, no_headers) for problem in hazard(look)]
    assert all(problem.line == 3 for problem in problems)
    return [f"{problem.level}: {problem.text}" for problem in problems]


NEVER = {
    "ftp://example.com/": "error: the URL must begin with http:// or https://, not 'ftp'",
    "https://me:pass@example.com/": "error: the URL holds a user and a password; send them in `headers`",
    "http://127.0.0.1/": "error: 127.0.0.1 is this machine's own address; `loopback = true` allows it",
    "http://2130706433/": "error: 2130706433 (127.0.0.1) is this machine's own address; `loopback = true` allows it",
    "http://localhost:8000/": "error: localhost (127.0.0.1) is this machine's own address; `loopback = true` allows it",
    "http://192.168.1.4/": "error: 192.168.1.4 is the address of a private network; `private = true` allows it",
    "http://169.254.169.254/": "error: 169.254.169.254 is a cloud's metadata service, which no hook may reach",
    "http://metadata.google.internal/": "error: metadata.google.internal is the name of a cloud's metadata service, "
    "which no hook may reach",
}


@pytest.mark.parametrize("url", NEVER)
def test_a_url_that_can_never_work_is_an_error(project: Any, dialled: list[str], url: str) -> None:
    assert hazards(project, url) == [f"{NEVER[url]}; the hook always fails"]
    assert dialled == []


@pytest.mark.parametrize("url", ["https://example.com/hook", "http://example.com/", "https://93.184.216.34/"])
def test_a_good_url_is_nothing_to_speak_of(project: Any, dialled: list[str], url: str) -> None:
    assert hazards(project, url, headers={"X-Team": "a"}) == []
    assert dialled == []


@pytest.mark.parametrize("url", ["http://127.0.0.1:8000/", "http://[::1]/", "http://a.localhost/"])
def test_what_the_entry_allows_is_nothing_to_speak_of(project: Any, url: str) -> None:
    headers = {"Authorization": "$A"}

    assert hazards(project, url, loopback=True, headers=headers, env={"A": "x"}) == []


def test_headers_that_can_never_be_sent_are_errors(project: Any) -> None:
    https = "https://example.com/"

    assert hazards(project, https, headers={"X-A": "$A"}) == [
        "error: the header X-A uses $A, which the entry does not list; add it to the entry's list of variables; "
        "the hook always fails"
    ]
    assert "is not for a hook to set" in hazards(project, https, headers={"Host": "x"})[0]


def test_variables_that_are_not_set_here_are_warned_of(project: Any) -> None:
    keys: dict[str, Any] = {"headers": {"X-A": "$A_TOKEN"}, "env": ["A_TOKEN"]}

    assert hazards(project, "https://example.com/", **keys) == [
        "warning: headers use $A_TOKEN, which is not set here: the hook fails without it"
    ]
    assert hazards(project, "https://example.com/", {"A_TOKEN": "x"}, **keys) == []


def test_secrets_in_clear_text_are_warned_of(project: Any) -> None:
    keys: dict[str, Any] = {"headers": {"X-A": "$A $B"}, "env": {"A": "1", "B": "2"}}

    assert hazards(project, "http://example.com/", **keys) == [
        "warning: $A, $B would be sent unencrypted; use https://"
    ]
    assert hazards(project, "http://192.168.0.1/", private=True, **keys) == [
        "warning: $A, $B would be sent unencrypted; use https://"
    ]


def test_hooks_of_other_kinds_are_none_of_this(project: Any) -> None:
    project.write("tenterhook.toml", '[[hook]]\non = "tool.before"\ncommand = "ftp://x"\n')
    engine = project.engine("tenterhook")
    (hook,) = engine.hooks()

    assert not [*no_url(look_at(hook, engine.hookset)), *no_headers(look_at(hook, engine.hookset))]


@pytest.mark.parametrize("command", ["list", "explain", "check"])
@pytest.mark.parametrize("dialect", ["moai", "tenterhook"])
def test_the_commands_show_an_http_hook_and_call_nobody(
    project: Any, dialled: list[str], capsys: pytest.CaptureFixture[str], command: str, dialect: str
) -> None:
    with serving(response("{}")) as server:
        http_hook(project, server.url)
        moai_hook(project, "PreToolUse", server.url)
        event = ["tool.before", "--all"] if command == "explain" else []
        code = main([command, *event, "--dialect", dialect, "--project", str(project.root)])

    shown = capsys.readouterr().out
    assert code == 0
    assert (server.url in shown) is (command != "check")
    assert "http" in shown or command == "check"
    assert "cannot be run" not in shown
    assert (dialled, server.connections) == ([], 0)


def test_the_command_that_fires_prints_what_became_of_it(project: Any) -> None:
    with serving(response('{"decision": "deny", "reason": "not here"}')) as server:
        http_hook(project, server.url)
        argv = [sys.executable, "-m", "tenterhook", "fire", "tool.before", "--project", str(project.root), "--trust"]
        given = json.dumps(CALL)
        done = subprocess.run(argv, input=given, env=project.environ(), capture_output=True, text=True, timeout=60)

    outcome = json.loads(done.stdout)
    assert (done.returncode, outcome["reason"], outcome["attempts"][0]["type"]) == (2, "not here", "http")
    assert decode(server.asked[0].body)["tool_name"] == "Bash"


def test_check_says_where_a_url_stands_that_can_never_work(project: Any, capsys: pytest.CaptureFixture[str]) -> None:
    moai_hook(project, "PreToolUse", "http://localhost:8000/", loopback=False)
    code = main(["check", "--dialect", "moai", "--project", str(project.root)])

    first, *_ = capsys.readouterr().out.splitlines()
    assert code != 0
    assert ".claude/settings.json:1:" in first
    assert first.endswith("`loopback = true` allows it; the hook always fails [TH316]")
