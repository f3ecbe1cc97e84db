"""An approval covers what a hook's files load: modules, sourced files, scripts they run, and what would shadow them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from trust.conftest import Trusting
from trust.test_functions import bytecode

CALL = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
GUARD = "\nimport sys\nprint(helper.REASON, file=sys.stderr)\nsys.exit(2)\n"
ALONE = "class helper: REASON = 'as approved'"
REASON = "REASON = 'as approved'\n"
EVIL = "import os; open('pwned', 'w').close()\nREASON = 'other'\n"
REFUSES = 'echo "as approved" >&2; exit 2\n'
EVIL_SHELL = 'touch "$CLAUDE_PROJECT_DIR"/pwned; exit 0\n'
MOVES = (
    "import sys, pathlib\nHERE = pathlib.Path(__file__).resolve()\nsys.path.insert(0, str(HERE.parents[1] / 'lib'))\n"
)
LATE = "def late():\n    import helper\n    return helper\nhelper = late()"
EXECUTES = "class helper: pass\nexec(open('hooks/inner.py').read())\nhelper.REASON = REASON"
TRIES = "try:\n    import helper\nexcept ImportError:\n    class helper: REASON = 'as approved'"
RUNS = "import runpy, os\nhelper = type('', (), runpy.run_path(os.path.join(os.path.dirname(__file__), 'inner.py')))"

# What the script hooks/g.py begins with, the files beside it, and the one that is changed or comes to be.
PYTHON: dict[str, tuple[str, dict[str, str], str]] = {
    "a module beside the script": ("import helper", {"hooks/helper.py": REASON}, "hooks/helper.py"),
    "a module of a module": (
        "import helper", {"hooks/helper.py": "from two import REASON\n", "hooks/two.py": REASON}, "hooks/two.py",
    ),
    "a package's __init__": (
        "import a.helper as helper", {"hooks/a/__init__.py": "", "hooks/a/helper.py": REASON}, "hooks/a/__init__.py",
    ),
    "a relative import": (
        "from a import helper", {"hooks/a/helper.py": "from .in_it import *\n", "hooks/a/in_it.py": REASON},
        "hooks/a/in_it.py",
    ),
    "an import in a function": (LATE, {"hooks/helper.py": REASON}, "hooks/helper.py"),
    "importlib with a name": (
        "import importlib\nhelper = importlib.import_module('helper')", {"hooks/helper.py": REASON}, "hooks/helper.py",
    ),
    "a folder put into sys.path": (f"{MOVES}import helper", {"lib/helper.py": REASON}, "lib/helper.py"),
    "a text that is executed": (EXECUTES, {"hooks/inner.py": REASON}, "hooks/inner.py"),
    "a file that is run": (RUNS, {"hooks/inner.py": REASON}, "hooks/inner.py"),
    "a shadow of the standard library": (f"import json\n{ALONE}", {}, "hooks/json.py"),
    "a shadow of what the standard library imports": (f"import argparse\n{ALONE}", {}, "hooks/gettext.py"),
    "a module that was not there": (TRIES, {}, "hooks/helper.py"),
    "a package that comes before a module": ("import helper", {"hooks/helper.py": REASON}, "hooks/helper/__init__.py"),
    "a loader under another name": (
        "from importlib import import_module as load\nhelper = load('helper')", {"hooks/helper.py": REASON},
        "hooks/helper.py",
    ),
    "a package that __all__ names": (
        "from a import *\nhelper = m", {"hooks/a/__init__.py": "__all__ = ['m']\n", "hooks/a/m/__init__.py": REASON},
        "hooks/a/m/__init__.py",
    ),
    "a relative name of another package": (
        "import importlib\nhelper = importlib.import_module('.m', package='a')",
        {"hooks/a/__init__.py": "", "hooks/a/m.py": REASON}, "hooks/a/m.py",
    ),
    "__import__ with a list": (
        "helper = __import__('a', fromlist=['m']).m", {"hooks/a/__init__.py": "", "hooks/a/m.py": REASON},
        "hooks/a/m.py",
    ),
    "a specification by a name": (
        "import importlib.util as util\nspec = util.find_spec('helper')\nhelper = util.module_from_spec(spec)\n"
        "spec.loader.exec_module(helper)", {"hooks/helper.py": REASON}, "hooks/helper.py",
    ),
    "an import in a text": ("exec('helper = __import__(\"helper\")')", {"hooks/helper.py": REASON}, "hooks/helper.py"),
    "a compiled text": (
        "class helper: pass\ncode = compile(open('hooks/inner.py').read(), 'x', 'exec')\nexec(code)\n"
        "helper.REASON = REASON", {"hooks/inner.py": REASON}, "hooks/inner.py",
    ),
    "a .pth in a folder of packages": (
        f"import site\nsite.addsitedir('lib')\n{ALONE}", {"lib/x.txt": ""}, "lib/x.pth",
    ),
    "a folder that is run": (
        "import runpy\nhelper = type('', (), runpy.run_path('hooks/a'))",
        {"hooks/a/__main__.py": "from inner import REASON\n", "hooks/a/inner.py": REASON}, "hooks/a/inner.py",
    ),
    "the __init__ of a folder that had none": (
        "import a.helper as helper", {"hooks/a/helper.py": REASON}, "hooks/a/__init__.py",
    ),
}  # fmt: skip
SHELL: dict[str, tuple[str, str, str]] = {
    "a file that is sourced": ("guard.sh", ". hooks/inner.sh", "hooks/inner.sh"),
    "by the project's variable": ("guard.sh", '. "$CLAUDE_PROJECT_DIR/hooks/inner.sh"', "hooks/inner.sh"),
    "by the script's folder": ("hooks/guard.sh", 'sh "$(dirname "$0")/inner.sh"', "hooks/inner.sh"),
    "by a folder in a variable": (
        "hooks/guard.sh", 'HERE=$(cd "$(dirname "$0")" && pwd)\nexec "$HERE"/inner.sh', "hooks/inner.sh",
    ),
    "a script that is run": ("guard.sh", "./hooks/inner.sh", "hooks/inner.sh"),
    "behind a wrapper": ("guard.sh", "timeout 20 sh hooks/inner.sh", "hooks/inner.sh"),
    "in another folder": ("guard.sh", "cd hooks && sh ./inner.sh", "hooks/inner.sh"),
    "in a function": ("guard.sh", "check() { sh hooks/inner.sh; }\ncheck", "hooks/inner.sh"),
    "a pattern": ("guard.sh", 'for one in hooks/*.sh; do . "$PWD/$one"; done', "hooks/another.sh"),
    "by command and builtin": ("guard.sh", "command . hooks/inner.sh", "hooks/inner.sh"),
    "where it is there": ("guard.sh", "[ -f hooks/inner.sh ] && . hooks/inner.sh", "hooks/inner.sh"),
    "one that was not there": ("guard.sh", "[ -f late.sh ] && . ./late.sh\n. hooks/inner.sh", "late.sh"),
    "by find": ("guard.sh", "find . -maxdepth 0 -exec sh hooks/inner.sh ';'\nexit 2", "hooks/inner.sh"),
    "an argument of a text": ("guard.sh", "sh -c 'sh \"$0\"' hooks/inner.sh", "hooks/inner.sh"),
    "a file before the text": (
        "guard.sh", "bash --rcfile hooks/rc.sh -ic true 2> /dev/null\nsh hooks/inner.sh", "hooks/rc.sh",
    ),
    "sourced from a folder of PATH": ("guard.sh", 'PATH="$PWD/hooks:$PATH"\n. inner.sh', "hooks/inner.sh"),
    "a program in a folder of PATH": ("guard.sh", 'PATH="$PWD/hooks:$PATH"\ninner.sh', "hooks/inner.sh"),
}  # fmt: skip


def cases() -> Iterator[object]:
    python = next(name for name in ("python3", "python") if shutil.which(name))
    for name, (start, files, changed) in PYTHON.items():
        files = {"hooks/g.py": start + GUARD, **files}
        yield pytest.param(files, f"{python} hooks/g.py", changed, EVIL, id=f"python: {name}")
    inner = {"hooks/inner.sh": f"#!/bin/sh\n{REFUSES}"}
    for name, (script, line, changed) in SHELL.items():
        files = {script: f"#!/bin/sh\n{line}\n", **inner}
        yield pytest.param(files, f"./{script}", changed, EVIL_SHELL, id=f"shell: {name}")
    files = {"run.sh": f"{python} hooks/g.py\n", "hooks/g.py": "import helper" + GUARD, "hooks/helper.py": REASON}
    yield pytest.param(files, "sh run.sh", "hooks/helper.py", EVIL, id="a module of what a script runs")
    module = {"a/__init__.py": "", "a/__main__.py": "from a import helper" + GUARD, "a/helper.py": REASON}
    yield pytest.param(module, f"{python} -m a", "a/helper.py", EVIL, id="python -m")
    line = f"{python} -c 'import helper, sys; sys.stderr.write(helper.REASON); sys.exit(2)'"
    yield pytest.param({"helper.py": REASON}, line, "helper.py", EVIL, id="python -c")
    yield pytest.param({"helper.py": REASON}, line.replace("-c ", "-uc"), "helper.py", EVIL, id="python -uc, attached")
    module = {"m.py": "import helper" + GUARD, "helper.py": REASON}
    yield pytest.param(module, f"{python} -um m", "helper.py", EVIL, id="python -um")
    yield pytest.param(module, f"{python} -mm", "helper.py", EVIL, id="python -mm")
    scripts = {"run.sh": f"{python} -um m\n", **module}
    yield pytest.param(scripts, "sh run.sh", "helper.py", EVIL, id="python -um in a script")
    scripts = {"run.sh": f"{python} m.py -m json.tool\n", **module}
    yield pytest.param(scripts, "sh run.sh", "helper.py", EVIL, id="a script with an argument -m")
    yield pytest.param(inner, "true && . hooks/inner.sh", "hooks/inner.sh", EVIL_SHELL, id="more than one command")
    starts = {"hooks/g.py": "import subprocess, sys\nsys.exit(subprocess.run(['sh', 'hooks/inner.sh']).returncode)\n"}
    command = f"{python} hooks/g.py"
    yield pytest.param({**starts, **inner}, command, "hooks/inner.sh", EVIL_SHELL, id="a script that Python starts")
    script = {"g.js": "console.error(require('./lib').REASON)\nprocess.exit(2)\n", "lib/index.js": "module.exports = "}
    script["lib/index.js"] = "module.exports = require('./helper')\n"
    script["lib/helper.js"] = "exports.REASON = 'as approved'\n"
    evil = "require('fs').writeFileSync('pwned', '')\n"
    node = pytest.mark.skipif(not shutil.which("node"), reason="there is no node")
    plain = {"g.js": script["g.js"].replace("./lib", "./helper.js"), "helper.js": script["lib/helper.js"]}
    for name, command in {
        "without a suffix": "node g", "a folder": "node .", "--require=": "node --require=./helper.js g.js",
        "a text in a script": "sh run.sh",
    }.items():  # fmt: skip
        more = {"index.js": plain["g.js"], "run.sh": "node -e \"require('./g.js')\"\n"}
        yield pytest.param({**plain, **more}, command, "helper.js", evil, id=f"node: {name}", marks=node)
    module = {"g.mjs": "import { REASON } from './h%65lper.mjs?v=1'\nconsole.error(REASON)\nprocess.exit(2)\n"}
    module["helper.mjs"] = "export const REASON = 'as approved'\n"
    late = "import { writeFileSync } from 'fs'\nwriteFileSync('pwned', '')\nexport const REASON = ''\n"
    yield pytest.param(module, "node g.mjs", "helper.mjs", late, id="node: an address", marks=node)
    for changed in ("lib/helper.js", "lib/helper", "lib.js"):
        yield pytest.param(script, "node g.js", changed, evil, id=f"node: {changed}", marks=node)


def write(trusting: Trusting, files: dict[str, str], command: str) -> None:
    for name, text in files.items():
        trusting.project.write(name, text)
        (trusting.root / name).chmod(0o755)
    entry = {"matcher": "Bash", "hooks": [{"type": "command", "command": command}]}
    trusting.project.write(".claude/settings.json", json.dumps({"hooks": {"PreToolUse": [entry]}}))


def fired(trusting: Trusting) -> tuple[str, str | None]:
    outcome = trusting.fire("PreToolUse", "claude")
    return outcome.decision, outcome.attempts[0].error


@pytest.mark.parametrize(("files", "command", "changed", "text"), list(cases()))
def test_what_a_hook_loads_is_part_of_its_approval(
    trusting: Trusting, files: dict[str, str], command: str, changed: str, text: str
) -> None:
    """For an engine that has read the config already, and for one that reads it afterwards."""
    write(trusting, files, command)
    trusting.approve()
    assert fired(trusting) == ("deny", None)
    with trusting.engine("claude") as engine:
        assert engine.fire("PreToolUse", **CALL).reason == "as approved"
        path = trusting.root / changed
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
        outcome = engine.fire("PreToolUse", **CALL)

    assert (outcome.decision, outcome.attempts[0].error) == ("ask", "modified")
    assert fired(trusting) == ("ask", "modified")
    assert not trusting.project.has("pwned")
    trusting.approve()
    fired(trusting)
    assert trusting.project.has("pwned")


FUNCTION = "from {0} import REASON\ndef check(event):\n    return {{'decision': 'deny', 'reason': REASON}}\n"


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        (FUNCTION.format("policies.helper"), "policies/helper.py"),
        (FUNCTION.format(".helper"), "policies/helper.py"),
        (FUNCTION.format(".helper"), "policies/__init__.py"),
        (FUNCTION.format("policies.helper"), "policies/helper/__init__.py"),
    ],
)
def test_the_second_module_of_a_function_is_part_of_its_approval(trusting: Trusting, text: str, changed: str) -> None:
    """Each event in a process of its own: one that has imported the function keeps it."""
    trusting.project.write("tenterhook.toml", '[[hook]]\non = "tool.before"\nfunction = "policies.guard.check"\n')
    trusting.project.write("policies/guard.py", text)
    trusting.project.write("policies/helper.py", REASON)
    trusting.approve()
    call = json.dumps(CALL)
    assert "as approved" in trusting.tenter("fire", "tool.before", given=call).stdout
    trusting.project.write(changed, EVIL)

    assert '"modified"' in trusting.tenter("fire", "tool.before", given=call).stdout
    assert not trusting.project.has("pwned")
    assert "policies" in trusting.tenter("trust").stdout


def test_bytecode_that_was_put_beside_a_module_does_not_run(trusting: Trusting) -> None:
    """Python takes it for the module's without a look at the text: unchecked, by its hash."""
    write(trusting, {"hooks/g.py": "import helper" + GUARD, "hooks/helper.py": REASON}, f"{sys.executable} hooks/g.py")
    trusting.approve()
    assert fired(trusting) == ("deny", None)
    bytecode(trusting.root / "hooks/helper.py", EVIL)

    assert fired(trusting) == ("deny", None)
    assert not trusting.project.has("pwned")


@pytest.mark.parametrize(
    ("files", "command", "said"),
    [
        ({"g.py": "import importlib, sys\nimportlib.import_module(sys.argv[1])\n"}, "python3 g.py", "g.py:2: imports"),
        ({"g.py": "import os\nload = __import__\nload('x')\n"}, "python3 g.py", "g.py:2: __import__"),
        ({"g.py": "import sys\nsys.path.append(sys.argv[1])\n"}, "python3 g.py", "g.py:2: sys.path"),
        ({"g.py": "exec(input())\n"}, "python3 g.py", "g.py:1: exec of a text that is computed"),
        ({"g.py": "import subprocess, sys\nsubprocess.run(sys.argv[1:])\n"}, "python3 g.py", "g.py:2: starts"),
        ({"g.py": "def broken(:\n"}, "python3 g.py", "g.py: what it loads: it cannot be read as Python"),
        ({"g.py": "import requests\n"}, "python3 g.py", "g.py: installed packages that it imports (requests)"),
        ({"g.sh": '. "$1/x.sh"\n'}, "sh g.sh", "g.sh: .: a path that is computed"),
        ({"g.sh": '"$TOOL" x\n'}, "sh g.sh", "g.sh: runs a command that is computed"),
        ({"g.sh": 'eval "$(cat)"\n'}, "sh g.sh", "g.sh: eval of what is computed"),
        ({"g.sh": "npm test\n"}, "sh g.sh", "g.sh: npm test: what it runs"),
        ({"g.js": "require(process.argv[2])\n"}, "node g.js", "g.js:1: require() of a name that is computed"),
        ({"g.js": "import x from 'lodash'\n"}, "node g.js", "g.js: packages that it imports (lodash)"),
        (
            {"g.py": "import sys\nsys.path.insert(0, 'lib.zip')\nimport x\n", "lib.zip": "PK"},
            "python3 g.py",
            "g.py: lib.zip",
        ),
        ({"g.rb": "require_relative 'x'\n"}, "ruby g.rb", "g.rb: what it loads and starts"),
        ({"g.py": "import builtins\nbuiltins.exec(input())\n"}, "python3 g.py", "g.py:2: exec of a text"),
        ({"g.py": "run = exec\nrun(input())\n"}, "python3 g.py", "g.py:1: exec: what it runs"),
        ({"g.py": "getattr(__builtins__, 'exec')(input())\n"}, "python3 g.py", "g.py:1: getattr of __builtins__"),
        ({"g.py": "import pkgutil\npkgutil.iter_modules(['x'])\n"}, "python3 g.py", "g.py:2: iter_modules"),
        ({"g.py": "import pickle\npickle.load(open('x', 'rb'))\n"}, "python3 g.py", "g.py:2: pickle.load"),
        ({"g.py": "import subprocess\nP = subprocess.Popen\nP(['sh', 'x'])\n"}, "python3 g.py", "g.py:2: Popen"),
        ({"g.py": "import os\nos.spawnlp(os.P_WAIT, 'sh', 'sh', 'x')\n"}, "python3 g.py", "g.py:2: spawnlp"),
        (
            {"g.py": "import subprocess\nc = ['sh']\nc.append('x')\nsubprocess.run(c)\n"},
            "python3 g.py",
            "g.py:4: starts a command that is computed",
        ),
        (
            {"g.py": "import os\nos.environ['PATH'] = 'bin'\n"},
            "python3 g.py",
            "g.py:2: PATH: what it makes programs load",
        ),
        (
            {"g.py": "import os\nos.chdir('lib')\n"},
            "python3 g.py",
            "g.py:2: chdir: what it loads and starts from there",
        ),
        (
            {"g.py": "import sys\np = sys.path\np.append('x')\n"},
            "python3 g.py",
            "g.py:2: sys.path: what is put into it",
        ),
        (
            {"g.py": "import a\n", "a/__init__.py": "__path__.append('x')\n"},
            "python3 g.py",
            "a/__init__.py:1: __path__",
        ),
        ({"g.sh": "run-parts hooks.d\n"}, "sh g.sh", "g.sh: run-parts hooks.d: what it runs"),
        ({"g.sh": "find . -name '*.sh' -exec sh {} ';'\n"}, "sh g.sh", "g.sh: sh: a path that is computed"),
        ({"g.js": "const load = require\nload('./x')\n"}, "node g.js", "g.js:1: require under another name"),
        ({"g.js": "module['require']('./x')\n"}, "node g.js", "g.js:1: require under another name"),
        ({"g.js": "(0, eval)(text)\n"}, "node g.js", "g.js:1: eval: what it runs"),
        ({"g.js": "Function(text)()\n"}, "node g.js", "g.js:1: Function: what it runs"),
        (
            {"g.js": "const { runInThisContext } = require('vm')\n"},
            "node g.js",
            "g.js:1: runInThisContext: what it runs",
        ),
        ({"g.js": "import './\\u0068.js'\n"}, "node g.js", "g.js:1: a name that is written with escapes"),
    ],
)
def test_what_could_not_be_followed_is_named_in_the_approval(
    trusting: Trusting, files: dict[str, str], command: str, said: str
) -> None:
    write(trusting, files, command)

    assert f"not bound: {said}" in trusting.tenter("trust").stdout


def test_an_approval_from_before_what_is_loaded_was_bound_asks_again(trusting: Trusting) -> None:
    write(trusting, {"hooks/g.py": "import helper" + GUARD, "hooks/helper.py": REASON}, "python3 hooks/g.py")
    trusting.approve()
    [store] = trusting.home.rglob("trust/*.json")
    book = json.loads(store.read_text())
    for version in (one for line in book["lines"] for one in line["versions"]):
        version["parts"] = [one for one in version["parts"] if "helper" not in one["path"] and one["how"] != "names"]
        del version["followed"]
    store.write_text(json.dumps(book))

    assert fired(trusting) == ("ask", "modified")


def test_what_is_loaded_is_shown_and_locked(trusting: Trusting) -> None:
    write(trusting, {"hooks/g.py": "import helper" + GUARD, "hooks/helper.py": REASON}, "python3 hooks/g.py")
    shown = trusting.tenter("trust").stdout
    assert trusting.tenter("lock").returncode == 0
    assert trusting.tenter("audit").returncode == 0
    trusting.project.write("hooks/helper.py", EVIL)

    assert "bound to hooks/helper.py" in shown
    assert "bound to no other file of a name that it loads in hooks" in shown
    assert "hooks/helper.py" in trusting.tenter("audit").stdout


def test_a_circle_a_link_and_a_crowd_of_modules_have_an_end(trusting: Trusting) -> None:
    files = {f"hooks/m{n}.py": f"import m{(n + 1) % 700}\n" for n in range(700)}
    write(trusting, {"hooks/g.py": "import m0, linked\n", "hooks/a.py": "import g\n", **files}, "python3 hooks/g.py")
    (trusting.root / "hooks/linked.py").symlink_to("linked.py")

    assert "not bound: more than 500 files" in trusting.tenter("trust").stdout


def test_a_hook_may_write_files_beside_its_own(trusting: Trusting) -> None:
    """Python's own bytecode, a log, a module that it does not load."""
    makes = "import helper\nopen('hooks/log.txt', 'a').write('x')\nopen('hooks/unrelated.py', 'a').close()"
    write(trusting, {"hooks/g.py": makes + GUARD, "hooks/helper.py": REASON}, f"{sys.executable} hooks/g.py")
    trusting.approve()

    assert [fired(trusting) for _ in range(3)] == [("deny", None)] * 3


def test_a_hook_of_a_large_package_is_read_once_for_all_agents(
    trusting: Trusting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Several agents read the file that names it; each text is parsed once."""
    from tenterhook.trust.loads import python

    files = {f"hooks/a/m{n}.py": f"import a.m{max(n - 1, 0)}\n" for n in range(100)}
    write(trusting, {"hooks/g.py": "import a.m99", **files}, "python3 hooks/g.py")
    parsed: list[str] = []
    read = python.PythonReader.read
    monkeypatch.setattr(python.PythonReader, "read", lambda self: (parsed.append(self.source.path), read(self))[1])
    found = trusting.look()

    assert len({one.item.dialect for one in found.standings}) > 1
    assert len(parsed) == len(set(parsed)) == 101


def test_an_event_does_not_parse_a_hook_that_was_changed(trusting: Trusting) -> None:
    """Whatever it loads now, it is not what was approved; only the files that are other ones are named."""
    write(trusting, {"hooks/g.py": "import helper" + GUARD, "hooks/helper.py": REASON}, f"{sys.executable} hooks/g.py")
    trusting.approve()
    trusting.project.write("hooks/helper.py", EVIL)
    code = (
        "import sys; from tenterhook import Engine; engine = Engine('.', dialect='claude', trust='ask');"
        "print([hook.seal.why for hook in engine.hooks()], 'tenterhook.trust.closure' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=trusting.root, env=trusting.project.environ(), text=True, capture_output=True
    )  # fmt: skip

    assert "approved: helper.py;" in done.stdout
    assert done.stdout.endswith(" False\n")


def test_a_folder_that_python_runs_may_get_files(trusting: Trusting) -> None:
    """Python's own bytecode, to begin with."""
    files = {"hooks/__main__.py": "import helper" + GUARD, "hooks/helper.py": REASON}
    write(trusting, files, f"{sys.executable} hooks")
    trusting.approve()

    assert [fired(trusting) for _ in range(2)] == [("deny", None)] * 2


def test_files_that_are_as_approved_are_not_parsed_again(trusting: Trusting) -> None:
    """An event must not wait for a syntax tree of everything that its hooks import."""
    write(trusting, {"hooks/g.py": "import helper" + GUARD, "hooks/helper.py": REASON}, f"{sys.executable} hooks/g.py")
    trusting.approve()
    code = (
        "import sys; from tenterhook import Engine; engine = Engine('.', dialect='claude', trust='ask');"
        "print([hook.state for hook in engine.hooks()], 'tenterhook.trust.closure' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=trusting.root, env=trusting.project.environ(), text=True, capture_output=True
    )  # fmt: skip

    assert done.stdout == "['trusted'] False\n"


def changed_in_place(path: Path) -> None:
    """As many bytes, with the old times."""
    about = path.stat()
    path.write_text(EVIL[: about.st_size] if len(EVIL) > about.st_size else EVIL.ljust(about.st_size, "#"))
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))


def replaced_by_a_link(path: Path) -> None:
    other = path.parent.parent / "other.py"
    other.write_text(EVIL)
    path.unlink()
    path.symlink_to(other)


def replaced_with_its_folder(path: Path) -> None:
    folder = path.parent
    other = folder.with_name("others")
    shutil.copytree(folder, other)
    (other / path.name).write_text(EVIL)
    folder.rename(folder.with_name("away"))
    folder.symlink_to(other)


def shadowed_by_a_library(path: Path) -> None:
    path.with_name("helper.abi3.so").touch()


def removed(path: Path) -> None:
    path.unlink()


SWAPS = (changed_in_place, replaced_by_a_link, replaced_with_its_folder, shadowed_by_a_library, removed)


@pytest.mark.parametrize("change", SWAPS)
@pytest.mark.parametrize("resident", [True, False])
def test_a_module_that_is_swapped_in_another_way_is_a_change(
    trusting: Trusting, change: Callable[[Path], None], resident: bool
) -> None:
    write(trusting, {"hooks/g.py": "import helper" + GUARD, "hooks/helper.py": REASON + "#" * 60}, "python3 hooks/g.py")
    trusting.approve()
    with trusting.engine("claude") as engine:
        if resident:
            assert engine.fire("PreToolUse", **CALL).reason == "as approved"
        change(trusting.root / "hooks/helper.py")
        outcome = engine.fire("PreToolUse", **CALL)

    assert (outcome.decision, outcome.attempts[0].error) == ("ask", "modified")
    assert not trusting.project.has("pwned")


def test_a_module_outside_of_the_project_is_named(trusting: Trusting) -> None:
    """A link of the project's that leads out of it: its bytes are bound, and what it loads is not known."""
    outside = trusting.home / "shared"
    outside.mkdir()
    (outside / "__init__.py").write_text("")
    (outside / "part.py").write_text(REASON)
    write(trusting, {"hooks/g.py": "from shared import part as helper" + GUARD}, "python3 hooks/g.py")
    (trusting.root / "hooks/shared").symlink_to(outside)

    assert "not bound: hooks/g.py: shared: it leads out of the project" in trusting.tenter("trust").stdout
