"""A guard's answer counts, whatever its size: it is the model that chooses how long a tool's input is.

The guard refuses to write below /etc and repeats the input that it was given beside its refusal.
"""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conftest import Project
from handlers.http_server import serving
from requirements.llxprt import group, settings
from tenterhook import Engine
from tenterhook.hosts.llxprt import Config, execute_tool_with_hooks
from tenterhook.pipeline.answer import KEPT, SIZE

WHY = "not below /etc"
LARGE = {"path": "/etc/passwd", "content": 'a"\\\u00e9\n' * (400 << 10)}
CALL = {"tool_name": "write_file", "tool_input": LARGE}
GUARD = f"""import json, sys
given = json.load(sys.stdin)["tool_input"]
if given["path"].startswith("/etc"):
    print(json.dumps({{"tool_input": given, "decision": "deny", "reason": {WHY!r}}}))
"""
CLOSED: list[dict[str, Any]] = [{}, {"tenterhook": {"on_failure": "deny"}}]
both = pytest.mark.parametrize("keys", CLOSED, ids=["no on_failure", "on_failure = deny"])
req = pytest.mark.req("HOOK-016b", "HOOK-063", "HOOK-212")


def guarded(project: Project, keys: dict[str, Any], body: str = GUARD) -> str:
    """The settings of a project whose one hook is this program."""
    entry = {"type": "command", "command": project.script("guard.py", body), **keys}
    text = settings(BeforeTool=[group(entry)])
    project.write(".llxprt/settings.json", text)
    return text


@req
@both
@pytest.mark.parametrize("warm", [True, False])
def test_a_guard_that_repeats_two_megabytes_is_heard_by_an_engine(project: Project, keys: Any, warm: bool) -> None:
    guarded(project, keys)
    outcome = project.fire("llxprt", "BeforeTool", CALL, warm=warm, supervisor="fork" if warm else "off")

    assert (outcome.decision, outcome.reason, outcome.success) == ("deny", WHY, True)
    [attempt] = outcome.attempts
    assert (len(attempt.stdout), attempt.truncated) == (KEPT, True)  # what is told of it later is bounded


@req
@both
def test_a_guard_that_repeats_two_megabytes_is_heard_by_a_tool(project: Project, keys: Any) -> None:
    guarded(project, keys)
    written: list[str] = []

    with project.engine("llxprt").session() as session:
        write = session.tool("write_file")(lambda path, content: written.append(path))
        result = write(**LARGE)
        assert WHY in str(result)
        assert WHY in str(asyncio.run(asyncio.to_thread(write, **LARGE)))

    assert written == []


@req
@both
def test_a_guard_that_repeats_two_megabytes_is_heard_by_llxprts_api(project: Project, keys: Any) -> None:
    guarded(project, keys)
    config = Config(project.root, enable_hooks=True, environ=project.environ(), home=project.home_folder, trust="all")
    written: list[Any] = []

    result = asyncio.run(execute_tool_with_hooks(config, "write_file", LARGE, written.append))

    assert (result.llm_content, written) == (WHY, [])
    assert config.system
    config.system.engine.close()


@req
@both
def test_a_guard_that_repeats_two_megabytes_is_heard_by_the_command(project: Project, keys: Any) -> None:
    guarded(project, keys)
    words = [sys.executable, "-m", "tenterhook", "fire", "BeforeTool", "--dialect", "llxprt", "--trust"]
    done = subprocess.run(
        words,
        input=json.dumps(CALL).encode(),
        capture_output=True,
        cwd=project.root,
        env=project.environ(),
        check=False,
    )

    outcome = json.loads(done.stdout)
    assert (done.returncode, outcome["decision"], outcome["reason"]) == (2, "deny", WHY)


@req
@pytest.mark.parametrize("chunks", [False, True])
def test_a_server_that_repeats_two_megabytes_is_heard(project: Project, chunks: bool) -> None:
    body = json.dumps({"tool_input": LARGE, "decision": "deny", "reason": WHY}).encode()
    head = "HTTP/1.1 200 OK\r\n" + ("Transfer-Encoding: chunked" if chunks else f"Content-Length: {len(body)}")
    parts = [b"%x\r\n%s\r\n" % (len(part), part) for at in range(0, len(body), 999) if (part := body[at : at + 999])]
    with serving(head.encode() + b"\r\n\r\n" + (b"".join([*parts, b"0\r\n\r\n"]) if chunks else body)) as server:
        hook = f'[[hook]]\non = "tool.before"\nurl = "{server.url}"\nloopback = true\n'
        project.write("tenterhook.toml", hook)
        outcome = project.fire("tenterhook", "tool.before", CALL)

    assert (outcome.decision, outcome.reason, outcome.success) == ("deny", WHY, True)


def nested(levels: int) -> Any:
    value: Any = []
    for _ in range(levels):
        value = [value]
    return value


@req
@pytest.mark.parametrize("answer", [{"echo": LARGE}, {"echo": nested(400)}, {"echo": nested(5_000)}])
@pytest.mark.parametrize("on_failure", [None, "deny"])
@pytest.mark.parametrize("asked", [False, True])
def test_a_function_that_repeats_what_it_was_given_is_heard(
    project: Project, answer: dict[str, Any], on_failure: Any, asked: bool
) -> None:
    engine = project.engine("llxprt")
    said = {**answer, "decision": "deny", "reason": WHY}
    engine.add("BeforeTool", lambda event: said, on_failure=on_failure)

    outcome = asyncio.run(engine.afire("BeforeTool", **CALL)) if asked else engine.fire("BeforeTool", **CALL)

    assert (outcome.decision, outcome.reason, outcome.success) == ("deny", WHY, True)


@req
@pytest.mark.parametrize("levels", [400, 5_000, 100_000])
def test_a_guard_that_repeats_a_deep_input_is_heard(project: Project, levels: int) -> None:
    echo = f"'[' * {levels} + ']' * {levels}"
    guarded(project, {}, f"""print('{{"echo": ' + {echo} + ', "decision": "deny", "reason": "{WHY}"}}')\n""")

    outcome = project.fire("llxprt", "BeforeTool", CALL)

    assert (outcome.decision, outcome.reason, outcome.success) == ("deny", WHY, True)


FLOOD = f"""import sys
part = "x" * (1 << 20)
sys.stdout.write('{{"decision": "deny", "echo": "')
for _ in range({SIZE >> 20}):
    sys.stdout.write(part)
print('"}}')
"""


@pytest.mark.req("HOOK-063")
@pytest.mark.parametrize("dialect", ["llxprt", "moai"])
@both
def test_an_answer_beyond_all_bounds_is_a_failure_and_never_text(project: Project, dialect: str, keys: Any) -> None:
    text = guarded(project, keys, FLOOD)
    project.write(".claude/settings.json", text.replace("BeforeTool", "PreToolUse"))

    outcome = project.fire(dialect, "tool.before", CALL)

    assert (outcome.blocked, outcome.success) == (bool(keys), False)
    assert not any(message.text.startswith("{") for message in outcome.messages)
    assert any("the rest was dropped" in warning for warning in outcome.warnings)
    assert len(outcome.attempts[0].stdout) == KEPT


def test_a_flood_of_text_is_still_bounded_at_a_mebibyte(project: Project) -> None:
    engine: Engine = project.engine("llxprt")
    guarded(project, {}, "print('checking ' * (1 << 20))")
    outcome = engine.fire("BeforeTool", **CALL)

    assert (len(outcome.attempts[0].stdout), outcome.attempts[0].truncated) == (KEPT, True)
    assert outcome.success


REDACT = """import json, sys
request = json.load(sys.stdin)["llm_request"]
for message in request["messages"]:
    message["content"] = message["content"].replace("secret", "******")
request["messages"].append({"role": "user", "content": "hint"})
print(json.dumps({"hookSpecificOutput": {"llm_request": request}}))
"""


@pytest.mark.req("HOOK-038", "HOOK-039")
def test_a_long_conversation_is_redacted_whole(project: Project) -> None:
    engine = project.engine("llxprt")
    entry = {"type": "command", "command": project.script("redact.py", REDACT)}
    project.write(".llxprt/settings.json", settings(BeforeModel=[group(entry)]))
    sent: list[Any] = []

    def ask(model: str, messages: Any) -> Any:
        sent.append(messages)
        return {"text": "ok"}

    messages = [{"role": "user", "content": f"{n} secret " + "x" * 10_000} for n in range(400)]
    engine.model(ask, format="plain")(model="m", messages=messages)

    [said] = sent
    assert len(said) == 401
    assert said[-1]["content"] == "hint"
    assert all(one["content"].startswith(f"{n} ******") for n, one in enumerate(said[:-1]))


AFTER = """import json, sys
response = json.load(sys.stdin)["llm_response"]
response["text"] = response["text"].replace("secret", "******")
print(json.dumps({"hookSpecificOutput": {"llm_response": response}}))
"""


@pytest.mark.req("HOOK-046")
def test_a_long_response_is_redacted_whole(project: Project) -> None:
    engine = project.engine("llxprt")
    entry = {"type": "command", "command": project.script("redact.py", AFTER)}
    project.write(".llxprt/settings.json", settings(AfterModel=[group(entry)]))

    text = "secret " * (400 << 10)
    asked = engine.model(lambda model, messages: {"text": text}, format="plain")
    reply = asked(model="m", messages=[{"role": "user", "content": "?"}])

    assert reply.response["text"] == text.replace("secret", "******")


def test_the_journal_keeps_little_of_a_large_answer(project: Project, tmp_path: Path) -> None:
    guarded(project, {})
    engine = project.engine("llxprt", journal=tmp_path / "journal")
    engine.fire("BeforeTool", **CALL)
    engine.close()

    assert 0 < sum(file.stat().st_size for file in (tmp_path / "journal").rglob("*") if file.is_file()) < 100_000
