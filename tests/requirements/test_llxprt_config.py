"""llxprt: settings files, which hooks they give, which of them run for an event, and what costs nothing."""

import sys
from subprocess import run

import pytest
from msgspec.structs import replace

import tenterhook.pipeline.payload
from tenterhook import dialects
from tenterhook.dialects.schema.dialect import revise

from .llxprt import CALL, DATA, fire, group, settings

OFF = [settings(switch=False, BeforeTool=[group("touch ran")]), '{"hooks": {"BeforeTool": []}}']
OFF += [settings(switch=value, BeforeTool=[group("touch ran")]) for value in ("true", 1, None)]
MODEL_EVENTS = ["BeforeModel", "AfterModel", "BeforeToolSelection"]


@pytest.fixture
def payloads(monkeypatch):
    """How many payloads were built: a spy around the real function."""
    made = []
    real = tenterhook.pipeline.payload.payload
    monkeypatch.setattr(tenterhook.pipeline.payload, "payload", lambda *given: made.append(given) or real(*given))
    return made


# Nothing while nothing is wanted


@pytest.mark.req("HOOK-010", "HOOK-013")
@pytest.mark.parametrize("text", OFF, ids=["false", "absent", "text", "number", "null"])
def test_while_hooks_are_not_enabled_nothing_is_started_or_made(project, payloads, text):
    project.write(".llxprt/settings.json", text)
    engine = project.engine("llxprt")
    outcome = engine.fire("BeforeTool", **CALL)

    assert not project.has("ran")
    assert (outcome.attempts, outcome.decision, outcome.blocked, outcome.success) == ((), "none", False, True)
    assert {one.why for one in outcome.skipped} <= {"disabled"}
    assert (payloads, engine.runner) == ([], None)


@pytest.mark.req("HOOK-011")
def test_an_event_without_hooks_starts_nothing_and_builds_no_payload(project, payloads):
    project.write(".llxprt/settings.json", settings(AfterTool=[group("touch ran")]))
    engine = project.engine("llxprt")
    outcome = engine.fire("BeforeTool", **CALL)

    assert (outcome.attempts, outcome.skipped, outcome.success, outcome.changes) == ((), (), True, {})
    assert (payloads, engine.runner, project.has("ran")) == ([], None, False)


@pytest.mark.req("HOOK-012")
def test_an_event_that_no_hook_matches_starts_nothing_and_builds_no_payload(project, payloads):
    project.write(".llxprt/settings.json", settings(BeforeTool=[group("touch ran", matcher="^read_file$")]))
    engine = project.engine("llxprt")
    outcome = engine.fire("BeforeTool", **CALL)

    assert (outcome.attempts, [one.why for one in outcome.skipped]) == ((), ["matcher"])
    assert (payloads, engine.runner, project.has("ran")) == ([], None, False)


@pytest.mark.req("HOOK-011", "HOOK-012")
def test_the_spy_sees_the_payload_of_a_hook_that_runs(project, payloads):
    fire(project, "BeforeTool", "true")

    assert len(payloads) == 1


AUDITED = """
import sys
from tenterhook import Engine

engine = Engine(dialect="llxprt", trust="all", home="home")
engine.fire("BeforeTool", tool_name="write_file")
events = []
sys.addaudithook(lambda event, args: events.append(event) if event != "builtins.id" else None)
outcome = engine.fire("BeforeTool", tool_name="write_file")
quiet = not events
print(quiet, events, "asyncio" in sys.modules, len(outcome.attempts))
"""


@pytest.mark.req("HOOK-013")
@pytest.mark.parametrize("text", [OFF[0], settings(BeforeTool=[group("true", matcher="^no$")]), settings()])
def test_asking_whether_hooks_are_relevant_touches_no_file_and_no_event_loop(project, text):
    """Python's own audit events: open, listdir, spawn and the like would be among them."""
    project.write(".llxprt/settings.json", text)
    done = run([sys.executable, "-c", AUDITED], cwd=project.root, capture_output=True, text=True, check=True)

    assert done.stdout == "True [] False 0\n"


@pytest.mark.req("HOOK-206")
def test_no_file_is_read_before_the_first_event(project):
    engine = project.engine("llxprt")
    project.write(".llxprt/settings.json", settings(BeforeTool=[group("touch ran")]))
    engine.fire("BeforeTool", **CALL)

    assert project.has("ran")


# The files


@pytest.mark.req("HOOK-080", "HOOK-081")
def test_all_eleven_events_are_accepted_under_the_hooks_key(project):
    project.write(".llxprt/settings.json", settings(**{event: [group(f"echo {event} >> ran")] for event in DATA}))
    engine = project.engine("llxprt")
    for event, data in DATA.items():
        engine.fire(event, **data)

    assert project.read("ran").split() == list(DATA)
    assert engine.warnings == ()


@pytest.mark.req("HOOK-080")
def test_an_event_holds_several_groups_and_a_group_several_hooks(project):
    groups = [group("echo 1 >> ran", "echo 2 >> ran", sequential=True), group("echo 3 >> ran")]
    project.write(".llxprt/settings.json", settings(BeforeTool=groups))
    project.fire("llxprt", "BeforeTool", CALL)

    assert project.read("ran").split() == ["1", "2", "3"]


@pytest.mark.req("HOOK-082")
@pytest.mark.parametrize("broken", [{"matcher": "x"}, {"hooks": {"type": "command", "command": "touch no"}}])
def test_a_group_needs_a_list_of_hooks(project, broken):
    project.write(".llxprt/settings.json", settings(BeforeTool=[broken, group("touch ran")]))
    outcome = project.fire("llxprt", "BeforeTool", CALL)

    assert (project.has("ran"), project.has("no")) == (True, False)
    assert ["settings.json:" in warning and "hooks" in warning for warning in outcome.warnings] == [True]


@pytest.mark.req("HOOK-083", "HOOK-191")
@pytest.mark.parametrize(
    ("entry", "word"),
    [
        ({"type": "command"}, "command"),
        ({"type": "command", "command": ""}, "command"),
        ({"command": "touch no"}, "type"),
        ({"type": "http", "command": "touch no"}, "http"),
        ({"type": "Command", "command": "touch no"}, "Command"),
    ],
)
def test_an_entry_without_a_known_type_or_a_command_is_discarded_with_a_warning(project, entry, word):
    outcome = fire(project, "BeforeTool", entry, "touch ran")

    assert (project.has("ran"), project.has("no"), len(outcome.attempts)) == (True, False, 1)
    assert [word in warning and "settings.json:" in warning for warning in outcome.warnings] == [True]
    assert outcome.success is True


@pytest.mark.req("HOOK-083", "HOOK-120")
def test_timeouts_are_milliseconds_and_sixty_thousand_by_default(project):
    entries = [{"type": "command", "command": "a", "timeout": 1500}, {"type": "command", "command": "b"}]
    project.write(".llxprt/settings.json", settings(BeforeTool=[group(*entries)]))

    assert [hook.timeout for hook in project.engine("llxprt").hooks()] == [1.5, 60.0]


@pytest.mark.req("HOOK-083", "HOOK-195")
def test_a_plugin_passes_the_check_and_fails_open_when_it_runs(project):
    outcome = fire(project, "BeforeTool", {"type": "plugin", "name": "p", "command": "touch no"}, "touch ran")
    plugin, command = outcome.attempts

    assert (plugin.type, bool(plugin.error), plugin.exit_code, command.error) == ("plugin", True, None, None)
    assert (outcome.blocked, outcome.decision, outcome.success) == (False, "none", False)
    assert (project.has("ran"), project.has("no")) == (True, False)
    assert ["p: failed: " in warning and "'plugin'" in warning for warning in outcome.warnings] == [True]


@pytest.mark.req("HOOK-084", "HOOK-085", "HOOK-086", "HOOK-187")
def test_hooks_of_all_scopes_add_up_project_first_extensions_last(project, tmp_path):
    """The system's file is /etc/llxprt-code/settings.json; here the same dialect reads it from another place."""
    llxprt = dialects.get("llxprt")
    system = tmp_path / "system.json"
    files = tuple(replace(file, path=str(system)) if file.scope == "system" else file for file in llxprt.config.files)
    project.write(".llxprt/extensions/one/hooks/hooks.json", settings(BeforeTool=[group("echo extension >> ran")]))
    system.write_text(settings(BeforeTool=[group("echo system >> ran")]))
    project.home(".llxprt/extensions/two/hooks/hooks.json", settings(BeforeTool=[group("echo users >> ran")]))
    project.home(".llxprt/settings.json", settings(BeforeTool=[group("echo user >> ran")]))
    project.write(".llxprt/settings.json", settings(BeforeTool=[group("echo project >> ran", sequential=True)]))
    project.fire(revise(llxprt, config={"files": files}), "BeforeTool", CALL)

    assert [file.path for file in llxprt.config.files if file.scope == "system"] == ["/etc/llxprt-code/settings.json"]
    assert project.read("ran").split() == ["project", "user", "system", "extension", "users"]


@pytest.mark.req("HOOK-084")
def test_the_users_settings_alone_are_enough(project):
    project.home(".llxprt/settings.json", settings(BeforeTool=[group("echo no >&2; exit 2")]))
    outcome = project.fire("llxprt", "BeforeTool", CALL)

    assert (outcome.blocked, outcome.reason) == (True, "no")


# Matchers and duplicates


@pytest.mark.req("HOOK-021", "HOOK-032", "HOOK-087", "HOOK-162")
@pytest.mark.parametrize("event", ["BeforeTool", "AfterTool"])
@pytest.mark.parametrize(
    ("matcher", "runs"),
    [
        ("write_file", True),
        ("write", True),
        ("^(edit|write)_.*$", True),
        ("read_file|file$", True),
        ("^file", False),
        ("read_file", False),
        ("WRITE_FILE", False),
        ("write_file.", False),
    ],
)
def test_a_matcher_is_a_regular_expression_tested_against_the_tools_name(project, event, matcher, runs):
    outcome = fire(project, event, "touch ran", matcher=matcher)

    assert project.has("ran") is runs
    assert [one.why for one in outcome.skipped] == ([] if runs else ["matcher"])


@pytest.mark.req("HOOK-021")
def test_only_the_hooks_that_match_run(project):
    groups = [group(f"touch {name}", matcher=name) for name in ("read", "write", "edit")]
    project.write(".llxprt/settings.json", settings(BeforeTool=groups))
    outcome = project.fire("llxprt", "BeforeTool", CALL)

    assert [project.has(name) for name in ("read", "write", "edit")] == [False, True, False]
    assert [one.hook for one in outcome.skipped] == ["touch read", "touch edit"]


@pytest.mark.req("HOOK-088")
@pytest.mark.parametrize(
    ("tool", "runs"), [("write[", True), ("write", False), ("write[x", False), ("a write[", False)]
)
def test_a_matcher_that_is_no_regular_expression_is_the_exact_name(project, tool, runs):
    fire(project, "BeforeTool", "touch ran", matcher="write[", data={**CALL, "tool_name": tool})

    assert project.has("ran") is runs


@pytest.mark.req("HOOK-022", "HOOK-089")
@pytest.mark.parametrize("matcher", [None, "", "*"])
@pytest.mark.parametrize("tool", ["write_file", "mcp__github__create", ""])
def test_no_matcher_an_empty_one_or_a_star_matches_every_tool(project, matcher, tool):
    outcome = fire(project, "BeforeTool", "true", matcher=matcher, data={**CALL, "tool_name": tool})

    assert (len(outcome.attempts), outcome.warnings) == (1, ())


@pytest.mark.req("HOOK-041", "HOOK-051", "HOOK-059", "HOOK-163")
@pytest.mark.parametrize("event", MODEL_EVENTS)
def test_model_events_run_every_hook_whatever_its_matcher(project, event):
    project.write(".llxprt/settings.json", settings(**{event: [group("echo x >> ran", matcher="^read_file$")]}))
    engine = project.engine("llxprt")
    engine.fire(event, **DATA[event])
    outcome = engine.fire(event, **DATA[event], tool_name="write_file")

    assert project.read("ran").split() == ["x", "x"]
    assert ["ignored" in warning for warning in outcome.warnings] == [True]


@pytest.mark.req("HOOK-090", "HOOK-091")
def test_the_same_command_runs_once_whatever_else_differs(project):
    entry = {"type": "command", "command": "echo x >> ran"}
    groups = [group({**entry, "timeout": 5000}, matcher="write"), group({**entry, "name": "again"}), group(entry)]
    project.write(".llxprt/settings.json", settings(BeforeTool=groups))
    outcome = project.fire("llxprt", "BeforeTool", CALL)

    assert project.read("ran") == "x\n"
    assert [one.why for one in outcome.skipped] == ["duplicate", "duplicate"]


@pytest.mark.req("HOOK-090", "HOOK-091", "HOOK-086")
def test_of_the_same_command_the_one_of_the_highest_priority_source_stays(project):
    same = settings(BeforeTool=[group("echo x >> ran")])
    project.write(".llxprt/extensions/one/hooks/hooks.json", same)
    project.home(".llxprt/settings.json", same)
    mine = project.write(".llxprt/settings.json", same)
    outcome = project.fire("llxprt", "BeforeTool", CALL)

    assert project.read("ran") == "x\n"
    assert [attempt.source.rpartition(":")[0] for attempt in outcome.attempts] == [str(mine)]
    assert [one.why for one in outcome.skipped] == ["duplicate", "duplicate"]


@pytest.mark.req("HOOK-091", "HOOK-090")
def test_duplicates_are_looked_for_after_matching(project):
    """The first of the two does not match, so the second is no duplicate."""
    groups = [group("echo x >> ran", matcher="read"), group("echo x >> ran", matcher="write")]
    project.write(".llxprt/settings.json", settings(BeforeTool=groups))
    outcome = project.fire("llxprt", "BeforeTool", CALL)

    assert project.read("ran") == "x\n"
    assert [one.why for one in outcome.skipped] == ["matcher"]


@pytest.mark.req("HOOK-091")
def test_the_same_command_runs_for_each_event(project):
    same = [group("echo x >> ran")]
    project.write(".llxprt/settings.json", settings(BeforeTool=same, AfterTool=same))
    engine = project.engine("llxprt")
    engine.fire("BeforeTool", **CALL)
    engine.fire("AfterTool", **DATA["AfterTool"])

    assert project.read("ran").split() == ["x", "x"]
