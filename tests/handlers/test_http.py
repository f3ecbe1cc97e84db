"""Hooks that are URLs: what is sent, what counts as an answer, and that everything else is a failure."""

import gzip
import json
import socket
import threading
import time
from typing import Any

import pytest
from msgspec.json import decode

from tenterhook.pipeline.answer import KEPT, SIZE

from .hooks import CALL, called, everything, http_hook, moai_hook
from .http_server import Reply, chunked, dialled, response, serving

pytestmark = pytest.mark.usefixtures("dialled")
__all__ = ["dialled"]

DENY = json.dumps({"decision": "deny", "reason": "not here"})


def test_the_event_is_posted_as_json_and_the_object_that_comes_back_is_the_answer(project: Any) -> None:
    with serving(response(DENY)) as server:
        http_hook(project, f"{server.url}?team=a b&x=%20")
        outcome, attempt = called(project)

    assert (outcome.blocked, outcome.reason, outcome.success) == (True, "not here", True)
    assert (attempt.type, attempt.exit_code, attempt.error, attempt.stdout) == ("http", 0, None, DENY)
    assert 0 < attempt.seconds < 5
    (asked,) = server.asked
    assert asked.line == "POST /hook?team=a%20b&x=%20 HTTP/1.1"
    assert asked.headers["host"] == f"127.0.0.1:{server.port}"
    assert asked.headers["content-type"] == "application/json"
    assert asked.headers["accept-encoding"] == "identity"
    assert asked.headers["user-agent"].startswith("tenterhook/")
    assert CALL.items() <= decode(asked.body).items()


def test_an_empty_object_says_nothing(project: Any) -> None:
    with serving(response("{}")) as server:
        http_hook(project, server.url)
        outcome, _ = called(project)

    assert (outcome.decision, outcome.success, outcome.messages) == ("none", True, ())


@pytest.mark.parametrize(
    "reply",
    [
        response(DENY, "201 Created"),
        response("\ufeff \n" + DENY + "\n"),
        response(DENY, "200 OK", "Content-Encoding: identity", "Content-Type: text/plain"),
        chunked(DENY[:7].encode(), DENY[7:].encode(), b""),
        b"HTTP/1.0 200 OK\r\n\r\n" + DENY.encode(),
        b"HTTP/1.1 100 Continue\r\n\r\n" + response(DENY),
        b"HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + response(DENY),
        response('{"decision": "deny", "reason": "not here", "note": "' + "x" * (4 * KEPT) + '"}'),
        response('{"n": ' + "[" * 3000 + "]" * 3000 + ', "decision": "deny", "reason": "not here"}'),
    ],
    ids=["201", "white space", "identity", "chunked", "until the end", "continue", "early hints", "large", "deep"],
)
def test_an_answer_may_come_in_every_way_that_http_has(project: Any, reply: bytes) -> None:
    with serving(reply) as server:
        http_hook(project, server.url)
        outcome, _ = called(project)

    assert (outcome.decision, outcome.reason, outcome.success) == ("deny", "not here", True)


def test_an_answer_changes_the_input_as_a_commands_does(project: Any) -> None:
    answer = {"hookSpecificOutput": {"permissionDecision": "allow", "updatedInput": {"command": "ls -l"}}}
    with serving(response(json.dumps(answer))) as server:
        moai_hook(project, "PreToolUse", server.url)
        outcome = project.fire("moai", "PreToolUse", CALL)

    assert (outcome.decision, outcome.changes) == ("allow", {"input": {"command": "ls -l"}})
    assert decode(server.asked[0].body)["hook_event_name"] == "PreToolUse"


def test_keys_that_stand_twice_are_no_decision_here_either(project: Any) -> None:
    with serving(response('{"decision": "deny", "decision": "allow"}')) as server:
        http_hook(project, server.url)
        outcome, _ = called(project)

    assert (outcome.decision, outcome.success) == ("deny", False)


def test_an_event_that_cannot_be_written_is_not_sent_and_denies(project: Any) -> None:
    class Odd:
        def __str__(self) -> str:
            raise ValueError("no")

    with serving(response("{}")) as server:
        http_hook(project, server.url)
        outcome = project.fire("tenterhook", "tool.before", {"tool_name": "Bash", "tool_input": {"x": Odd()}})

    assert (outcome.attempts[0].error, outcome.blocked, server.asked) == ("payload", True, [])


# ---- failures

ALLOW = '{"decision": "allow", "permissionDecision": "allow"}'
CUT = b'HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{"decision": "allow"}'
# A byte in each chunk, and much around it.
FRAMES = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + (b"1;" + b"x" * 50 + b"\r\n \r\n") * 80_000


def flood(head: str, part: bytes) -> Reply:
    """A reply of more than an answer may have, in parts of a mebibyte."""

    def send(connection: socket.socket) -> None:
        connection.sendall(f"HTTP/1.1 200 OK\r\n{head}\r\n\r\n".encode())
        for _ in range((SIZE >> 20) + 1):
            connection.sendall(part)

    return send


BLANK = b" " * KEPT
WHOLE, CHUNKED = "Connection: close", "Transfer-Encoding: chunked"
FAILURES: dict[str, tuple[Reply, str, str]] = {
    "204": (response("", "204 No Content"), "output", "is empty"),
    "empty": (response(""), "output", "is empty"),
    "blank": (response(" \n"), "output", "is empty"),
    "text": (response("fine"), "output", "is not one JSON object"),
    "text around it": (response(f"ok {ALLOW}"), "output", "is not one JSON object"),
    "two objects": (response(ALLOW + ALLOW), "output", "is not one JSON object"),
    "array": (response(f"[{ALLOW}]"), "output", "is not one JSON object"),
    "string": (response(json.dumps(ALLOW)), "output", "is not one JSON object"),
    "null": (response("null"), "output", "is not one JSON object"),
    "half": (response(ALLOW[:-1]), "output", "is not one JSON object: "),
    "400": (response(ALLOW, "400 Bad Request"), "network", "HTTP 400 from http://127.0.0.1:"),
    "404": (response(ALLOW, "404 Not Found"), "network", "HTTP 404 from http://127.0.0.1:"),
    "500": (response(ALLOW, "500 Oh"), "network", "HTTP 500 from http://127.0.0.1:"),
    "101": (response(ALLOW, "101 Switching Protocols"), "network", "HTTP 101"),
    "304": (response(ALLOW, "304 Not Modified"), "network", "redirects are not followed: 304"),
    "gzip": (response(gzip.compress(ALLOW.encode()), "200 OK", "Content-Encoding: gzip"), "output", "(gzip)"),
    "cut off": (CUT, "network", "broke off, 479 bytes before its end"),
    "cut in a chunk": (chunked(ALLOW.encode()) + b"ff\r\n{", "network", "send an HTTP response: IncompleteRead"),
    "cut before the last chunk": (chunked(ALLOW.encode()), "network", "send an HTTP response: IncompleteRead"),
    "bad chunk": (chunked(ALLOW.encode()) + b"what\r\n", "network", "send an HTTP response"),
    "no http": (b"SSH-2.0-OpenSSH_9\r\n", "network", "send an HTTP response: BadStatusLine"),
    "nothing": (b"", "network", "the connection broke off"),
    "long line": (b"HTTP/1.1 200 " + b"x" * 70_000 + b"\r\n\r\n{}", "network", "send an HTTP response: LineTooLong"),
    "many headers": (response(ALLOW, "200 OK", *(f"X-{n}: y" for n in range(200))), "network", "send an HTTP response"),
    "too large": (flood(WHOLE, BLANK), "output", "larger than 67,108,864 bytes"),
    "too large in chunks": (
        flood(CHUNKED, b"%x\r\n%s\r\n" % (KEPT, BLANK)),
        "output",
        "larger than 67,108,864 bytes",
    ),
    "small chunks": (FRAMES, "output", "sent more than 4,194,304 bytes"),
    "too large by its own word": (b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n{}", "output", "larger than"),
}


@pytest.mark.parametrize("case", FAILURES)
def test_everything_else_is_a_failure_that_lets_no_answer_through(project: Any, case: str) -> None:
    reply, error, detail = FAILURES[case]
    with serving(reply) as server:
        http_hook(project, server.url)
        outcome, attempt = called(project)
        moai_hook(project, "PreToolUse", server.url)
        faithful = project.fire("moai", "PreToolUse", CALL)

    assert (attempt.error, attempt.exit_code, attempt.stdout) == (error, None, "")
    assert detail in attempt.detail
    assert server.url in attempt.detail
    assert "\n" not in attempt.detail
    assert (outcome.decision, outcome.success) == ("deny" if error == "output" else "ask", False)
    assert (faithful.decision, faithful.blocked, faithful.success) == ("none", False, False)
    assert [(to, kind) for to, kind, _ in project.told(faithful)] == [("user", "error")]


def test_the_entrys_own_word_on_failures_counts(project: Any) -> None:
    with serving(response("", "500 Oh")) as server:
        http_hook(project, server.url, on_failure={"network": "deny", "timeout": "allow"})
        outcome, _ = called(project)

    assert (outcome.decision, outcome.blocked) == ("deny", True)


def test_what_a_failed_server_said_is_kept_for_people_and_cut(project: Any) -> None:
    with serving(response("database is down " * 10_000, "503 Service Unavailable")) as server:
        http_hook(project, server.url)
        _, attempt = called(project)

    assert attempt.stderr.startswith("database is down database")
    assert len(attempt.stderr) == 1000


def test_a_redirect_is_not_followed(project: Any) -> None:
    with serving(response("{}")) as canary:
        redirect = response("", "307 Temporary Redirect", f"Location: {canary.url}")
        with serving(redirect) as server:
            http_hook(project, server.url)
            _, attempt = called(project)

    assert attempt.error == "network"
    assert attempt.detail == f"redirects are not followed: 307 to {canary.url} from {server.url}"
    assert canary.connections == 0


def test_nobody_listens(project: Any) -> None:
    with serving(response("{}")) as server:
        http_hook(project, server.url)
    _, attempt = called(project)

    assert attempt.error == "network"
    assert attempt.detail.startswith(f"no server listens at 127.0.0.1:{server.port}; start the server")


def test_proxies_of_the_environment_are_not_used(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(response("{}")) as proxy, serving(response(DENY)) as server:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        http_hook(project, server.url)
        outcome, _ = called(project)

    assert (outcome.decision, proxy.connections) == ("deny", 0)


URLS = {
    "ftp://example.com/x": "the URL must begin with http:// or https://, not 'ftp'",
    "file:///etc/passwd": "must begin with http:// or https://, not 'file'",
    "example.com/x": "must begin with http:// or https://, not 'nothing'",
    "http://": "names no host",
    "http:///x": "names no host",
    "http://user:hunter22@127.0.0.1/": "the URL holds a user and a password; send them in `headers`",
    "http://user@127.0.0.1/": "the URL holds a user and a password",
    "http://127.0.0.1:0/": "names no port",
    "http://127.0.0.1:99999/": "the URL cannot be read: look at its host and its port",
    "http://me:hunter22/x@127.0.0.1/": "the URL cannot be read",
    "http://[::1/": "the URL cannot be read",
    "http://127.0.0.1\x00.example.com/": "the URL holds a control character",
    "http://127.0.0.1/x\r\nHost: evil": "the URL holds a control character",
    "http://127.0.0.1\\.example.com/": "names no host",
    "http://127.0.0.1%2e/": "names no host",
    "http://a b/": "names no host",
    "http://" + "a" * 64 + ".com/": "the URL cannot be read",
    "http://a..b/": "the URL cannot be read",
}


@pytest.mark.parametrize("url", URLS, ids=repr)
def test_a_url_that_cannot_be_called_fails_the_hook_and_dials_nobody(
    project: Any, dialled: list[str], url: str
) -> None:
    http_hook(project, url)
    _, attempt = called(project)

    assert (attempt.error, dialled) == ("network", [])
    assert URLS[url] in attempt.detail
    assert "hunter22" not in attempt.detail


# ---- headers


def test_headers_hold_variables_that_the_entry_lists(project: Any) -> None:
    headers = {"Authorization": "Bearer $TOKEN", "X-A": "${GIVEN}-$GIVEN$$1 $ 5", "content-type": "application/x+json"}
    with serving(response("{}")) as server:
        http_hook(project, server.url, headers=headers, env={"GIVEN": "here"})
        project.write("tenterhook.toml", project.read("tenterhook.toml").replace("Bearer $TOKEN", "x"))
        called(project)
        moai_hook(project, "PreToolUse", server.url, headers=headers, allowedEnvVars=["TOKEN", "GIVEN"])
        project.fire("moai", "PreToolUse", CALL, environ={"TOKEN": "t-0123", "GIVEN": "passed"})

    ours, theirs = (asked.headers for asked in server.asked)
    assert (ours["authorization"], ours["x-a"]) == ("x", "here-here$1 $ 5")
    assert (theirs["authorization"], theirs["x-a"]) == ("Bearer t-0123", "passed-passed$1 $ 5")
    assert ours["content-type"] == "application/x+json"


HEADERS = {
    "not listed": ({"X-Key": "$OTHER"}, "the header X-Key uses $OTHER, which the entry does not list"),
    "not listed, in braces": ({"X-Key": "a${OTHER}b"}, "the header X-Key uses $OTHER, which the entry does not list"),
    "shell's default": ({"X-Key": "${LISTED:-x}"}, "uses $LISTED:-x, which the entry does not list"),
    "not set": ({"X-Key": "$LISTED"}, "the header X-Key uses $LISTED, which is not set in the host's environment"),
    "a line break in a value": ({"X-Key": "$BROKEN"}, "the header X-Key holds a line break"),
    "a line break": ({"X-Key": "a\r\nHost: evil"}, "the header X-Key holds a line break"),
    "a NUL": ({"X-Key": "a\x00"}, "the header X-Key holds a line break or another character"),
    "beyond Latin-1": ({"X-Key": "\u20ac"}, "the header X-Key holds a line break or another character"),
    "no name": ({"X Key": "a"}, "'X Key' is not the name of a header"),
    "a line break in a name": ({"X\r\nKey": "a"}, "is not the name of a header"),
    "host": ({"HOST": "evil"}, "the header HOST is not for a hook to set"),
    "content-length": ({"Content-Length": "1"}, "the header Content-Length is not for a hook to set"),
    "transfer-encoding": ({"transfer-encoding": "chunked"}, "is not for a hook to set"),
    "connection": ({"Connection": "keep-alive"}, "is not for a hook to set"),
    "accept-encoding": ({"Accept-Encoding": "gzip"}, "is not for a hook to set"),
    "twice": ({"X-Key": "a", "x-key": "b"}, "the header x-key is given twice"),
}


@pytest.mark.parametrize("case", HEADERS)
def test_a_header_that_cannot_be_sent_fails_the_hook_and_nothing_is_sent(project: Any, case: str) -> None:
    headers, detail = HEADERS[case]
    with serving(response("{}")) as server:
        moai_hook(project, "PreToolUse", server.url, headers=headers, allowedEnvVars=["LISTED", "BROKEN"])
        environ = {"OTHER": "secret-value", "BROKEN": "secret-value\nHost: evil"}
        outcome = project.fire("moai", "PreToolUse", CALL, environ=environ)

    assert (outcome.attempts[0].error, server.connections) == ("network", 0)
    assert detail in outcome.attempts[0].detail
    assert "secret-value" not in everything(outcome)


TOKEN = 'tok/"en+0123456789'


def echo(text: str) -> Any:
    """What a careless server may say of a request, in every form."""
    return {
        "reason": (response(json.dumps({"decision": "deny", "reason": f"bad Bearer {text}"})), "deny"),
        "escaped": (
            response('{"decision": "deny", "reason": "' + "".join(f"\\u{ord(c):04x}" for c in text) + '"}'),
            "deny",
        ),
        "input": (response(json.dumps({"input": {"command": f"curl {text}"}})), "none"),
        "error": (response(f"no such key: {text}", "401 Unauthorized"), "ask"),
        "error as JSON": (response(json.dumps({"key": text}), "401 Unauthorized"), "ask"),
        "no JSON": (response(f"hello {text}"), "deny"),
        "redirect": (response("", "302 Found", f"Location: /login?key={text}"), "ask"),
        "quoted": (response("", "302 Found", "Location: /?key=tok%2F%22en%2B0123456789"), "ask"),
    }


@pytest.mark.parametrize("case", echo(""))
def test_no_secret_of_a_request_stands_in_the_outcome(project: Any, case: str) -> None:
    reply, decision = echo(TOKEN)[case]
    with serving(reply) as server:
        http_hook(project, server.url, headers={"Authorization": "Bearer $MY_VAR"}, env=["MY_VAR"])
        outcome, _ = called(project, environ={"MY_VAR": TOKEN})

    assert server.asked[0].headers["authorization"] == f"Bearer {TOKEN}"
    assert outcome.decision == decision
    assert "0123456789" not in everything(outcome)
    assert "[key]" in everything(outcome)


def test_a_secret_that_comes_back_as_a_number_fails_the_hook(project: Any) -> None:
    with serving(response('{"decision": "allow", "n": 1234567890}')) as server:
        http_hook(project, server.url, headers={"X-Api-Key": "1234567890"})
        outcome, attempt = called(project)

    assert (attempt.error, outcome.decision) == ("output", "deny")
    assert "1234567890" not in attempt.detail + attempt.stderr + attempt.stdout


def test_a_secret_that_is_a_word_of_answers_loses_no_decision(project: Any) -> None:
    with serving(response(DENY)) as server:
        http_hook(project, server.url, headers={"X-Auth": "decision"})
        outcome, _ = called(project)

    assert (outcome.decision, outcome.success) == ("deny", True)


def test_what_is_no_secret_stays_as_it_is_in_an_answer(project: Any) -> None:
    """A folder's name in a header must not tear up the command that the hook gives back."""
    answer = {"input": {"command": "make -C /work/workshop"}}
    with serving(response(json.dumps(answer))) as server:
        http_hook(project, server.url, headers={"X-Folder": "$FOLDER", "X-Team": "workshop"}, env=["FOLDER"])
        outcome, _ = called(project, environ={"FOLDER": "/work/workshop"})

    assert outcome.changes["input"] == answer["input"]


# ---- time


def silent(connection: Any) -> None:
    connection.recv(1)


def dripping(first: bytes, drop: bytes) -> Any:
    def reply(connection: Any) -> None:
        connection.sendall(first)
        while True:
            connection.sendall(drop)
            time.sleep(0.05)

    return reply


def endless(first: bytes, drop: bytes) -> Any:
    def reply(connection: Any) -> None:
        connection.sendall(first)
        while True:
            connection.sendall(drop)

    return reply


SLOW = {
    "says nothing": silent,
    "drips its status line": dripping(b"", b"H"),
    "drips its headers": dripping(b"HTTP/1.1 200 OK\r\n", b"A: b\r\n"),
    "drips its body": dripping(b"HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n{", b" "),
    "drips chunks": dripping(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
    "drips 100 Continue": dripping(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "drips 103 Early Hints": dripping(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"),
}


@pytest.mark.parametrize("case", SLOW)
def test_everything_ends_by_one_deadline(project: Any, case: str) -> None:
    with serving(SLOW[case]) as server:
        http_hook(project, server.url, timeout=0.4)
        began = time.monotonic()
        with project.engine("tenterhook") as engine:
            outcome = engine.fire("tool.before", **CALL)
            seconds = time.monotonic() - began

            assert 0.35 < seconds < 5
            assert engine.abandoned == 0
    (attempt,) = outcome.attempts
    assert (attempt.error, outcome.decision) == ("timeout", "ask")
    assert attempt.detail.startswith(f"no answer from {server.url} within 0.4 s: make it faster")


ENDLESS = {
    "a body": endless(b"HTTP/1.1 200 OK\r\n\r\n", b" " * 65536),
    "chunks": endless(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"10000\r\n" + b" " * 65536 + b"\r\n"),
    "trailers": endless(chunked(b"{}") + b"0\r\n", b"A: b\r\n" * 10_000),
    "interim responses": endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 1000),
    "other interim responses": endless(b"", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 1000),
}


@pytest.mark.parametrize("case", ENDLESS)
def test_what_has_no_end_is_ended_by_its_size(project: Any, case: str) -> None:
    with serving(ENDLESS[case]) as server:
        http_hook(project, server.url, timeout=20)
        outcome, attempt = called(project)

    assert (attempt.error, outcome.decision) == ("output", "deny")  # and not "timeout"


def test_an_error_whose_body_never_ends_is_still_that_error(project: Any) -> None:
    with serving(dripping(b"HTTP/1.1 500 Oh\r\nContent-Length: 9000\r\n\r\n", b"x")) as server:
        http_hook(project, server.url, timeout=20)
        _, attempt = called(project)

    assert attempt.detail == f"HTTP 500 from {server.url}"
    assert attempt.seconds < 5


def test_a_server_that_does_not_listen_to_a_long_event_is_not_waited_for(project: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        http_hook(project, f"http://127.0.0.1:{listener.getsockname()[1]}/", timeout=0.5)
        long = {"tool_name": "Write", "tool_input": {"content": "x" * 30_000_000}}
        outcome = project.fire("tenterhook", "tool.before", long)

    assert outcome.attempts[0].error == "timeout"
    assert outcome.attempts[0].detail.startswith("no answer from http://127.0.0.1:")


def test_a_long_event_arrives_whole(project: Any) -> None:
    with serving(response("{}")) as server:
        http_hook(project, server.url)
        long = {"tool_name": "Write", "tool_input": {"content": "x" * 5_000_000 + "."}}
        outcome = project.fire("tenterhook", "tool.before", long)

    assert outcome.success
    assert decode(server.asked[0].body)["tool_input"] == long["tool_input"]


def test_hooks_of_one_event_are_called_at_once(project: Any) -> None:
    together = threading.Barrier(6)

    def reply(connection: Any) -> None:
        together.wait(10)
        connection.sendall(response("{}"))

    with serving(reply) as server:
        http_hook(project, *(f"{server.url}{n}" for n in range(6)))
        outcome = project.fire("tenterhook", "tool.before", CALL)

    assert (outcome.success, len(outcome.attempts), len(server.asked)) == (True, 6, 6)
