"""The vectors of AGENT-HOOKS-0.1's own conformance kit, run from its package, with our interceptor for each script.

Hooks say what the script of a vector wants, where they have a word for it. For the rest (labels, evidence, a script
that crashes or answers nonsense) they say nothing, and the script's own answer counts: they must not be in its way.
"""

import asyncio
import copy
from typing import Any

import pytest
from agent_hooks import AgentContextBuilder
from agent_hooks.ctk import runner
from agent_hooks.ctk.reference import ReferenceHarness

from tenterhook import Engine, hook
from tenterhook.adapters.agent_hooks import ALLOW, HookInterceptor

VECTORS = runner.load_vectors()
# Where a refusal is a plain deny with a reason, and the event whose hook refuses.
REFUSED_BY = {
    "input": "prompt.submit",
    "pre_model_call": "model.before",
    "pre_tool_call": "tool.before",
    "output": "turn.stop",
}
EVENTS = [*REFUSED_BY.values(), "session.start", "model.after", "tool.after"]
# The kit in Python cannot run these vectors: its scenario has no stream, and its record nothing that was released.
NOT_IN_THE_REFERENCE_HOST = {"incremental_output"}


class HooksInPlaceOfAScript:
    """Makes hooks answer what the script answers. `said` are the answers that hooks have a word for."""

    def __init__(self, script: Any) -> None:
        self.script, self.said, self.wanted = script, [], None
        engine = Engine(files=False, mode="strict")
        for event in EVENTS:
            engine.on(event)(self.answer)
        self.interceptor = HookInterceptor(engine)

    def answer(self, event: Any) -> Any:
        return self.wanted

    async def intercept(self, context: dict[str, Any]) -> Any:
        untouched = copy.deepcopy(context)
        answer = self.script.intercept(context)
        self.wanted = in_words_of_hooks(context["interception_point"], answer)
        verdict = await self.interceptor.intercept(untouched)
        if self.wanted is None:
            assert verdict == ALLOW
            return answer
        self.said.append(verdict)
        assert verdict["decision"] == answer["decision"]
        return verdict


def in_words_of_hooks(point: str, answer: dict[str, Any]) -> Any:
    reason = answer.get("reason")
    if point in REFUSED_BY and set(answer) == {"decision", "reason"} and answer["decision"] == "deny":
        return hook.deny(reason)
    if point == "agent_startup" and set(answer) == {"decision", "reason"} and answer["decision"] == "deny":
        return hook.stop(reason)
    if point == "pre_tool_call" and answer.get("approval") == {} and set(answer) == {"decision", "reason", "approval"}:
        return hook.ask(reason)
    change = answer.get("transform")
    if (
        point == "pre_tool_call"
        and change
        and change["path"].count(".") == 1
        and set(answer) == {"decision", "transform"}
    ):
        return hook.rewrite(**{change["path"].partition(".")[2]: change["value"]})
    return None


@pytest.fixture
def hooked(monkeypatch: pytest.MonkeyPatch) -> list[HooksInPlaceOfAScript]:
    made: list[HooksInPlaceOfAScript] = []
    own = runner._Scripts.interceptor

    def interceptor(scripts: Any, number: int) -> HooksInPlaceOfAScript:
        made.append(HooksInPlaceOfAScript(own(scripts, number)))
        return made[-1]

    monkeypatch.setattr(runner._Scripts, "interceptor", interceptor)
    return made


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["id"] for vector in VECTORS])
def test_a_vector_of_the_kit_passes(vector: dict[str, Any], hooked: list[HooksInPlaceOfAScript]) -> None:
    result = asyncio.run(runner.run_vector(ReferenceHarness(), vector))

    if result.status == "skip" and NOT_IN_THE_REFERENCE_HOST & set(vector["capabilities"]):
        pytest.skip(result.detail)
    assert result.status == "pass", "\n".join([result.detail, *result.failures])


@pytest.mark.parametrize("id", ["AH-CTK-010", "AH-CTK-011", "AH-CTK-012", "AH-CTK-021", "AH-CTK-030", "AH-CTK-074"])
def test_hooks_say_what_the_script_of_this_vector_wants(id: str, hooked: list[HooksInPlaceOfAScript]) -> None:
    (vector,) = (vector for vector in VECTORS if vector["id"] == id)

    asyncio.run(runner.run_vector(ReferenceHarness(), vector))

    assert any(one.said for one in hooked)


def test_the_kit_has_as_many_vectors_as_are_known() -> None:
    assert len(VECTORS) == 75


def test_a_response_that_comes_in_growing_parts_is_judged_each_time() -> None:
    engine = Engine(files=False, mode="strict")

    @engine.on("model.after")
    def no_secret(event: Any) -> Any:
        said = "".join(event["llm_response"]["candidates"][0]["content"]["parts"])
        return hook.stop("A secret.") if "SECRET" in said else None

    builder = AgentContextBuilder(agent_id="a", framework="f", session_id="growing")
    interceptor = HookInterceptor(engine)

    async def judge(*contents: str) -> list[str]:
        await interceptor.intercept(builder.pre_model_call(model_id="m", messages=[{"role": "user", "content": "Go."}]))
        parts = [{"content": one, "tool_calls": [], "finish_reason": "incremental"} for one in contents]
        asked = [builder.post_model_call(model_id="m", **part) for part in parts]
        return [(await interceptor.intercept(context))["decision"] for context in asked]

    assert asyncio.run(judge("The key", "The key is", "The key is SECRET")) == ["allow", "allow", "deny"]
