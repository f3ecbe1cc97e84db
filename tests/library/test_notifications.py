"""library:desktop-notification with programs that are put on the path, library:webhook-notification with a server."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from tenterhook.testing import each_dialect

from .conftest import Fire

DESKTOP, WEBHOOK = "desktop-notification", "webhook-notification"
KEY = "AKIA" + "Q3EGRZXWV2LTY7NB"


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all of the path; what is put there writes its words down."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tmp_path / "bin"


def put(folder: Path, name: str, more: str = "") -> Path:
    (folder / name).write_text(f'#!/bin/sh\nfor word in "$@"; do echo "$word"; done > {folder}/said\n{more}\n')
    (folder / name).chmod(0o755)
    return folder / "said"


@each_dialect("turn.stop")
def test_the_end_of_a_turn_is_shown_on_the_desktop(agent: str, fire: Fire, program: Path) -> None:
    said = put(program, "notify-send")
    fired = fire(DESKTOP, "turn.stop", agent=agent)

    assert fired.ran
    *_, title, text = said.read_text().splitlines()
    assert title == f"{agent} in proj"
    assert text.startswith("has finished")


@each_dialect("notify")
def test_what_the_agent_says_is_shown_without_secrets(agent: str, fire: Fire, program: Path) -> None:
    said = put(program, "notify-send")
    fire(DESKTOP, "notify", agent=agent, message=f"-use <b>{KEY}</b>\n & go")

    shown = said.read_text()
    assert "needs your attention: -use &lt;b>[redacted]&lt;/b> &amp; go" in shown
    assert KEY not in shown


def test_on_a_mac_it_is_osascript_and_no_word_becomes_code(fire: Fire, program: Path) -> None:
    said = put(program, "osascript")
    fire(DESKTOP, "notify", message='" & do shell script "x')

    assert said.read_text().splitlines()[-1] == 'needs your attention: " & do shell script "x'


def test_where_nothing_can_show_it_that_is_said_once(fire: Fire, program: Path) -> None:
    first, second = (fire(DESKTOP, "turn.stop") for _ in range(2))

    assert first.ran
    assert "neither notify-send nor osascript is here" in first.everything
    assert "notify-send" not in second.everything


def test_a_program_that_fails_or_hangs_is_left_behind(fire: Fire, program: Path) -> None:
    put(program, "notify-send", "exit 1")
    failed = fire(DESKTOP, "turn.stop")
    put(program, "notify-send", "exec 9<>/dev/null; while :; do :; done")
    hung = fire(DESKTOP, "turn.stop", options={"seconds": 0.2})

    assert all("notify-send could not show it" in one.everything and one.ran for one in (failed, hung))


@pytest.mark.parametrize("name", [DESKTOP, WEBHOOK])
def test_only_what_is_wanted_is_told_and_a_wrong_kind_is_said(name: str, fire: Fire, fails: Fire) -> None:
    options = {"on": ("session.end",)}
    quiet = fire(name, "turn.stop", options=options)
    wrong = fails(name, "turn.stop", options={"on": ("turn.stopp",)})

    assert name not in quiet.everything
    assert wrong.ran
    assert "not 'turn.stopp' (did you mean 'turn.stop'?)" in wrong.everything


# ---- webhooks


class Server(HTTPServer):
    got: list[tuple[str, dict[str, str], Any]]
    status = 200


class Taker(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        assert isinstance(self.server, Server)
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.got.append((self.path, dict(self.headers), json.loads(body)))
        self.send_response(self.server.status)
        self.send_header("location", "http://169.254.169.254/")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *words: object) -> None:
        """Nobody reads it."""


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server(("127.0.0.1", 0), Taker)
    made.got = []
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    thread.join()


def to(server: Server, **more: object) -> dict[str, object]:
    return {"url": f"http://127.0.0.1:{server.server_port}/hook/T0KEN", "loopback": True, **more}


@each_dialect("turn.stop")
def test_the_end_of_a_turn_is_posted(agent: str, fire: Fire, server: Server, folder: Path) -> None:
    fired = fire(WEBHOOK, "turn.stop", agent=agent, options=to(server))

    assert fired.ran
    assert WEBHOOK not in fired.everything
    (path, _, body) = server.got[0]
    assert path == "/hook/T0KEN"
    assert (body["agent"], body["kind"]) == (agent, "turn.stop")
    assert body["text"].startswith("has finished")
    assert body["project"] == str(folder)


def test_chats_get_the_form_that_they_take_and_headers_take_variables(
    fire: Fire, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", "s3cret-value")
    monkeypatch.setenv("MY_HOOK", str(to(server)["url"]))
    headers = ("Authorization: Bearer $MY_TOKEN",)
    fire(WEBHOOK, "notify", message=f"key {KEY}", options=to(server, form="slack", headers=headers))
    fire(WEBHOOK, "notify", message="hello", options=to(server, form="discord", url="$MY_HOOK"))

    (_, sent, slack), (_, _, discord) = server.got
    assert sent["Authorization"] == "Bearer s3cret-value"
    assert slack == {"text": "tenterhook in proj needs your attention: key [redacted]"}
    assert discord == {"content": "tenterhook in proj needs your attention: hello"}


@pytest.mark.parametrize("status", [302, 404, 500])
def test_what_a_server_does_not_take_is_told_without_the_urls_path(fire: Fire, server: Server, status: int) -> None:
    server.status = status
    fired = fire(WEBHOOK, "turn.stop", options=to(server))

    assert f"not sent: HTTP {status} from http://127.0.0.1" in fired.everything
    assert "T0KEN" not in fired.everything
    assert len(server.got) == 1


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({}, "url is missing"),
        ({"url": "$NO_SUCH_HOOK"}, "there is no such variable"),
        ({"url": "http://127.0.0.1:1/"}, "is this machine's own address"),
        ({"url": "http://10.0.0.1/"}, "is the address of a private network"),
        ({"url": "http://169.254.169.254/", "loopback": True, "private": True}, "metadata service"),
        ({"url": "ftp://127.0.0.1/"}, "must begin with http"),
        ({"url": "http://127.0.0.1:1/T0KEN", "loopback": True}, "no server listens at 127.0.0.1:1"),
        ({"url": "https://example.com/", "headers": ("nonsense",)}, "`Name: value` is needed"),
        ({"url": "https://example.com/", "form": "teams"}, "form may be event, slack, discord"),
    ],
)
def test_what_cannot_be_sent_is_told_and_stops_nothing(fire: Fire, options: dict[str, object], problem: str) -> None:
    fired = fire(WEBHOOK, "turn.stop", options=options, allow_failure=True)

    assert fired.ran
    assert problem in fired.everything
    assert "T0KEN" not in fired.everything


def test_a_server_that_does_not_answer_is_not_waited_for(fire: Fire) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as silent:
        options = {"url": f"http://127.0.0.1:{silent.getsockname()[1]}/", "loopback": True, "seconds": 0.2}
        fired = fire(WEBHOOK, "turn.stop", options=options)

    assert "within 0.2 s" in fired.everything
    assert fired.seconds < 2
