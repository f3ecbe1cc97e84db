"""Which model judges: the entry's, else the environment's, else a small one of the provider whose key is set."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from tenterhook.errors import UsageError
from tenterhook.support.scopes import OWN_SCOPES

if TYPE_CHECKING:
    from tenterhook.clients.models import Provider
    from tenterhook.types import Hook

VARIABLE = "TENTERHOOK_MODEL"
INHERIT = "inherit"
# Small and fast: a judge is called often, while the user waits. The first key that is set decides.
SMALL = {
    "ANTHROPIC_API_KEY": "anthropic:claude-haiku-5-5",
    "OPENAI_API_KEY": "openai:gpt-5.4-mini",
    "GEMINI_API_KEY": "google:gemini-flash-latest",
    "GOOGLE_API_KEY": "google:gemini-flash-latest",
}
ALIASES = {
    "haiku": "anthropic:claude-haiku-5-5",
    "sonnet": "anthropic:claude-sonnet-5-5",
    "opus": "anthropic:claude-opus-5-5",
}
# Names that tell their provider.
PLAIN = (("anthropic", re.compile("claude-")), ("openai", re.compile(r"gpt-|o\d")), ("google", re.compile("gemini-")))
FORMS = "PROVIDER:NAME (anthropic:claude-haiku-5-5, say), NAME@URL, or haiku, sonnet, opus"


def provider(hook: Hook) -> Provider:
    """The hook's model. A user's key is never sent to an address that a project names."""
    from tenterhook.clients.models import provider_for

    given = hook.spec.get("model") or INHERIT
    if not isinstance(given, str):
        raise UsageError(f"model is one name: {FORMS}")
    if given != INHERIT:
        return provider_for(whole(given), keyless=hook.source.scope not in OWN_SCOPES)
    return provider_for(whole(usual(os.environ)))


def usual(environ: Mapping[str, str]) -> str:
    """The model for hooks that do not name one."""
    named = environ.get(VARIABLE) or INHERIT
    if named != INHERIT:
        return named
    for key, name in SMALL.items():
        if environ.get(key):
            return name
    raise UsageError(f"no model to ask: give the hook a model, or set {VARIABLE} or one of {', '.join(SMALL)}")


def whole(name: str) -> str:
    """The name with its provider."""
    if ":" in name:
        return name
    if name in ALIASES:
        return ALIASES[name]
    for kind, pattern in PLAIN:
        if pattern.match(name):
            return f"{kind}:{name}"
    raise UsageError(f"no model {name!r}: a model is named {FORMS}")
