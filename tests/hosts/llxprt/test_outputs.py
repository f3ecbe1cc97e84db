"""What the output classes say about an answer, and the translator beneath them."""

from typing import Any

import pytest
from google.genai import types as T  # noqa: N812

from hosts.models.genai_host import REQUEST, RESPONSE, TOOLS, call
from tenterhook import UsageError
from tenterhook.hosts.llxprt import (
    AfterModelHookOutput,
    BeforeModelHookOutput,
    BeforeToolHookOutput,
    BeforeToolSelectionHookOutput,
    DefaultHookOutput,
    create_hook_output,
    default_hook_translator,
)

from .conftest import Make
from .genai import calling, response
from .test_system import final, system_of


def specific(**fields: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": fields}


@pytest.mark.req("HOOK-157")
def test_the_common_fields_are_read_and_a_wrong_type_counts_as_absent() -> None:
    fields = ("decision", "reason", "stop_reason", "system_message", "suppress_output", "hook_specific_output")
    said = {"decision": "deny", "reason": "r", "stopReason": "s", "systemMessage": "m", "suppressOutput": True}
    output = DefaultHookOutput({**said, "continue": False, **specific(a=1)})

    assert [getattr(output, name) for name in fields] == ["deny", "r", "s", "m", True, {"a": 1}]
    assert output.should_stop_execution()
    wrong = DefaultHookOutput({**dict.fromkeys(said, 7), "continue": 0, "hookSpecificOutput": []})
    assert [getattr(wrong, name) for name in fields] == [None, "", "", "", False, {}]
    assert not wrong.should_stop_execution()
    assert not wrong.is_blocking_decision()


@pytest.mark.req("HOOK-158", "HOOK-182")
@pytest.mark.parametrize(
    ("decision", "blocks"),
    [("block", True), ("deny", True), ("allow", False), ("approve", False), ("ask", False), (None, False)],
)
def test_block_and_deny_block_and_nothing_else_does(decision: str | None, blocks: bool) -> None:
    assert DefaultHookOutput({"decision": decision}).is_blocking_decision() is blocks


def test_the_effective_reason_is_the_reason_else_that_of_the_stop_else_a_default() -> None:
    said = {"decision": "deny", "reason": "r", "stopReason": "s"}

    assert DefaultHookOutput(said).get_effective_reason() == "r"
    assert DefaultHookOutput({**said, "reason": ""}).get_effective_reason() == "s"
    assert DefaultHookOutput({"decision": "deny"}).get_effective_reason() == "Blocked by hook"
    assert DefaultHookOutput().get_effective_reason() == ""


@pytest.mark.req("HOOK-169", "HOOK-170", "HOOK-199")
@pytest.mark.parametrize(("word", "blocks"), [("block", True), ("deny", True), ("allow", False), ("ask", False)])
def test_for_a_tool_permission_decision_counts_and_its_reason_comes_first(word: str, blocks: bool) -> None:
    output = BeforeToolHookOutput(
        {"reason": "general", **specific(permissionDecision=word, permissionDecisionReason="its own")}
    )

    assert output.is_blocking_decision() is blocks
    assert output.get_effective_reason() == "its own"
    plain = {"decision": "deny", "reason": "general"}
    assert BeforeToolHookOutput({**plain, **specific(permissionDecision="allow")}).is_blocking_decision()
    assert BeforeToolHookOutput({**plain, **specific(permissionDecisionReason=7)}).get_effective_reason() == "general"


@pytest.mark.req("HOOK-200")
def test_the_factory_reads_no_permission_decision_and_the_aggregator_does(make: Make) -> None:
    data = specific(permissionDecision="block")
    aggregator = system_of(make()).get_event_handler().aggregator

    made = create_hook_output("BeforeTool", data)
    assert type(made) is DefaultHookOutput
    assert made.is_blocking_decision() is False
    assert BeforeToolHookOutput(data).is_blocking_decision() is True
    aggregated = aggregator.create_specific_hook_output(data, "BeforeTool")
    assert type(aggregated) is BeforeToolHookOutput
    assert aggregated.is_blocking_decision() is True


@pytest.mark.req("HOOK-200")
@pytest.mark.parametrize(
    ("event", "kind"),
    [
        ("AfterTool", DefaultHookOutput),
        ("BeforeModel", BeforeModelHookOutput),
        ("AfterModel", AfterModelHookOutput),
        ("BeforeToolSelection", BeforeToolSelectionHookOutput),
        ("SessionStart", DefaultHookOutput),
    ],
)
def test_for_other_events_both_make_the_same_class(make: Make, event: str, kind: type) -> None:
    aggregator = system_of(make()).get_event_handler().aggregator

    assert type(create_hook_output(event, {})) is type(aggregator.create_specific_hook_output({}, event)) is kind


@pytest.mark.req("HOOK-171")
def test_a_permission_decision_of_one_of_several_hooks_is_not_missed(make: Make) -> None:
    """The document allows that it may be; here an answer is understood before answers are merged."""
    output = final(make, "BeforeTool", specific(permissionDecision="deny"), {"decision": "allow"})

    assert output.is_blocking_decision()


def test_a_changed_input_is_given_whole() -> None:
    assert BeforeToolHookOutput(specific(tool_input={"a": 1})).get_modified_tool_input() == {"a": 1}
    assert BeforeToolHookOutput().get_modified_tool_input() is None


@pytest.mark.req("HOOK-194")
def test_a_synthetic_response_is_only_what_a_hook_gave() -> None:
    made = BeforeModelHookOutput(specific(llm_response=RESPONSE)).get_synthetic_response(call())

    assert type(made) is T.GenerateContentResponse
    assert made.text == "Hello you"
    assert BeforeModelHookOutput({"continue": False, "stopReason": "end"}).get_synthetic_response() is None


@pytest.mark.req("HOOK-048", "HOOK-194")
@pytest.mark.parametrize("given", [{}, specific(llm_response={"text": "other"})], ids=["alone", "beside a response"])
def test_a_stop_after_the_model_makes_a_response_of_its_own(given: dict[str, Any]) -> None:
    output = AfterModelHookOutput({"continue": False, "stopReason": "that is enough", **given})

    made = output.get_modified_response()
    assert type(made) is T.GenerateContentResponse
    assert made.text == "that is enough"
    assert made.candidates[0].finish_reason is T.FinishReason.STOP


@pytest.mark.req("HOOK-046", "HOOK-079")
def test_a_changed_response_is_of_the_sdk_s_type_and_of_text_alone(caplog: pytest.LogCaptureFixture) -> None:
    output = AfterModelHookOutput(specific(llm_response={"text": "Bye"}))

    made = output.get_modified_response(call(), calling())

    assert (type(made), made.text, made.response_id) == (T.GenerateContentResponse, "Bye", "r1")
    assert not made.function_calls
    assert "its calls are gone: look_up" in caplog.text
    assert AfterModelHookOutput({"systemMessage": "x"}).get_modified_response(call(), response()) is None


@pytest.mark.req("HOOK-038", "HOOK-078", "HOOK-105")
def test_a_changed_request_keeps_what_hooks_do_not_see_and_the_original_stays() -> None:
    given, before = call(), call()

    made = BeforeModelHookOutput(specific(llm_request={"model": "m-2"})).apply_llm_request_modifications(given)

    assert made == {**before, "model": "m-2"}
    assert given == before
    assert BeforeModelHookOutput().apply_llm_request_modifications(given) is given


@pytest.mark.req("HOOK-039", "HOOK-159")
def test_messages_and_texts_of_hooks_come_after_those_that_are_there() -> None:
    messages = [*REQUEST["messages"], {"role": "user", "content": "more"}]  # type: ignore[misc]
    data = {"systemMessage": "be good", **specific(llm_request={"messages": messages}, additionalContext="it rains")}

    made = BeforeModelHookOutput(data).apply_llm_request_modifications(call())

    told = [message["content"] for message in default_hook_translator.to_hook_llm_request(made)["messages"]]
    assert told == ["look", "I ask", "more", "[System] be good", "[Context] it rains"]


@pytest.mark.req("HOOK-055", "HOOK-056", "HOOK-057", "HOOK-167", "HOOK-168")
@pytest.mark.parametrize(
    ("wanted", "mode", "names"),
    [
        ({"mode": "ANY", "allowedFunctionNames": ["look_up"]}, "ANY", ["look_up"]),
        ({"mode": "NONE", "allowedFunctionNames": []}, "NONE", None),
    ],
)
@pytest.mark.parametrize("form", ["mapping", "object"])
def test_a_tool_configuration_changes_mode_and_names_and_never_the_tools(
    wanted: dict[str, Any], mode: str, names: Any, form: str
) -> None:
    config = call()["config"] if form == "mapping" else T.GenerateContentConfig(**call()["config"])
    output = BeforeToolSelectionHookOutput(specific(toolConfig=wanted))

    made = T.GenerateContentConfig.model_validate(output.apply_tool_config_modifications(config))

    assert made.tool_config is not None
    choice = made.tool_config.function_calling_config
    assert choice is not None
    assert (choice.mode, choice.allowed_function_names) == (T.FunctionCallingConfigMode(mode), names)
    assert made.tools == T.GenerateContentConfig(tools=TOOLS).tools
    assert BeforeToolSelectionHookOutput().apply_tool_config_modifications(config) is config


@pytest.mark.req("HOOK-075", "HOOK-076", "HOOK-077")
def test_the_translator_shows_hooks_text_alone() -> None:
    assert default_hook_translator.to_hook_llm_request(call()) == REQUEST
    assert default_hook_translator.to_hook_llm_response(calling()) == RESPONSE


def test_what_the_api_cannot_express_is_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    default_hook_translator.from_hook_llm_request({"model": 7}, call())

    assert "model must be a name, not 7" in caplog.text


def test_what_is_no_response_is_refused() -> None:
    with pytest.raises(UsageError, match="a response of google-genai is needed, not str"):
        default_hook_translator.to_hook_llm_response("hello")
