"""What a tool returns: texts, parts as dicts or objects of the SDK, the mapping that the document calls ToolResult."""

import asyncio
import json
from typing import Any

import pytest
from google.genai import types as T  # noqa: N812

from conftest import Project
from requirements.llxprt import says
from tenterhook.hosts.llxprt import ToolResult, execute_tool_with_hooks, fire_after_tool_hook
from tenterhook.hosts.result import ToolError

from .conftest import Make

SAID = says({"systemMessage": "s", "hookSpecificOutput": {"additionalContext": "c"}})
PIXEL = T.Part.from_bytes(data=b"\x00\xff", mime_type="image/png")
WIRE = {"inlineData": {"data": "AP8=", "mimeType": "image/png"}}
ADDED = ["\n\n[System] s", "\n\n[Context] c"]
DICTS = [{"text": text} for text in ADDED]
OBJECTS = [T.Part(text=text) for text in ADDED]
BLOCKS = [{"type": "text", "text": text.strip()} for text in ADDED]

# What a function returns, what the model gets, what hooks are told of it.
CONTENTS: dict[str, tuple[Any, Any, Any]] = {
    "text": ("hi", "hi" + "".join(ADDED), "hi"),
    "a list of dicts": ([{"text": "hi"}, WIRE], [{"text": "hi"}, WIRE, *DICTS], [{"text": "hi"}, WIRE]),
    "a dict": ({"text": "hi"}, [{"text": "hi"}, *DICTS], [{"text": "hi"}]),
    "a list of objects": ([T.Part(text="hi")], [T.Part(text="hi"), *OBJECTS], [{"text": "hi"}]),
    "an object": (PIXEL, [PIXEL, *OBJECTS], [WIRE]),
    "a text and an object": (["hi", PIXEL], ["hi", PIXEL, *OBJECTS], ["hi", WIRE]),
    "a text and a dict": (["hi", WIRE], ["hi", WIRE, *DICTS], ["hi", WIRE]),
    "an object in a result": (ToolResult(PIXEL), [PIXEL, *OBJECTS], WIRE),
    "a dict in a result": (ToolResult(WIRE), [WIRE, *DICTS], WIRE),
    "texts in a result": (ToolResult(["a", "b"]), ["a", "b", *ADDED], ["a", "b"]),
    "a tuple of objects": ((T.Part(text="hi"), PIXEL), [T.Part(text="hi"), PIXEL, *OBJECTS], [{"text": "hi"}, WIRE]),
    "parts of another API": ([BLOCKS[0]], [BLOCKS[0], *BLOCKS], [BLOCKS[0]]),
    "a record": ({"text": "hi", "size": 2}, '{"text":"hi","size":2}' + "".join(ADDED), '{"text":"hi","size":2}'),
    "a content": (T.Content(parts=[PIXEL]), json.dumps({"parts": [WIRE]}, separators=(",", ":")) + "".join(ADDED), ...),
}


@pytest.mark.req("HOOK-026", "HOOK-027", "HOOK-030", "HOOK-131")
@pytest.mark.parametrize(("returned", "content", "told"), CONTENTS.values(), ids=CONTENTS)
def test_texts_join_a_result_in_its_own_form_and_hooks_see_parts_as_json(
    project: Project, make: Make, returned: Any, content: Any, told: Any
) -> None:
    before = repr(returned)
    config = make(AfterTool=[f"cat > told.json; {SAID}"])

    result = asyncio.run(execute_tool_with_hooks(config, "read_file", {}, lambda: returned))

    assert result.llm_content == content
    assert repr(returned) == before
    if told is not ...:
        assert project.json("told.json")["tool_response"]["llmContent"] == told
    if isinstance(content, list) and not any("type" in one for one in content if isinstance(one, dict)):
        assert T.UserContent(parts=content).parts  # the SDK takes it


@pytest.mark.req("HOOK-133", "HOOK-149", "HOOK-183")
def test_a_function_may_return_the_mapping_of_the_document(make: Make) -> None:
    given = {"llmContent": "it failed", "returnDisplay": "x", "metadata": {"n": 1}, "error": {"message": "no disk"}}

    result = asyncio.run(execute_tool_with_hooks(make(AfterTool=["true"]), "read_file", {}, lambda: given))

    assert (result.llm_content, result.return_display, result.metadata) == ("it failed", "x", {"n": 1})
    assert result.error == ToolError("no disk", "failed")


@pytest.mark.req("HOOK-026", "HOOK-128", "HOOK-151")
@pytest.mark.parametrize(
    ("given", "told"),
    [
        (
            ToolResult([PIXEL], "seen", {"n": 1}, ToolError("no disk")),
            {"llmContent": [WIRE], "returnDisplay": "seen", "metadata": {"n": 1}}
            | {"error": {"message": "no disk", "type": "failed"}},
        ),
        ({"llmContent": PIXEL, "returnDisplay": "seen"}, {"llmContent": WIRE, "returnDisplay": "seen"}),
        ("wrote it", {"llmContent": "wrote it", "returnDisplay": "wrote it", "metadata": {}}),
    ],
    ids=["a ToolResult", "a mapping", "a text"],
)
def test_after_a_tool_hooks_are_told_of_any_result_in_the_form_of_the_document(
    project: Project, make: Make, given: Any, told: Any
) -> None:
    output = asyncio.run(fire_after_tool_hook(make(AfterTool=[f"cat > told.json; {SAID}"]), "read_file", {}, given))

    assert project.json("told.json")["tool_response"] == told
    assert output is not None
    assert (output.system_message, output.get_additional_context()) == ("s", "c")


async def waiting(**input: Any) -> str:
    return json.dumps(input)


@pytest.mark.req("HOOK-133")
@pytest.mark.parametrize(
    "function",
    [
        lambda **input: json.dumps(input),
        lambda *, path, mode="r": json.dumps({"path": path, "mode": mode}),
        lambda path, mode: json.dumps({"path": path, "mode": mode}),
        lambda input: json.dumps(input),
        waiting,
    ],
    ids=["keywords", "named", "two places", "one mapping", "async keywords"],
)
def test_a_function_is_given_the_input_as_its_parameters_want_it(make: Make, function: Any) -> None:
    change = says({"hookSpecificOutput": {"tool_input": {"mode": "w"}}})

    result = asyncio.run(execute_tool_with_hooks(make(BeforeTool=[change]), "write_file", {"path": "a"}, function))

    assert result.llm_content == '{"path": "a", "mode": "w"}'


@pytest.mark.req("HOOK-027", "HOOK-131")
def test_what_is_added_to_a_content_of_the_sdk_is_a_part_of_the_sdk(make: Make) -> None:
    content = T.Content(role="user", parts=[PIXEL])
    config = make(AfterTool=[SAID])

    result = asyncio.run(execute_tool_with_hooks(config, "read_file", {}, lambda: ToolResult(content)))

    assert result.llm_content == [content, *OBJECTS]


@pytest.mark.req("HOOK-026")
@pytest.mark.parametrize("part", [{"text": "hi"}, WIRE])
def test_after_a_tool_a_single_part_is_told_in_the_documents_record(project: Project, make: Make, part: Any) -> None:
    config = make(AfterTool=["cat > told.json"])

    asyncio.run(fire_after_tool_hook(config, "read_file", {}, part))

    record = {"llmContent": [part], "returnDisplay": [part], "metadata": {}}
    assert project.json("told.json")["tool_response"] == record
