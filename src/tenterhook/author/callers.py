"""Find out which agent called, and at which event: from the command line, else from the payload and the environment.

The keys of a payload are compared with every event of every dialect: common keys count for it, others against it. The
agent's own folder in a path and its own variables in the environment count for it, too.
"""

from __future__ import annotations

import os

from tenterhook.author import forms
from tenterhook.author.event import Event
from tenterhook.errors import UsageError, nearest
from tenterhook.support import light_json as json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

# The field of our own payload that names the agent that called, and its name for the event.
CALLER = "caller"
FILE = os.path.join(os.path.dirname(__file__), "callers.json")
KNOWN: dict[str, dict[str, Any]] = {}


def of(raw: dict[str, Any], agent: str, event: str, environ: Mapping[str, str]) -> tuple[dict[str, Any], str]:
    """The forms of the agent that called, and its own name for the event."""
    dialect = dialect_of(raw, agent, environ, event)
    return dialect, event_of(dialect, raw, event)


def dialect_of(
    raw: dict[str, Any], agent: str, environ: Mapping[str, str], event: str = "", *, usual: bool = False
) -> dict[str, Any]:
    """The forms of the agent that called: the named one, else the one that `guess` finds."""
    return of_caller(load(agent), raw, environ, event) if agent else load(guess(raw, environ, usual=usual))


def guess(raw: dict[str, Any], environ: Mapping[str, str], *, usual: bool = False) -> str:
    """The name of the agent that called.

    With `usual`, a person may have written the payload, so its keys do not count: only variables and a folder of an
    agent do. Without these it is the usual caller; or, if that one has no such event, an agent that has it.
    """
    known: dict[str, dict[str, Any]] = read(FILE)["agents"]
    signed = signed_by(known, raw, environ)
    names = list(known)
    if usual:
        likely = [name for name in names if name in signed or "usual" in known[name]]
        having = [name for name in names if has_named_event(known[name], raw)]
        names = [name for name in likely if name in having] or having or likely
    best, name = max((score(known[name], raw) + 4 * signed.count(name), name) for name in names)
    if best <= 0 and not usual:
        raise UsageError("the event does not show which agent called: name it with --agent NAME")
    return name


def signed_by(known: dict[str, Any], raw: dict[str, Any], environ: Mapping[str, str]) -> list[str]:
    """The agents with a variable or a folder in this call; an agent with both is listed twice.

    A variable does not count if another agent that is present sets it too.
    """
    there = [one for one in known.values() if not environ.keys().isdisjoint(one["own"])]
    lent = {name for one in there for name in one["lends"]}
    found = [one["name"] for one in there if any(name in environ and name not in lent for name in one["own"])]
    path = raw.get("transcript_path") or raw.get("transcriptPath")
    if isinstance(path, str):
        found += [one["name"] for one in known.values() if f"/{one['home']}/" in path]
    return found


def of_caller(dialect: dict[str, Any], raw: dict[str, Any], environ: Mapping[str, str], event: str) -> dict[str, Any]:
    """The forms of the agent that really called: another one than the named may read the same config file.

    Its payload must be more like its own; and its own variables be set, because one agent may have started the other,
    unless the payload is nothing like the named agent's and names an event that it does not have.
    """
    signed = [name for name, own in dialect["others"].items() if any(one in environ for one in own)]
    strange = not event and event_name_in_payload(dialect, raw) not in dialect["events"]
    if not signed and not strange:
        return dialect
    known = read(FILE)["agents"]
    named = score(known[plain_name(dialect)], raw) if plain_name(dialect) in known else 0
    likely = signed or (list(dialect["others"]) if strange and named <= 0 else [])
    best, name = max(((score(known[one], raw), one) for one in likely if one in known), default=(0, ""))
    return load(name) if best > max(named, 0) else dialect


def plain_name(dialect: dict[str, Any]) -> str:
    name: str = dialect["name"]
    return name.partition("@")[0]


def load(agent: str) -> dict[str, Any]:
    """The forms of a dialect, `NAME` or `NAME@VERSION`; for a dialect of another package they are made now."""
    if strange(agent):
        agent = agent.partition("@")[0]
    plain, _, version = agent.partition("@")
    path = os.path.join(forms.FOLDER, f"{plain}.json")
    if "/" not in plain and os.path.exists(path):
        newest = read(path)
        return older(newest, plain, version) if version and version != newest["version"] else newest
    from tenterhook import dialects
    from tenterhook.engine import make_forms

    return make_forms.made_of(dialects.get(agent))


def strange(agent: str) -> str:
    """What is wrong with a malformed version. The plain agent's forms are used then: a guard must not fail over it."""
    plain, given, version = agent.partition("@")
    if not given or all(part.isdecimal() for part in version.split(".")):
        return ""
    return f"--agent {agent}: {version!r} is not a version (numbers with dots between them); used as {plain}"


def older(newest: dict[str, Any], plain: str, version: str) -> dict[str, Any]:
    """The forms of the latest known version that is not newer; of the oldest, if all are newer."""
    head, tail = f"{plain}@", ".json"
    files = [one for one in os.listdir(forms.FOLDER) if one.startswith(head) and one.endswith(tail)]
    known = {number(one[len(head) : -len(tail)]): one for one in files}
    wanted = number(version)
    if not known or wanted >= number(newest["version"]):
        return newest
    chosen = max((one for one in known if one <= wanted), default=min(known))
    return read(os.path.join(forms.FOLDER, known[chosen]))


def number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdecimal())


def read(path: str) -> dict[str, Any]:
    """A file of forms, read once."""
    if path not in KNOWN:
        with open(path, encoding="utf-8") as file:
            KNOWN[path] = json.loads(file.read())
    return KNOWN[path]


def event_of(dialect: dict[str, Any], raw: dict[str, Any], event: str) -> str:
    """The agent's name for the event: from the command line, the payload, or the payload's fields.

    If an event has two names, the payload's is the one whose form its caller reads. A name in the payload that we do
    not know may be newer than we are; a hook may know it.
    """
    events = dialect["events"]
    if event in events:
        named = event_name_in_payload(dialect, raw)
        return named if named in events and events[named]["kind"] == events[event]["kind"] else event
    said = event or event_name_in_payload(dialect, raw)
    possible = (
        [name for name, one in events.items() if one["kind"] == said] if event else candidate_event_names(dialect, said)
    )
    if not possible and event:
        raise UsageError(f"{dialect['title']} has no event {said!r}{nearest(said, events)}")
    return str(max(possible, key=lambda name: likeness(dialect, name, raw), default=said))


def event_name_in_payload(dialect: dict[str, Any], raw: dict[str, Any]) -> str:
    """The event's name in the payload, under the dialect's key for it."""
    return next((str(raw[name]) for name in dialect["named"] if isinstance(raw.get(name), str)), "")


def candidate_event_names(dialect: dict[str, Any], said: str) -> list[str]:
    """The events that a payload with this name may be about; all if it has none. An event may have two names."""
    events = dialect["events"]
    same = [name for name in events if name.lower() == said.lower()] if said else list(events)
    return sorted(same, key=lambda name: name != said)


def has_named_event(dialect: dict[str, Any], raw: dict[str, Any]) -> bool:
    said = event_name_in_payload(dialect, raw)
    return bool(said and candidate_event_names(dialect, said))


def score(dialect: dict[str, Any], raw: dict[str, Any]) -> int:
    """How well a payload fits a dialect; 0 if the dialect does not have the event that it names."""
    possible = candidate_event_names(dialect, event_name_in_payload(dialect, raw))
    return max((likeness(dialect, name, raw) for name in possible), default=0)


def likeness(dialect: dict[str, Any], name: str, raw: dict[str, Any]) -> int:
    """The number of keys that payload and event share, less those that only one has."""
    rule = dialect["events"][name]
    whose = rule if "base" in rule else dialect
    base = whose["base"]
    known = {*base, *whose["maybe"], *rule["keys"]}
    common = sum(key in known for key in raw)
    return 2 * common - 2 * (len(raw) - common) - sum(key not in raw for key in base)


# ---- the payload


def event_in(raw: dict[str, Any], dialect: dict[str, Any], name: str, environ: Mapping[str, str]) -> Event:
    """A payload as an event of that name."""
    rule = dialect["events"].get(name, {"kind": name})
    renamed = {**dialect["fields"], **rule.get("fields", {})}
    data: dict[str, Any] = {}
    for key, value in raw.items():
        ours = renamed.get(key, key)
        if isinstance(value, str) and (ours == "tool_input" or key in rule.get("json", ())):
            value = decode_nested_json(value)
        forms.put(data, ours, value)
    if "tool" in rule:
        data.setdefault("tool_name", rule["tool"])
    project = next((environ[one] for one in dialect["project"] if environ.get(one)), "")
    data.setdefault("project", project)
    caller = raw.get(CALLER)
    caller = caller if isinstance(caller, dict) else {}
    event = Event(
        rule["kind"],
        data,
        raw=raw,
        name=name,
        agent=str(caller.get("agent") or plain_name(dialect)),
        target=rule.get("target", ""),
        between=dialect["between"],
        served=rule.get("served", False),
        takes=dialect["takes"],
    )
    event.caller_event = str(caller.get("event", ""))
    return event


def decode_nested_json(text: str) -> Any:
    """Decode JSON within JSON, as some agents write it; other text stays."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def payload(given: bytes) -> dict[str, Any]:
    if not given.strip():
        raise UsageError("nothing on stdin: a hook is given an event there, as a JSON object")
    try:
        found = json.loads(given.decode("utf-8", "surrogateescape").removeprefix("\ufeff"))
    except (ValueError, RecursionError) as exc:
        raise UsageError(f"the event on stdin is not JSON: {exc}") from None
    if not isinstance(found, dict):
        raise UsageError(f"the event on stdin must be a JSON object, not {type(found).__name__}")
    return found
