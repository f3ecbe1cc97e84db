"""`tenter explain`, called as a user calls it; and that what it says is what the engine does."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from io import BytesIO, TextIOWrapper
from operator import attrgetter
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

import msgspec
import pytest

from tenterhook import dialects
from tenterhook.cli.main import main
from tenterhook.dialects.schema.dialect import Dialect, EventRule
from tenterhook.engine.engine import Engine
from tenterhook.testing import Did
from tenterhook.tools.explain.whatif import PossibleAnswer, effects, possible_answers, simulate_trial, trials
from tenterhook.types import Hook, Source


class Ran(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        """Without the blanks that only align."""
        return [" ".join(line.split()) for line in self.out.split("\n")]

    def after(self, hook: str, type: str = "command") -> str:
        """What stands below a hook's line."""
        there = next(n for n, line in enumerate(self.lines) if f" {hook} " in line and f" {type} " in line)
        return self.lines[there + 1]


Tenter = Callable[..., Ran]
DIALECTS = [dialects.get(name) for name in dialects.names()]
EVENTS = [
    pytest.param(dialect, rule, id=f"{dialect.name}-{rule.name}") for dialect in DIALECTS for rule in dialect.events
]
name = attrgetter("name")


@pytest.fixture
def explain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Tenter:
    """`tenter explain` in a project folder with a HOME beside it."""
    (tmp_path / "project").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.chdir(tmp_path / "project")

    def call(*words: str) -> Ran:
        code = main(["explain", *words])
        return Ran(code, *capsys.readouterr())

    return call


@pytest.fixture
def tenter(explain: Tenter) -> Tenter:
    """The same with all details."""
    return lambda *words: explain(*(() if "--json" in words else ("--all",)), *words)


def write(path: str, content: str | dict[str, Any]) -> None:
    file = Path(path).expanduser()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))


def moai(*hooks: tuple[str, str]) -> dict[str, Any]:
    groups = [{"matcher": matcher, "hooks": [{"type": "command", "command": cmd}]} for matcher, cmd in hooks]
    return {"hooks": {"PreToolUse": groups}}


def llxprt(*hooks: tuple[str, str], **more: Any) -> dict[str, Any]:
    groups = [{"matcher": matcher, "hooks": [{"type": "command", "command": cmd}], **more} for matcher, cmd in hooks]
    return {"enableHooks": True, "hooks": {"BeforeTool": groups}}


MOAI = ("tool.before", "--dialect", "moai", "--trust")
LLXPRT = ("tool.before", "--dialect", "llxprt", "--trust")


def test_ten_lines_say_which_hooks_run_why_others_do_not_and_how_a_hook_refuses(explain: Tenter) -> None:
    write(".claude/settings.json", moai(("Bash", "sh hooks/first.sh"), *[("Write", f"w{n}") for n in range(20)]))
    write("hooks/first.sh", "")
    ran = explain(*MOAI, "--tool", "Bash")

    assert ran.code == 0
    assert len(ran.out.splitlines()) <= 10
    assert "hooks: 1 of 21 runs" in ran.out
    assert "1 first.sh .claude/settings.json:7 matcher 'Bash' fits" in ran.lines
    assert "- w0 .claude/settings.json:16 matcher 'Write' (regex on the whole value) does not fit tool_name 'Bash'" in (
        ran.lines
    )
    assert "... and 17 more, of which 0 run" in ran.lines
    assert "exit 2, stderr: blocked" in ran.out


def test_the_short_form_says_what_an_untrusted_hook_waits_for_and_where_a_first_one_goes(explain: Tenter) -> None:
    assert "write one in .claude/settings.json" in explain("tool.before", "--dialect", "moai").lines

    write(".claude/settings.json", moai(("Bash", "true")))
    lines = explain("tool.before", "--dialect", "moai").lines
    assert any("you have not approved it" in line for line in lines)


def test_the_event_is_told_with_its_kind_powers_and_what_matchers_see(tenter: Tenter) -> None:
    lines = tenter(*MOAI, "--tool", "Bash").lines

    assert lines[:5] == [
        "PreToolUse: before a tool executes",
        "dialect Claude Code (MoAI), faithful mode",
        "kind tool.before",
        "hooks can block, ask, stop the agent, change the input",
        "matched on tool_name = 'Bash' (regex on the whole value)",
    ]


@pytest.mark.parametrize(("dialect", "stops"), [("claude", True), ("qwen", False), ("codex", False)])
def test_a_hook_whose_wish_to_stop_ends_nothing_is_not_said_to_stop_the_agent(
    dialect: str, stops: bool, tenter: Tenter
) -> None:
    assert ("stop the agent" in tenter("PreToolUse", "--dialect", dialect).out.partition("\n\n")[0]) == stops


def test_every_place_is_told_found_or_not_with_scope_format_and_trust(tenter: Tenter) -> None:
    write("~/.claude/settings.json", moai(("Bash", "true")))
    write(".claude/settings.json", moai(("Bash", "true")))
    lines = tenter("tool.before", "--dialect", "moai").lines

    assert "1 hook user json ~/.claude/settings.json" in lines
    assert "untrusted project json .claude/settings.json (1 hook set aside; tenter trust approves them)" in lines
    assert "not there project json .claude/settings.local.json" in lines


def test_a_hook_that_does_not_match_is_told_with_matcher_and_value(tenter: Tenter) -> None:
    write(".claude/settings.json", moai(("Bash", "echo a"), ("Edit|Write", "echo b")))
    ran = tenter(*MOAI, "--tool", "Bash")

    assert ran.after("echo a") == "matcher 'Bash' fits; if it fails: goes on"
    assert ran.after("echo b") == "matcher 'Edit|Write' (regex on the whole value) does not fit tool_name 'Bash'"
    assert "hooks: 1 of 2 runs" in ran.lines


def test_without_a_tool_each_matcher_says_where_its_hook_runs(tenter: Tenter) -> None:
    write(".claude/settings.json", moai(("Bash", "echo a")))
    ran = tenter(*MOAI)

    assert ran.after("echo a").startswith("runs where tool_name fits 'Bash' (regex on the whole value)")
    assert "hooks: 1 of 1 may run" in ran.lines


def test_hooks_of_one_batch_run_at_once(tenter: Tenter) -> None:
    write(".claude/settings.json", moai(("Bash", "echo a"), ("Bash", "echo b")))
    found = json.loads(tenter(*MOAI, "--tool", "Bash", "--json").out)

    assert [(one["batch"], one["with_others"]) for one in found["hooks"]] == [(1, ["echo b"]), (1, ["echo a"])]


def test_a_chain_is_told_with_what_ends_it(tenter: Tenter) -> None:
    write(".llxprt/settings.json", llxprt(("", "echo a"), ("", "echo b"), sequential=True))
    ran = tenter(*LLXPRT, "--tool", "x")

    assert "hooks: 2 of 2 run, one after another; a deny ends the chain" in ran.lines
    assert any(line.startswith("2 echo b") for line in ran.lines)


def test_a_duplicate_names_the_hook_that_comes_first(tenter: Tenter) -> None:
    write(".llxprt/settings.json", llxprt(("", "echo a"), ("x", "echo a")))
    found = json.loads(tenter(*LLXPRT, "--tool", "x", "--json").out)
    first, second = found["hooks"]

    assert second["why"] == "duplicate"
    assert f"the same command as {first['source']}, which comes first" == second["because"]


def test_a_regex_that_is_none_is_said_to_be_compared_as_text(tenter: Tenter) -> None:
    write(".llxprt/settings.json", llxprt(("(unclosed", "echo a")))

    assert "(no valid regex, so exact text)" in tenter(*LLXPRT, "--tool", "x").after("echo a")


@pytest.mark.parametrize(
    ("dialect", "file", "hook", "broken"),
    [
        ("qwen", ".qwen/settings.json", {"hooks": [{"type": "command", "command": "echo a"}]}, "exact names"),
        ("copilot", ".github/hooks/a.json", {"type": "command", "bash": "echo a"}, "nothing at all"),
    ],
)
def test_it_is_said_what_an_agent_takes_another_languages_regex_for(
    tenter: Tenter, dialect: str, file: str, hook: dict[str, Any], broken: str
) -> None:
    event = "preToolUse" if dialect == "copilot" else "PreToolUse"
    write(file, {"version": 1, "hooks": {event: [{"matcher": "(?i)x", **hook}]}})
    said = tenter("tool.before", "--dialect", dialect, "--trust", "--tool", "x").out

    assert f"no valid JavaScript regex, so {broken}" in " ".join(said.split())
    assert "@javascript" not in said


def test_a_switch_that_turns_all_hooks_off_is_the_reason_of_each(tenter: Tenter) -> None:
    write(".llxprt/settings.json", {**llxprt(("", "echo a")), "enableHooks": False})

    assert tenter(*LLXPRT).after("echo a") == "enableHooks is not true"


def test_an_untrusted_hook_comes_with_what_to_do(tenter: Tenter) -> None:
    write(".claude/settings.json", moai(("Bash", "echo a")))

    assert "tenter trust" in tenter("tool.before", "--dialect", "moai").after("echo a")


def test_a_missing_script_is_skipped_without_a_word_where_the_dialect_says_so(tenter: Tenter) -> None:
    write(".claude/settings.json", moai(("Bash", "./gone.sh")))
    ran = tenter(*MOAI, "--tool", "Bash")

    assert ran.after("./gone.sh").startswith("no such program or script: ./gone.sh; this dialect then skips")
    assert "hooks: 0 of 1 run" in ran.lines


def test_a_missing_script_is_told_where_the_hook_runs_and_fails(tenter: Tenter) -> None:
    write(".llxprt/settings.json", llxprt(("", "./gone.sh")))
    ran = tenter(*LLXPRT)

    assert "hooks: 1 of 1 runs" in ran.lines
    assert "no such program or script: ./gone.sh" in ran.lines


def test_hooks_of_another_agent_are_told_too(tenter: Tenter) -> None:
    write(
        "massgen.yaml",
        "agents: [{id: beta, backend: {hooks: {PreToolUse: [{handler: /bin/true, type: command}]}}}]",
    )
    ran = tenter("tool.before", "--dialect", "massgen", "--trust", "--subagent", "alpha")

    assert ran.after("/bin/true") == "for agent beta only; the event is for agent alpha"


def test_a_condition_that_does_not_hold_is_told_with_the_value(tenter: Tenter) -> None:
    write(
        "tenterhook.toml",
        '[[hook]]\non = "tool.before"\ncommand = "echo a"\nif = {"tool_input.command" = "git*"}\n',
    )
    write("event.json", {"tool_name": "Bash", "tool_input": {"command": "ls"}})
    ran = tenter("tool.before", "--trust", "--input", "event.json")

    assert ran.after("echo a") == "its condition does not hold: tool_input.command is 'ls'; it must fit 'git*'"


CONDITION = '[[hook]]\non = "tool.before"\nmatch = "Bash"\ncommand = "echo a"\nif = {"tool_input.command" = "git*"}\n'


def test_a_condition_on_data_that_was_not_given_may_hold(tenter: Tenter) -> None:
    write("tenterhook.toml", CONDITION)
    ran = tenter("tool.before", "--trust", "--tool", "Bash")

    assert "hooks: 1 of 1 may run" in ran.lines
    assert "runs if tool_input.command fits 'git*' (not given: --input)" in ran.after("echo a")


def test_a_condition_on_what_the_given_data_lacks_does_not_hold(tenter: Tenter) -> None:
    write("tenterhook.toml", CONDITION)
    write("event.json", {"tool_name": "Bash", "tool_input": {"other": 1}})
    ran = tenter("tool.before", "--trust", "--input", "event.json")

    assert "hooks: 0 of 1 run" in ran.lines
    assert "tool_input.command is not in the event's data" in ran.after("echo a")


def test_a_condition_that_is_half_known_is_judged_by_that_half(tenter: Tenter) -> None:
    write("tenterhook.toml", CONDITION.replace('"git*"}', '"git*", tool_name = "Read"}'))
    ran = tenter("tool.before", "--trust", "--tool", "Bash")

    assert ran.after("echo a") == "its condition does not hold: tool_name is 'Bash'; it must fit 'Read'"


def test_every_agent_with_hook_files_that_has_the_event_is_explained(tenter: Tenter) -> None:
    write(".claude/settings.json", moai(("Bash", "true")))
    write("tenterhook.toml", '[[hook]]\non = "tool.before"\ncommand = "echo ours"\n')
    ran = tenter("tool.before")

    assert ran.err == ""
    assert "PreToolUse" in ran.out
    assert "echo ours" in ran.out
    assert "echo ours" not in tenter("PreToolUse").out
    assert "echo ours" not in tenter("tool.before", "--agent", "claude").out
    told = json.loads(tenter("tool.before", "--json").out)["agents"]
    assert sorted(one["dialect"] for one in told) == ["claude", "tenterhook"]
    hints = tenter("tool.before", "--dialect", "wave").err
    assert "tenter: found .claude/settings.json: --dialect claude\n" in hints


def test_a_hooks_own_failure_policy_is_in_force(tenter: Tenter) -> None:
    write(
        "tenterhook.toml",
        '[[hook]]\non = "tool.before"\ncommand = "echo a"\non_failure = {timeout = "deny", default = "allow"}\n',
    )

    assert tenter("tool.before", "--trust", "--tool", "x").after("echo a") == (
        "matches everything; if it fails: goes on; after a time-out: blocked"
    )


@pytest.mark.parametrize("type", ["prompt", "agent"])
def test_whatever_goes_wrong_with_a_hook_that_asks_a_model_is_a_no(tenter: Tenter, type: str) -> None:
    """Also an answer that is none (seed 001: hooks that fail return ok false)."""
    entry = {"type": type, "prompt": "Fine?", "tenterhook": {"on_failure": {"exit": "allow"}}}
    write(".claude/settings.json", {"hooks": {"PreToolUse": [{"hooks": [entry]}]}})

    assert tenter(*MOAI, "--tool", "Bash").after("Fine?", type) == "matches everything; if it fails: blocked"


def test_the_table_says_what_each_answer_does_and_what_is_lost(tenter: Tenter) -> None:
    lines = tenter("tool.before", "--dialect", "llxprt").lines

    assert "exit 0, JSON ask allow goes on user: <reason> (reason)" in lines
    assert "exit 2, stderr deny blocked, failed model: <stderr> (reason)" in lines
    lost = lines[lines.index("exit 1, JSON deny - goes on, failed") + 1]
    assert lost == "! printed a decision, but stdout is not read here, so it does not count"


def test_the_other_mode_is_told_where_it_differs(tenter: Tenter) -> None:
    lines = tenter("tool.before", "--dialect", "llxprt").lines

    assert "timed out blocked (here: goes on)" in lines[lines.index("in strict mode instead") :]


def test_a_mode_can_be_asked_for(tenter: Tenter) -> None:
    lines = tenter("tool.before", "--dialect", "llxprt", "--mode", "strict").lines

    assert "timed out goes on (here: blocked)" in lines[lines.index("in faithful mode instead") :]


def test_the_notes_of_the_dialect_close_the_text(tenter: Tenter) -> None:
    lines = tenter("tool.before", "--dialect", "wave").lines

    assert "- continue: false outranks every decision." in lines[lines.index("about Wave") :]


def test_nothing_is_run(tenter: Tenter) -> None:
    write(".claude/settings.json", moai(("Bash", "touch ran")))
    tenter(*MOAI, "--tool", "Bash")

    assert not Path("ran").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("tool.befor",), "did you mean 'tool.before'?"),
        (("notify", "--tool", "Bash"), "its matchers look at 'type'"),
        (("prompt.submit", "--tool", "Bash"), "it has no matchers"),
        (("tool.before", "--input", "nowhere.json"), "nowhere.json"),
        (("tool.before", "--mode", "loose"), "may be faithful, strict, observe"),
        ((), "EVENT is missing"),
    ],
)
def test_a_call_that_cannot_work_ends_in_one_and_says_why(tenter: Tenter, words: tuple[str, ...], said: str) -> None:
    ran = tenter(*words)

    assert ran.code == 1
    assert said in ran.err


def test_help_has_an_example(tenter: Tenter) -> None:
    ran = tenter("--help")

    assert ran.code == 0
    assert "example:\n  tenter explain" in ran.out


@pytest.mark.parametrize("dialect", [dialect for dialect in DIALECTS if dialect.rule("tool.before")], ids=name)
@pytest.mark.parametrize("mode", ["faithful", "strict", "observe"])
def test_the_table_says_what_real_hooks_do(dialect: Dialect, mode: str) -> None:
    rule = dialect.rule("tool.before")
    assert rule
    told = {one.what: one.result() for one in effects(dialect, rule, mode, {})}
    done = {one.what: really(one.did, dialect, mode) for one in trials(dialect, rule) if one.did.error is None}

    assert done == {what: told[what] for what in done}


def really(did: Did, dialect: Dialect, mode: str) -> tuple[str, bool, bool]:
    """What comes of a process that prints and exits, or is killed, just so."""
    said = f"printf %s {quote(did.stdout)}; printf %s {quote(did.stderr)} >&2; "
    command = said + (f"kill -{did.signal.removeprefix('SIG')} $$" if did.signal else f"exit {did.exit_code}")
    with Engine(dialect=dialect, files=False, mode=mode) as engine:
        spec = {"command": command, "main": command, "form": "shell"}
        event = engine.rule("tool.before").name
        engine.put(Hook(name="real", event=event, handler="command", spec=spec, source=Source("test"), timeout=30.0))
        outcome = engine.fire("tool.before", tool_name="Bash")
    return outcome.decision, outcome.blocked, outcome.stop


@pytest.mark.parametrize(("command", "what"), [("kill -KILL $$", "killed by a signal"), ("sleep 9", "timed out")])
def test_the_table_speaks_of_a_failure_as_a_real_one_is_spoken_of(command: str, what: str) -> None:
    dialect = dialects.get("tenterhook")
    (trial,) = (one for one in trials(dialect, dialect.rule("tool.before")) if one.what == what)
    with Engine(files=False, grace=0.1) as engine:
        spec = {"command": command, "main": command, "form": "shell"}
        engine.put(Hook(name="r", event="tool.before", handler="command", spec=spec, source=Source(""), timeout=0.3))
        (attempt,) = engine.fire("tool.before", tool_name="Bash").attempts

    assert attempt.detail == trial.did.detail.replace("<time-out>", "0.3")


@pytest.mark.parametrize(("dialect", "rule"), EVENTS)
@pytest.mark.parametrize("mode", ["faithful", "strict"])
def test_a_signal_below_a_shell_does_what_a_signal_does_so_it_needs_no_row(
    dialect: Dialect, rule: EventRule, mode: str
) -> None:
    below = simulate_trial(PossibleAnswer("exit 137", Did(exit_code=137)), dialect, rule, mode, {})
    (killed,) = (one for one in effects(dialect, rule, mode, {}) if one.what == "killed by a signal")

    assert below.result() == killed.result()


@pytest.mark.parametrize(("dialect", "rule"), [one for one in EVENTS if not one.values[1].text.ignored])
def test_answers_are_built_so_that_the_dialect_takes_every_part_of_them(dialect: Dialect, rule: EventRule) -> None:
    built = {f"exit 0, {what}" for what in possible_answers(dialect, rule)}
    made = {one.what: one.lost for one in effects(dialect, rule, "faithful", {}) if one.what in built}
    lost = {what for what, words in made.items() if words}

    assert len(made) == len(possible_answers(dialect, rule))
    stop = set() if rule.stop.does != "ignored" else {"exit 0, JSON stop"} & set(made)
    deny = {"exit 0, JSON deny"} & set(made) if not rule.can.block and rule.deny.kind == "reason" else set()
    assert lost == stop | deny


@pytest.mark.parametrize(("dialect", "rule"), EVENTS)
def test_every_event_of_every_dialect_can_be_explained(tenter: Tenter, dialect: Dialect, rule: EventRule) -> None:
    ran = tenter(rule.name, "--dialect", dialect.name)

    assert ran.code == 0
    assert ran.out.startswith(f"{rule.name}: {rule.about}")
    assert max(map(len, ran.out.split("\n"))) <= 100


def test_what_made_up_hooks_failed_at_is_not_logged(tmp_path: Path) -> None:
    env = {**os.environ, "HOME": str(tmp_path)}
    ran = subprocess.run(
        [sys.executable, "-m", "tenterhook", "explain", "tool.before", "--all"],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
    )

    assert "could not start" in ran.stdout
    assert ran.stderr == ""


def test_json_holds_everything_the_text_says(tenter: Tenter) -> None:
    found = msgspec.json.decode(tenter("tool.before", "--dialect", "wave", "--json").out)

    assert {"event", "files", "hooks", "effects", "answers", "differences", "notes", "warnings"} <= set(found)


def test_a_hook_in_the_background_is_shown_as_one(tenter: Tenter) -> None:
    Path("tenterhook.toml").write_text(
        '[[hook]]\non = "tool.after"\nname = "late"\ncommand = "true"\nbackground = true\n'
    )

    assert tenter("tool.after", "--trust").after("late") == "matches everything; in the background: decides nothing"
    assert json.loads(tenter("tool.after", "--trust", "--json").out)["agents"][0]["hooks"][0]["background"] is True


# ---- agents that call tenterhook


def connect(agent_file: str) -> None:
    write("tenterhook.toml", '[[hook]]\nname = "guard"\non = "tool.before"\nmatch = "shell"\ncommand = "true"\n')
    write(agent_file, moai(("", "/opt/bin/tenter run --agent claude")))


def test_what_a_connected_agent_obeys_is_explained_below_its_entry(explain: Tenter) -> None:
    connect(".claude/settings.json")
    ran = explain("PreToolUse", "--agent", "claude", "--tool", "Bash")

    entry, guard = (next(line for line in ran.lines if name in line) for name in ("settings.json:", "tenterhook.toml:"))
    assert "it calls tenterhook, whose hooks for this event are explained below" in entry
    assert "not approved" not in entry
    assert "guard" in guard
    assert "not approved" in guard


def test_each_agent_is_told_the_event_that_stdin_gave_once(explain: Tenter, monkeypatch: pytest.MonkeyPatch) -> None:
    connect(".claude/settings.json")
    write(".codex/hooks.json", moai(("^Bash$", "true")))
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(b'{"tool_name": "Bash"}')))
    ran = explain("tool.before", "--input", "-")

    heads = [line for line in ran.lines if " mode): hooks can" in line]
    assert len(heads) == 3
    assert all("tool_name Bash" in line for line in heads)
