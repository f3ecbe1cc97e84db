"""The rules that keep the design true: dialects are data, the core is pure and nameless, the hot path is light."""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, TypeGuard

import msgspec
import pytest

import tenterhook
from tenterhook import Engine, dialects, handlers
from tenterhook.author.start import RUN_HOOK
from tenterhook.cli.main import COMMANDS, main
from tenterhook.dialects.schema.dialect import (
    AnswerField,
    ConfigRules,
    Dialect,
    EventRule,
    Exit,
    File,
    Form,
    PayloadRules,
    PlanningRules,
    ReadingRules,
    Setup,
    ToolName,
    Type,
    Wrapper,
    revise,
)
from tenterhook.dialects.schema.vocabulary import CAUSES, check
from tenterhook.engine.runner import Runner
from tenterhook.errors import DialectError
from tenterhook.types import Attempt, Hook, Job, Source

SOURCE = Path(tenterhook.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))
FILES = sorted(path.stem for path in (SOURCE / "dialects").glob("*.py") if path.stem != "__init__")
# Those with an underscore are parts of others, those with a version are older ones of the same agent.
NAMES = [name for name in FILES if name in dialects.names()]
OLDER = [f"{name}@{version}" for name in NAMES for version in dialects.versions(name)[1:]]
CORE = [path for path in MODULES if path.parent.name != "dialects"]
PURE = [path for name in ("pipeline", "dialects/schema") for path in sorted((SOURCE / name).rglob("*.py"))]
LONGEST_FILE, LONGEST_FUNCTION = 500, 60

SYNTAX = {path: ast.parse(path.read_text()) for path in MODULES}


def short(path: Path) -> str:
    return str(path.relative_to(SOURCE))


def dotted(path: Path) -> str:
    return ".".join(("tenterhook", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__")


# ---- rooms, and imports that point one way

# From the bottom up: a package imports what stands before it here. docs/architecture.md says what each is for.
ORDER = (
    *("support", "dialects", "pipeline", "author", "runtime", "clients", "handlers", "trust", "config", "journal"),
    *("engine", "hosts", "adapters", "library", "testing", "tools", "agent", "cli"),
)
# The exceptions. `python -m tenterhook` is the command; an engine's methods `tool`, `model` and `session` are doors to
# the hosts, which are imported when one is called; the answer forms of another package's dialect are made when needed.
UPWARDS = {
    ("tenterhook.author.callers", "tenterhook.engine.make_forms"),
    ("tenterhook.__main__", "tenterhook.cli.main"),
    ("tenterhook.engine.host", "tenterhook.hosts.tool"),
    ("tenterhook.engine.host", "tenterhook.hosts.client"),
    ("tenterhook.engine.host", "tenterhook.hosts.model"),
    ("tenterhook.engine.host", "tenterhook.hosts.session"),
}
ROOT_MODULES = {"__init__", "__main__", "errors", "types", "version"}
MOST_ENTRIES = 24
DATA_FOLDERS = {"dialects", "dialects/recorded/claude", "dialects/recorded/codex"}


def rank(module: str) -> int:
    """How high a module stands: the root's own are below every package."""
    package = module.split(".")[1] if "." in module else ""
    return ORDER.index(package) if package in ORDER else -1


def imports(path: Path) -> Iterator[str]:
    """Every module of ours that one imports, in functions too, but not for type checkers alone."""
    tree = SYNTAX[path]
    for_types = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for one in node.body
        for inner in ast.walk(one)
    }
    for node in ast.walk(tree):
        if id(node) in for_types:
            continue
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names if one.name.partition(".")[0] == "tenterhook")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "tenterhook":
            for one in node.names:
                whole = f"{node.module}.{one.name}"
                public = tenterhook.HOMES.get(one.name) if node.module == "tenterhook" else None
                yield f"tenterhook.{public}" if public else whole if whole in DOTTED else str(node.module)


DOTTED = {dotted(path) for path in MODULES}


@pytest.mark.parametrize("path", MODULES, ids=short)
def test_a_module_imports_only_what_stands_below_it(path: Path) -> None:
    here = dotted(path)

    assert not {name for name in imports(path) if rank(name) > rank(here) and (here, name) not in UPWARDS}


def test_every_exception_to_the_order_is_needed() -> None:
    found = {(dotted(path), name) for path in MODULES for name in imports(path)}

    assert found >= UPWARDS
    assert len(UPWARDS) <= 6


def test_the_root_holds_five_modules_and_the_packages_of_the_order() -> None:
    assert {path.stem for path in SOURCE.glob("*.py")} == ROOT_MODULES
    assert {path.parent.name for path in SOURCE.glob("*/__init__.py")} == set(ORDER)


def test_no_folder_holds_more_than_a_reader_takes_in_at_a_glance() -> None:
    folders = {path.parent for path in SOURCE.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    sizes = {short(one): len([path for path in one.iterdir() if path.name != "__pycache__"]) for one in folders}

    lists = (*DATA_FOLDERS, "cli/commands")  # a file per command, by its name
    assert not {name: size for name, size in sizes.items() if size > MOST_ENTRIES and name not in lists}


# ---- dialects are data

CODE = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.If, ast.IfExp, ast.For, ast.AsyncFor),
    *(ast.While, ast.Try, ast.TryStar, ast.With, ast.AsyncWith, ast.Match, ast.Global, ast.Delete, ast.Raise),
)


@pytest.mark.parametrize("name", FILES)
def test_a_dialect_file_holds_data_only(name: str) -> None:
    """No def, class, lambda, if or loop; a comprehension over another dialect's events is fine."""
    found = [node for node in ast.walk(SYNTAX[SOURCE / "dialects" / f"{name}.py"]) if isinstance(node, CODE)]

    assert not [f"line {node.lineno}: {type(node).__name__}" for node in found]


@pytest.mark.parametrize("name", [*NAMES, *OLDER])
def test_every_dialect_passes_its_self_check_and_bears_its_files_name(name: str) -> None:
    dialect = dialects.get(name)

    assert name == dialect.name
    assert not list(check(dialect))


def changed_event(**fields: Any) -> dict[str, Any]:
    return {"events": (revise(EventRule(name="E", kind="tool.before", about=""), **fields),)}


def changed_exit(**fields: Any) -> dict[str, Any]:
    row = Exit(means="fine")
    return {"reading": {"exits": {0: row, "other": row, 5: revise(Exit(means="odd"), **fields)}}}


def changed_answer(**fields: Any) -> dict[str, Any]:
    return {"reading": {"answers": (revise(AnswerField(path="p", effect="reason"), **fields),)}}


def changed_setup(**fields: Any) -> dict[str, Any]:
    good = {"folder": "hooks", "files": ("small.json",), "command": "{path}", "wrappers": ()}
    file = File(path="small.json", scope="project", format="json")
    return {"config": {"files": (file,)}, "setup": Setup(**{**good, **fields})}


WRONG: list[dict[str, Any]] = [
    {"planning": {"matcher": "globb"}},
    {"remarks": {"cautions": {"weather": "rain"}}},
    {"planning": {"order": "random"}},
    {"config": {"layers": "subtract"}},
    {"config": {"unit": "minutes"}},
    {"failures": {"mode": "lenient"}},
    {"planning": {"chain_ends": ("allow",)}},
    {"failures": {"by_cause": {"tiredness": "deny"}}},
    {"failures": {"by_cause": {"timeout": "shrug"}}},
    {"failures": {"by_handler": {"command": "shrug"}}},
    {"messages": {"audience": {"gossip": "user"}}},
    {"messages": {"audience": {"reason": "everybody"}}},
    {"payload": {"env": {"X": "weather"}}},
    {"config": {"untyped": "nobody"}},
    {"reading": {"exits": {0: Exit(means="only zero")}}},
    {"reading": {"exits": {"other": Exit(means="only others")}}},
    {"events": (EventRule(name="E", kind="k", about=""), EventRule(name="E", kind="k", about=""))},
    {"config": {"files": (File(path="x", scope="user", format="ini"),)}},
    {"config": {"form": Form(keys={"cmd": "commando"})}},
    {"config": {"form": Form(group_keys={"cmd": "commando"})}},
    {"config": {"types": (Type(name="t", handler="command", key="c", form="poem"),)}},
    changed_exit(decision="shrug"),
    changed_exit(text={"decision": "shrug"}),
    changed_exit(text={"source": "stdin"}),
    changed_exit(text={"becomes": "gossip"}),
    changed_answer(effect="explode"),
    changed_answer(kind="gossip"),
    changed_answer(value={"kinds": {"x": "gossip"}}),
    changed_answer(events=("NoSuchEvent",)),
    changed_answer(words={"no": "shrug"}),
    changed_event(text={"becomes": "gossip"}),
    changed_event(text={"silence": "shrug"}),
    changed_event(deny={"to": "everybody"}),
    changed_event(deny={"kind": "gossip"}),
    changed_event(text={"audience": {"gossip": "user"}}),
    changed_event(text={"audience": {"reason": "everybody"}}),
    changed_event(merging={"reasons": "loudest"}),
    changed_event(merging={"changes": {"weather": "replace"}}),
    changed_event(merging={"changes": {"input": "blend"}}),
    changed_event(firing={"output": "poem"}),
    {"messages": {"marks": {"gossip": "{text}"}}},
    {"tools": {"names": {"Teleport": ToolName("teleport")}}},
    {"tools": {"mcp_tool": "mcp.{server}"}},
    {"tools": {"mcp_tool": "mcp.{server}.{tol}"}},
    changed_event(merging={"chain": {"weather": "tool_input"}}),
    changed_setup(folder=""),
    changed_setup(folder="/etc"),
    changed_setup(folder="../elsewhere"),
    changed_setup(files=()),
    changed_setup(files=("other.json",)),
    changed_setup(command="./wrapper"),
    changed_setup(list_key="handlers"),
    changed_setup(wrappers=(Wrapper("stop.sh", "teleport"),)),
    changed_setup(wrappers=(Wrapper("stop.sh", "stop", "NoSuchEvent"),)),
    changed_setup(wrappers=(Wrapper("hooks/stop.sh", "stop"),)),
    changed_setup(wrappers=(Wrapper("stop.sh", "stop", "E", 5, "Bash"),)),
    changed_setup(wrappers=(Wrapper("stop.sh", "stop"), Wrapper("stop.sh", "stop"))),
]


def smallest() -> Dialect:
    """What has no default, and nothing else."""
    row = Exit(means="fine")
    return Dialect(
        name="small",
        title="Small",
        about="",
        events=(EventRule(name="E", kind="tool.before", about=""),),
        payload=PayloadRules(base=(), env={}),
        reading=ReadingRules(exits={0: row, "other": row}, answers=()),
        config=ConfigRules(files=(), form=Form(), types=()),
        planning=PlanningRules(matcher="glob", timeout=1.0, order="parallel"),
    )


def test_the_smallest_dialect_is_good() -> None:
    assert dialects.check_words(smallest()).name == "small"
    assert dialects.check_words(revise(smallest(), **changed_setup())).setup


@pytest.mark.parametrize("fields", WRONG, ids=str)
def test_a_word_that_no_module_knows_is_refused_when_an_engine_gets_the_dialect(fields: dict[str, Any]) -> None:
    with pytest.raises(DialectError, match="dialect 'small'"):
        Engine(dialect=revise(smallest(), **fields), files=False)


def test_a_revised_record_keeps_everything_but_what_is_named() -> None:
    made = revise(smallest(), version="2", planning={"timeout": 5.0}, reading={"section": {"name": "own"}})

    assert (made.version, made.planning.timeout, made.planning.order) == ("2", 5.0, "parallel")
    assert (made.reading.section.name, made.reading.exits) == ("own", smallest().reading.exits)
    with pytest.raises(TypeError, match="tempo"):
        revise(smallest(), planning={"tempo": 1})


def test_every_kind_of_event_has_a_sentence() -> None:
    from tenterhook.dialects.schema import kinds

    assert {rule.kind for rule in RULES} == set(kinds.KINDS)


# ---- the core is nameless


def docstrings(tree: ast.AST) -> set[int]:
    """The constants that are docstrings, by identity."""
    holders = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    first = (node.body[0] for node in ast.walk(tree) if isinstance(node, holders) and node.body)
    return {id(one.value) for one in first if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)}


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Every string in a module but its docstrings, with its line."""
    tree = SYNTAX[path]
    skip = docstrings(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skip:
            yield node.lineno, node.value


def whole_words(words: set[str]) -> re.Pattern[str]:
    return re.compile(r"(?<![\w.-])(?:" + "|".join(map(re.escape, sorted(words))) + r")(?![\w-]|\.\w)")


AGENTS = {name for name in NAMES if name != "tenterhook"}
RULES = [rule for name in NAMES for rule in dialects.get(name).events]
# Some agents call an event by an everyday word: that tells nothing of who means what by it.
EVERYDAY = {rule.name for rule in RULES if rule.name.isalpha() and rule.name.islower()}
EVENTS = {rule.name for rule in RULES} - EVERYDAY | {rule.kind for rule in RULES}


OUR_KINDS = {rule.kind for rule in RULES}


# Hosts of every dialect, and those that are one agent's own API: there the names are the point.
OUR_HOSTS = (SOURCE / "hosts", SOURCE / "hosts" / "gate")
OWN_APIS = [path for path in CORE if path.is_relative_to(SOURCE / "hosts") and path.parent not in OUR_HOSTS]
# An adapter for the SDK of one agent, which speaks that agent's dialect.
OWN_SDKS = {SOURCE / "adapters" / "claude_agent_sdk.py": "claude"}
OWN_APIS += OWN_SDKS
# What acts at moments, in an agent or for one.
FORMS = ("engine/make_forms.py", "engine/form_candidates.py")
ACTING = tuple(SOURCE / name for name in ("adapters", "agent", "author", "clients/workspace", "library", *FORMS))
HOSTS = [path for path in CORE if path.parent in OUR_HOSTS or any(path.is_relative_to(one) for one in ACTING)]
COMMAND_LINE = [path for path in CORE if path.parent in (SOURCE / "cli", SOURCE / "cli/commands")]
# Where agents keep what hooks must not write is named as their folders are.
PLACES = SOURCE / "runtime" / "sandbox" / "places.py"
# The table of our own kinds, and the generated one of agents' names for them.
KINDS = SOURCE / "dialects" / "schema" / "kinds.py"
NAMES_OF_KINDS = SOURCE / "author" / "kinds.py"
HOSTS = [path for path in HOSTS if path not in {NAMES_OF_KINDS, *OWN_SDKS}]
NAMELESS = [
    path
    for path in CORE
    if path not in {*OWN_APIS, *HOSTS, *COMMAND_LINE, SOURCE / "__init__.py", PLACES, KINDS, NAMES_OF_KINDS}
]


@pytest.mark.parametrize("path", NAMELESS, ids=short)
def test_no_dialects_and_no_events_name_stands_in_the_core(path: Path) -> None:
    """Behaviour that differs is a named strategy; an `if dialect` or `if event` would need the name."""
    named = whole_words(AGENTS | EVENTS)

    assert not [f"line {line}: {text!r}" for line, text in texts(path) if named.search(text)]


@pytest.mark.parametrize("path", HOSTS, ids=short)
def test_hosts_know_moments_by_our_own_kinds_only(path: Path) -> None:
    """They fire events, so they name them; which dialect that is, and what it calls them, is not for them to know."""
    named = whole_words((AGENTS | EVENTS) - OUR_KINDS)

    assert not [f"line {line}: {text!r}" for line, text in texts(path) if named.search(text)]


@pytest.mark.parametrize("path", OWN_APIS, ids=short)
def test_an_agents_own_api_speaks_that_agents_words_and_no_others(path: Path) -> None:
    own = dialects.get(OWN_SDKS.get(path) or path.parent.name)
    words = {own.name, *(word for rule in own.events for word in (rule.name, rule.kind))}
    named = whole_words((AGENTS | EVENTS) - OUR_KINDS - words)

    assert not [f"line {line}: {text!r}" for line, text in texts(path) if named.search(text)]


@pytest.mark.parametrize("path", COMMAND_LINE, ids=short)
def test_in_the_commands_names_stand_in_help_only(path: Path) -> None:
    """A help text and an example are sentences; a name alone would be something that the program looks at."""
    alone = AGENTS | EVENTS

    assert not [f"line {line}: {text!r}" for line, text in texts(path) if text in alone]


def test_the_name_of_our_own_dialect_stands_where_it_is_the_default_and_nowhere_else() -> None:
    """That is in dialects/__init__.py. It is the package's name too, so only the string alone counts."""
    places = {short(path) for path in CORE for _, text in texts(path) if text == "tenterhook"}

    assert not [name for name in places if not name.startswith(("cli/", "tools/check/", "tools/describe/"))]


# ---- pure modules stay pure

BLOCKED = ("subprocess", "socket", "asyncio", "threading", "_posixsubprocess", "_socket", "multiprocessing")
BLOCKER = """
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked!r}:
            raise ImportError(f"{{name}} is blocked")

for name in {blocked!r}:
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Blocker())
import {module}
"""


def python(*words: str, **options: Any) -> subprocess.CompletedProcess[str]:
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "TENTERHOOK"))}
    options.setdefault("input", "")
    return subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, env=environ, timeout=60, check=False, **options
    )


@pytest.mark.parametrize("path", [*PURE, SOURCE / "types.py", SOURCE / "errors.py"], ids=short)
def test_a_pure_module_needs_no_process_no_socket_no_loop_and_no_thread(path: Path) -> None:
    done = python("-c", BLOCKER.format(blocked=BLOCKED, module=dotted(path)))

    assert done.returncode == 0, done.stderr


# What a pure module could do I/O with, or wait.
WORLD = {
    *("os", "io", "time", "subprocess", "socket", "select", "selectors", "signal", "shutil", "tempfile", "pathlib"),
    *("glob", "fcntl", "mmap", "ctypes", "http", "urllib", "ssl", "asyncio", "threading", "multiprocessing", "logging"),
    *("open", "input", "print", "exec", "eval"),
}
# What pure modules use of it all the same.
USED = {
    ("pipeline/environment.py", "os._Environ"): "a class: its variables are read without decoding each one",
    ("pipeline/environment.py", "os.fsdecode"): "turns bytes into text",
    ("pipeline/environment.py", "os.fsencode"): "turns text into bytes",
    (
        "pipeline/match.py",
        "threading.Lock",
    ): "warnings are switched off for the whole process while a regex is compiled",
    ("pipeline/payload_fields.py", "os.getpid"): "a field of the payload; the kernel is asked for nothing else",
    ("pipeline/payload_fields.py", "time.time_ns"): "the time of an event that says none",
}


def world_used(tree: ast.AST) -> Iterator[str]:
    """What a module takes from WORLD: `os.getpid`, or `open`."""
    modules: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = {one.name: (one.asname or one.name).partition(".")[0] for one in node.names}
            modules |= {alias for name, alias in names.items() if name.partition(".")[0] in WORLD}
        elif isinstance(node, ast.ImportFrom) and str(node.module).partition(".")[0] in WORLD:
            yield from (f"{node.module}.{one.name}" for one in node.names)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            yield f"{node.value.id}.{node.attr}"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in WORLD:
            yield node.func.id


def test_pipeline_is_pure() -> None:
    """All modules of the folder; what they use of the world is listed, each with its reason."""
    found = {(short(path), name) for path in PURE for name in world_used(SYNTAX[path])}

    assert found == set(USED)


@pytest.mark.parametrize("code", ["import os\nos.stat(x)", "from time import sleep", "open(x)", "import io as i\ni.a"])
def test_what_a_module_uses_of_the_world_is_found(code: str) -> None:
    assert list(world_used(ast.parse(code)))


FLOW = """
import sys
from tenterhook import Engine
from tenterhook.engine.simulate import Did, simulate
from tenterhook.types import Hook, Source

simulate("tenterhook", "tool.before", [Did(), Did(exit_code=2, stderr="no")])  # imports what is imported late
engine = Engine({project!r}, files=False, supervisor="fork", home={project!r}, environ={{}})
rule = engine.rule("tool.before")
spec = {{"command": "true", "main": "true", "form": "shell"}}
engine.put(Hook(name="h", event=rule.name, handler="command", spec=spec, source=Source("x"), timeout=9.0))
compiled = engine.hookset.event(rule.name)
event, plan, _ = engine.plan_event(compiled, {{"tool_name": "Bash", "tool_input": {{"command": "ls"}}}})
engine.running()
flow, seen, watching = engine.flow(compiled, event, plan), [], True
sys.addaudithook(lambda name, arguments: seen.append(name) if watching else None)
batch = next(flow)
watching = False
jobs = engine.prepare(batch)
attempts = engine.runner.together(jobs)
watching = True
try:
    flow.send(attempts)
except StopIteration as finished:
    watching = False
    print(finished.value[1].attempts[0].exit_code, seen)
engine.close()
"""


def test_the_flow_of_an_event_touches_nothing_but_its_data(tmp_path: Path) -> None:
    """Python tells an audit hook of each file, folder, process, socket and thread; a process was confined and run."""
    done = python("-c", FLOW.format(project=str(tmp_path)))

    assert (done.stdout, done.returncode) == ("0 []\n", 0), done.stderr[-2000:]
    assert (tmp_path / ".local/state/tenterhook").is_dir()


def test_the_blocker_really_blocks() -> None:
    done = python("-c", BLOCKER.format(blocked=BLOCKED, module="tenterhook.runtime.process"))

    assert "is blocked" in done.stderr


# ---- the hot path is light

HEAVY = (
    *("argparse", "asyncio", "dataclasses", "subprocess", "logging", "inspect", "pathlib", "json", "tomllib", "yaml"),
    *("difflib", "importlib.metadata", "shlex", "typing_extensions", "pydantic", "socket", "select", "selectors"),
    *("bisect", "importlib", "threading"),
)
# What an event needs only when a hook runs, when it is several of a dialect's events, or in a dialect that is not ours.
LATE = {
    f"tenterhook.{name}"
    for name in (
        "engine.flow",
        "pipeline.verdict",
        "pipeline.merge",
        "pipeline.plan_joint",
        "dialects.schema.vocabulary",
    )
}


def imported(*words: str, beyond: str = "pass", **options: Any) -> tuple[set[str], subprocess.CompletedProcess[str]]:
    """What a fresh interpreter imports for these words, beyond what it imports for a statement."""
    done = python("-X", "importtime", *words, **options)
    idle = python("-X", "importtime", "-c", beyond)
    return names(done.stderr) - names(idle.stderr), done


def names(importtime: str) -> set[str]:
    lines = (line.rpartition("|")[2].strip() for line in importtime.splitlines() if line.startswith("import time:"))
    return set(lines)


def test_importing_the_package_loads_nothing_but_the_package() -> None:
    loaded, _ = imported("-c", "import tenterhook")

    assert not {name for name in loaded if name.partition(".")[0] in ("msgspec", *HEAVY)}
    assert {"tenterhook"} == {name for name in loaded if name.startswith("tenterhook")}


CONFIGS: dict[str, tuple[str, str]] = {
    "wave": (".wave/settings.json", '{"hooks": {"PreToolUse": [{"matcher": "Other", "hooks": [{"command": "x"}]}]}}'),
    "llxprt": (
        ".llxprt/settings.json",
        '{"enableHooks": true, "hooks": {"BeforeTool": ['
        '{"matcher": "Other", "hooks": [{"type": "command", "command": "x"}]}]}}',
    ),
    "tenterhook": ("tenterhook.toml", '[[hook]]\non = "tool.before"\nmatch = "Other"\ncommand = "x"\n'),
    "massgen": ("massgen.yaml", "hooks:\n  PreToolUse:\n    - handler: ./x\n      matcher: Other\n"),
}
# Readers bring along what they need themselves; msgspec brings typing_extensions and inspect where the former is there.
BEYOND = {".toml": "import msgspec, tomllib", ".yaml": "import msgspec, yaml"}


@pytest.mark.parametrize(("dialect", "written"), [*((n, False) for n in NAMES), *((n, True) for n in CONFIGS)])
def test_firing_an_event_that_no_hook_matches_loads_nothing_heavy(dialect: str, written: bool, tmp_path: Path) -> None:
    """The bare interpreter takes 13 ms; argparse, asyncio, dataclasses or json would each be felt."""
    file, text = CONFIGS[dialect] if written else ("", "")
    if file:
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(text)
    command = ("-m", "tenterhook.cli.main", "fire", "tool.before", "--dialect", dialect, "--trust")
    given = '{"tool_name": "Bash", "tool_input": {"command": "ls"}}'
    beyond = BEYOND.get(Path(file).suffix, "import msgspec")
    loaded, done = imported(*command, beyond=beyond, cwd=tmp_path, input=given)

    assert done.returncode == 0, done.stderr[-2000:]
    skipped = msgspec.json.decode(done.stdout)["skipped"]
    assert (["matcher"] if written else []) == [one["why"] for one in skipped]
    assert "tenterhook.engine.engine" in loaded
    assert not loaded.intersection(HEAVY)
    several = len(dialects.get(dialect).rules("tool.before")) > 1
    assert loaded & LATE == ({"tenterhook.pipeline.plan_joint"} if several else set())


HOOK = """
from tenterhook import hook

@hook("tool.before", match="shell")
def guard(event):
    return hook.deny("no") if "rm" in event.command else None

hook.main()
"""


CALLED = '{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "rm x"}}'
NAMED = [("--agent", name, "--event", dialects.get(name).rule("tool.before").name) for name in [*NAMES, *OLDER]]  # type: ignore[union-attr]
# Standard modules that a bare interpreter does not bring along already.
LIGHT = {"__future__", "gc", "_json"}


@pytest.mark.parametrize("words", [(), *NAMED], ids=["known by its payload", *NAMES, *OLDER])
@pytest.mark.parametrize("run", [False, True], ids=["hook.main", "run_hook.py"])
def test_a_hook_of_an_author_loads_nothing_that_is_heavy(run: bool, words: tuple[str, ...], tmp_path: Path) -> None:
    """Such a process may not take longer than one that imports json; an engine would take four times as long."""
    (tmp_path / "guard.py").write_text(HOOK)
    command = (RUN_HOOK, str(tmp_path / "guard.py")) if run else (str(tmp_path / "guard.py"),)
    loaded, done = imported(*command, *words, beyond="pass", input=CALLED)

    assert done.returncode in (0, 2)
    assert "deny" in done.stdout or done.returncode == 2
    ours = {name for name in loaded if name.startswith("tenterhook.") and not name.startswith("tenterhook.author")}
    support = {f"tenterhook.support{name}" for name in ("", ".light_json", ".off_switch", ".tool_names")}
    assert ours <= {"tenterhook.errors", *support}
    assert {name for name in loaded if not name.startswith("tenterhook")} <= LIGHT
    assert not {name for name in loaded if name.endswith((".canary", ".options", ".declarations"))}


# ---- what a reader and a user may rely on


def test_public_names_are_sorted_and_what_dir_shows_and_all_can_be_had() -> None:
    assert sorted(tenterhook.__all__) == dir(tenterhook)
    assert set(tenterhook.__all__) == set(tenterhook.HOMES)
    assert all(getattr(tenterhook, name) is not None for name in tenterhook.__all__)
    with pytest.raises(AttributeError, match="no attribute 'fire'"):
        _ = tenterhook.fire  # type: ignore[attr-defined]


@pytest.mark.parametrize("path", MODULES, ids=short)
def test_every_module_says_what_it_is_and_stays_short(path: Path) -> None:
    tree, lines = SYNTAX[path], len(path.read_text().splitlines())

    assert ast.get_docstring(tree)
    assert lines <= LONGEST_FILE
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    sizes = {node.name: (node.end_lineno or 0) - node.lineno + 1 for node in functions}
    assert not {name: size for name, size in sizes.items() if size > LONGEST_FUNCTION}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0

    shown = capsys.readouterr().out
    assert "usage: tenter " + command in shown
    assert re.search(rf"example:\n.*tenter {command}", shown, re.DOTALL)
    assert "exit codes" in shown or "--json" in shown


def test_help_of_the_whole_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0

    shown = capsys.readouterr().out
    assert all(f"  {name} " in shown for name in COMMANDS)


# ---- words of the field

# Past participles that do not end in -ed.
IRREGULAR = {
    *("begun", "bound", "broken", "brought", "built", "cast", "caught", "chosen", "done", "drawn", "driven", "fallen"),
    *(
        "fed",
        "forgotten",
        "found",
        "frozen",
        "given",
        "gone",
        "heard",
        "held",
        "hidden",
        "kept",
        "known",
        "laid",
        "led",
    ),
    *("led", "left", "lost", "made", "meant", "met", "paid", "proven", "said", "seen", "sent", "shown", "shut", "sold"),
    *("spent", "split", "spoken", "spread", "stood", "taken", "thought", "thrown", "told", "written"),
}
# These end in -ed and are verbs.
VERBS = {"exceed", "feed", "need", "proceed", "seed", "speed"}
# What is left of both. A change may lower these numbers, never raise them.
PARTICIPLES, SHARED_CLASSES = 59, 1


def is_participle(name: str) -> bool:
    word = name.strip("_")
    return word in IRREGULAR or (len(word) > 3 and word.isalpha() and word.endswith("ed") and word not in VERBS)


def is_property(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """A property says what something is, so an adjective is its right name."""
    return any(isinstance(one, ast.Name) and one.id.endswith("property") for one in function.decorator_list)


def test_functions_are_named_by_what_they_do_or_return() -> None:
    """A call `told(x)` says nothing to its reader, and no search finds it."""
    functions = [
        (short(path), node.name)
        for path, tree in SYNTAX.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not is_property(node)
    ]
    found = [one for one in functions if is_participle(one[1])]

    assert len(found) <= PARTICIPLES, found
    assert len(found) <= 0.03 * len(functions)


def test_a_name_of_a_class_means_one_thing() -> None:
    """The APIs of agents aside, whose names are theirs."""
    homes: dict[str, set[Path]] = {}
    for path, tree in SYNTAX.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and path not in OWN_APIS:
                homes.setdefault(node.name, set()).add(path)

    assert len([name for name, paths in homes.items() if len(paths) > 1]) <= SHARED_CLASSES


# ---- handlers

HANDLERS = sorted(path.stem for path in (SOURCE / "handlers").glob("*.py") if path.stem != "__init__")


@pytest.mark.parametrize("name", HANDLERS)
def test_a_handler_keeps_the_contract(name: str) -> None:
    """Its traits, and `run`, or `program` and `attempt`; what else it gives is callable too."""
    handler = handlers.get(name)

    assert isinstance(handler, ModuleType)
    assert handler.TRAITS.about
    assert set(handler.TRAITS.failures) <= CAUSES
    child = callable(getattr(handler, "program", None)) and callable(getattr(handler, "attempt", None))
    assert child or callable(getattr(handler, "run", None))
    optional = [getattr(handler, extra) for extra in ("arun", "inline", "awaits") if hasattr(handler, extra)]
    assert all(map(callable, optional))


def test_the_documentation_has_every_handler() -> None:
    """But the one for files that cannot be read, which no entry asks for."""
    table = (SOURCE.parents[1] / "docs/write/handlers.md").read_text().partition("| Type |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)

    assert sorted(rows) == [name for name in HANDLERS if name != "unread"]


def names_handler(node: ast.AST) -> bool:
    """`hook.handler`, `entry["handler"]` or `entry.get("handler")`."""
    if isinstance(node, ast.Attribute):
        return node.attr == "handler"
    key = node.slice if isinstance(node, ast.Subscript) else node.args[0] if is_get(node) else None
    return isinstance(key, ast.Constant) and key.value == "handler"


def is_get(node: ast.AST) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "get" and bool(node.args)


def table_in(node: ast.AST) -> list[Any]:
    """The texts of a tuple, list or set, or the keys of a dictionary; empty where something else is in it."""
    held = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", [])
    return [getattr(one, "value", None) if isinstance(one, ast.Constant) else None for one in held]


def knows_a_handler(node: ast.AST) -> bool:
    """A comparison with a handler's name, a table of handlers, or a look into one; two hooks may be compared."""
    if isinstance(node, ast.Compare):
        sides = (node.left, *node.comparators)
        return any(map(names_handler, sides)) and not all(map(names_handler, sides))
    if isinstance(node, ast.Tuple | ast.List | ast.Set | ast.Dict):
        return len(held := table_in(node)) > 1 and set(held) <= set(HANDLERS)
    if isinstance(node, ast.Subscript) or is_get(node):
        owner, key = (node.value, node.slice) if isinstance(node, ast.Subscript) else (node.func.value, node.args[0])  # type: ignore[attr-defined]
        return isinstance(owner, ast.Name) and owner.id.isupper() and names_handler(key)
    return False


@pytest.mark.parametrize("path", [path for path in CORE if path.parent.name != "handlers"], ids=short)
def test_no_other_module_knows_a_handler_by_its_name(path: Path) -> None:
    """What differs between types of hooks is a trait, which the handler's own module says."""
    assert not [f"line {node.lineno}" for node in ast.walk(SYNTAX[path]) if knows_a_handler(node)]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "code",
    ["hook.handler == 'x'", "x.handler in (a, 'x')", "e.get('handler') != 'x'", "('http', 'script')", "X[h.handler]"],
)
def test_a_module_that_knows_a_handler_is_found(code: str) -> None:
    assert any(map(knows_a_handler, ast.walk(ast.parse(code))))


LAZY = ("asyncio", "socket", "select", "ssl", "tenterhook.clients", "tenterhook.runtime")


def test_traits_of_all_handlers_are_read_without_what_running_a_hook_needs() -> None:
    """Config readers ask for them; `tenter fire` must not start slower because a file holds a hook of some type."""
    code = f"from tenterhook.handlers import traits\nprint([traits(name).about for name in {HANDLERS}])"
    loaded, done = imported("-c", code, beyond="import msgspec")

    assert done.returncode == 0, done.stderr[-2000:]
    assert not {name for name in loaded if name.startswith(LAZY)}


def test_every_handler_that_a_dialect_names_is_there_or_fails_as_a_value() -> None:
    """A type whose handler comes with a later version is an Attempt with an error, never an exception."""
    types = {kind.handler for name in NAMES for kind in dialects.get(name).config.types}

    attempts = {name: Runner().together([job(name)])[0] for name in types - set(HANDLERS)}
    assert all(attempt.error == "spawn" for attempt in attempts.values())
    assert {"command", "python", "script"} <= types & set(HANDLERS)


@pytest.mark.parametrize("name", ["", "no such", "../command", "__init__", "os"])
def test_a_name_that_is_no_handler_finds_none(name: str) -> None:
    found = handlers.get(name)

    assert found is None or not hasattr(found, "run")


def job(handler: str) -> Job:
    engine = Engine(files=False, environ={}, home="/", journal=False)
    rule = engine.rule("tool.before")
    hook = Hook(name="h", event=rule.name, handler=handler, spec={"main": "x", "form": "shell"}, source=Source("test"))
    engine.put(hook)
    compiled = engine.hookset.event(rule.name)
    event, plan, _ = engine.plan_event(compiled, {})
    return engine.prepare(next(engine.flow(compiled, event, plan)))[0]


def only_run(given: Job) -> Attempt:
    return Attempt(given.hook.name, given.hook.handler, "", exit_code=0, stdout="ran")


@pytest.mark.parametrize("number", [1, 2])
def test_a_handler_that_gives_only_run_works(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The contract in handlers/__init__.py asks for nothing more."""
    monkeypatch.setattr(handlers, "get", lambda name: SimpleNamespace(run=only_run))

    assert ["ran"] * number == [attempt.stdout for attempt in Runner().together([job("new")] * number)]


def test_every_module_can_be_imported() -> None:
    """The adapters import SDKs that are not installed here; `scripts/adapters.py` runs each in its own."""
    folders = [Path(__file__).parent / "adapters" / name for name in ("drivers", "own")]
    adapters = {path.name for folder in folders for path in folder.glob("*.py")} - {"__init__.py"}
    sdks = {SOURCE / "adapters" / name for name in adapters}

    assert len(sdks) == len(adapters) > 0
    assert all(import_module(dotted(path)) for path in MODULES if path not in sdks)
