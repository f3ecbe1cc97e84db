"""What `tenter hook` does: named actions, and the work for an event.

An action is a row of a table here, and a function `action(event, settings) -> ActionAnswer`, over an author's event and
answer: one with the action's name in before.py, after.py, end.py or session.py, or one of project/ that several actions
share (SHARED). Each call has its own process, so the start of the interpreter is most of its cost: these modules import
little at the top, and an action imports the rest itself.
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing typing for it would take 5 ms
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from tenterhook.library.actions.answers import ActionAnswer
    from tenterhook.library.actions.settings import ActionSettings
    from tenterhook.library.parts.timed import TimedEvent

    Function = Callable[[TimedEvent, ActionSettings], ActionAnswer]


class Action:
    """One row of the table: the agent that has it in its frontmatter, the kind of its event, and its purpose."""

    __slots__ = ("agent", "kind", "name", "purpose")

    def __init__(self, name: str, agent: str, kind: str, purpose: str) -> None:
        self.name, self.agent, self.kind, self.purpose = name, agent, kind, purpose


BEFORE, AFTER, END = "tool.before", "tool.after", "agent.stop"

ACTIONS = {
    name: Action(name, agent, kind, purpose)
    for agent, name, kind, purpose in (
        ("manager-ddd", "ddd-pre-transformation", BEFORE, "characterization tests exist and pass before a change"),
        ("manager-ddd", "ddd-post-transformation", AFTER, "behaviour is preserved after a change"),
        ("manager-ddd", "ddd-completion", END, "what changed, what was tested, what is red"),
        ("manager-tdd", "tdd-pre-implementation", BEFORE, "a test exists before code is written (red)"),
        ("manager-tdd", "tdd-post-implementation", AFTER, "the tests pass after code was written (green)"),
        ("manager-tdd", "tdd-completion", END, "what changed, what was tested, what is red"),
        ("expert-backend", "backend-validation", BEFORE, "no secrets, no dangerous commands, no protected paths"),
        ("expert-backend", "backend-verification", AFTER, "linter, types and tests of the changed backend file"),
        ("expert-frontend", "frontend-validation", BEFORE, "no secrets, no dangerous commands, no protected paths"),
        ("expert-frontend", "frontend-verification", AFTER, "linter, types and tests of the changed frontend file"),
        ("expert-testing", "testing-verification", AFTER, "a changed test asserts something, skips nothing, passes"),
        ("expert-testing", "testing-completion", END, "what changed, what was tested, what is red"),
        ("expert-debug", "debug-verification", AFTER, "tests pass and no debugging code is left behind"),
        ("expert-debug", "debug-completion", END, "what changed, what was tested, what is red"),
        ("expert-devops", "devops-verification", AFTER, "YAML, Dockerfile and CI files are sound"),
        ("expert-devops", "devops-completion", END, "what changed, and whether every such file is sound"),
        ("manager-quality", "quality-completion", END, "the quality report exists and is complete"),
        ("manager-spec", "spec-completion", END, "the SPEC documents exist and are complete"),
        ("manager-docs", "docs-verification", AFTER, "links lead somewhere, code blocks are closed"),
        ("manager-docs", "docs-completion", END, "what changed, and whether every link leads somewhere"),
    )
}
# Actions that differ by options only, with the function that they share.
SHARED: dict[str, tuple[str, dict[str, Any]]] = {
    "ddd-post-transformation": (
        "project.verify.after",
        {"wanted": ("test",), "red": "the change does not preserve the behaviour", "proof": True},
    ),
    "backend-verification": ("project.verify.after", {"side": "backend"}),
    "frontend-verification": ("project.verify.after", {"side": "frontend"}),
    "devops-verification": ("project.sound.after", {"kind": "Configs"}),
    "docs-verification": ("project.sound.after", {"kind": "Documents"}),
    "ddd-completion": ("project.report.report", {"title": "Work on existing code"}),
    "tdd-completion": ("project.report.report", {"title": "Test-first work"}),
    "testing-completion": ("project.report.report", {"title": "Work on tests", "problems": True}),
    "debug-completion": ("project.report.report", {"title": "Debugging"}),
    "devops-completion": ("project.sound.at_the_end", {"kind": "Configs", "title": "Configuration"}),
    "docs-completion": ("project.sound.at_the_end", {"kind": "Documents", "title": "Documentation"}),
}
# Kinds at which an error of ours must not let a tool through.
GUARDED = (BEFORE, "permission.ask")
# What `tenter hook EVENT` does, by our kind of the event; on any other event it does nothing.
MOMENTS = {
    "session.start": "tells the agent the project's test, lint, type and build commands",
    "prompt.submit": "warns of a secret in the prompt",
    "tool.before": "no secrets, no dangerous commands, no protected paths",
    "tool.after": "whatever of linter, types, tests, syntax and links the changed file touches",
    "compact.before": "keeps what changed and what is red across the compaction",
    "turn.stop": "what changed, what was tested, what is red",
    "session.end": "forgets the results that were kept for the session",
}
# The modules of the functions, by the kind of event; those of all other kinds are in session.py.
MODULES = {BEFORE: "before", AFTER: "after", END: "end", "turn.stop": "end"}
# The events as wrapper scripts name them.
WRAPPED = {
    "session-start": "session.start",
    "compact": "compact.before",
    "pre-tool": "tool.before",
    "post-tool": "tool.after",
    "stop": "turn.stop",
    "session-end": "session.end",
}
# Suffixes of action names and their kind of event, for names that are not in the table.
SUFFIXES = (
    ("-validation", BEFORE),
    ("-pre-transformation", BEFORE),
    ("-pre-implementation", BEFORE),
    ("-verification", AFTER),
    ("-post-transformation", AFTER),
    ("-post-implementation", AFTER),
    ("-completion", END),
)


def action(name: str) -> Action:
    """The action of that name. An unknown one gets a kind by its suffix, and the default does its work."""
    known = ACTIONS.get(name)
    if known:
        return known
    kind = next((kind for suffix, kind in SUFFIXES if name.endswith(suffix)), BEFORE)
    return Action(name, "", kind, "unknown; the default")


def function_of(name: str) -> Function:
    """The function of an action; the default's for an unknown one."""
    if name not in ACTIONS:
        return function("actions.before", "default")
    if name not in SHARED:
        return function(f"actions.{MODULES[ACTIONS[name].kind]}", name.replace("-", "_"))
    place, options = SHARED[name]
    shared = function(*place.rsplit(".", 1))
    return lambda event, settings: shared(event, settings, **options)


def function_at(kind: str) -> Function | None:
    """The function for an event; None if there is nothing to do."""
    if kind not in MOMENTS:
        return None
    return function(f"actions.{MODULES.get(kind, 'session')}", kind.replace(".", "_"))


def function(module: str, name: str) -> Callable[..., ActionAnswer]:
    # Not importlib, which would take a millisecond.
    package = __name__.rpartition(".")[0]
    found: Callable[..., ActionAnswer] = getattr(__import__(f"{package}.{module}", fromlist=(name,)), name)
    return found
