"""A function with hooks around it: its arguments, the question before it, and many at once."""

import asyncio
import functools
import inspect
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any

import pytest

from tenterhook import Engine
from tenterhook.hosts.permission import CANNOT_ASK, Permission, PermissionRequest
from tenterhook.hosts.result import ToolResult
from tenterhook.hosts.tool import AsyncTool, Tool, execute_tool_with_hooks

from .tools import answering, error_of, listening, shown

# Arguments


def add(a: int, b: int = 2, *, c: int = 3) -> str:
    return f"{a} {b} {c}"


async def aadd(a: int, b: int = 2, *, c: int = 3) -> str:
    await asyncio.sleep(0)
    return add(a, b, c=c)


CALLS = [
    ((1,), {}, "1 2 3", {"a": 1}),
    ((1, 5), {}, "1 5 3", {"a": 1, "b": 5}),
    ((1,), {"c": 7}, "1 2 7", {"a": 1, "c": 7}),
    ((), {"a": 1, "b": 6, "c": 7}, "1 6 7", {"a": 1, "b": 6, "c": 7}),
]


@pytest.mark.parametrize("hooks", [True, False])
@pytest.mark.parametrize(("args", "kwargs", "text", "input"), CALLS)
def test_a_wrapped_function_is_called_like_the_bare_one(
    engine: Engine, args: tuple[Any, ...], kwargs: dict[str, Any], text: str, input: dict[str, Any], hooks: bool
) -> None:
    seen = listening(engine, "tool.before", "tool.after") if hooks else []

    for result in (
        engine.tool("add")(add)(*args, **kwargs),
        asyncio.run(engine.tool("add")(aadd)(*args, **kwargs)),  # type: ignore[arg-type]
    ):
        assert shown(text, result)
        assert isinstance(result, ToolResult)
    assert [data["tool_input"] for _, data in seen] == [input] * 4 * hooks
    assert [data.get("tool_output") for _, data in seen] == [None, text, None, text] * hooks


def test_what_a_wrapper_is_shows_in_its_type_name_and_words(engine: Engine) -> None:
    def plain(n: int) -> int:
        """Gives it back."""
        return n

    class Callable:
        async def __call__(self, n: int) -> int:
            return n

    @functools.wraps(plain)
    async def hidden(**input: int) -> int:
        return plain(**input)

    wrapped = engine.tool("plain")(plain)
    assert (wrapped.__name__, wrapped.__doc__, wrapped.name) == ("plain", "Gives it back.", "plain")
    assert inspect.signature(wrapped) == inspect.signature(plain)
    assert type(wrapped) is type(engine.tool("x")(functools.partial(plain, 1))) is Tool
    assert type(engine.tool("x")(aadd)) is type(engine.tool("x")(functools.partial(aadd, 1))) is AsyncTool
    assert type(engine.tool("x")(Callable())) is AsyncTool
    assert engine.tool("again")(wrapped).function is plain


@pytest.mark.parametrize("hooks", [True, False])
@pytest.mark.parametrize("key", ["path", "self", "event", "host", "args", "input", "return", "name", "function"])
def test_a_function_that_takes_any_keywords_gets_each_under_its_name(engine: Engine, key: str, hooks: bool) -> None:
    if hooks:
        answering(engine, input={"more": 1})

    @engine.tool("any")
    def any_of(**fields: Any) -> str:
        return json.dumps(fields)

    expected = json.dumps({key: 5, **({"more": 1} if hooks else {})})
    assert any_of(**{key: 5}).llm_content == expected
    assert any_of.run({key: 5}).llm_content == expected
    assert asyncio.run(any_of.arun({key: 5})).llm_content == expected


@pytest.mark.parametrize("hooks", [True, False])
def test_arguments_that_have_a_place_and_no_name_stay_in_their_place(engine: Engine, hooks: bool) -> None:
    if hooks:
        listening(engine, "tool.before", "tool.after")

    @engine.tool("echo")
    def echo(first: str, /, *rest: str, sep: str = " ") -> str:
        return sep.join([first, *rest])

    assert echo("a", "b", "c").llm_content == "a b c"
    assert echo("a", "b", sep="-").llm_content == "a-b"


@pytest.mark.parametrize("hooks", [True, False])
def test_a_call_that_python_would_not_make_is_an_error_and_no_run(engine: Engine, hooks: bool) -> None:
    if hooks:
        listening(engine, "tool.before")
    runs: list[int] = []

    @engine.tool("one")
    def one(n: int) -> None:
        runs.append(n)

    for result in (one(1, 2), one(1, n=1), one.run({}), one.run({"m": 1}), one.run({"n": 1, "m": 2}), one.run([1])):  # type: ignore[arg-type]
        assert error_of(result).type == "invalid_input"
        assert result.llm_content.startswith("one does not take this")
    assert runs == []


# Permission


YES: dict[str, Any] = {
    "True": lambda request: True,
    "allow": lambda request: "allow",
    "Permission": lambda request: Permission(True),
}
NO: dict[str, Any] = {
    "False": (lambda request: False, "the user said no"),
    "None": (lambda request: None, "permission could not be asked for"),
    "deny": (lambda request: "deny", "the user said no"),
    "Permission": (lambda request: Permission(False, "not on a Friday"), "not on a Friday"),
    "raises": (lambda request: 1 / 0, "permission could not be asked for"),
    "nonsense": (lambda request: 1, "permission could not be asked for"),
    "another word": (lambda request: "yes", "permission could not be asked for"),
    "no callback": (None, CANNOT_ASK),
}
WAYS = ["run", "arun"]


def made(way: str, tool: Tool, input: dict[str, Any]) -> ToolResult:
    return tool.run(input) if way == "run" else asyncio.run(tool.arun(input))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("answer", YES)
def test_a_clear_yes_lets_the_tool_run(engine: Engine, answer: str, way: str) -> None:
    answering(engine, decision="ask", reason="a config file", input={"n": 2})
    denied, noted = listening(engine, "permission.denied"), listening(engine, "notify")
    asked: list[PermissionRequest] = []

    def ask(request: PermissionRequest) -> Any:
        asked.append(request)
        return YES[answer](request)

    result = made(way, engine.tool("n", permission=ask)(lambda n: n), {"n": 1})

    assert result.llm_content == "2"
    assert asked == [PermissionRequest("n", {"n": 2}, "a config file", by_hook=True)]
    assert denied == []
    assert [(data["type"], data["message"]) for _, data in noted] == [
        ("permission_prompt", "n needs permission: a config file")
    ]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("answer", NO)
def test_all_but_a_clear_yes_is_a_no_and_the_model_is_told_why(engine: Engine, answer: str, way: str) -> None:
    answering(engine, decision="ask", reason="a config file")
    denied = listening(engine, "permission.denied", "tool.after", "tool.failed")
    ask, why = NO[answer]
    runs: list[int] = []

    result = made(way, engine.tool("n", permission=ask)(lambda n: runs.append(n)), {"n": 1})

    assert (error_of(result).type, runs, result.stop) == ("refused", [], False)
    assert result.llm_content.startswith(f"n was not allowed: {why}")
    assert [(event, data["tool_name"], data["tool_input"]) for event, data in denied] == [
        ("permission.denied", "n", {"n": 1})
    ]
    assert denied[0][1]["reason"].startswith(why)


def test_a_person_may_be_asked_with_async_def(engine: Engine, caplog: pytest.LogCaptureFixture) -> None:
    answering(engine, decision="ask")

    async def ask(request: PermissionRequest) -> bool:
        await asyncio.sleep(0)
        return True

    tool = engine.tool("n", permission=ask)(lambda n: n)

    assert asyncio.run(tool.arun({"n": 1})).llm_content == "1"
    refused = tool.run({"n": 1})
    assert error_of(refused).type == "refused"
    assert "is async, and its caller is not" in caplog.text


@pytest.mark.parametrize("way", WAYS)
def test_a_question_ended_by_ctrl_c_ends_the_host(engine: Engine, way: str) -> None:
    def ask(request: PermissionRequest) -> bool:
        raise KeyboardInterrupt

    runs: list[int] = []
    tool = engine.tool("n", asks=True, permission=ask)(lambda n: runs.append(n))

    with pytest.raises(KeyboardInterrupt):
        made(way, tool, {"n": 1})
    assert runs == []


@pytest.mark.parametrize("first", [{"n": 3}, {}])
def test_the_person_may_allow_something_else_than_was_asked(engine: Engine, first: dict[str, Any]) -> None:
    ask = lambda request: Permission(True, input=first)  # noqa: E731
    tool = engine.tool("n", asks=True, permission=ask)(lambda n=9: n)

    assert tool.run({"n": 1}).llm_content == str(first.get("n", 9))


def test_what_the_person_allows_instead_is_checked_too(engine: Engine) -> None:
    ask = lambda request: Permission(True, input={"n": "many"})  # noqa: E731
    tool = engine.tool("add", asks=True, permission=ask)(add)

    assert error_of(tool.run({"a": 1})).type == "invalid_input"


@pytest.mark.parametrize("way", WAYS)
def test_hooks_answer_before_the_person_is_asked(engine: Engine, way: str) -> None:
    answer: dict[str, Any] = {}
    engine.add("permission.ask", lambda data: answer, name="policy")
    noted, asked = listening(engine, "notify"), []

    def ask(request: PermissionRequest) -> bool:
        asked.append(request.tool_input)
        return True

    tool = engine.tool("n", asks=True, permission=ask)(lambda n: n)
    answer.update(decision="allow", input={"n": 2})
    assert made(way, tool, {"n": 1}).llm_content == "2"
    answer.clear()
    answer.update(decision="deny", reason="never")
    refused = made(way, tool, {"n": 1})
    assert (error_of(refused).type, asked, noted) == ("refused", [], [])
    assert "n was not allowed: never" in refused.llm_content
    answer.clear()
    answer.update(stop=True, stop_reason="over")
    stopped = made(way, tool, {"n": 1})
    assert (stopped.stop, stopped.stop_reason, asked) == (True, "over", [])
    answer.clear()
    answer.update(decision="ask", input={"n": 4})
    assert made(way, tool, {"n": 1}).llm_content == "4"
    assert asked == [{"n": 4}]


def test_a_tool_of_another_turn_is_not_called_although_nobody_listens(engine: Engine) -> None:
    session = engine.session()
    runs: list[str] = []
    read, write = (session.tool(name)(functools.partial(runs.append, name)) for name in ("read", "write"))

    session.narrow_tools(frozenset({"read"}))
    results = [read(), write(), write.run({}), asyncio.run(write.arun({}))]
    session.narrow_tools(None)

    assert [one.error and one.error.type for one in results] == [None, "blocked", "blocked", "blocked"]
    assert results[1].llm_content == "write may not be called in this turn"
    assert (write().error, runs) == (None, ["read", "write"])


def test_hooks_hear_of_a_no_to_what_was_really_asked(engine: Engine) -> None:
    answering(engine, "tool.before", input={"n": 2}, decision="ask")
    answering(engine, "permission.ask", input={"n": 3})
    denied = listening(engine, "permission.denied")
    answering(engine, "permission.denied", context="ask again tomorrow")

    result = engine.tool("n", permission=lambda request: False)(lambda n: n).run({"n": 1}, tool_use_id="id-1")

    assert [(data["tool_input"], data["tool_use_id"], data["reason"]) for _, data in denied] == [
        ({"n": 3}, "id-1", "the user said no")
    ]
    assert "ask again tomorrow" in result.llm_content


@pytest.mark.parametrize("asks", [True, lambda input: input["n"] > 1, lambda input: input["missing"]])
def test_a_tool_that_always_asks_is_never_run_unasked(
    engine: Engine, asks: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """Also where it cannot be said whether to ask; that is in the log."""
    runs: list[int] = []
    noted = listening(engine, "notify")
    tool = engine.tool("n", asks=asks)(lambda n: runs.append(n))

    results = [tool(n=2), tool.run({"n": 2}), asyncio.run(tool.arun({"n": 2}))]

    assert [error_of(result).type for result in results] == ["refused"] * 3
    assert all(CANNOT_ASK in result.llm_content for result in results)
    assert [data["message"] for _, data in noted] == ["n needs permission"] * 3
    assert runs == []
    assert len(caplog.records) in (0, 3)
    assert all("KeyError" in (record.exc_text or "") for record in caplog.records)


def test_a_tool_asks_by_what_hooks_made_of_its_input_and_an_allow_stands_for_the_user(engine: Engine) -> None:
    answer: dict[str, Any] = {"input": {"n": 2}}
    engine.add("tool.before", lambda data: answer)
    tool = engine.tool("n", asks=lambda input: input["n"] > 1)(lambda n: n)

    assert error_of(tool(n=1)).type == "refused"
    answer["decision"] = "allow"
    assert tool(n=1).llm_content == "2"


# execute_tool_with_hooks


@pytest.mark.parametrize("kind", ["def", "async def", "a function that gives a coroutine"])
def test_a_function_that_takes_the_whole_input_runs_with_all_its_hooks(engine: Engine, kind: str) -> None:
    answering(engine, input={"n": 2})
    answering(engine, "tool.after", context="even")
    seen = listening(engine, "tool.before", "tool.after")

    async def awaited(input: dict[str, Any]) -> int:
        await asyncio.sleep(0)
        return int(input["n"]) * 10

    functions = {
        "def": lambda input: input["n"] * 10,
        "async def": awaited,
        "a function that gives a coroutine": lambda input: awaited(input),
    }
    result = asyncio.run(execute_tool_with_hooks(engine, "ten", {"n": 1}, functions[kind], tool_use_id="id-1"))

    assert result.llm_content.startswith("20\n\n")
    assert "even" in result.llm_content
    assert {data["tool_use_id"] for _, data in seen} == {"id-1"}


def test_its_options_are_those_of_a_tool(engine: Engine) -> None:
    runs: list[Any] = []
    execute = functools.partial(execute_tool_with_hooks, engine, "ten")

    wrong = asyncio.run(execute({"n": "x"}, runs.append, schema={"properties": {"n": {"type": "integer"}}}))
    refused = asyncio.run(execute({"n": 1}, runs.append, asks=True))
    allowed = asyncio.run(execute({"n": 1}, runs.append, asks=True, permission=lambda request: True))

    assert [error_of(one).type for one in (wrong, refused)] == ["invalid_input", "refused"]
    assert (allowed.error, runs) == (None, [{"n": 1}])


# Many at once


def test_one_tool_serves_threads_and_loops_at_once_and_each_gets_its_own_answer(engine: Engine) -> None:
    engine.add("tool.before", lambda data: {"input": {"n": data["tool_input"]["n"] + 1}})
    engine.add("tool.after", lambda data: {"context": f"of {data['tool_output']}"})

    @engine.tool("next")
    def following(n: int) -> int:
        time.sleep(0.0005)
        return n

    def by_threads(start: int) -> list[ToolResult]:
        return [following(n=n) for n in range(start, start + 25)]

    def by_loop(start: int) -> list[ToolResult]:
        async def together() -> list[ToolResult]:
            return list(await asyncio.gather(*(following.arun({"n": n}) for n in range(start, start + 25))))

        return asyncio.run(together())

    with ThreadPoolExecutor(8) as pool:
        runs = list(pool.map(lambda k: (by_threads if k % 2 else by_loop)(100 * k), range(8)))

    for k, results in enumerate(runs):
        numbers = range(100 * k + 1, 100 * k + 26)
        assert [one.llm_content.splitlines()[0] for one in results] == [str(n) for n in numbers]
        assert [one.llm_content.splitlines()[3] for one in results] == [f"of {n}" for n in numbers]


def test_a_tool_that_is_not_async_does_not_hold_up_the_loop_and_sees_the_callers_context(engine: Engine) -> None:
    threads: list[int] = []
    who = ContextVar("who", default="nobody")

    @engine.tool("slow")
    def slow() -> str:
        threads.append(threading.get_ident())
        time.sleep(0.15)
        return who.get()

    async def host() -> tuple[int, list[ToolResult]]:
        ticks = 0
        who.set("the caller")
        task = asyncio.gather(slow.arun({}), slow.arun({}))
        while not task.done():
            await asyncio.sleep(0.01)
            ticks += 1
        return ticks, task.result()

    ticks, results = asyncio.run(host())

    assert ticks >= 5
    assert [one.llm_content for one in results] == ["the caller", "the caller"]
    assert len({threading.get_ident(), *threads}) == 3


def test_an_async_function_called_without_a_loop_says_so(engine: Engine) -> None:
    result = engine.tool("t")(aadd).run({"a": 1})

    assert "is async, and its caller is not" in error_of(result).message


def test_a_tools_own_calls_of_tools_have_their_hooks(engine: Engine) -> None:
    """A tool runs in the host, not in a hook: also where it runs in a thread of ours."""
    seen = listening(engine, "tool.before")
    inner = engine.tool("inner")(lambda: "inside")
    outer = engine.tool("outer")(lambda: inner().llm_content)

    for result in (outer(), asyncio.run(outer.arun({}))):
        assert result.llm_content == "inside"
    assert [data["tool_name"] for _, data in seen] == ["outer", "inner"] * 2
