"""The sides of other agents: the hooks of their config files, or one command that was written for one of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tenterhook.author.answers import Answer, deny, notify
from tenterhook.author.process import parse_argv
from tenterhook.author.registered import GUARDED
from tenterhook.errors import UsageError
from tenterhook.hosts.gate.hooks import HERE
from tenterhook.hosts.gate.sides import Side
from tenterhook.hosts.gate.their_words import Translator
from tenterhook.pipeline.failure_policy import describe_attempt_failure
from tenterhook.support.http_door import agent_in_url
from tenterhook.types import Hook, Outcome, Source

if TYPE_CHECKING:
    from tenterhook.author.calls import HookCommand
    from tenterhook.dialects.schema.dialect import EventRule
    from tenterhook.engine.engine import Engine
    from tenterhook.hosts.gate.call import AgentCall
    from tenterhook.hosts.gate.our_words import Wording

# A command that is ours: a hook does not run hooks.
OURS = re.compile(r"(^|[\s/'\"])tenter(-client)?['\"]?\s+run\b")
# What a single command that cannot answer does to a call that it may guard.
NOT_STARTED = (126, 127)  # as shells say it
UNABLE = ("spawn", "timeout", "signal", "sandbox")


class OtherSide(Side):
    """The hooks of another agent's own config files, in its words."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self.notices = ()  # that agent reports mistakes in its own files
        self.approve = f"tenter trust --dialect {engine.dialect.name}"

    def wordings(self, call: AgentCall, data: dict[str, Any]) -> Iterator[Wording]:
        if self.engine.has(call.kind):
            yield from Translator(call.event, call.dialect, self.engine.dialect).wordings(data)

    def unheard(self, call: AgentCall) -> Answer:
        if self.engine.has(call.kind):
            return Answer()
        return notify(f"tenterhook: {self.engine.dialect.title} has no event {call.kind}: its hooks do not run there")


class OneCommand(OtherSide):
    """A single hook of another agent: its command stands in the command line of ours."""

    def unheard(self, call: AgentCall) -> Answer:
        answer = super().unheard(call)
        guards = answer.notices and call.kind in GUARDED
        return deny(f"This cannot be checked: {answer.notices[0]}") if guards else answer

    def check(self, call: AgentCall, outcome: Outcome) -> Answer:
        lost = [one for one in outcome.attempts if one.exit_code in NOT_STARTED]
        if call.kind not in GUARDED or not lost:
            return Answer()
        return deny(f"This cannot be checked: {lost[0].hook} could not be started: {describe_attempt_failure(lost[0])}")


@contextmanager
def without_repeated_hooks(side: Side, call: AgentCall) -> Iterator[None]:
    """The engine without hooks that run anyway: the caller reads the same file, or the hook is a call of ours."""
    engine = side.engine
    callers = {file.path for file in call.dialect.config.files}
    shared = {place.path for place in engine.ready().places if place.file.path in callers}
    every = engine.hooks()
    gone = [hook for hook in every if hook.source.file in shared or is_ours(command_of(hook))]
    side.notices += tuple(left_out(hook) for hook in gone if names_more(command_of(hook)))
    if not gone:
        yield
        return
    for hook in gone:
        engine.take(hook)
    try:
        yield
    finally:  # in the order in which they were
        for hook in engine.hooks():
            engine.take(hook)
        engine.put(*every)


def command_of(hook: Hook) -> str:
    main = hook.spec.get("main", "")
    return " ".join(map(str, main)) if isinstance(main, list) else str(main)


def is_ours(command: str) -> bool:
    """Whether it is `tenter run`, or a call of the HTTP door, where the same answers."""
    return bool(OURS.search(command) or agent_in_url(command))


def names_more(command: str) -> bool:
    """Whether a call of ours names more than the hooks of our config, which run here anyway."""
    parts = OURS.split(command)
    call = parse_argv(parts[-1].split()) if len(parts) > 1 else None
    return bool(call and (call.words or call.command or call.hooks_of))


def left_out(hook: Hook) -> str:
    return (
        f"tenterhook: {hook.source} is a call of tenter run, which does not run here: name its files in this call, too"
    )


# ---- a single command


def command_options(line: HookCommand) -> dict[str, Any]:
    if line.problems:
        raise UsageError("; ".join(line.problems))
    if not line.dialect or not line.command:
        raise UsageError("--as NAME and -- COMMAND belong together: --as NAME -- ./guard.sh")
    if line.words or line.hooks_of or line.settings or line.options:
        raise UsageError(
            "--as NAME -- COMMAND runs this command alone: no FILE, --hooks-of, --set or --options with it"
        )
    return {"dialect": line.dialect, "files": False}


@contextmanager
def add_command(call: AgentCall, engine: Engine) -> Iterator[None]:
    """The engine with the hook of the command, if its agent has such an event."""
    hooks = [command_hook(call.line, rule, engine) for rule in main_rule(call.kind, engine)]
    engine.put(*hooks)
    try:
        yield
    finally:
        for hook in hooks:
            engine.take(hook)


def main_rule(kind: str, engine: Engine) -> list[EventRule]:
    """The event of this kind that is for all tools, if there is one."""
    rules = engine.dialect.rules(kind)
    return [rule for rule in rules if not rule.firing.tools][:1] or list(rules[:1])


def command_hook(line: HookCommand, rule: EventRule, engine: Engine) -> Hook:
    return Hook(
        name=" ".join(line.command),
        event=rule.name,
        handler="command",
        spec={"main": line.command[0] if len(line.command) == 1 else line.command, "form": "shell"},
        source=Source(HERE),
        timeout=engine.dialect.planning.timeout,
        on_failure=dict.fromkeys(UNABLE, "deny") if rule.kind in GUARDED else {},
    )
