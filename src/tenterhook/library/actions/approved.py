"""Decide which part of a project's table `actions` counts.

Settings that make a guard stricter count at once. Settings that loosen one, or name commands to run, count only if the
user has approved the whole table (`tenter trust`): a repository must not switch off the guard that protects against it.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# The parts that count without approval: more to protect, more to require at the end, more to refuse.
STRICTER: dict[str, Callable[[Any], Any]] = {
    "missing_test": lambda value: value if value == "deny" else None,
    "on_stop": lambda value: value if value == "gate" else None,
    "protected": lambda value: value,
    "documents": lambda value: value,
    "headings": lambda value: value,
    "rules": lambda value: {name: one for name, one in value.items() if one == "deny"} or None,
}


def in_force(project: str, file: str, current: dict[str, Any] | None) -> tuple[dict[str, Any], str]:
    """The part of the table that counts, and one line about the rest.

    An approved table stays in force if the current one differs, is gone, or is hidden by a file that comes first.
    """
    strict = {key: part for key, value in (current or {}).items() if (part := stricter(key, value)) is not None}
    tables, problem = read_approved_tables(project)
    versions = tables.get(os.path.realpath(file), []) if file else []
    if current in versions or (strict == (current or {}) and not tables):
        return current or {}, ""
    where, before = (file, versions[-1]) if versions else last(tables)
    if current is None:
        text = f"{where}: the table actions was approved and is not there any more; what was approved stays in force"
        return before, f"{text}; tenter trust confirms that"
    aside = [key for key in current if strict.get(key) != current[key] and before.get(key) != current[key]]
    text = f"{file}: not approved, so it does not count: actions.{', actions.'.join(aside)}; see tenter trust"
    if where:
        text = f"{where}: the table actions was modified since it was approved; what was approved stays in force"
    return merge_stricter(before, strict), f"{text} ({problem})" if problem else text


def last(tables: dict[str, list[dict[str, Any]]]) -> tuple[str, dict[str, Any]]:
    """The approved table of a file other than the current one."""
    for file, versions in tables.items():
        return file, versions[-1]
    return "", {}


def stricter(key: str, value: Any) -> Any:
    """The part of a setting that loosens nothing; None if there is none."""
    take = STRICTER.get(key)
    try:
        return take(value) if take else None
    except AttributeError:  # a wrong type, which `load` reports
        return value


def merge_stricter(approved: dict[str, Any], stricter: dict[str, Any]) -> dict[str, Any]:
    """The approved settings, with the stricter ones on top."""
    found = dict(approved)
    for key, value in stricter.items():
        old = found.get(key)
        if isinstance(value, list):
            found[key] = [*(old or []), *(one for one in value if one not in (old or []))]
        elif isinstance(value, dict):
            found[key] = {**(old or {}), **value}
        else:
            found[key] = value
    return found


def read_approved_tables(project: str) -> tuple[dict[str, list[dict[str, Any]]], str]:
    """The approved versions of the table, by file, the latest last; and what is wrong with the store."""
    from tenterhook.trust import store

    home = os.environ.get("HOME") or os.path.expanduser("~")
    data, problem = store.read(project, home, os.environ)
    if not data:
        return {}, problem
    import json

    try:
        book = json.loads(data)
        bond = store.bond(store.place(project, home, os.environ), project)
        if any(book.get(name) != value for name, value in bond.items()) or book.get("denied"):
            return {}, ""
        lines = [one for one in book["lines"] if one["versions"][-1]["kind"] == "actions"]
        denied = {one["versions"][-1]["file"] for one in lines if one.get("state", "approved") == "denied"}
        found: dict[str, list[dict[str, Any]]] = {}
        for one in lines:
            file = one["versions"][-1]["file"]
            if file not in denied and not one.get("gone"):
                found.setdefault(file, []).extend(version["entry"] for version in one["versions"])
        return found, ""
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError, IndexError):
        return {}, "the store of approvals is broken"
