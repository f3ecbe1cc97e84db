"""What each key of an entry sets on its hook, and what values it takes. A dialect says which key sets what."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any

from tenterhook.config.timeouts import LONGEST
from tenterhook.dialects.schema.words import CAUSES, MATCHERS, NETWORKS
from tenterhook.errors import nearest
from tenterhook.support.strategy import Strategy
from tenterhook.types import POLICIES, RULE, Path, Sandbox

if TYPE_CHECKING:
    from tenterhook.config.entries import EntryReader

# How a hook says that its failure counts as a refusal.
CLOSED: dict[Any, bool] = {"block": True, "continue": False, True: True, False: False}
# Settings that have more than one setter.
MATCHER, TIMEOUT = ("matcher", "matcher_trimmed"), ("timeout", "timeout_else")
# What a `tenterhook` block in another agent's entry may hold.
OURS = {
    "on_failure": "on_failure",
    "leftovers": "leftovers",
    "once": "once",
    "if": "condition",
    "env": "env",
    "sandbox": "sandbox",
    "warm": "warm",
    "name": "name",
    "loopback": "spec_flag",
    "private": "spec_flag",
    "connect_timeout": "spec_seconds",
    "max_turns": "spec_count",
    "max_tokens": "spec_count",
}


def key_of(keys: dict[str, str], *setters: str) -> str:
    """The dialect's key that sets one of these; empty if it has none."""
    return next((key for key, setter in keys.items() if setter in setters), "")


def set_text(r: EntryReader, found: dict[str, Any], key: str, value: Any, path: Path, to: str = "") -> None:
    if isinstance(value, str):
        found[to or key] = value
    else:
        r.wrong(path, key, value, "text")


def set_flag(r: EntryReader, found: dict[str, Any], key: str, value: Any, path: Path, to: str = "") -> None:
    if isinstance(value, bool):
        found[to or key] = value
    else:
        r.wrong(path, key, value, "true or false")


def set_spec(r: EntryReader, found: dict[str, Any], key: str, value: Any, path: Path) -> None:
    words = isinstance(value, list) and value and all(isinstance(word, str) for word in value)
    if isinstance(value, str) or words:
        found["spec"][key] = value
    else:
        r.wrong(path, key, value, "text")


def set_words(r: EntryReader, found: dict[str, Any], key: str, value: Any, path: Path) -> None:
    """The program's words, without a shell; also if the list is empty."""
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        found["spec"]["words"] = value
    else:
        r.wrong(path, key, value, "a list of texts")


def set_rule(r: EntryReader, found: dict[str, Any], key: str, value: Any, path: Path) -> None:
    if not isinstance(value, str):
        r.wrong(path, key, value, "a permission rule, such as 'Bash(git *)'")
        return
    from tenterhook.pipeline.permission_rules import is_rule

    if value.strip() and not is_rule(value):
        r.warn(path, f"{key} is {value!r}, which is not a permission rule: the hook never runs", "bad-condition")
    found["condition"] = {RULE: value}


def set_closed(r: EntryReader, found: dict[str, Any], key: str, value: Any, path: Path) -> None:
    """Whether the hook's failure counts as a refusal: true or false, or in words."""
    if isinstance(value, str | bool) and value in CLOSED:
        found["closed"] = CLOSED[value]
    else:
        r.wrong(path, key, value, f"one of {', '.join(str(word).lower() for word in CLOSED)}")


def set_wakes(r: EntryReader, found: dict[str, Any], key: str, value: Any, path: Path) -> None:
    """In the background; the model is still told of a refusal."""
    set_flag(r, found["spec"], key, value, path, "wakes")
    if found["spec"].get("wakes"):
        found["background"] = True


def set_once_in_skill(r: EntryReader, found: dict[str, Any], key: str, value: Any, path: Path) -> None:
    if r.origin == "skill" or value is not True:
        set_flag(r, found, key, value, path, "once")
    else:
        r.warn(path, f"{key} counts only in a skill: this hook runs each time", "ignored-option")


def set_spec_flag(r: EntryReader, found: dict[str, Any], key: str, value: Any, path: Path) -> None:
    set_flag(r, found["spec"], key, value, path)


def set_spec_texts(r: EntryReader, found: dict[str, Any], key: str, value: Any, path: Path) -> None:
    if isinstance(value, dict) and all(isinstance(text, str) for pair in value.items() for text in pair):
        found["spec"][key] = value
    else:
        r.wrong(path, key, value, "a mapping of names to text")


def set_spec_seconds(r: EntryReader, found: dict[str, Any], key: str, value: Any, path: Path) -> None:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= LONGEST:
        found["spec"][key] = float(value)
    else:
        r.wrong(path, key, value, "a number of seconds above 0")


def set_spec_count(r: EntryReader, found: dict[str, Any], key: str, value: Any, path: Path) -> None:
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        found["spec"][key] = value
    else:
        r.wrong(path, key, value, "a whole number of at least 1")


def set_spec_object(r: EntryReader, found: dict[str, Any], key: str, value: Any, path: Path) -> None:
    if isinstance(value, dict):
        found["spec"][key] = value
    else:
        r.wrong(path, key, value, "an object")


def set_context_limit(r: EntryReader, found: dict[str, Any], key: str, value: Any, path: Path) -> None:
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        found["spec"]["context_limit"] = value
    else:
        r.wrong(path, key, value, "a number of tokens, at least 1")


def set_stop_cap(r: EntryReader, found: dict[str, Any], key: str, value: Any, path: Path) -> None:
    """How often in a row the hook may keep the agent from stopping; null means no limit."""
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 0):
        found["spec"]["stop_cap"] = value
    else:
        r.wrong(path, key, value, "a whole number of at least 0, or null")


def set_timeout(r: EntryReader, found: dict[str, Any], key: str, value: Any, path: Path) -> None:
    """Stored as written: its unit may depend on the hook's type."""
    found["timeout"] = (key, value, path)


def set_timeout_else(r: EntryReader, found: dict[str, Any], key: str, value: Any, path: Path) -> None:
    """Another name for it, used if the first is missing."""
    found["timeout_else"] = (key, value, path)


def set_choice(
    r: EntryReader, found: dict[str, Any], key: str, value: Any, path: Path, to: str, known: AbstractSet[str]
) -> None:
    if isinstance(value, str) and value in known:
        found[to] = value
    else:
        r.wrong(path, key, value, f"one of {', '.join(sorted(known))}")


def set_on_failure(r: EntryReader, found: dict[str, Any], key: str, value: Any, path: Path) -> None:
    """One policy for all causes, or a policy by cause."""
    table = value if isinstance(value, dict) else {"default": value}
    policies = {}
    for cause, policy in table.items():
        if cause not in CAUSES and cause != "default":
            r.unknown_key(cause, (*path, cause), {*CAUSES, "default"})
        elif not isinstance(policy, str) or policy not in POLICIES:
            r.wrong(path, f"{key}.{cause}", policy, f"one of {', '.join(sorted(POLICIES))}")
        else:
            policies[cause] = policy
    found["on_failure"] = policies


def set_env(r: EntryReader, found: dict[str, Any], key: str, value: Any, path: Path) -> None:
    """Names to pass on from the host, or values to set."""
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        found["env"] = dict.fromkeys(value)
    elif isinstance(value, dict) and all(isinstance(text, str) for pair in value.items() for text in pair):
        found["env"] = value
        if r.scope == "project":
            check_names(r, key, value, path)
    else:
        r.wrong(path, key, value, "a list of names or a mapping of names to text")


def check_names(r: EntryReader, key: str, value: dict[str, str], path: Path) -> None:
    from tenterhook.trust.variables import loads_code

    for name in filter(loads_code, value):
        r.refuse((*path, name), f"{key}.{name}: a project may not set a variable that loads or redirects code")


def set_sandbox(r: EntryReader, found: dict[str, Any], key: str, value: Any, path: Path) -> None:
    """`off`, or what to allow. A mistake here would confine more or less than intended, so the hook does not run."""
    if value == "off":
        found["sandbox"] = Sandbox(off=True)
        return
    asked = value if isinstance(value, dict) else None
    wrong = [name for name in asked or () if name not in ("network", "read", "write")]
    if asked is None or wrong:
        hint = nearest(str(wrong[0]), ("network", "read", "write")) if wrong else ""
        given = wrong[0] if wrong else value
        r.refuse(path, f"{key} must be 'off' or hold network, read and write, not {given!r}{hint}")
        return
    network = asked.get("network", "")
    places = {name: asked.get(name, []) for name in ("read", "write")}
    if network not in NETWORKS and "network" in asked:
        r.refuse((*path, "network"), f"{key}.network must be one of {', '.join(sorted(NETWORKS))}, not {network!r}")
    for name, folders in places.items():
        if not isinstance(folders, list) or not all(isinstance(one, str) and one for one in folders):
            r.refuse((*path, name), f"{key}.{name} must be a list of paths, not {folders!r}")
            return
    found["sandbox"] = Sandbox(network, tuple(places["read"]), tuple(places["write"]))


def set_condition(r: EntryReader, found: dict[str, Any], key: str, value: Any, path: Path) -> None:
    if isinstance(value, dict):
        found["condition"] = flat(value)
    else:
        r.wrong(path, key, value, "a mapping of dotted paths to globs")


def flat(value: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """TOML reads `tool_input.command = "x"` as nested tables; both spellings mean the same path."""
    result: dict[str, Any] = {}
    for key, one in value.items():
        result.update(flat(one, f"{prefix}{key}.") if isinstance(one, dict) else {f"{prefix}{key}": one})
    return result


def set_priority(r: EntryReader, found: dict[str, Any], key: str, value: Any, path: Path) -> None:
    if isinstance(value, int) and not isinstance(value, bool):
        found["priority"] = value
    else:
        r.wrong(path, key, value, "a whole number")


def set_override(r: EntryReader, found: dict[str, Any], key: str, value: Any, path: Path) -> None:
    if isinstance(value, bool):
        r.override = r.override or value
    else:
        r.wrong(path, key, value, "true or false")


def set_ours(r: EntryReader, found: dict[str, Any], key: str, value: Any, path: Path) -> None:
    """Our own options in another agent's entry, under a key that the agent ignores."""
    if not isinstance(value, dict):
        r.wrong(path, key, value, "a mapping")
        return
    for name, one in value.items():
        if name in OURS:
            SETTERS[OURS[name]].run(r, found, name, one, (*path, name))
        else:
            r.unknown_key(name, (*path, name), OURS)


def ignore(r: EntryReader, found: dict[str, Any], key: str, value: Any, path: Path) -> None:
    """A key that other code reads, or that is only for people."""


SETTERS: dict[str, Strategy[Callable[[EntryReader, dict[str, Any], str, Any, Path], None]]] = {
    "type": Strategy(lambda r, f, k, v, p: set_text(r, f, k, v, p, "type"), "which handler runs the hook"),
    "spec": Strategy(set_spec, "what runs, and with what"),
    "spec_flag": Strategy(set_spec_flag, "true or false"),
    "spec_texts": Strategy(set_spec_texts, "names and their texts"),
    "spec_seconds": Strategy(set_spec_seconds, "seconds"),
    "spec_count": Strategy(set_spec_count, "how many at most"),
    "spec_object": Strategy(set_spec_object, "an object"),
    "context_limit": Strategy(set_context_limit, "how many tokens of context the hook may give; what is beyond is cut"),
    "matcher": Strategy(lambda r, f, k, v, p: set_text(r, f, k, v, p, "matcher"), "which names the hook is for"),
    "matcher_trimmed": Strategy(
        lambda r, f, k, v, p: set_text(r, f, k, v.strip() if isinstance(v, str) else v, p, "matcher"),
        "which names the hook is for",
    ),
    "match_kind": Strategy(
        lambda r, f, k, v, p: set_choice(r, f, k, v, p, "match_kind", MATCHERS),
        "how the matcher is read, where it differs from the dialect's",
    ),
    "timeout": Strategy(set_timeout, "how long the hook may take"),
    "timeout_else": Strategy(set_timeout_else, "the same, where that key is not there"),
    "enabled": Strategy(lambda r, f, k, v, p: set_flag(r, f, k, v, p, "enabled"), "false switches the hook off"),
    "name": Strategy(lambda r, f, k, v, p: set_text(r, f, k, v, p, "name"), "what the hook is called in reports"),
    "sequential": Strategy(
        lambda r, f, k, v, p: set_flag(r, f, k, v, p, "sequential"), "true runs the event's hooks one after another"
    ),
    "override": Strategy(set_override, "true replaces the general hooks by the agent's own"),
    "event": Strategy(ignore, "the event, or a list of events"),
    "priority": Strategy(set_priority, "higher comes first"),
    "once": Strategy(
        lambda r, f, k, v, p: set_flag(r, f, k, v, p, "once"),
        "true runs the hook once in an engine's life; each `tenter fire` is an engine of its own",
    ),
    "leftovers": Strategy(
        lambda r, f, k, v, p: set_choice(r, f, k, v, p, "leftovers", {"keep", "end"}),
        "keep or end the processes that the hook leaves behind",
    ),
    "condition": Strategy(set_condition, "dotted paths into the event's data and the globs they must fit"),
    "on_failure": Strategy(set_on_failure, "allow, ask or deny where the hook fails, for all causes or by cause"),
    "env": Strategy(set_env, "names to pass on from the host's environment, or values to set"),
    "sandbox": Strategy(
        set_sandbox, "off, or what the hook's process may do: network (none, loopback, full), read and write (paths)"
    ),
    "warm": Strategy(
        lambda r, f, k, v, p: set_flag(r, f, k, v, p, "warm"),
        "false starts a new interpreter for each event, although the hook is a Python script",
    ),
    "background": Strategy(
        lambda r, f, k, v, p: set_flag(r, f, k, v, p, "background"),
        "true does not wait for the hook; its texts are told on the next turn, it decides nothing",
    ),
    "words": Strategy(
        set_words, "what the program is called with; then no shell reads it, and ${NAME} stands for a variable"
    ),
    "rule": Strategy(set_rule, "a permission rule that the call must fit, such as Bash(git *)"),
    "closed": Strategy(set_closed, "whether the hook's failure counts as a refusal"),
    "wakes": Strategy(set_wakes, "true runs it in the background, and tells the model of its refusal when it comes"),
    "once_in_skill": Strategy(set_once_in_skill, "true runs the hook once in a session; in skills only"),
    "stop_cap": Strategy(
        set_stop_cap, "how often in a row the hook may keep the agent from stopping; null is without end"
    ),
    "note": Strategy(ignore, "for people"),
    "ours": Strategy(
        set_ours,
        "options of tenterhook: name, if, on_failure, leftovers, once, env, sandbox, warm, those of its handlers",
    ),
}
