"""`tenter trust`: show what a project would run, and approve, deny or revoke it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from tenterhook.cli.found_agents import ONE_DIALECT, ONLY, agent_names
from tenterhook.cli.items import group_items, headline, render_item_lines, render_own_calls, split_own_calls
from tenterhook.cli.options import JSON, PROJECT, CommandUsage, Option
from tenterhook.cli.project import print_json, prompt_yes_no, warn
from tenterhook.errors import UsageError, nearest
from tenterhook.support.terminal.text import colourful, near, one_line, painter, pluralise_count
from tenterhook.tools.approve.decide import ProjectReview, approvable, approve, deny, fits_any, look, revoke
from tenterhook.trust import changes
from tenterhook.trust.approval_book import ItemHistory
from tenterhook.trust.approvals import ItemState

USAGE = CommandUsage(
    "trust",
    "Show everything in a project that would run or decide something, and approve it. An approval covers exactly what\n"
    "is shown; after any change you are asked again. HOOK is a name from the list, * and ? allowed; without HOOK, all\n"
    "of them are meant.",
    ("[HOOK...]",),
    (
        ONLY,
        ONE_DIALECT,
        PROJECT,
        Option("yes", "approve without asking"),
        Option("deny", "never run them, even if they change; without HOOK, nothing of this project"),
        Option("revoke", "forget approvals and denials of them"),
        JSON,
    ),
    "tenter trust --project ~/work/shop",
    "exit codes: 0 all that was meant is approved (or done: --deny, --revoke), 1 it is not",
)
NO_TERMINAL = "nothing was approved: there is no terminal to ask on; --yes approves what is shown"
ALWAYS = "An approval does not cover files that hooks only read, nor what is listed as not bound."


def run(argv: list[str]) -> int:
    options = USAGE.parse(argv)
    if options is None:
        return 0
    if len({"yes", "deny", "revoke"} & options.keys()) > 1:
        raise USAGE.error("--yes, --deny and --revoke cannot be used together")
    found = look(options.get("project", "."), agents=agent_names(options, USAGE))
    names = options["HOOK"].split("\0") if "HOOK" in options else None
    meant = select_trust_items(found, names)
    if "deny" in options or "revoke" in options:
        return denied_or_revoked(found, meant, names, options)
    lost = [line for line in found.gone if names is None or fits_any(line.last, names)]
    show(found, meant, lost, options)
    wanted = approvable(meant)
    denied = len(group_items([one for one in meant if one.state == "denied"]))
    if denied and "json" not in options:
        print(f"tenter: {pluralise_count(denied, 'item')} denied; --revoke takes that back", file=sys.stderr)
    rest = int(any(one.state != "trusted" and one not in wanted for one in meant) or bool(found.unread))
    if not wanted and not lost:
        return rest
    number = len(group_items(wanted))
    if "yes" not in options and not confirm_approval(number, len(lost), options):
        return 1
    file = approve(found, wanted, lost)
    if "json" not in options:
        print(f"{pluralise_count(number, 'item')} approved, kept in {near(file)}")
    return rest


def select_trust_items(found: ProjectReview, names: Sequence[str] | None) -> list[ItemState]:
    items = [*(one.item for one in found.standings), *(line.last for line in found.gone)]
    for name in names or ():
        if not any(fits_any(item, [name]) for item in items):
            raise UsageError(f"no hook {name!r} here{nearest(name, [item.name for item in items])}; see tenter trust")
    return [one for one in found.standings if names is None or fits_any(one.item, names)]


def show(
    found: ProjectReview, meant: Sequence[ItemState], lost: Sequence[ItemHistory], options: dict[str, str]
) -> None:
    warn(found.problems)
    if "json" in options:
        print_json({"project": found.project, "items": [*map(as_data, meant)], "gone": [line.last for line in lost]})
        return
    paint = painter(colourful())
    print(headline(found.project, [group[0] for group in group_items(meant)]))
    rest, calls = split_own_calls(meant)
    for group in group_items(rest):
        print()
        print("\n".join(render_item_lines(group, found.project, paint)))
    for (name, file, _), own in calls.items():
        print()
        print("\n".join(render_own_calls(name, file, own, found.project, paint)))
    for line in lost:
        print(f"\n{paint('yellow', 'gone')}  {one_line(line.last.name)}: was approved and no longer exists")
    if meant:
        print(f"\n{ALWAYS}")


def as_data(found: ItemState) -> dict[str, Any]:
    item = found.item
    return {
        "state": found.state,
        "kind": item.kind,
        "dialect": item.dialect,
        "file": item.file,
        "event": item.event,
        "agent": item.agent,
        "name": item.name,
        "entry": item.entry,
        "files": [
            {"path": one.path, "real": one.real, "bound": one.how, "digest": one.digest, "size": one.size}
            for one in item.parts
        ],
        "unbound": item.unbound,
        "changes": list(changes.diff(found.history.last, item)) if found.state == "modified" and found.history else [],
    }


def confirm_approval(number: int, lost: int, options: dict[str, str]) -> bool:
    what = [f"approve {pluralise_count(number, 'item')}"] if number else []
    what += [f"confirm that {pluralise_count(lost, 'item')} {'is' if lost == 1 else 'are'} gone"] if lost else []
    return prompt_yes_no(f"{' and '.join(what).capitalize()}?", NO_TERMINAL, options)


def denied_or_revoked(
    found: ProjectReview, meant: Sequence[ItemState], names: Sequence[str] | None, options: dict[str, str]
) -> int:
    if "deny" in options:
        deny(found, meant if names is not None else None)
    else:
        revoke(found, names)
    if "json" not in options:
        what = "everything of this project" if names is None else pluralise_count(len(meant), "item")
        print(f"{what}: {'denied' if 'deny' in options else 'forgotten'}")
    return 0
