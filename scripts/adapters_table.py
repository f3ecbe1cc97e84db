"""Fill the table of docs/embed/adapters/README.md: what hooks can do in each SDK.

A driver's CANNOT names the cases of tests/adapters/behaviour.py that the SDK does not allow. Each case runs in the real
SDK, and one in CANNOT must fail there, so the table is what the runs say. No SDK is imported: drivers are read as text.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import NamedTuple

from page_parts import escape, markdown_table

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "embed" / "adapters" / "README.md"
SUITE = ROOT / "tests" / "adapters"
MARKED = re.compile(r"(<!-- sdks -->\n).*?(<!-- end -->)", re.DOTALL)
# What a hook does, and the cases that show it.
EFFECTS = {
    "denies before a tool": (
        "a_refused_tool_does_not_run_and_the_model_is_told_why",
        "parallel_calls_are_judged_one_by_one",
    ),
    "rewrites a tool's input": ("a_hook_changes_a_tools_input",),
    "rewrites a tool's output": ("a_hook_changes_a_tools_output",),
    "hears of a tool's failure": ("a_failing_tool_is_told_to_hooks",),
    "asks, and your callback decides": (
        "a_hook_asks_and_a_person_decides",
        "an_ask_that_nobody_can_answer_is_a_refusal",
    ),
    "adds context": ("context_of_a_prompt_hook_reaches_the_model", "context_after_a_tool_reaches_the_model"),
    "denies a prompt": ("a_blocked_prompt_reaches_no_model",),
    "denies the end of a turn": ("a_stop_hook_sends_the_agent_back_to_work",),
    "stops the agent": ("a_stop_before_a_tool_ends_the_run",),
    "changes a model's request": ("a_hook_changes_a_model_request", "a_refused_model_call_asks_no_model"),
    "changes a model's response": ("a_hook_replaces_a_model_response", "a_streamed_response_is_judged_whole"),
    "narrows the tools": ("hooks_narrow_the_tools_of_a_request",),
    "fails, and the call is refused": (
        "a_hook_that_crashes_refuses_in_strict_mode",
        "a_hook_that_hangs_is_given_up",
        "a_hook_that_answers_nonsense_refuses_in_strict_mode",
        "a_refusal_wins_over_another_hooks_allow",
        "a_cancelled_run_leaves_the_engine_usable",
    ),
}
# Cases about no effect: the suite itself, and the approval that a row of its own is about.
OTHERS = {
    "without_hooks_the_agent_works",
    "the_agent_of_the_documentation_runs",
    "the_sdks_own_approval_asks_the_person",
}
APPROVAL = "asks by the SDK's own approval"


class SdkDriver(NamedTuple):
    """What a driver's source says. `approves`: the SDK has an approval of its own for what a hook asks."""

    name: str
    page: str
    cannot: dict[str, str]
    approves: bool


def files() -> dict[Path, str]:
    text = PAGE.read_text("utf-8")
    check_cases()
    return {PAGE: MARKED.sub(lambda found: f"{found[1]}\n{table(drivers(text))}\n\n{found[2]}", text)}


def table(found: list[SdkDriver]) -> str:
    reasons: list[str] = []
    rows = []
    for effect, cases in EFFECTS.items():
        rows.append(
            [effect, *(cell([one.cannot[case] for case in cases if case in one.cannot], reasons) for one in found)]
        )
    rows.append([APPROVAL, *("enforced" if one.approves else "`-`" for one in found)])
    header = ("A hook", *(f"[{one.name}]({one.page})" for one in found))
    notes = [f"{number}. {escape(reason)}" for number, reason in enumerate(reasons, 1)]
    return "\n\n".join([markdown_table(header, rows), *(["\n".join(notes)] if notes else [])])


def cell(why: list[str], reasons: list[str]) -> str:
    """The words of docs/agents/matrix.md, and the numbers of the reasons why not."""
    for reason in why:
        if reason not in reasons:
            reasons.append(reason)
    numbers = sorted({reasons.index(reason) + 1 for reason in why})
    return "`-` " + " ".join(f"({number})" for number in numbers) if why else "enforced"


def drivers(text: str) -> list[SdkDriver]:
    """The drivers in the order of the page's own list of SDKs, with the names that it gives them."""
    listed = re.findall(r"^\| \[([^\]]+)\]\(([\w-]+\.md)\).*? \| `tenterhook\.adapters\.(\w+)`", text, re.MULTILINE)
    paths = {path.stem: path for path in sorted((SUITE / "drivers").glob("*.py")) if path.stem != "__init__"}
    if missing := set(paths) - {adapter for _, _, adapter in listed}:
        sys.exit(f"{PAGE.relative_to(ROOT)}: the list of SDKs has no row for {', '.join(sorted(missing))}")
    return [read_driver(name, page, paths[adapter]) for name, page, adapter in listed if adapter in paths]


def read_driver(name: str, page: str, path: Path) -> SdkDriver:
    cannot: dict[str, str] = {}
    tree = ast.parse(path.read_text("utf-8"))
    for node in tree.body:
        target = node.target if isinstance(node, ast.AnnAssign) else None
        if isinstance(target, ast.Name) and target.id == "CANNOT" and isinstance(node, ast.AnnAssign) and node.value:
            cannot = ast.literal_eval(node.value)
    if unknown := set(cannot) - cases():
        sys.exit(f"{path.relative_to(ROOT)}: CANNOT names no case of behaviour.py: {', '.join(sorted(unknown))}")
    approves = any(isinstance(node, ast.FunctionDef) and node.name == "approve" for node in tree.body)
    return SdkDriver(name, page, cannot, approves)


def cases() -> set[str]:
    tree = ast.parse((SUITE / "behaviour.py").read_text("utf-8"))
    names = (node.name for node in tree.body if isinstance(node, ast.FunctionDef))
    return {name.removeprefix("test_") for name in names if name.startswith("test_")}


def check_cases() -> None:
    """A new case must be in a row, or the table would not show where it fails."""
    listed = OTHERS.union(*EFFECTS.values())
    if wrong := cases() ^ listed:
        sys.exit(f"scripts/adapters_table.py and behaviour.py differ in these cases: {', '.join(sorted(wrong))}")
