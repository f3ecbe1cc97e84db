"""Rules about commands, by name: rules.py is the table of them, the other files hold what a table cannot say."""

from __future__ import annotations

from tenterhook.library.guard import own
from tenterhook.library.guard.danger.rules import RULES, broken_rules
from tenterhook.library.guard.finding import Finding
from tenterhook.library.guard.secret import mask_secret, mask_secrets_in_text
from tenterhook.support.shell.calls import ProgramCall, calls
from tenterhook.support.shell.writes import symlink_targets, through, written_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.library.guard.paths import Territory

# The most findings for one command; more would not be read.
MOST = 20
# Each path is resolved on the disk, which takes time.
MOST_PATHS = 1000


def findings(
    text: str,
    place: Territory,
    folder: str,
    secrets: tuple[str, ...] = (),
    *,
    programs: bool = True,
    paths: bool = True,
) -> list[Finding]:
    """All findings about a shell text: about the programs, and about the paths that they write.

    Each rule reports its first finding. Secrets are masked.
    """
    found: dict[str, Finding] = {}
    called, problem = calls(text, folder=folder, home=place.home)
    if problem:
        add(found, place, "unparsable", unparsable(problem))
    seen: set[str] = set()
    links: dict[str, str] = {}
    for call in called:
        broken = list(broken_rules(call, place)) if programs else []
        for rule in broken:
            if rule not in found:
                add(found, place, rule, f"{format_call(call, secrets)}: {RULES[rule][1]}")
        if not paths or any(rule in found and found[rule].decision == "deny" for rule in broken):
            continue
        named = [one for path in written_paths(call) for one in through(path, links)]
        links |= symlink_targets(call)
        new = list(dict.fromkeys(path for path in named if path not in seen))
        for path in new[: max(0, MOST_PATHS - len(seen))]:
            one = place.judged(path) or about_own(text, path, place)
            if one:
                found.setdefault(one.text, one)
        seen.update(new)
        if len(seen) > MOST_PATHS:
            add(found, place, "unparsable", unparsable("it writes more files than can be looked at"))
        if len(found) >= MOST:
            break
    return list(found.values())


def about_own(text: str, path: str, place: Territory) -> Finding | None:
    """A finding about a command that writes to a file that holds our settings among others."""
    if not path.rstrip("/").endswith(f"/{own.FILE}"):
        return None
    if own.NAME in text:
        return place.finding("agent-settings", f"tool.{own.NAME} in {place.shown(path)}")
    return place.finding("agent-config", place.shown(path)) if own.table(own.now(path)) else None


def add(found: dict[str, Finding], place: Territory, rule: str, text: str) -> None:
    decision = place.settings.rules.get(rule, RULES[rule][0])
    if decision != "allow":
        found.setdefault(rule, Finding(rule, decision, text))


def unparsable(problem: str) -> str:
    return f"the command {RULES['unparsable'][1]} ({problem})"


def format_call(call: ProgramCall, secrets: tuple[str, ...]) -> str:
    """A call in one short line."""
    text = str(call)
    for one in secrets:
        text = text.replace(one, mask_secret(one))
    text = mask_secrets_in_text(text)  # in the command, quotes may have split them
    text = "".join(char if char.isprintable() else " " for char in text[:200])
    return text if len(text) <= 100 else text[:97] + "..."
