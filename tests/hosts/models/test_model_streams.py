"""Streams of a model without any SDK: chunks as they come, hooks at the end, and ends that never come."""

import asyncio
import inspect
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from tenterhook import Engine, UsageError
from tenterhook.hosts.reply import AsyncStream, Stream

from .fake_model import PIECES, Fake, answer, both, call, on


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine(files=False) as made:
        yield made


@both
def test_a_stream_that_nobody_listens_to_is_the_very_iterator_of_the_function(engine, asynchronous):
    fake = Fake(asynchronous)
    on(engine, "model.before")

    async def later() -> Any:
        reply = await engine.model(fake.there, format="plain")(**call(stream=True))
        assert aiter(reply) is fake.given
        assert [chunk async for chunk in reply] == PIECES
        return reply

    def now() -> Any:
        reply = engine.model(fake.here, format="plain")(**call(stream=True))
        assert iter(reply) is fake.given
        assert list(reply) == PIECES
        return reply

    reply = asyncio.run(later()) if asynchronous else now()

    with pytest.raises(UsageError, match="collect=True"):
        _ = reply.response


@both
@pytest.mark.parametrize("listens", [False, True])
def test_with_collect_the_response_is_there_when_the_stream_was_read(engine, asynchronous, listens):
    if listens:
        on(engine, "model.after")
    fake = Fake(asynchronous)

    async def later() -> Any:
        reply = await engine.model(fake.there, format="plain", collect=True)(**call(stream=True))
        found = [(chunk, reply.response) async for chunk in reply]
        return reply, found

    def now() -> Any:
        reply = engine.model(fake.here, format="plain", collect=True)(**call(stream=True))
        return reply, [(chunk, reply.response) for chunk in reply]

    reply, found = asyncio.run(later()) if asynchronous else now()

    assert found == [(chunk, None) for chunk in PIECES]
    assert all(chunk is piece for (chunk, _), piece in zip(found, PIECES, strict=True))
    assert reply.response == answer()
    assert fake.ended


@both
def test_hooks_are_told_of_a_stream_once_at_its_end_and_reading_it_again_gives_nothing(engine, asynchronous):
    told, _ = on(engine, "model.after", {"response": {"text": "other"}, "suppress": True, "feedback": "hm"})
    fake = Fake(asynchronous)

    reply = fake.ask(engine, **call(stream=True))

    async def again() -> Any:
        return [chunk async for chunk in reply]

    assert reply.shown == PIECES
    assert (asyncio.run(again()) if asynchronous else list(reply)) == []
    assert [event.llm_response["text"] for event in told] == ["Hello"]
    assert (reply.response["text"], reply.suppress_display, len(reply.user_messages)) == ("other", True, 1)


@both
@pytest.mark.parametrize("read", [0, 1, 3])
def test_a_stream_that_is_closed_before_its_end_is_told_to_nobody(engine, asynchronous, read):
    told, _ = on(engine, "model.after")
    fake = Fake(asynchronous)

    async def later() -> Any:
        async with await engine.model(fake.there, format="plain")(**call(stream=True)) as reply:
            chunks = aiter(reply)
            assert [await anext(chunks) for _ in range(read)] == PIECES[:read]
        assert [chunk async for chunk in reply] == []
        return reply

    def now() -> Any:
        with engine.model(fake.here, format="plain")(**call(stream=True)) as reply:
            chunks = iter(reply)
            assert [next(chunks) for _ in range(read)] == PIECES[:read]
        assert list(reply) == []
        return reply

    reply = asyncio.run(later()) if asynchronous else now()

    assert (told, reply.response) == ([], None)
    assert fake.ended == (read > 0)


@both
@pytest.mark.parametrize("breaks", [False, True])
def test_a_source_is_closed_when_it_was_read_and_when_it_broke(engine, asynchronous, breaks):
    on(engine, "model.after")
    closed = []

    class Source:
        """As an SDK's stream is: no generator, which would close itself."""

        pieces = iter(PIECES)

        def __iter__(self) -> Any:
            return self

        def __next__(self) -> Any:
            piece = next(self.pieces)
            if breaks and piece is PIECES[1]:
                raise TimeoutError("too slow")
            return piece

        def close(self) -> None:
            closed.append("source")

    class AsyncSource(Source):
        def __aiter__(self) -> Any:
            return self

        async def __anext__(self) -> Any:
            try:
                return self.__next__()
            except StopIteration:
                raise StopAsyncIteration from None

        async def close(self) -> None:
            closed.append("source")

    fake = Fake(asynchronous)
    fake.pieces, fake.apieces = Source, AsyncSource
    try:
        fake.ask(engine, **call(stream=True))
    except TimeoutError:
        assert breaks

    assert closed == ["source"]


@both
def test_a_stream_in_whose_middle_an_error_comes_is_told_to_nobody(engine, asynchronous):
    told, _ = on(engine, "model.after")
    error = TimeoutError("too slow")

    def pieces() -> Iterator[Any]:
        yield PIECES[0]
        raise error

    async def apieces() -> AsyncIterator[Any]:
        yield PIECES[0]
        raise error

    fake = Fake(asynchronous)
    fake.pieces, fake.apieces = pieces, apieces
    with pytest.raises(TimeoutError) as caught:
        fake.ask(engine, **call(stream=True))

    assert caught.value is error
    assert told == []


def test_leaving_an_async_stream_without_closing_it_is_told_to_nobody(engine):
    told, _ = on(engine, "model.after")
    fake = Fake(asynchronous=True)

    async def later() -> None:
        async for _ in await engine.model(fake.there, format="plain")(**call(stream=True)):
            break

    asyncio.run(later())

    assert (told, fake.ended) == ([], True)


@both
@pytest.mark.parametrize("collect", [False, True])
@pytest.mark.parametrize("said", [{}, {"response": {"text": "mine"}}], ids=["empty", "own"])
def test_a_blocked_stream_is_a_stream_all_the_same(engine, asynchronous, collect, said):
    on(engine, "model.before", {"decision": "deny", "reason": "no", **said})
    fake = Fake(asynchronous)

    reply = fake.ask(engine, {"collect": collect}, **call(stream=True))

    text = "mine" if said else ""
    assert fake.calls == []
    assert "".join(chunk["text"] for chunk in reply.shown) == reply.response["text"] == text
    assert (reply.synthetic, reply.blocked, reply.reason, reply.problems) == (True, True, "no", [])


@both
@pytest.mark.parametrize("how", ["the option", "the name", "the option says no"])
def test_a_blocked_call_is_a_stream_where_the_caller_waits_for_one(engine, asynchronous, how):
    on(engine, "model.before", {"decision": "deny", "reason": "no", "response": {"text": "mine"}})
    fake = Fake(asynchronous)
    if how == "the name":

        def stream_it(**call: Any) -> Any:
            return fake.here(**call)

        async def astream_it(**call: Any) -> Any:
            return fake.here(**call)

        fake.here, fake.there = stream_it, astream_it
    options = {"the option": {"stream": True}, "the option says no": {"stream": False}}.get(how, {})

    reply = fake.ask(engine, options, **call(stream=how == "the option says no"))

    assert isinstance(reply, Stream | AsyncStream) == (how != "the option says no")
    assert reply.response["text"] == "mine"


@both
@pytest.mark.parametrize("blocked", [False, True])
def test_a_function_that_is_a_generator_gives_a_stream_whatever_hooks_say(engine, asynchronous, blocked):
    if blocked:
        on(engine, "model.before", {"decision": "deny", "reason": "no", "response": {"text": "mine"}})
    told, _ = on(engine, "model.after")

    def generate(**call: Any) -> Iterator[Any]:
        yield from PIECES

    async def agenerate(**call: Any) -> AsyncIterator[Any]:
        for piece in PIECES:
            yield piece

    async def later() -> list[Any]:
        reply = engine.model(agenerate, format="plain")(**call())
        reply = await reply if inspect.isawaitable(reply) else reply
        return [chunk["text"] async for chunk in reply]

    def now() -> list[Any]:
        return [chunk["text"] for chunk in engine.model(generate, format="plain")(**call())]

    texts = asyncio.run(later()) if asynchronous else now()

    assert "".join(texts) == ("mine" if blocked else "Hello")
    assert len(told) == (0 if blocked else 1)
