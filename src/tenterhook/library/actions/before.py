"""Before a tool: the guard, and the further checks of the actions for backend and frontend."""

from __future__ import annotations

import os

from tenterhook.author import inputs
from tenterhook.errors import ConfigError, nearest
from tenterhook.library.actions import ACTIONS, BEFORE
from tenterhook.library.actions.answers import ask, deny, fine
from tenterhook.library.guard import look, own

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tenterhook.author.event import Event
    from tenterhook.library.actions.answers import ActionAnswer
    from tenterhook.library.actions.settings import ActionSettings
    from tenterhook.library.guard.finding import Finding
    from tenterhook.library.guard.paths import Territory
    from tenterhook.library.parts.timed import TimedEvent

# Bundlers put variables with these prefixes into code that every visitor can read.
PUBLIC = r"\b(?:NEXT_PUBLIC|VITE|REACT_APP|NUXT_PUBLIC|GATSBY|EXPO_PUBLIC|PUBLIC|VUE_APP)_\w*"
SECRET = r"(?:SECRET|PRIVATE_KEY|PASSWORD|SERVICE_ROLE|ACCESS_TOKEN)\w*"
PREFIXES = ("PUBLIC_", "VITE_", "REACT_APP_", "GATSBY_", "VUE_APP_")
CLIENT = ('"use client"', "'use client'")


# ---- the actions


def tool_before(event: Event, settings: ActionSettings) -> ActionAnswer:
    """The guard: the strongest finding about a tool's call, a deny before an ask."""
    if settings.rules:
        check_names(settings)
    given, commands = split_input(event)
    texts, found = inputs.texts(given), []
    if texts or inputs.patch(given) or moves_files(event):
        found += findings_of_files(event, settings, given)
    if any(commands):
        found += findings_of_commands(event, settings, commands)
    if found:
        return refuse_or_ask(found)
    if any(commands):
        return fine("the guard found nothing against the command")
    if texts:
        return fine(f"the guard found nothing against writing {os.path.basename(event.path) or 'the text'}")
    return fine("nothing to check: no command and no text to be written")


def backend_validation(event: Event, settings: ActionSettings) -> ActionAnswer:
    """The guard, and the file must still parse (Python, JSON, TOML, YAML)."""
    answer = tool_before(event, settings)
    return answer if answer.decision == "deny" or not writes_file(event) else deny_if_unparsable(event, answer)


def frontend_validation(event: Event, settings: ActionSettings) -> ActionAnswer:
    """The guard, JSON must still parse, and browsers must not get a secret of the server."""
    answer = tool_before(event, settings)
    if answer.decision == "deny" or not writes_file(event):
        return answer
    from tenterhook.library.guard.edited_text import text_after

    name = find_exposed_secret("\n".join(event.texts), text_after(event) or "")
    if name:
        where = os.path.relpath(event.path, event.project)
        return deny(
            f"{where} gives browsers the server's secret {name}.\n"
            "Use it in code that runs on the server, and have the client ask that code."
        )
    return deny_if_unparsable(event, answer)


def ddd_pre_transformation(event: TimedEvent, settings: ActionSettings) -> ActionAnswer:
    """Existing code must have tests that pass now. A new file has nothing to preserve."""
    from tenterhook.library.project.tests.before import is_characterized

    return is_characterized(event, settings)


def tdd_pre_implementation(event: TimedEvent, settings: ActionSettings) -> ActionAnswer:
    """The code must have a test (red comes before green)."""
    from tenterhook.library.project.tests.before import has_test

    return has_test(event, settings)


def default(event: Event, settings: ActionSettings) -> ActionAnswer:
    """An unknown action: before a tool it runs the guard, else nothing; it always says that the name is unknown."""
    name = event.text_of("action")
    unknown = f"no action {name!r}{nearest(name, ACTIONS)}" if name else "no action of that name"
    if event.kind != BEFORE:
        return fine(f"{unknown}: nothing was done")
    answer = tool_before(event, settings)
    answer.note = f"{unknown}; the guard instead: {answer.note}"
    if answer.reason:
        answer.reason += f"\n({unknown}: this is the guard's answer)"
    return answer


# ---- what the guard finds


def split_input(event: Event) -> tuple[dict[str, Any], list[str]]:
    """A tool's fields, and the commands in them. A tool that writes files may have a patch as its command."""
    commands = inputs.given_texts(event.input, inputs.COMMANDS)
    if event.is_write:
        return event.input, [text for text in commands if not inputs.patch({inputs.TEXT: text})]
    return {name: value for name, value in event.input.items() if name not in inputs.COMMANDS}, commands


def refuse_or_ask(found: list[Finding]) -> ActionAnswer:
    """All findings in one reason. The model reads it, so it does not say how to loosen a rule."""
    decision, reason = look.weigh(found, "The guard")
    rules = dict.fromkeys(one.rule for one in sorted(found, key=lambda one: one.decision != "deny"))
    note = f"{'refused' if decision == 'deny' else 'asked'}: {', '.join(rules)}"
    return deny(reason, note=note) if decision == "deny" else ask(reason, note=note)


def findings_of_commands(event: Event, settings: ActionSettings, commands: list[str]) -> list[Finding]:
    from tenterhook.library.guard.paths import Territory

    inputs.given_texts(event.input, inputs.FOLDERS)
    place, found = Territory(event.project, settings), []
    decision = settings.rules.get(look.IN_COMMAND, "ask")
    for text in commands:
        found += look.at_command(text, place, event.folder)
        found += look.secrets_of_command(text, decision)
    return found


def findings_of_files(event: Event, settings: ActionSettings, given: dict[str, Any]) -> list[Finding]:
    """Findings about the paths that a tool writes, unresolved because a link before `..` leads elsewhere, and its
    texts.
    """
    from tenterhook.library.guard.paths import Territory

    names = (*inputs.PATHS, *inputs.ENDS) if moves_files(event) else inputs.PATHS
    inputs.given_texts(given, names)
    paths = inputs.named_paths(given, names)
    home = [os.path.expanduser(one) for one in paths if one.startswith("~")]
    place = Territory(event.project, settings)
    return [
        *look.at_paths([os.path.join(event.cwd, one) for one in (*paths, *home)], place),
        *own_settings(event, place, given),
        *secrets(event, settings, place, given),
    ]


def own_settings(event: Event, place: Territory, given: dict[str, Any]) -> list[Finding]:
    """Findings if a tool would change the guard's settings in a file that also holds others."""
    found = []
    for path in (one for one in inputs.paths(given, event.cwd) if os.path.basename(one) == own.FILE):
        from tenterhook.library.guard.edited_text import text_after

        if own.changes_own_settings(path, text_after(event), inputs.texts(given)):
            found.append(place.finding("agent-settings", f"tool.tenterhook in {place.shown(path)}"))
    return [one for one in found if one]


def moves_files(event: Event) -> bool:
    """Whether the tool removes or moves files, for which it needs no text."""
    return any(word in event.tool_name.lower() for word in ("delete", "remove", "move", "rename"))


def secrets(event: Event, settings: ActionSettings, place: Territory, given: dict[str, Any]) -> list[Finding]:
    """Findings about new texts that look like secrets."""
    decision, paths = settings.rules.get(look.SECRET, "deny"), inputs.paths(given, event.cwd)
    if decision == "allow" or (paths and all(look.may_hold_secrets(path, place) for path in paths)):
        return []
    name = place.shown(paths[0]) if paths else "the text"
    return look.secrets_of_texts(inputs.texts(given), name, decision, "\n".join(inputs.old_texts(given)))


def check_names(settings: ActionSettings) -> None:
    """Raise for an unknown rule: switching it would have no effect."""
    known = look.names()
    for name in settings.rules:
        problem = look.check_name(name, known)
        if problem:
            raise ConfigError(f"actions.rules: {problem}", file=settings.file)


# ---- the file as it will be


def writes_file(event: Event) -> bool:
    """Whether the tool changes a file: its input has a path and a text."""
    return bool(event.texts and event.path)


def deny_if_unparsable(event: Event, answer: ActionAnswer) -> ActionAnswer:
    """Deny if the change breaks the file, else keep the answer. A file that is broken already may be fixed in steps."""
    from tenterhook.library.guard.edited_text import text_after, text_before
    from tenterhook.library.project.config_files.syntax import first_error

    path, text = event.path, text_after(event)
    name = os.path.relpath(path, event.project)
    if text is None:
        return answer
    wrong = first_error(path, text)
    if not wrong:
        return answer
    if first_error(path, text_before(path)):
        return answer if answer.decision == "ask" else fine(f"{name} does not parse, and did not before: {wrong}")
    return deny(f"{name} would not parse after this change: {wrong}\nWrite it so that it parses as a whole.")


def find_exposed_secret(added: str, whole: str) -> str:
    """The variable by which a secret would reach the client; empty if there is none."""
    import re

    if any(prefix in added for prefix in PREFIXES):
        found = re.search(PUBLIC + SECRET, added)
        if found:
            return found[0]
    if "process.env" in added and whole.lstrip().startswith(CLIENT):
        found = re.search(r"process\.env\.(?!NEXT_PUBLIC_)(\w*" + SECRET + ")", added)
        return found[1] if found else ""
    return ""
