"""Whatever a config looks like: init and undo give the same bytes, and the user's own hooks are the same throughout."""

import json
import tempfile
from pathlib import Path
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tenterhook import dialects
from tenterhook.dialects.schema.dialect import Dialect
from tenterhook.engine.hookset import HookSet
from tenterhook.engine.options import EngineOptions
from tenterhook.support import readers
from tenterhook.tools.install.editing.edit import Addition, apply_additions, canonical, with_addition
from tenterhook.tools.install.editing.writing import commit
from tenterhook.tools.install.init.additions import command_of
from tenterhook.tools.install.init.install import install, setup_of
from tenterhook.tools.install.init.undo import undo

from .conftest import snapshot

WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=6)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**40), 2**40)
    | WORDS
    | st.sampled_from(["{", "]", '"', "//", "/*", "\\"])
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3), max_leaves=8
)
SOME = settings(max_examples=60, deadline=None)


def ours(dialect: Dialect) -> set[str]:
    return {command_of(setup_of(dialect), wrapper) for wrapper in setup_of(dialect).wrappers}


def users_hooks(dialect: Dialect, root: str) -> list[tuple[Any, ...]]:
    hooks = HookSet(EngineOptions(root, dialect=dialect, trust="all", home=f"{root}/home")).hooks()
    return [
        (hook.event, hook.name, hook.spec, hook.matcher, hook.timeout, hook.agent, hook.source.scope)
        for hook in hooks
        if hook.spec["main"] not in ours(dialect)
    ]


def there_and_back(name: str, file: str, text: str | bytes) -> None:
    """Init and undo in a project with that one config file."""
    dialect = dialects.get(name)
    with tempfile.TemporaryDirectory() as root:
        path = Path(root, file)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        before, mine = snapshot(Path(root)), users_hooks(dialect, root)
        hooks = HookSet(EngineOptions(root, dialect=dialect, trust="all", home=f"{root}/home"))
        job = install(hooks, place="/opt/it's/tenter")
        commit(job.changes, job.folders)
        found = HookSet(EngineOptions(root, dialect=dialect, trust="all", home=f"{root}/home"))
        wanted = {(one.event, command_of(setup_of(dialect), one)) for one in setup_of(dialect).wrappers if one.event}
        between = snapshot(Path(root))

        assert {(hook.event, hook.spec["main"]) for hook in found.hooks()} >= wanted
        assert users_hooks(dialect, root) == mine
        assert not install(hooks, place="/opt/it's/tenter").changes
        assert snapshot(Path(root)) == between
        back = undo(hooks)
        assert back
        commit(back.changes, unwanted=back.unwanted)
        assert snapshot(Path(root)) == before
        assert users_hooks(dialect, root) == mine


def groups(draw: st.DrawFn, events: list[str]) -> dict[str, Any]:
    hook = st.fixed_dictionaries({"type": st.just("command"), "command": st.just("true") | WORDS.filter(bool)})
    group = st.fixed_dictionaries({"hooks": st.lists(hook, max_size=2)}, optional={"matcher": WORDS})
    return draw(st.dictionaries(st.sampled_from(events), st.lists(group, max_size=2)))


@st.composite
def settings_files(draw: st.DrawFn, events: list[str], gaps: list[str]) -> bytes:
    """JSON whose tokens have any blanks, and comments if they may, between them."""
    data = draw(st.dictionaries(WORDS.filter(lambda key: key != "hooks"), VALUES, max_size=3))
    if draw(st.booleans()):
        at = draw(st.integers(0, len(data)))
        items = list(data.items())
        data = dict([*items[:at], ("hooks", groups(draw, events)), *items[at:]])
    layout = draw(st.sampled_from(["free", None, 1, 2, 4, "\t"]))
    if layout == "free":
        text = "".join(token + draw(st.sampled_from(gaps)) for token in ["", *tokens(data)])
    else:
        text = json.dumps(data, indent=layout, ensure_ascii=draw(st.booleans()))
    text += draw(st.sampled_from(["", "\n", "\n\n"]))
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    return (b"\xef\xbb\xbf" if draw(st.booleans()) else b"") + text.encode()


def tokens(value: Any) -> list[str]:
    if isinstance(value, dict):
        inner = [[json.dumps(key), ":", *tokens(one)] for key, one in value.items()]
        return ["{", *joined(inner), "}"]
    if isinstance(value, list):
        return ["[", *joined([tokens(one) for one in value]), "]"]
    return [json.dumps(value, ensure_ascii=False)]


def joined(parts: list[list[str]]) -> list[str]:
    return [token for n, part in enumerate(parts) for token in ([","] if n else []) + part]


BLANKS = ["", "", " ", "\t", "\n", "\n    "]
COMMENTS = [*BLANKS, "/**/", ' /* " { // */ ', '// end } "\n', "\n  // [\n"]
CLAUDE = ["SessionStart", "PreToolUse", "Stop", "PreCompact", "PostToolUse"]


@SOME
@given(settings_files(CLAUDE, BLANKS))
def test_json(text: bytes) -> None:
    there_and_back("moai", ".claude/settings.json", text)


@SOME
@given(settings_files(["BeforeTool", "AfterTool", "AfterAgent", "PreCompress"], COMMENTS))
def test_json_with_comments(text: bytes) -> None:
    there_and_back("llxprt", ".llxprt/settings.json", text)


HANDLER = "[[hooks.{event}.handlers]]\nmatcher = 'a|b' # {n}\ncommand = \"true {n}\"\n"
ENTRY = '[[hook]]\non = ["turn.stop", "{event}"]\ncommand = """\ntrue {n}"""\n'
REST = [
    "# é: {n}\n",
    "\n",
    "[t{n}]\nx = [1, # one\n  2]\n\n[t{n}.u]\ny = 1979-05-27\n",
    "[[l{n}]]\n",
    "['q.{n}']\nz = nan\n",
]


@st.composite
def tables(draw: st.DrawFn, entry: str, events: list[str]) -> str:
    parts = draw(st.lists(st.sampled_from([*REST, entry, entry]), max_size=6))
    head = draw(st.sampled_from(["", "# top\n", "a = 1\nb.c = '''\n[[hook]]'''\n"]))
    text = head + "".join(part.format(n=n, event=draw(st.sampled_from(events))) for n, part in enumerate(parts))
    text = text.removesuffix("\n") if draw(st.booleans()) else text
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


@SOME
@given(tables(HANDLER, CLAUDE))
def test_toml(text: str) -> None:
    there_and_back("amcp", ".amcp/hooks.toml", text)


@SOME
@given(tables(ENTRY, ["tool.before", "notify"]))
def test_toml_whose_entries_name_their_events(text: str) -> None:
    there_and_back("tenterhook", "tenterhook.toml", text)


@st.composite
def documents(draw: st.DrawFn) -> str:
    """YAML as a dumper writes it, in block style, with comments between its lines where they change nothing."""
    data = draw(st.dictionaries(WORDS.filter(lambda key: key != "hooks"), VALUES, max_size=3))
    hook = st.fixed_dictionaries({"handler": st.just("a.b")}, optional={"matcher": WORDS, "timeout": st.just(3)})
    listed = st.lists(hook, min_size=1, max_size=2)
    event = listed | st.fixed_dictionaries({"hooks": listed, "override": st.booleans()})
    hooks = draw(st.dictionaries(st.sampled_from(["PreToolUse", "PostToolUse"]), event))
    parts = [data, {"hooks": hooks}] if hooks else [data]
    dumped = [
        yaml.safe_dump(
            part,
            indent=draw(st.integers(2, 5)),
            allow_unicode=draw(st.booleans()),
            default_flow_style=False,
            sort_keys=False,
        )
        for part in draw(st.permutations(parts))
        if part
    ]
    comment = st.sampled_from(["", "# hooks: é\n", "\n", "  # in\n"])
    text = "".join(draw(comment) + part for part in dumped) + draw(comment)
    text = draw(st.sampled_from(["", "---\n", "# top\n"])) + text
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


@SOME
@given(documents())
def test_yaml(text: str) -> None:
    there_and_back("massgen", "massgen.yaml", text)


def theirs_stay(name: str, file: str, text: bytes, theirs: Addition) -> None:
    """Somebody adds to the config between init and undo: what is left is the original and that."""
    dialect = dialects.get(name)
    format = next(one.format for one in dialect.config.files if one.path == file)
    with tempfile.TemporaryDirectory() as root:
        path = Path(root, file)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text)
        original = readers.parse(text, file, format).data
        hooks = HookSet(EngineOptions(root, dialect=dialect, trust="all", home=f"{root}/home"))
        job = install(hooks, place="")
        commit(job.changes, job.folders)
        changed, _ = apply_additions(path.read_bytes(), file, format, [theirs])
        path.write_bytes(changed)
        back = undo(hooks)
        assert back
        commit(back.changes, unwanted=back.unwanted)

        assert back.by_hand == []
        left = readers.parse(path.read_bytes(), file, format).data
        assert canonical(left) == canonical(with_addition(original, theirs))


GROUP = {"hooks": [{"type": "command", "command": "theirs"}]}
THEIRS = [
    Addition(("theirs",), 1, item=False),
    *(Addition(("hooks", event), GROUP) for event in ("Stop", "SessionEnd")),
]


@SOME
@given(settings_files(CLAUDE, BLANKS), st.sampled_from(THEIRS))
def test_json_that_somebody_adds_to(text: bytes, theirs: Addition) -> None:
    theirs_stay("moai", ".claude/settings.json", text, theirs)


@SOME
@given(tables(HANDLER, CLAUDE), st.sampled_from(["Stop", "SessionEnd"]))
def test_toml_that_somebody_adds_to(text: str, event: str) -> None:
    theirs = Addition(("hooks", event, "handlers"), {"command": "theirs"})
    theirs_stay("amcp", ".amcp/hooks.toml", text.encode(), theirs)
