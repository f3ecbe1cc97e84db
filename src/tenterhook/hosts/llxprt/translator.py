"""Calls and responses of google-genai <-> the stable form that hooks see."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tenterhook.clients import formats
from tenterhook.clients.formats import genai
from tenterhook.errors import UsageError
from tenterhook.support import logs

log = logs.redacting_logger("tenterhook.llxprt")

Request = Mapping[str, Any]


class HookTranslatorGenAIv1:
    """Translates requests, the keyword arguments of generate_content. Wishes that the API cannot express are logged."""

    def to_hook_llm_request(self, llm_request: Request) -> formats.View:
        return genai.request_view(dict(llm_request))

    def from_hook_llm_request(self, hook_request: Mapping[str, Any], base_request: Request) -> formats.Call:
        """A new request. Fields that the stable form does not have, or that hooks did not name, stay."""
        return log_translation_problems(*genai.apply_request(dict(hook_request), dict(base_request)))

    def to_hook_llm_response(self, llm_response: Any) -> formats.View:
        if not genai.is_response(llm_response):
            raise UsageError(f"a response of google-genai is needed, not {type(llm_response).__name__}")
        return genai.response_view(llm_response)

    def from_hook_llm_response(
        self, hook_response: Mapping[str, Any], llm_request: Request | None = None, base_response: Any = None
    ) -> Any:
        """A GenerateContentResponse with only the text; ids and usage come from the response that it replaces."""
        if lost := genai.called_tools(base_response):
            log.warning("a hook changed the response, so its calls are gone: %s", ", ".join(lost))
        return genai.build_response(dict(hook_response), dict(llm_request or {}), base_response)

    def from_hook_tool_config(self, hook_config: Mapping[str, Any], config: Any) -> Any:
        """The `config` of a request with another tool_config; the definitions of tools stay."""
        return log_translation_problems(*genai.apply_tools(dict(hook_config), {"config": config}))["config"]


def log_translation_problems(changed: formats.Call, problems: list[str]) -> formats.Call:
    for problem in problems:
        log.warning("%s", problem)
    return changed


default_hook_translator = HookTranslatorGenAIv1()
