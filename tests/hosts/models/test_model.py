"""Model calls without any SDK: what a host gets of a model's function, and of a session around it."""

import asyncio
import copy
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tenterhook import Engine, Message, Outcome, ToolCall, UsageError

from .fake_model import TOOLS, Fake, answer, both, call, on


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine(files=False) as made:
        yield made


# The function and what it is given


@both
def test_where_nobody_listens_the_function_gets_the_very_arguments_and_its_response_comes_back(engine, asynchronous):
    fake, given = Fake(asynchronous), call(tools=TOOLS, mine=object())

    reply = fake.ask(engine, **given)

    assert fake.calls[0].keys() == given.keys()
    assert all(fake.calls[0][name] is given[name] for name in given)
    assert reply.response is fake.response
    assert (reply.stop, reply.blocked, reply.synthetic, reply.suppress_display) == (False, False, False, False)
    assert (reply.stop_reason, reply.reason, reply.messages, reply.outcomes) == ("", "", (), ())
    assert (reply.allowed, reply.problems, reply.user_messages) == (None, [], ())


def test_dialects_without_model_events_leave_models_alone(project):
    fake, engine = Fake(), project.engine("wave", files=False)
    told = []
    engine.add("PreToolUse", told.append)

    reply = fake.ask(engine, **call(tools=TOOLS))

    assert (reply.response is fake.response, told) == (True, [])


@both
def test_hooks_that_are_registered_later_count_from_then_on(engine, asynchronous):
    fake = Fake(asynchronous)
    model = engine.model(fake.there if asynchronous else fake.here, format="plain")

    def ask() -> Any:
        made = model(**call())
        return (asyncio.run(made) if asynchronous else made).response["text"]

    before = ask()
    _, away = on(engine, "model.after", {"response": {"text": "other"}})
    during = ask()
    away()

    assert (before, during, ask()) == ("Hello", "other", "Hello")


@both
def test_the_callers_arguments_and_the_models_response_are_never_changed_in_place(engine, asynchronous):
    def spoil(event: Any) -> Any:
        event.llm_request["messages"][0]["content"] = "spoilt"
        event.llm_request["config"]["temperature"] = 9
        event.llm_request["messages"].append({"role": "user", "content": "spoilt"})
        if "llm_response" in event:
            event.llm_response["candidates"][0]["content"]["parts"][0] = "spoilt"

    for event in ("model.before", "tools.select", "model.after"):
        on(engine, event, spoil)
    changed, _ = on(engine, "model.before", {"request": {"config": {"temperature": 1}}, "context": "it rains"})
    on(engine, "tools.select", {"tool_config": {"mode": "ANY"}})
    fake, given = Fake(asynchronous), call(tools=TOOLS)
    before, response = copy.deepcopy(given), copy.deepcopy(fake.response)

    reply = fake.ask(engine, **given)

    assert given == before
    assert changed[0].llm_request["config"] == {"temperature": 0.5}
    assert fake.calls[0]["config"] == {"temperature": 1}
    assert fake.calls[0]["messages"][0] is given["messages"][0]
    assert fake.calls[0]["tools"] is given["tools"]
    assert reply.response is fake.response
    assert fake.response == response


@both
def test_words_for_the_model_go_with_the_very_call_after_all_messages(engine, asynchronous):
    added = {"role": "user", "content": "note"}
    on(engine, "model.before", lambda event: {"request": {"messages": [*event.llm_request["messages"], added]}})
    on(engine, "model.before", {"context": "it rains", "feedback": "be brief"})
    on(engine, "tools.select", {"context": "two tools"})
    fake = Fake(asynchronous)

    reply = fake.ask(engine, **call(tools=TOOLS))

    texts = [message["content"] for message in fake.calls[0]["messages"]]
    assert texts[:2] == ["hi", "note"]
    assert [text.splitlines()[1] for text in texts[2:]] == ["it rains", "be brief", "two tools"]
    assert all(text.startswith('<hook name="mine"') for text in texts[2:])
    assert {message["role"] for message in fake.calls[0]["messages"]} == {"user"}
    assert reply.user_messages == ()


@both
def test_what_a_hook_wants_and_cannot_have_is_said(engine, asynchronous):
    on(engine, "model.before", {"request": {"model": "m-2", "messages": "rubbish"}})
    fake = Fake(asynchronous)

    reply = fake.ask(engine, **call())

    assert (fake.calls[0]["model"], fake.calls[0]["messages"]) == ("m-2", call()["messages"])
    assert reply.problems == ["messages must be a list, not str: left as they were"]


@both
def test_a_guard_that_fails_keeps_the_model_from_being_asked(engine, asynchronous):
    def broken(event: Any) -> Any:
        raise KeyError("nothing")

    on(engine, "model.before", broken)
    fake = Fake(asynchronous)

    reply = fake.ask(engine, **call())

    assert (fake.calls, reply.blocked, reply.response["text"]) == ([], True, "")


@both
def test_who_only_observes_changes_nothing(asynchronous):
    with Engine(files=False, mode="observe") as engine:
        told, _ = on(engine, "model.before", {"decision": "deny", "reason": "no", "response": {"text": "other"}})
        on(engine, "model.after", {"response": {"text": "other"}, "stop": True})
        fake, given = Fake(asynchronous), call()

        reply = fake.ask(engine, **given)

    assert (len(told), fake.calls) == (1, [given])
    assert reply.response is fake.response
    assert not reply.stop


@both
def test_a_tap_hears_of_every_event_of_a_call(engine, asynchronous):
    heard: list[Outcome] = []
    engine.tap(heard.append)

    Fake(asynchronous).ask(engine, **call(tools=TOOLS))
    Fake(asynchronous).ask(engine, **call(stream=True))

    events = [outcome.event for outcome in heard]
    assert events == ["model.before", "tools.select", "model.after", "model.before", "model.after"]


def test_a_model_that_a_hook_asks_has_no_hooks_itself(engine):
    fake = Fake()
    model = engine.model(fake.here, format="plain")
    told, _ = on(engine, "model.before", lambda event: {"context": model(**call()).response["text"]})

    model(**call())

    assert (len(told), len(fake.calls)) == (1, 2)
    assert "Hello" in fake.calls[1]["messages"][-1]["content"]


@both
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("listens", [False, True])
def test_an_error_of_the_function_is_the_callers_and_fires_nothing(engine, asynchronous, stream, listens):
    before, _ = on(engine, "model.before") if listens else ([], None)
    after, _ = on(engine, "model.after") if listens else ([], None)
    error = ConnectionError("no network")

    with pytest.raises(ConnectionError) as caught:
        Fake(asynchronous, error=error).ask(engine, **call(stream=stream))

    assert caught.value is error
    assert error.__context__ is None
    assert (len(before), after) == (int(listens), [])


@pytest.mark.parametrize("listens", [False, True])
def test_a_function_that_hides_that_it_is_async_is_refused(engine, listens):
    if listens:
        on(engine, "model.after")
    fake = Fake(asynchronous=True)

    with pytest.raises(UsageError, match="async"):
        engine.model(lambda **call: fake.there(**call), format="plain")(**call())


@pytest.mark.parametrize("name", ["open-ai", "", "openai_shared", "messages", "nope"])
def test_a_format_that_does_not_exist_is_refused_before_any_call(engine, name):
    with pytest.raises(UsageError, match="no model format") as caught:
        engine.model(Fake().here, format=name)
    assert "anthropic, genai, openai, openai-responses, plain" in str(caught.value)


@pytest.mark.parametrize("listens", [False, True])
@pytest.mark.parametrize("enter", ["__enter__", "__aenter__"])
def test_helpers_that_open_a_stream_are_refused(engine, enter, listens):
    if listens:
        on(engine, "model.after")
    helper = type("Helper", (), {enter: lambda self: self})

    with pytest.raises(UsageError, match="a helper that opens a stream cannot be wrapped"):
        engine.model(lambda **call: helper(), format="plain")(**call())


def test_many_threads_may_ask_at_once(engine):
    """Each gets its own answer to its own request, changed on the way there and back."""

    def shout(event: Any) -> Any:
        return {"request": {"model": event.llm_request["model"].upper()}}

    on(engine, "model.before", shout)
    on(engine, "model.after", lambda event: {"response": {"text": event.llm_response["text"] + "!"}})
    model = engine.model(lambda **call: answer(call["model"]), format="plain")
    got: dict[str, list[str]] = {}

    def ask(name: str) -> None:
        got[name] = [model(model=f"{name}{n}", messages=[]).response["text"] for n in range(50)]

    threads = [threading.Thread(target=ask, args=(name,)) for name in "abcdefgh"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert got == {name: [f"{name.upper()}{n}!" for n in range(50)] for name in "abcdefgh"}


# Responses


@both
def test_a_changed_response_keeps_its_usage_and_none_of_its_tool_calls(engine, asynchronous):
    on(engine, "model.after", lambda event: {"response": {**event.llm_response, "text": "other"}})
    usage = {"promptTokenCount": 3, "candidatesTokenCount": 4, "totalTokenCount": 7}
    fake = Fake(asynchronous, answer(usageMetadata=usage, tool_calls=[{"id": "1", "name": "read"}]))

    reply = fake.ask(engine, **call())

    assert reply.response["text"] == "other"
    assert reply.response["candidates"][0]["content"]["parts"] == ["other"]
    assert reply.response["usageMetadata"] == usage
    assert "tool_calls" not in reply.response


@both
@pytest.mark.parametrize("said", [{"text": "Hello"}, {"candidates": answer()["candidates"]}])
def test_a_hook_that_says_a_part_of_the_same_again_loses_nothing(engine, asynchronous, said):
    on(engine, "model.after", {"response": said})

    reply = Fake(asynchronous).ask(engine, **call())

    assert (reply.response["text"], reply.response["candidates"]) == ("Hello", answer()["candidates"])


@both
@pytest.mark.parametrize(
    "said", [{"text": "", "candidates": []}, {"text": ""}, {"candidates": []}, {"candidates": [{"content": {}}]}]
)
def test_a_hook_may_take_all_text_away(engine, asynchronous, said):
    on(engine, "model.after", {"response": said})

    reply = Fake(asynchronous).ask(engine, **call())

    assert reply.response["text"] == ""
    assert "Hello" not in str(reply.response)


@both
def test_a_reply_holds_all_that_hooks_said(engine, asynchronous):
    on(engine, "model.before", {"decision": "allow", "reason": "fine", "message": "one", "suppress": True})
    on(engine, "model.after", {"message": "two", "feedback": "three", "stop": True, "stop_reason": "four"})

    reply = Fake(asynchronous).ask(engine, **call())

    assert [outcome.event for outcome in reply.outcomes] == ["model.before", "model.after"]
    assert reply.messages == (
        Message("user", "system", "one", "mine"),
        Message("user", "reason", "fine", "mine"),
        Message("user", "system", "two", "mine"),
        Message("model", "feedback", "three", "mine"),
        Message("user", "reason", "four", "mine"),
    )
    assert (reply.suppress_display, reply.stop, reply.stop_reason) == (True, True, "four")
    assert (reply.blocked, reply.reason) == (False, "")
    assert reply.user_messages == ('<hook name="mine" kind="feedback">\nthree\n</hook>',)


@both
@pytest.mark.parametrize(
    "said",
    [
        {"text": "other", "candidates": 5},
        {"text": "other", "candidates": [7, None]},
        {"text": ["no"], "candidates": [{"content": "other"}]},
        {"candidates": [{"content": {"parts": [{"text": "ot"}, 3, "her"]}, "finishReason": 4, "index": "x"}]},
        {"text": "other", "candidates": [], "usageMetadata": "many"},
    ],
)
def test_whatever_a_hook_sends_the_host_gets_a_response_of_text_alone(engine, asynchronous, said):
    on(engine, "model.after", {"response": {**said, "tool_calls": [{"name": "write"}]}})

    response = Fake(asynchronous).ask(engine, **call()).response

    (candidate,) = response["candidates"]
    assert response["text"] == "".join(candidate["content"]["parts"]) == "other"
    assert candidate["finishReason"] == "STOP"
    assert (candidate["index"], "tool_calls" in response, "usageMetadata" in response) == (0, False, False)


# A session around it


@both
def test_a_session_holds_its_tools_to_what_hooks_left_and_the_next_call_sets_them_free(engine, asynchronous):
    told, away = on(engine, "tools.select", {"tool_config": {"mode": "ANY", "allowedFunctionNames": ["read"]}})
    session, ran, fake = engine.session(), [], Fake(asynchronous)
    tools = [session.tool(name)(lambda name=name: ran.append(name)) for name in ("read", "write")]
    read, write = tools

    reply = fake.ask(session, **call(tools=TOOLS))
    assert fake.calls[0]["toolConfig"] == {"mode": "ANY", "allowedFunctionNames": ["read"]}
    assert session.allowed == reply.allowed == {"read"}
    assert (read().error, write().error.type, ran) == (None, "blocked", ["read"])
    results = session.scheduler(tools).run([ToolCall("write", {}), ToolCall("read", {})])
    assert [result.error and result.error.type for result in results] == ["blocked", None]
    assert "may not be called in this turn" in results[0].llm_content

    away()
    fake.ask(session, **call(tools=TOOLS))
    assert (len(told), session.allowed, write().error) == (1, None, None)


@pytest.mark.parametrize(
    ("config", "left"),
    [
        ({"mode": "NONE"}, set()),
        ({"mode": "NONE", "allowedFunctionNames": ["read"]}, set()),
        ({"mode": "AUTO", "allowedFunctionNames": []}, set()),
        ({"allowedFunctionNames": ["read"]}, {"read"}),
        ({"mode": "ANY"}, {"read", "write"}),
        ({"mode": "AUTO"}, {"read", "write"}),
    ],
)
def test_what_a_tool_configuration_leaves_is_what_runs(engine, config, left):
    on(engine, "tools.select", {"tool_config": config})
    session, ran = engine.session(), set()
    tools = [session.tool(name)(lambda name=name: ran.add(name)) for name in ("read", "write")]

    Fake().ask(session, **call(tools=TOOLS))
    session.scheduler(tools).run([ToolCall("read", {}), ToolCall("write", {})])

    assert ran == left


@pytest.mark.parametrize("next_call", ["another selection", "no tools", "denied", "stopped", "failed"])
def test_what_one_call_narrowed_does_not_outlive_it(engine, next_call):
    session, fake = engine.session(), Fake()
    _, away = on(engine, "tools.select", {"tool_config": {"allowedFunctionNames": ["read"]}})
    fake.ask(session, **call(tools=TOOLS))
    assert session.allowed == {"read"}

    if next_call == "another selection":
        away()
        on(engine, "tools.select", {"tool_config": {"allowedFunctionNames": ["write"]}})
        fake.ask(session, **call(tools=TOOLS))
        assert session.allowed == {"write"}
        return
    if next_call in ("denied", "stopped"):
        on(engine, "model.before", {"decision": "deny"} if next_call == "denied" else {"stop": True})
    if next_call == "failed":
        away()
        fake.error = ConnectionError("no network")
        with pytest.raises(ConnectionError):
            fake.ask(session, **call(tools=TOOLS))
    else:
        fake.ask(session, **call(tools=[] if next_call == "no tools" else TOOLS))
    assert session.allowed is None


def test_a_subagents_tools_are_narrowed_for_it_alone(engine):
    on(engine, "tools.select", {"tool_config": {"mode": "NONE"}})
    session = engine.session()
    child = session.agent("look around")

    Fake().ask(child, **call(tools=TOOLS))

    assert (session.allowed, child.allowed) == (None, frozenset())
    assert session.tool("read")(lambda: "ok")().error is None
    assert child.tool("read")(lambda: "ok")().error.type == "blocked"


@both
@pytest.mark.parametrize("stream", [False, True])
def test_in_a_session_the_user_is_told_and_words_for_the_model_wait_for_the_next_call(engine, asynchronous, stream):
    on(engine, "model.before", {"message": "one"})
    on(engine, "model.after", {"message": "two", "feedback": "three", "stop": True, "stop_reason": "four"})
    told: list[str] = []
    session = engine.session(tell=told.append)

    reply = Fake(asynchronous).ask(session, **call(stream=stream))

    assert told == ["[hook mine] one", "[hook mine] two", "[hook mine] four"]
    assert reply.user_messages == ()
    assert session.pending() == ['<hook name="mine" kind="feedback">\nthree\n</hook>']
    assert session.pending() == []


@both
def test_in_a_session_the_reason_of_a_refusal_waits_for_the_next_call(engine, asynchronous):
    on(engine, "model.before", {"decision": "deny", "reason": "too long"})
    session = engine.session()

    reply = Fake(asynchronous).ask(session, **call())

    assert (reply.reason, reply.user_messages) == ("too long", ())
    assert session.pending() == ['<hook name="mine" kind="reason">\ntoo long\n</hook>']


@both
def test_hooks_of_a_session_are_told_which_one_it_is(engine, asynchronous):
    told = [on(engine, event)[0] for event in ("model.before", "tools.select", "model.after")]
    session = engine.session(id="s-1")

    Fake(asynchronous).ask(session, **call(tools=TOOLS))

    assert [[event.session_id for event in events] for events in told] == [["s-1"]] * 3


def test_a_call_that_is_cancelled_in_its_hooks_is_never_made(project):
    project.write("tenterhook.toml", '[[hook]]\non = "model.before"\ncommand = "touch begun; sleep 30"\n')
    engine, fake = project.engine("tenterhook"), Fake(asynchronous=True)

    async def later() -> None:
        asking = asyncio.ensure_future(engine.model(fake.there, format="plain")(**call()))
        async with asyncio.timeout(5):
            while not project.has("begun"):
                await asyncio.sleep(0.005)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking

    asyncio.run(later())

    assert fake.calls == []


def test_in_a_session_no_word_of_many_threads_is_lost_or_given_twice(engine):
    numbers = iter(range(1_000_000))
    on(engine, "model.after", lambda event: {"feedback": f"#{next(numbers)}"})
    session, got = engine.session(), []
    model = session.model(lambda **call: answer(), format="plain")

    def ask() -> None:
        for _ in range(50):
            model(**call())
            got.extend(session.pending())

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    got.extend(session.pending())

    assert sorted(int(text.splitlines()[1][1:]) for text in got) == list(range(300))
