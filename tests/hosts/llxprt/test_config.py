"""The config of LLxprt Code's own API: the one switch, and where hooks come from."""

import asyncio
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from conftest import Project
from processes import in_a_host
from requirements.llxprt import group, says, settings
from tenterhook import UsageError
from tenterhook.hosts.llxprt import (
    Config,
    ConfigSource,
    HookRunner,
    HookSystem,
    fire_before_model_hook,
    fire_before_tool_hook,
    get_hook_system,
)

from .conftest import Make


def before_tool(config: Config) -> Any:
    return asyncio.run(fire_before_tool_hook(config, "write_file", {}))


@pytest.mark.req("HOOK-001")
def test_the_system_is_made_on_the_first_question_and_is_the_same_ever_after(make: Make) -> None:
    config = make()

    assert config.system is None
    found = config.get_hook_system()
    assert isinstance(found, HookSystem)
    assert found is config.get_hook_system() is get_hook_system(config)


@pytest.mark.req("HOOK-001", "HOOK-003")
def test_threads_that_ask_at_once_get_one_system(make: Make) -> None:
    config = make()
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda _: config.get_hook_system(), range(64)))

    assert len(set(map(id, found))) == 1


@pytest.mark.req("HOOK-002")
def test_hooks_are_off_unless_the_host_says_otherwise(project: Project) -> None:
    config = Config(project.root)

    assert config.get_enable_hooks() is False
    assert config.get_hook_system() is None
    assert get_hook_system(config) is None


@pytest.mark.req("HOOK-002")
def test_what_get_enable_hooks_says_counts(project: Project) -> None:
    class Switched(Config):
        def get_enable_hooks(self) -> bool:
            return False

    assert Switched(project.root, enable_hooks=True).get_hook_system() is None


WATCHED = """
import gc
from tenterhook.hosts import llxprt
from tenterhook.hosts.llxprt import *

PARTS = HookSystem, HookRegistry, HookPlanner, HookRunner, HookAggregator, HookEventHandler
def at_once(coroutine):
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value
    raise AssertionError("it was suspended")
def events(config):
    request = {"model": "m", "contents": "hi"}
    yield at_once(fire_before_tool_hook(config, "t", {}))
    yield at_once(fire_after_tool_hook(config, "t", {}, {}))
    yield at_once(fire_before_model_hook(config, request))
    yield at_once(fire_after_model_hook(config, request, "it"))
    yield at_once(fire_before_tool_selection_hook(config, request))
def watched(function):
    seen, looking = [], [True]
    sys.addaudithook(lambda event, args: looking and seen.append(event))
    result = function()
    looking.clear()
    IO = ("open", "os.", "subprocess.", "socket.", "import", "_thread.", "shutil.", "glob.")
    return result, [one for one in seen if one.startswith(IO)]
def alive():
    gc.collect()
    return [type(one).__name__ for one in gc.get_objects() if isinstance(one, PARTS)]
"""


@pytest.mark.req("HOOK-002", "HOOK-010", "HOOK-013")
def test_while_hooks_are_off_nothing_is_made_read_started_or_waited_for(project: Project) -> None:
    project.write(".llxprt/settings.json", settings(BeforeTool=[group("touch ran")]))

    said = in_a_host(f"""{WATCHED}
config = Config({str(project.root)!r})
system, seen = watched(config.get_hook_system)
results, more = watched(lambda: list(events(config)))
print(system, seen, more, alive(), threading.active_count())
print(results[0], results[1], results[2].blocked, results[3].response, results[4].tool_config)
""")

    assert said == "None [] [] [] 1\nNone None False it None\n"
    assert not project.has("ran")


@pytest.mark.req("HOOK-001", "HOOK-206")
def test_with_hooks_on_no_file_is_read_before_the_first_event(project: Project) -> None:
    project.write(".llxprt/settings.json", settings(BeforeTool=[group("touch ran")]))

    said = in_a_host(
        f"""{WATCHED}
config = Config({str(project.root)!r}, enable_hooks=True, home={str(project.home_folder)!r})
system, seen = watched(config.get_hook_system)
print(seen, system.get_status().initialized, system.engine.hookset.loaded, system.engine.hookset.registry.all())
_, seen = watched(lambda: list(asyncio.run(fire_before_tool_hook(config, "t", {{}})) or ()))
print("open" in seen, system.get_status().initialized)
""".replace("import gc", "import asyncio, gc, tenterhook.dialects.schema.vocabulary")
    )

    assert said == "[] False None []\nTrue True\n"
    assert project.has("ran")


@pytest.mark.req("HOOK-011", "HOOK-012", "HOOK-013")
@pytest.mark.parametrize(
    "hooks",
    [{}, {"AfterAgent": [group("touch ran")]}, {"BeforeTool": [group("touch ran", matcher="^other$")]}],
    ids=str,
)
def test_where_no_hook_fits_nothing_is_started_and_nothing_waited_for(project: Project, hooks: dict[str, Any]) -> None:
    said = in_a_host(f"""{WATCHED}
config = Config({str(project.root)!r}, enable_hooks=True, hooks={hooks!r})
config.get_hook_system().initialize()
at_once(fire_before_tool_hook(config, "t", {{}}))
results, seen = watched(lambda: list(events(config)))
print(seen, results[0], results[2].blocked, config.get_hook_system().engine.runner)
""")

    assert said == "[] None False None\n"
    assert not project.has("ran")


class Watched(Mapping[str, Any]):
    """A request that counts who looks at it."""

    def __init__(self) -> None:
        self.looks = 0

    def __getitem__(self, key: str) -> Any:
        self.looks += 1
        return {"model": "m", "contents": "hi"}[key]

    def __iter__(self) -> Iterator[str]:
        self.looks += 1
        return iter(("model", "contents"))

    def __len__(self) -> int:
        return 2


@pytest.mark.req("HOOK-011")
@pytest.mark.parametrize("event", ["BeforeTool", "BeforeModel"])
def test_a_payload_is_made_only_for_an_event_that_has_hooks(make: Make, event: str) -> None:
    request = Watched()

    asyncio.run(fire_before_model_hook(make(**{event: ["true"]}), request))

    assert bool(request.looks) == (event == "BeforeModel")


# Where hooks come from


@pytest.mark.req("HOOK-080", "HOOK-084")
def test_hooks_come_from_the_files_of_the_project_and_the_user(project: Project, make: Make) -> None:
    project.logs("one", "two")
    project.write(".llxprt/settings.json", settings(BeforeTool=[group("./one", sequential=True)]))
    project.home(".llxprt/settings.json", settings(BeforeTool=[group("./two")]))

    before_tool(make())

    assert project.read("order").split() == ["one", "two"]


@pytest.mark.parametrize("switch", [False, "absent"])
def test_the_config_is_the_switch_and_files_are_not(project: Project, make: Make, switch: object) -> None:
    """A host reads the setting where it wants to, and gives it to the config; a repository cannot switch guards off."""
    text = settings(switch=switch, BeforeTool=[group("exit 2")]).replace('"enableHooks": "absent",', "")
    project.write(".llxprt/settings.json", text)

    assert before_tool(make()).is_blocking_decision()


def test_hooks_given_to_the_config_stand_in_place_of_the_files(project: Project, make: Make) -> None:
    project.write(".llxprt/settings.json", settings(BeforeTool=[group("touch file")]))
    config = make(BeforeTool=["touch given"])

    before_tool(config)

    assert (project.has("given"), project.has("file")) == (True, False)
    assert config.get_hooks() == {"BeforeTool": [group("touch given")]}


@pytest.mark.req("HOOK-084", "HOOK-085", "HOOK-086", "HOOK-187")
def test_hooks_of_settings_are_the_project_s_and_those_of_extensions_come_after_them(
    project: Project, make: Make
) -> None:
    entry = {"type": "command", "name": "b", "command": "exit 1", "timeout": 5000}
    project.write(".llxprt/extensions/x/hooks/hooks.json", settings(BeforeTool=[group("extension")]))
    project.home(".llxprt/settings.json", settings(BeforeTool=[group("user")], AfterTool=[group("after")]))
    project.write(".llxprt/settings.json", settings(BeforeTool=[group("a", entry, matcher="w", sequential=True)]))
    config = make()
    system = config.get_hook_system()
    assert system is not None
    system.initialize()

    found = system.get_registry().get_hooks_for_event("BeforeTool")

    assert [(one.name, one.source) for one in found] == [
        *((name, ConfigSource.PROJECT) for name in ("a", "b", "user")),
        ("extension", ConfigSource.EXTENSIONS),
    ]
    assert ConfigSource.PROJECT < ConfigSource.USER < ConfigSource.SYSTEM < ConfigSource.EXTENSIONS
    assert (found[1].config, found[1].event_name, found[1].matcher, found[1].sequential, found[1].enabled) == (
        *(entry, "BeforeTool", "w", True, True),
    )
    (result,) = asyncio.run(HookRunner(system.engine).execute_hooks_parallel([found[1]], "BeforeTool", {}))
    assert result.exit_code == 1

    def written(*names: Any) -> list[Any]:
        return [
            one if isinstance(one, dict) else {"type": "command", "command": one, "timeout": 60_000} for one in names
        ]

    assert (
        config.get_hooks()
        == make(enable_hooks=False).get_hooks()
        == {
            "BeforeTool": [
                {"matcher": "w", "sequential": True, "hooks": written("a", entry)},
                {"hooks": written("user")},
            ],
            "AfterTool": [{"hooks": written("after")}],
        }
    )
    assert make(trust="ask").get_hooks()["BeforeTool"] == [{"hooks": written("user")}]


def test_what_a_host_s_own_get_hooks_gives_stands_in_place_of_the_files(project: Project) -> None:
    project.write(".llxprt/settings.json", settings(BeforeTool=[group("touch file")]))

    class Own(Config):
        def get_hooks(self) -> dict[str, Any]:
            return {"BeforeTool": [group("touch own")]}

    with Own(project.root, enable_hooks=True) as config:
        before_tool(config)

    assert (project.has("own"), project.has("file")) == (True, False)


# What differs from a plain environment


@pytest.mark.req("HOOK-155", "HOOK-188")
@pytest.mark.parametrize(("secrets", "seen"), [("", "plain,"), ("strip", "plain,"), ("pass", "plain,hidden")])
def test_a_hook_inherits_the_environment_but_for_secrets_unless_the_host_passes_them(
    project: Project, make: Make, secrets: str, seen: str
) -> None:
    environ = project.environ(SOME_SETTING="plain", SOME_API_KEY="hidden")

    before_tool(make(BeforeTool=['echo "$SOME_SETTING,$SOME_API_KEY" > seen'], secrets=secrets, environ=environ))

    assert project.read("seen").strip() == seen


def test_a_config_takes_a_journal_and_a_sandbox_and_is_closed(project: Project, make: Make) -> None:
    kept = project.home_folder / "kept"
    with make(BeforeTool=["exit 2"], journal=kept, sandbox="off") as config:
        assert before_tool(config).is_blocking_decision()
        assert config.system is not None
        assert config.system.engine.hookset.settings.sandbox == "off"

    assert config.system.engine.runner is None
    lines = [line for file in kept.rglob("*.jsonl") for line in file.read_text().splitlines()]
    assert any("BeforeTool" in line for line in lines)
    assert before_tool(config).is_blocking_decision()
    Config(project.root).close()
    with make(BeforeTool=["exit 2"], journal=False) as unkept:
        before_tool(unkept)
        assert unkept.system is not None
        assert unkept.system.engine.journal is None


def test_a_host_may_leave_the_project_s_own_files_aside(
    project: Project, make: Make, caplog: pytest.LogCaptureFixture
) -> None:
    project.write(".llxprt/settings.json", settings(BeforeTool=[group("touch project")]))
    project.home(".llxprt/settings.json", settings(BeforeTool=[group("touch user")]))

    before_tool(make(trust="ask"))

    assert (project.has("project"), project.has("user")) == (False, True)
    assert "not trusted and do not run: 1;" in caplog.text


@pytest.mark.req("HOOK-191")
@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ({"type": "command"}, "needs 'command'"),
        ({"type": "comand", "command": "touch ran"}, "no type 'comand' (did you mean 'command'?)"),
    ],
)
def test_a_wrong_entry_is_left_out_with_a_warning_and_the_rest_works(
    project: Project, make: Make, caplog: pytest.LogCaptureFixture, entry: Any, problem: str
) -> None:
    output = before_tool(make(BeforeTool=[entry, says({"decision": "deny", "reason": "no"})]))

    assert output.reason == "no"
    assert not project.has("ran")
    assert problem in caplog.text
    assert {record.levelname for record in caplog.records if record.name == "tenterhook.llxprt"} == {"WARNING"}


def test_a_broken_file_is_in_the_log_and_the_others_count(
    project: Project, make: Make, caplog: pytest.LogCaptureFixture
) -> None:
    project.write(".llxprt/settings.json", "{")
    project.home(".llxprt/settings.json", settings(BeforeTool=[group("exit 2")]))

    assert before_tool(make()).is_blocking_decision()
    assert ".llxprt/settings.json:1" in caplog.text


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"project": "no such folder", "enable_hooks": True}, "is not a folder"),
        ({"hooks": []}, "must be a mapping"),
        ({"trust": "al"}, "did you mean 'all'"),
        ({"secrets": "sprit"}, "did you mean 'strip'"),
        ({"sandbox": "of"}, "did you mean 'off'"),
    ],
    ids=str,
)
def test_a_wrong_config_is_heard_of_at_once(options: dict[str, Any], what: str) -> None:
    with pytest.raises(UsageError, match=what):
        Config(**options)


def test_a_session_has_the_id_that_it_was_given_or_one_of_its_own(project: Project) -> None:
    one, other = Config(project.root), Config(project.root)

    assert Config(project.root, session_id="s-1").get_session_id() == "s-1"
    assert one.get_session_id() == one.get_session_id() != other.get_session_id()
    assert one.get_working_dir() == str(project.root)


@pytest.mark.parametrize(
    ("text", "on"), [('{"enableHooks": true}', True), ('{"enableHooks": false}', False), ("{}", False)]
)
def test_a_host_may_leave_the_switch_to_the_settings(project: Project, text: str, on: bool) -> None:
    project.write(".llxprt/settings.json", text)

    config = Config(project.root, enable_hooks=None, home=project.home_folder)

    assert (config.get_hook_system() is not None) is on
