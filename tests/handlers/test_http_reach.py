"""What an http hook can reach and for how long it tries; TLS; and the same on an event loop."""

import asyncio
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tenterhook.clients import connection as line
from tenterhook.clients import ip_rules

from .hooks import CALL, called, http_hook, moai_hook
from .http_server import dialled, response, serving

pytestmark = pytest.mark.usefixtures("dialled")
__all__ = ["dialled"]

DENY = '{"decision": "deny", "reason": "not here"}'

# Each leads to this machine or to a service of it on some system; {} is the canary's port.
REACHING = [
    *("127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7F.0.0.1", "0177.0.0.1", "017700000001"),
    *(
        "0x7f.1",
        "localhost",
        "LocalHost",
        "localhost.",
        "①②⑦.⓪.⓪.①",
        "127。0。0。1",
        "１２７.0.0.1",
        "[::ffff:127.0.0.1]",
    ),
]
OTHERS = [
    *("127.0.0.2", "127.255.255.254", "0.0.0.0", "0", "[::1]", "[0:0:0:0:0:0:0:1]", "[::]", "[::ffff:7f00:1]"),
    *("[::127.0.0.1]", "[::ffff:0:127.0.0.1]", "[64:ff9b::127.0.0.1]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]"),
    *("[2001:0:808:808::80ff:fffe]", "[2606:4700::5efe:7f00:1]", "169.254.169.254", "[fd00:ec2::254]", "10.0.0.1"),
    *("example.com@127.0.0.1", "127.0.0.1\\@example.com", "127.0.0.1\0.example.com", "127.0.0.1%00"),
]


@pytest.mark.parametrize("host", [*REACHING, *OTHERS], ids=ascii)
def test_no_form_of_an_address_reaches_this_machine_unless_the_entry_says_so(
    project: Any, dialled: list[str], host: str
) -> None:
    with serving(response("{}")) as canary:
        http_hook(project, f"http://{host}:{canary.port}/", loopback=False)
        outcome, attempt = called(project)

    assert (canary.connections, dialled) == (0, [])
    assert (attempt.error, outcome.decision, attempt.stdout) == ("network", "ask", "")


@pytest.mark.parametrize("host", REACHING, ids=ascii)
def test_the_same_forms_do_reach_it_where_the_entry_says_so(project: Any, host: str) -> None:
    """Or the test above would prove nothing."""
    try:
        socket.getaddrinfo(host.strip("[]."), None)
    except OSError:
        pytest.skip("this system does not know the form")
    with serving(response(DENY)) as canary:
        http_hook(project, f"http://{host}:{canary.port}/")
        outcome, _ = called(project)

    assert (canary.connections, outcome.reason) == (1, "not here")


def test_another_agents_file_allows_loopback_by_our_options(project: Any) -> None:
    with serving(response("{}")) as canary:
        moai_hook(project, "PreToolUse", canary.url, loopback=False)
        refused = project.fire("moai", "PreToolUse", CALL)
        moai_hook(project, "PreToolUse", canary.url, loopback=True)
        allowed = project.fire("moai", "PreToolUse", CALL)

    assert refused.attempts[0].detail.startswith("127.0.0.1 is this machine's own address; `loopback = true` allows it")
    assert (refused.success, allowed.success, canary.connections) == (False, True, 1)


def test_a_name_that_means_something_else_the_second_time_does_not_get_here(
    project: Any, dialled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def rebinding(host: str) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) > 1 else ["93.184.216.34"]

    monkeypatch.setattr(ip_rules, "look_up", rebinding)
    with serving(response("{}")) as canary:
        http_hook(project, f"http://rebind.test:{canary.port}/", loopback=False)
        _, attempt = called(project)

    assert (asked, dialled, canary.connections) == (["rebind.test"], ["93.184.216.34"], 0)
    assert attempt.error == "network"


def test_a_name_that_nobody_knows(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(host: str) -> list[str]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(ip_rules, "look_up", unknown)
    http_hook(project, "http://nobody.test/x?key=hunter22")
    _, attempt = called(project)

    assert attempt.error == "network"
    assert attempt.detail == "nobody.test cannot be reached: Name or service not known (for http://nobody.test/x)"


# ---- time


@pytest.fixture
def full() -> Iterator[int]:
    """The port of a listener that takes no more calls."""
    with ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        for _ in range(4):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listener.getsockname())
        time.sleep(0.1)
        yield listener.getsockname()[1]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a full queue wait")
def test_connecting_takes_no_longer_than_it_may(project: Any, full: int) -> None:
    http_hook(project, f"http://127.0.0.1:{full}/", connect_timeout=0.3, timeout=20)
    _, attempt = called(project)

    assert attempt.error == "timeout"
    assert attempt.detail.startswith(f"no connection to http://127.0.0.1:{full}/ within 0.3 s; `connect_timeout`")
    assert 0.25 < attempt.seconds < 15


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a full queue wait")
def test_connecting_never_takes_longer_than_the_whole_hook(project: Any, full: int) -> None:
    http_hook(project, f"http://127.0.0.1:{full}/", connect_timeout=20, timeout=0.3)
    _, attempt = called(project)

    assert (attempt.error, "no answer" in attempt.detail) == ("timeout", True)
    assert attempt.seconds < 15


def test_a_resolver_that_hangs_does_not_hold_the_hook(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    released = threading.Event()
    monkeypatch.setattr(ip_rules, "look_up", lambda host: released.wait(20) and [])
    http_hook(project, "http://slow.test/", timeout=0.3)
    with project.engine("tenterhook") as engine:
        outcome = engine.fire("tool.before", **CALL)
        released.set()

        assert (outcome.attempts[0].error, engine.abandoned) == ("timeout", 0)
        assert outcome.attempts[0].seconds < 15


# ---- TLS

CERTIFICATE = (
    "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost "
    "-addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout key.pem -out certificate.pem"
)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not shutil.which("openssl"):
        pytest.skip("no openssl to make a certificate with")
    folder = tmp_path_factory.mktemp("tls")
    subprocess.run(CERTIFICATE.split(), cwd=folder, check=True, capture_output=True, timeout=60)
    return folder / "certificate.pem"


@pytest.fixture
def tls(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, certificate.with_name("key.pem"))
    return context


@pytest.fixture
def trusting(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A system whose authorities include the maker of the certificate."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    line.context.cache_clear()
    yield
    line.context.cache_clear()


@pytest.mark.usefixtures("trusting")
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_https_with_a_valid_certificate(project: Any, tls: ssl.SSLContext, host: str) -> None:
    with serving(response(DENY), tls) as server:
        http_hook(project, server.url.replace("127.0.0.1", host))
        outcome, _ = called(project)

    assert outcome.reason == "not here"


@pytest.mark.usefixtures("trusting")
def test_the_certificate_must_be_for_the_name_whatever_its_address(
    project: Any, tls: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ip_rules, "look_up", lambda host: ["127.0.0.1"])
    with serving(response(DENY), tls) as server:
        http_hook(project, server.url.replace("127.0.0.1", "other.test"))
        _, attempt = called(project)

    assert (attempt.error, server.asked) == ("network", [])
    assert "the certificate of other.test is not valid: Hostname mismatch" in attempt.detail


def test_a_certificate_that_nobody_vouches_for(project: Any, tls: ssl.SSLContext) -> None:
    with serving(response(DENY), tls) as server:
        http_hook(project, server.url)
        _, attempt = called(project)

    assert (attempt.error, server.asked) == ("network", [])
    assert "the certificate of 127.0.0.1 is not valid: self" in attempt.detail


def test_a_server_without_tls(project: Any) -> None:
    with serving(response(DENY)) as server:
        http_hook(project, server.url.replace("http:", "https:"), timeout=5)
        _, attempt = called(project)

    assert attempt.error in ("network", "timeout")
    assert attempt.stdout == ""


@pytest.mark.usefixtures("trusting")
def test_a_server_that_never_shakes_hands(project: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        http_hook(project, f"https://127.0.0.1:{listener.getsockname()[1]}/", timeout=0.4)
        _, attempt = called(project)

    assert attempt.error == "timeout"
    assert attempt.detail.startswith("no answer from https://127.0.0.1:")


# ---- on an event loop


def test_the_same_on_an_event_loop(project: Any) -> None:
    with serving(response(DENY)) as server, serving(response("", "500 Oh")) as broken:
        http_hook(project, server.url, broken.url)
        outcome = asyncio.run(project.engine("tenterhook").afire("tool.before", **CALL))

    assert (outcome.decision, outcome.reason.splitlines()[0]) == ("deny", "not here")
    assert [attempt.error for attempt in outcome.attempts] == [None, "network"]


def test_an_event_that_cannot_be_written_denies_on_a_loop_too(project: Any) -> None:
    class Odd:
        def __str__(self) -> str:
            raise ValueError("no")

    with serving(response("{}")) as server:
        http_hook(project, server.url)
        engine = project.engine("tenterhook")
        outcome = asyncio.run(engine.afire("tool.before", tool_name="Bash", tool_input={"x": Odd()}))

    assert (outcome.attempts[0].error, outcome.blocked, server.asked) == ("payload", True, [])


def test_a_loop_is_not_held_up_and_a_timeout_comes_in_time(project: Any) -> None:
    ticks = []

    async def beside(engine: Any) -> Any:
        async def tick() -> None:
            while True:
                ticks.append(1)
                await asyncio.sleep(0.01)

        task = asyncio.ensure_future(tick())
        outcome = await engine.afire("tool.before", **CALL)
        task.cancel()
        return outcome

    released = threading.Event()
    with serving(lambda connection: released.wait(20)) as server:
        http_hook(project, server.url, timeout=0.4)
        outcome = asyncio.run(beside(project.engine("tenterhook")))
        released.set()

    assert outcome.attempts[0].error == "timeout"
    assert outcome.attempts[0].seconds < 15
    assert len(ticks) > 10


def test_who_cancels_waits_no_longer_and_the_connection_ends(project: Any) -> None:
    gone = threading.Event()

    def reply(connection: socket.socket) -> None:
        connection.recv(1)  # until the hook hangs up
        gone.set()

    async def cancelled(engine: Any, server: Any) -> float:
        task = asyncio.ensure_future(engine.afire("tool.before", **CALL))
        while not server.asked:
            await asyncio.sleep(0.01)
        began = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return time.monotonic() - began

    with serving(reply) as server:
        http_hook(project, server.url, timeout=30)
        seconds = asyncio.run(cancelled(project.engine("tenterhook"), server))

        assert gone.wait(30)
    assert seconds < 5
    deadline = time.monotonic() + 5
    while "tenterhook-http" in (thread.name for thread in threading.enumerate()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
