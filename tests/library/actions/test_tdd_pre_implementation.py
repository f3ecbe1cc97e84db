"""tdd-pre-implementation: no code without a test for it."""

from pathlib import Path

import pytest

from . import samples
from .conftest import Act, Approve
from .samples import Hook

ACTION = "tdd-pre-implementation"


@pytest.mark.req("CC-ACT-table")
def test_a_source_file_with_a_test_may_be_written(act: Act, tmp_path: Path) -> None:
    root = samples.python(tmp_path, samples.BAD)

    said = act(ACTION, project=root, **samples.write(root, "src/app.py", samples.GOOD))

    assert said.decision == "none"
    assert said.note.startswith("src/app.py has a test: tests/test_app.py; red: ran 2 tests of src/app.py")


@pytest.mark.req("CC-ACT-table")
def test_one_without_is_refused_and_the_reason_names_the_test_to_write(act: Act, tmp_path: Path) -> None:
    root = samples.python(tmp_path)

    said = act(ACTION, project=root, **samples.write(root, "src/tax.py", samples.GOOD))

    assert said.decision == "deny"
    assert "src/tax.py has no test yet" in said.reason
    assert "Write tests/test_tax.py first" in said.reason


@pytest.mark.parametrize(
    ("name", "text", "test"),
    [
        ("src/shop/__main__.py", "print('shop')\n", "tests/test_main.py"),
        ("web/index.ts", "export * from './cart';\nexport const tax = (n) => n * 2;\n", "index.test.ts"),
    ],
)
def test_an_entry_with_code_of_its_own_needs_one_too(act: Act, tmp_path: Path, name: str, text: str, test: str) -> None:
    root = samples.python(tmp_path)

    said = act(ACTION, project=root, **samples.write(root, name, text))

    assert said.decision == "deny"
    assert f"{test} first" in said.reason


def test_the_settings_can_make_it_a_question(act: Act, approve: Approve, tmp_path: Path) -> None:
    root = approve(samples.python(tmp_path, more={"tenterhook.toml": '[actions]\nmissing_test = "ask"\n'}))

    said = act(ACTION, project=root, **samples.write(root, "src/tax.py", samples.GOOD))

    assert said.decision == "ask"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tests/test_new.py", "def test_it(): ..."),
        ("README.md", "# Title"),
        ("tests/conftest.py", ""),
        ("src/pkg/__init__.py", '"""A package."""\n\nfrom app import add\n'),
        ("src/shop/migrations/0001_initial.py", "x = 1"),
        ("docs/conf.py", "project = 'shop'"),
        ("web/index.ts", "// all of it\nexport * from './cart';\nexport type { Tax } from './tax'\n"),
        ("../elsewhere.py", "x = 1"),
    ],
)
def test_what_is_no_source_file_of_the_project_needs_no_test(act: Act, tmp_path: Path, name: str, text: str) -> None:
    root = samples.python(tmp_path)

    said = act(ACTION, project=root, **samples.write(root, name, text))

    assert said.decision == "none"
    assert said.note.startswith("nothing to check: ")


def test_a_tool_that_only_reads_is_none_of_its_business(act: Act, tmp_path: Path) -> None:
    root = samples.python(tmp_path)

    said = act(ACTION, project=root, tool_name="Read", tool_input={"file_path": str(root / "src/tax.py")})

    assert (said.decision, said.note) == ("none", "nothing to check: the tool wrote no file")


def test_rust_code_may_bring_its_tests_along(act: Act, tmp_path: Path) -> None:
    root = samples.put(tmp_path, {"Cargo.toml": '[package]\nname = "x"\n'})
    code = "pub fn one() -> i32 { 1 }\n"

    without = act(ACTION, **samples.write(root, "src/lib.rs", code))
    test = "#[cfg(test)]\nmod tests {\n    #[test]\n    fn one() { assert_eq!(super::one(), 1); }\n}\n"
    empty = act(ACTION, **samples.write(root, "src/lib.rs", code + "#[cfg(test)]\nmod tests {}\n"))
    along = act(ACTION, **samples.write(root, "src/lib.rs", code + test))

    assert (without.decision, empty.decision, along.decision) == ("deny", "deny", "none")
    assert "tests/lib.rs" in without.reason


@pytest.mark.req("CC-SEC-validate")
def test_a_path_that_is_no_text_is_a_clear_error(hook: Hook, tmp_path: Path) -> None:
    answer = hook(ACTION, {"cwd": str(tmp_path), "tool_name": "Write", "tool_input": {"file_path": 7, "content": ""}})

    assert answer.code != 0
    assert "file_path must be text, not int" in answer.stderr
    assert "Traceback" not in answer.stderr
