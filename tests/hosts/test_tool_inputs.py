"""What a tool takes: schemas of all kinds, inputs that hooks changed, values that stay what they are."""

import asyncio
import json
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pydantic
import pytest

from conftest import Project
from tenterhook import Engine, UsageError

from .tools import answering, error_of, listening

if TYPE_CHECKING:
    from nowhere import Unknown  # type: ignore[import-not-found]


def add(a: int, b: int = 2) -> str:
    return f"{a} {b}"


class Pydantic(pydantic.BaseModel):
    n: int
    path: str = "a"


class Struct(msgspec.Struct):
    n: int
    path: str = "a"


def positive(input: dict[str, Any]) -> None:
    if type(input["n"]) is not int:
        raise ValueError("n must be an integer")


def asserted(input: dict[str, Any]) -> None:
    assert type(input["n"]) is int, "n must be an integer"


JSON_SCHEMA = {
    "type": "object",
    "properties": {"n": {"type": "integer"}, "path": {"type": "string"}},
    "required": ["n"],
    "additionalProperties": False,
}
SCHEMAS = {
    "JSON Schema": JSON_SCHEMA,
    "pydantic": Pydantic,
    "msgspec": Struct,
    "a function": positive,
    "a function that asserts": asserted,
    "the signature": None,
}


@pytest.mark.parametrize("schema", SCHEMAS)
@pytest.mark.parametrize("wrong", [{"n": "many"}, {"n": None}, {}])
def test_an_input_that_the_tools_schema_refuses_never_reaches_hooks_or_the_tool(
    engine: Engine, schema: str, wrong: dict[str, Any]
) -> None:
    seen, runs = listening(engine, "tool.before", "tool.after", "tool.failed"), []

    @engine.tool("count", schema=SCHEMAS[schema])
    def count(n: int, path: str = "a") -> str:
        runs.append(n)
        return f"{n} {path}"

    direct = [count(**wrong)] if SCHEMAS[schema] else []  # a Python call is checked where there is a schema to do it by
    for result in (count.run(wrong), asyncio.run(count.arun(wrong)), *direct):
        assert error_of(result).type == "invalid_input"
        assert result.llm_content.startswith("count does not take this input: ")
    assert (seen, runs) == ([], [])
    assert count.run({"n": 1}).llm_content == "1 a"


@pytest.mark.parametrize("schema", SCHEMAS)
def test_an_input_that_a_hook_changed_is_checked_again(engine: Engine, schema: str) -> None:
    runs: list[int] = []
    answer: dict[str, Any] = {"n": 5}
    engine.add("tool.before", lambda data: {"input": answer})
    failures = listening(engine, "tool.failed", "tool.after")

    @engine.tool("count", schema=SCHEMAS[schema])
    def count(n: int, path: str = "a") -> str:
        runs.append(n)
        return f"{n} {path}"

    assert count.run({"n": 1}).llm_content == "5 a"
    answer["n"] = "many"
    failures.clear()
    result = count.run({"n": 1})
    assert error_of(result).type == "invalid_input"
    assert result.llm_content.startswith("A hook changed the input of count to one that it does not take: ")
    assert (runs, failures) == ([5], [])


@pytest.mark.parametrize("schema", [{"type": 12}, 7, "text", ["n"]])
def test_a_schema_that_is_none_is_heard_of_when_the_tool_is_made(engine: Engine, schema: Any) -> None:
    with pytest.raises(UsageError, match=r"[sS]chema"):
        engine.tool("count", schema=schema)(add)


def test_values_that_no_hook_changed_are_the_very_same_objects(engine: Engine) -> None:
    """Also such as JSON cannot hold, and such as cannot be compared."""

    class Odd:
        def __eq__(self, other: object) -> bool:
            raise ValueError("ambiguous")

    answering(engine, input={"path": "b"})
    odd, deep, got = Odd(), {"list": [1]}, {}

    @engine.tool("keep")
    def keep(odd: Odd, deep: dict[str, Any], path: str) -> None:
        got.update(odd=odd, deep=deep, path=path)

    assert keep(odd, deep, path="a").error is None
    assert got["odd"] is odd
    assert got["deep"] is deep
    assert got["path"] == "b"


def test_a_hook_that_gives_the_whole_input_back_changes_only_what_is_different(project: Project) -> None:
    """Its program saw JSON: a path and a date came back as texts, and are still what the caller gave."""
    body = "import json, sys\ngiven = json.load(sys.stdin)['tool_input']\n"
    body += "print(json.dumps({'hookSpecificOutput': {'updatedInput': {**given, 'content': 'y'}}}))\n"
    command = project.script("hook.py", body)
    group = {"hooks": [{"type": "command", "command": command}]}
    project.write(".claude/settings.json", json.dumps({"hooks": {"PreToolUse": [group]}}))
    got: list[Any] = []

    @project.engine("moai").tool("Write")
    def write(path: Path, day: date, content: str) -> None:
        got.extend((path, day, content))

    path, day = Path("a.txt"), date(2024, 2, 29)
    result = write(path, day, content="x")

    assert result.error is None
    assert got == [path, day, "y"]
    assert got[0] is path


def test_a_models_input_becomes_what_annotations_say_where_that_is_clear(engine: Engine) -> None:
    class Spot(msgspec.Struct):
        line: int

    class Own:
        pass

    @engine.tool("typed")
    def typed(day: date, spot: Spot, ratio: float, path: Path, own: Own, n: int = 1) -> str:
        return f"{day!r} {spot.line} {ratio!r} {path} {own}"

    input = {"day": "2024-02-29", "spot": {"line": 3}, "ratio": 1, "path": "a/b", "own": {"as": "it is"}}
    assert typed.run(input).llm_content == "datetime.date(2024, 2, 29) 3 1.0 a/b {'as': 'it is'}"
    for wrong in ({"day": "soon"}, {"spot": {}}, {"ratio": "half"}, {"ratio": True}, {"n": True}, {"n": None}):
        assert error_of(typed.run({**input, **wrong})).type == "invalid_input"


def test_what_fits_already_is_handed_on_as_it_is(engine: Engine) -> None:
    got: list[Any] = []

    @engine.tool("keep")
    def keep(deep: dict[str, Any], items: list[int], plain: dict) -> None:  # type: ignore[type-arg]
        got.extend((deep, items, plain))

    plain: dict[str, Any] = {"n": [1]}
    assert keep.run({"deep": {"n": 1}, "items": [1], "plain": plain}).error is None
    assert got == [{"n": 1}, [1], {"n": [1]}]
    assert got[2] is plain


def test_annotations_that_cannot_be_resolved_check_nothing(engine: Engine) -> None:
    @engine.tool("odd")
    def odd(thing: "Unknown", n: int) -> Any:
        return [thing, n]

    assert odd.run({"thing": 1, "n": "two"}).llm_content == '[1,"two"]'
    assert error_of(odd.run({"thing": 1})).type == "invalid_input"


def test_a_function_without_a_signature_takes_what_it_takes(engine: Engine) -> None:
    result = engine.tool("dict")(dict).run({"a": 1})

    assert result.llm_content == '{"a":1}'


def test_what_has_a_place_and_no_name_can_be_given_by_a_model_too(engine: Engine) -> None:
    @engine.tool("echo")
    def echo(first: str, /, *rest: str, sep: str = " ") -> str:
        return sep.join([first, *rest])

    assert echo.run({"first": "a", "rest": ["b", "c"], "sep": "-"}).llm_content == "a-b-c"
    assert echo.run({"first": "a"}).llm_content == "a"
    for wrong in ({"rest": ["b"]}, {}, {"first": "a", "more": 1}):
        assert error_of(echo.run(wrong)).type == "invalid_input"


def silent(input: dict[str, Any]) -> None:
    raise ValueError


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"properties": {"deep": {"properties": {"n": {"type": "integer"}}}}}, 'deep.n: "x" is not of type "integer"'),
        ({"required": ["other"]}, '"other" is a required property'),
        (silent, "ValueError"),
        (None, "got an unexpected keyword argument 'deep'"),
    ],
)
def test_what_is_wrong_with_an_input_is_said_in_words_and_with_its_place(
    engine: Engine, schema: Any, text: str
) -> None:
    tool = engine.tool("t", schema=schema)(lambda: None)

    assert tool.run({"deep": {"n": "x"}}).llm_content == f"t does not take this input: {text}"


def test_a_call_without_an_id_tells_hooks_of_none(engine: Engine) -> None:
    seen = listening(engine, "tool.before", "tool.after")

    engine.tool("add", schema=JSON_SCHEMA)(lambda n: n)(n=1)
    engine.tool("add")(add).run({"a": 1}, tool_use_id="id-1")

    assert [data.get("tool_use_id") for _, data in seen] == [None, None, "id-1", "id-1"]
