"""A project's commands, from its settings, its manifests or its Makefile."""

import os
from pathlib import Path

import pytest

from tenterhook.errors import ConfigError
from tenterhook.library.actions.settings import ActionSettings
from tenterhook.library.project import checks, commands
from tenterhook.library.project.commands import Command
from tenterhook.library.project.subject import subject

from .conftest import Put


def found(root: Path, name: str, settings: ActionSettings | None = None) -> dict[str, Command]:
    about = subject(str(root), str(root / name))
    assert about is not None
    return commands.find(about.folders(), about.language, settings or ActionSettings(), [])


def words(command: Command) -> list[str]:
    """As typed, programs by their names only."""
    typed = command.shown(["FILE"])
    return [os.path.basename(typed[0]), *typed[1:]]


DETECTED = {
    "pytest by its table": ({"pyproject.toml": "[tool.pytest.ini_options]\n"}, "test", "-m pytest FILE"),
    "pytest by a dependency": ({"pyproject.toml": 'dev = ["pytest>=8"]\n'}, "test", "-m pytest FILE"),
    "pytest by poetry": (
        {"pyproject.toml": '[tool.poetry.dev-dependencies]\npytest = "^8"\n'},
        "test",
        "-m pytest FILE",
    ),
    "pytest by setup.cfg": ({"setup.cfg": "[tool:pytest]\n"}, "test", "-m pytest FILE"),
    "pytest by tox.ini": ({"tox.ini": "[testenv]\ndeps =\n    pytest\n"}, "test", "-m pytest FILE"),
    "pytest by conftest": ({"tests/conftest.py": ""}, "test", "-m pytest FILE"),
    "unittest otherwise": ({"pyproject.toml": "[project]\n"}, "test", "-m unittest FILE"),
    "ruff": ({"ruff.toml": ""}, "lint", "ruff check FILE"),
    "flake8": ({"setup.cfg": "[flake8]\n"}, "lint", "flake8 FILE"),
    "mypy": ({"setup.cfg": "[mypy-x.*]\n"}, "types", "mypy FILE"),
    "pyright": ({"pyrightconfig.json": "{}"}, "types", "pyright FILE"),
    "a build backend": ({"pyproject.toml": "[build-system]\n"}, "build", "-m build"),
}


@pytest.mark.parametrize(("files", "kind", "line"), DETECTED.values(), ids=DETECTED)
def test_python(put: Put, files: dict[str, str], kind: str, line: str) -> None:
    command = found(put({"app.py": "", **files}), "app.py")[kind]

    assert " ".join(words(command)).endswith(line)


def test_a_plugin_of_pytest_alone_is_not_pytest(put: Put) -> None:
    root = put({"app.py": "", "pyproject.toml": 'name = "pytest-thing"\n'})

    assert found(root, "app.py")["test"].tool == "unittest"


def test_a_linter_that_nobody_configured_is_not_run(put: Put) -> None:
    assert set(found(put({"app.py": "", "pyproject.toml": "[project]\n"}), "app.py")) == {"test"}


def test_a_threshold_for_all_tests_is_not_asked_of_some(put: Put) -> None:
    root = put({"app.py": "", "pyproject.toml": '[tool.pytest.ini_options]\naddopts = "--cov --cov-fail-under=90"\n'})

    assert "--no-cov" in found(root, "app.py")["test"].run(["FILE"])


def test_the_projects_own_interpreter_comes_before_the_active_one(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    root = put({"app.py": "", "active/bin/python": "#!/bin/sh\n"})
    on_path = found(root, "app.py")["test"].words[0]
    monkeypatch.setenv("VIRTUAL_ENV", str(root / "active"))
    active = found(root, "app.py")["test"].words[0]
    put({".venv/bin/python": "#!/bin/sh\n"})
    own = found(root, "app.py")["test"].words[0]

    assert os.path.basename(on_path) in ("python3", "python")
    assert active == str(root / "active/bin/python")
    assert own == os.path.join(os.path.realpath(root), ".venv/bin/python")


def test_a_linter_beside_the_interpreter_comes_before_the_one_on_path(put: Put) -> None:
    root = put({"app.py": "", ".venv/bin/python": "#!/bin/sh\n", ".venv/bin/ruff": "#!/bin/sh\n", "ruff.toml": ""})

    assert found(root, "app.py")["lint"].words[0] == os.path.join(os.path.realpath(root), ".venv/bin/ruff")


NODE = {
    "jest by its script": ('{"scripts": {"test": "CI=1 jest --coverage"}}', "test", "jest FILE"),
    "vitest by a dependency": ('{"devDependencies": {"vitest": "1"}}', "test", "vitest run FILE"),
    "node with its options": (
        '{"scripts": {"test": "node --import tsx --test --test-concurrency=1 src/*.test.ts"}}',
        "test",
        "node --import tsx --test --test-concurrency=1 FILE",
    ),
    "node without a script": ("{}", "test", "node --test FILE"),
    "what npm init wrote is no test": (
        '{"scripts": {"test": "echo \\"Error: no test specified\\""}}',
        "test",
        "node --test FILE",
    ),
    "any other script": ('{"scripts": {"test": "make test"}}', "test", "npm run --silent test"),
    "lint": ('{"scripts": {"lint": "standard"}}', "lint", "npm run --silent lint"),
    "eslint": ('{"devDependencies": {"eslint": "9"}}', "lint", "eslint FILE"),
    "types": ('{"scripts": {"type-check": "vue-tsc"}}', "types", "npm run --silent type-check"),
    "build": ('{"scripts": {"build": "vite build"}}', "build", "npm run --silent build"),
    "broken": ("{", "test", "node --test FILE"),
    "odd": ('{"scripts": [], "dependencies": 7}', "test", "node --test FILE"),
}


@pytest.mark.parametrize(("manifest", "kind", "line"), NODE.values(), ids=NODE)
def test_node(put: Put, manifest: str, kind: str, line: str) -> None:
    root = put({"app.js": "", "package.json": manifest})

    assert line == " ".join(words(found(root, "app.js")[kind]))


@pytest.mark.parametrize(
    ("lock", "manager"), [("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn"), ("bun.lock", "bun"), ("x", "npm")]
)
def test_the_lock_file_names_the_package_manager(put: Put, lock: str, manager: str) -> None:
    root = put({"app.js": "", "package.json": '{"scripts": {"build": "x"}}', lock: ""})

    assert found(root, "app.js")["build"].tool == manager


def test_typescript_is_checked_as_a_whole(put: Put) -> None:
    command = found(put({"app.ts": "", "package.json": "{}", "tsconfig.json": "{}"}), "app.ts")["types"]

    assert words(command) == ["tsc", "--noEmit"]


def test_a_tool_above_the_package_is_found_before_path(put: Put) -> None:
    root = put(
        {"web/package.json": "{}", "web/app.js": "", "eslint.config.js": "", "node_modules/.bin/eslint": "#!/bin/sh\n"}
    )

    command = found(root, "web/app.js")["lint"]
    assert command.words[0] == os.path.join(os.path.realpath(root), "node_modules/.bin/eslint")
    assert command.folder == os.path.join(os.path.realpath(root), "web")


def test_a_tool_that_is_nowhere_is_said(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    root = put(
        {
            "app.js": "",
            "package.json": '{"devDependencies": {"jest": "1"}}',
            "x.go": "",
            "go.mod": "",
            "x.rs": "",
            "Cargo.toml": "",
        }
    )

    assert found(root, "app.js")["test"].absent == f"jest is not installed for {os.path.realpath(root)}: not run"
    assert found(root, "x.go")["test"].absent == "go is not installed: not run"
    assert found(root, "x.rs")["test"].absent == "cargo is not installed: not run"


def test_go_takes_packages(put: Put) -> None:
    root = put({"go.mod": "module x\n", "pkg/app.go": "", "pkg/app_test.go": ""})
    about = subject(str(root), str(root / "pkg/app.go"))
    assert about is not None

    made = checks.checks([about], ActionSettings())
    assert [(check.kind, check.words) for check in made] == [
        ("lint", ["go", "vet", "./pkg"]),
        ("test", ["go", "test", "-v", "./pkg"]),
    ]


def test_rust_takes_the_whole_crate(put: Put) -> None:
    root = put({"crates/tax/Cargo.toml": "", "crates/tax/src/lib.rs": "", "Cargo.toml": ""})

    command = found(root, "crates/tax/src/lib.rs")["test"]
    assert (words(command), command.folder) == (["cargo", "test"], os.path.join(os.path.realpath(root), "crates/tax"))


def test_a_makefile_fills_in_what_manifests_do_not_say(put: Put) -> None:
    root = put(
        {"app.py": "", "pyproject.toml": "[project]\n", "Makefile": "lint test: x\nlint:\n\ttrue\ntypes:\nbuild :\n"}
    )

    made = {kind: command.tool for kind, command in found(root, "app.py").items()}
    assert made == {"test": "unittest", "lint": "make", "types": "make", "build": "make"}


def test_the_settings_come_first_and_are_words_not_a_shells(put: Put) -> None:
    settings = ActionSettings()
    settings.commands = {"test": "run 'my tests' $HOME {files}", "lint": ["lint", "--only={files}"]}
    made = found(put({"app.py": "", "pyproject.toml": "[tool.pytest]\n"}), "app.py", settings)

    assert made["test"].run(["a b.py", "c.py"]) == ["run", "my tests", "$HOME", "a b.py", "c.py"]
    assert made["lint"].run(["a.py"]) == ["lint", "--only=a.py"]
    assert made["test"].run([]) == ["run", "my tests", "$HOME"]


@pytest.mark.parametrize(("text", "why"), [("run 'it", "cannot be split"), ("  ", "is empty")])
def test_a_command_that_cannot_be_read_is_a_clear_error(put: Put, text: str, why: str) -> None:
    settings = ActionSettings()
    settings.commands = {"test": text}

    with pytest.raises(ConfigError, match=f"actions.commands.test {why}"):
        found(put({"app.py": ""}), "app.py", settings)


def test_a_name_that_starts_with_a_dash_is_no_option(put: Put) -> None:
    root = put({"-x.py": "", "ruff.toml": ""})
    about = subject(str(root), str(root / "-x.py"))
    assert about is not None

    (lint,) = checks.checks([about], ActionSettings(), ("lint",))
    assert lint.words[-1] == "./-x.py"


def test_one_command_takes_all_files_that_it_fits(put: Put) -> None:
    root = put({"a.py": "", "b.py": "", "tests/test_a.py": "", "tests/test_b.py": "", "c.go": ""})
    subjects = [one for name in ("a.py", "b.py", "c.go") if (one := subject(str(root), str(root / name)))]

    (check,) = checks.checks(subjects, ActionSettings(), ("test",))
    assert check.of == ["a.py", "b.py"]
    assert check.words[-2:] == ["tests/test_a.py", "tests/test_b.py"]
