"""Which tools an entry is for: never fewer than the hooks are."""

import pytest

from tenterhook import dialects
from tenterhook.author.registered import Registered
from tenterhook.pipeline.match import match
from tenterhook.support import tool_names
from tenterhook.tools.install.hookfiles import events_of
from tenterhook.tools.install.matchers import matcher
from tenterhook.tools.install.target import installable

EVERY = [name for same in tool_names.TOOLS.values() for name in same]


def hook(text: str) -> Registered:
    return Registered(lambda event: None, ("tool.before",), match=text)


@pytest.mark.parametrize("agent", installable())
@pytest.mark.parametrize("texts", [["shell"], ["write|edit"], ["Bash, Read"], ["shell", "run_shell_command"]])
def test_an_entry_is_for_every_tool_that_the_hooks_are_for(agent: str, texts: list[str]) -> None:
    dialect = dialects.get(agent)
    rule = events_of("tool.before", dialect)[0]
    hooks = [hook(text) for text in texts]
    test = match(matcher(dialect, rule, hooks), rule.overrides.matcher or dialect.planning.matcher)

    for name in EVERY:
        if any(tool_names.fits(one.match, tool_names.names(name)) for one in hooks):
            assert test is None or test(name)
    assert test is None or not test("some_other_tool")


@pytest.mark.parametrize("text", ["", "*", "mcp", "mcp__github__push", "^Ba", "my_tool"])
@pytest.mark.parametrize("agent", installable())
def test_an_entry_is_for_all_tools_where_names_cannot_say_it(agent: str, text: str) -> None:
    dialect = dialects.get(agent)
    rule = events_of("tool.before", dialect)[0]

    assert matcher(dialect, rule, [hook("shell"), hook(text)]) == ""


def test_an_event_that_is_about_no_tool_has_no_matcher() -> None:
    dialect = dialects.get("moai")
    rule = events_of("session.end", dialect)[0]

    assert matcher(dialect, rule, [hook("shell")]) == ""
