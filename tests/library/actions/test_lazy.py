"""What a model tries that wants to get past a gate with the least work; and honest work that only looks like it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from . import samples
from .conftest import Act
from .samples import Hook

SKIPPED = samples.TESTS.replace("def test", "@pytest.mark.skip\ndef test").replace(
    "from app", "import pytest\nfrom app"
)
EXPECTED = SKIPPED.replace("mark.skip", "mark.xfail")
UNITTEST_SKIPPED = samples.UNITTESTS.replace("    def test", "    @unittest.skip('later')\n    def test")
NODE_TODO = samples.NODE_TESTS.replace("'adds', ", "'adds', { todo: true }, ")
SKIPS_ALL = "def pytest_collection_modifyitems(items):\n    for one in items:\n        one.add_marker('skip')\n"
EXITS_0 = "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n"
ONLY_COLLECTS = samples.PYPROJECT.replace("-q", "-q --collect-only")
POST, PRE = "tdd-post-implementation", "tdd-pre-implementation"
Make = Callable[[Path], Path]

NOT_RUN: dict[str, Make] = {
    "skipped": lambda at: samples.python(at, samples.BAD, SKIPPED),
    "expected to fail": lambda at: samples.python(at, samples.BAD, EXPECTED),
    "skipped by conftest": lambda at: samples.python(at, samples.BAD, more={"conftest.py": SKIPS_ALL}),
    "exit status of conftest": lambda at: samples.python(at, samples.BAD, more={"conftest.py": EXITS_0}),
    "only collected": lambda at: samples.python(at, samples.BAD, more={"pyproject.toml": ONLY_COLLECTS}),
    "left before the end": lambda at: samples.python(at, samples.BAD, f"import os\nos._exit(0)\n{samples.TESTS}"),
    "not named as tests": lambda at: samples.python(at, samples.BAD, samples.TESTS.replace("def test", "def tst")),
}


@pytest.mark.parametrize("make", NOT_RUN.values(), ids=NOT_RUN)
def test_tests_of_which_none_ran_are_not_green(act: Act, tmp_path: Path, make: Make) -> None:
    root = make(tmp_path)

    said = act(POST, project=root, **samples.write(root, "src/app.py"))

    assert said.decision == "deny"
    assert "all pass" not in said.note.replace("not all pass", "")


@pytest.mark.parametrize("action", ["ddd-pre-transformation", "ddd-post-transformation", "debug-verification"])
def test_skipped_tests_prove_nothing_to_any_gate(act: Act, tmp_path: Path, action: str) -> None:
    root = samples.put(tmp_path, {"app.py": samples.BAD, "tests/test_app.py": UNITTEST_SKIPPED})

    said = act(action, project=root, **samples.write(root, "app.py", samples.GOOD))

    assert said.decision == "deny"
    assert "no test ran for app.py, all 1 of them are set aside" in said.reason


@samples.needs_node
@pytest.mark.parametrize(
    "tests",
    [NODE_TODO, samples.NODE_TESTS.replace("test('", "test.skip('"), f"process.exit(0)\n{samples.NODE_TESTS}", "//\n"],
    ids=["todo", "skip", "exit", "a file without tests"],
)
def test_node_runs_tests_or_they_are_not_green(act: Act, tmp_path: Path, tests: str) -> None:
    root = samples.node(tmp_path, samples.NODE_BAD, tests)

    assert act(POST, project=root, **samples.write(root, "app.js")).decision == "deny"


IDLE = {
    "a pass": "import app\n\n\ndef test_adds():\n    app.add(1, 2)\n",
    "a pair": "from app import add\n\n\ndef test_adds():\n    assert (add(1, 2) == 3, 'adds')\n",
    "or true": "from app import add\n\n\ndef test_adds():\n    assert add(1, 2) == 3 or True\n",
}


@pytest.mark.parametrize("action", [POST, "ddd-pre-transformation", "ddd-post-transformation", "debug-verification"])
@pytest.mark.parametrize("tests", IDLE.values(), ids=IDLE)
def test_tests_that_cannot_fail_are_not_green(act: Act, tmp_path: Path, action: str, tests: str) -> None:
    root = samples.python(tmp_path, samples.BAD, tests)

    said = act(action, project=root, **samples.write(root, "src/app.py"))

    assert said.decision == "deny"
    assert "the tests of src/app.py assert nothing that could be false" in said.reason


def test_nor_does_work_end_with_tests_that_cannot_fail(act: Act, tmp_path: Path) -> None:
    root = samples.committed(samples.python(tmp_path, samples.GOOD, IDLE["or true"]))
    samples.put(root, {"src/app.py": samples.BAD})

    said = act("tdd-completion", project=root)

    assert said.decision == "deny"
    assert "no test of src/app.py ran that could fail" in said.reason


@pytest.mark.parametrize("more", ["del test_adds, test_nothing\n", "test_adds = test_nothing = None\n"])
def test_a_test_file_that_holds_tests_and_runs_none_is_refused(act: Act, tmp_path: Path, more: str) -> None:
    root = samples.python(tmp_path, tests=f"{samples.TESTS}\n\n{more}")

    said = act("testing-verification", project=root, **samples.write(root, "tests/test_app.py"))

    assert said.decision == "deny"
    assert "no test ran for tests/test_app.py" in said.reason


def test_some_that_are_skipped_are_told_and_no_fault(act: Act, tmp_path: Path) -> None:
    some = samples.TESTS.replace("def test_nothing", "@pytest.mark.skip\ndef test_nothing")
    root = samples.python(tmp_path, tests=f"import pytest\n{some}")

    said = act(POST, project=root, **samples.write(root, "src/app.py"))

    assert said.decision == "none"
    assert "ran 1 test of src/app.py" in said.note
    assert said.note.endswith("they pass, 1 set aside (skipped, or expected to fail)")


VERIFICATIONS = (
    "ddd-post-transformation",
    POST,
    "backend-verification",
    "frontend-verification",
    "testing-verification",
    "debug-verification",
    "devops-verification",
    "docs-verification",
    "tool.after",
)
BROKEN = {"tax.py": "def tax(:\n", "conf.json": "{,}", "conf.yaml": "a: [1\n", "web/tax.js": "let a = ;\n"}


@pytest.mark.parametrize("action", VERIFICATIONS)
@pytest.mark.parametrize("name", [*list(BROKEN)[:3], pytest.param("web/tax.js", marks=samples.needs_node)])
def test_a_file_that_does_not_parse_fails_every_verification(act: Act, tmp_path: Path, action: str, name: str) -> None:
    said = act(action, **samples.changed(tmp_path, name, BROKEN[name]))

    assert said.decision == "deny"
    assert name in said.reason


@samples.needs_node
@pytest.mark.parametrize(
    "text",
    [
        "import a from './b'\nexport const c = await a()\n",
        "#!/usr/bin/env node\nconst a = require('b')\nreturn\n",
        "export default () => <div>text</div>\n",
    ],
    ids=["a module in a package without a type", "a script", "JSX"],
)
def test_javascript_of_any_kind_parses(act: Act, tmp_path: Path, text: str) -> None:
    said = act("frontend-verification", **samples.changed(tmp_path, "src/app.js", text))

    assert said.decision == "none"


@samples.needs_node
@pytest.mark.parametrize("text", ["let a = ; // </a>\n", "const a = '<br />'\nlet b = ;\n", "let a = ;\n\n<b />\n"])
def test_a_tag_does_not_hide_what_else_is_wrong(act: Act, tmp_path: Path, text: str) -> None:
    assert act("frontend-verification", **samples.changed(tmp_path, "src/app.js", text)).decision == "deny"


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("a: b: c # {{ x }}\n", "deny"),
        ("a: [1\nb: '{{ x }}'\n", "deny"),
        ("image: {{ name }}:{{ tag }}\n", "none"),
        ("{% if x %}\na: b: c\n{% endif %}\n", "none"),
    ],
)
def test_only_a_template_of_yaml_need_not_be_yaml(act: Act, tmp_path: Path, text: str, decision: str) -> None:
    assert act(POST, **samples.changed(tmp_path, "conf.yaml", text)).decision == decision


@pytest.mark.parametrize("name", list(BROKEN)[:3])
def test_nor_does_the_work_end_with_it(act: Act, tmp_path: Path, name: str) -> None:
    samples.committed(samples.put(tmp_path, {"README.md": "x"}))
    samples.put(tmp_path, {name: BROKEN[name]})

    said = act("ddd-completion")

    assert said.decision == "deny"
    assert f"{name} does not parse" in said.reason


NO_TEST = {
    "nothing": "",
    "a comment": "# tests of app\n",
    "an import": "import app\n",
    "a pass": "def test_adds():\n    pass\n",
    "always true": "def test_adds():\n    assert True\n",
    "always false": "def test_adds():\n    assert False\n",
    "no Python": "def test_adds(:\n",
    "skipped": SKIPPED,
}


@pytest.mark.parametrize("tests", NO_TEST.values(), ids=NO_TEST)
def test_a_file_without_a_test_does_not_come_before_code(act: Act, tmp_path: Path, tests: str) -> None:
    root = samples.put(tmp_path, {"pyproject.toml": samples.PYPROJECT, "tests/test_app.py": tests})

    said = act(PRE, **samples.write(root, "src/app.py", samples.GOOD))

    assert said.decision == "deny"
    assert said.reason.startswith("src/app.py has no test yet: tests/test_app.py ")


def test_a_test_that_passes_before_there_is_code_does_not_test_it(act: Act, tmp_path: Path) -> None:
    tests = "def test_adds():\n    assert len('ab') + 1 == 3\n"
    root = samples.put(tmp_path, {"pyproject.toml": samples.PYPROJECT, "tests/test_app.py": tests})

    said = act(PRE, **samples.write(root, "src/app.py", samples.GOOD))

    assert said.decision == "deny"
    assert "tests/test_app.py passes although src/app.py is not there" in said.reason


def test_while_all_is_green_code_may_be_rewritten_and_nothing_be_added(act: Act, tmp_path: Path) -> None:
    root = samples.unittests(tmp_path)
    rewritten = "def _sum(a, b):\n    return b + a\n\n\ndef add(a, b):\n    return _sum(a, b)\n"

    same = act(PRE, project=root, **samples.write(root, "app.py", rewritten))
    more = act(PRE, project=root, **samples.write(root, "app.py", f"{samples.GOOD}\n\ndef tax(n):\n    return 2 * n\n"))

    assert same.decision == "none"
    assert same.context.startswith("No test of app.py is red.")
    assert more.decision == "deny"
    assert "app.py would get tax, which no test names, and no test is red" in more.reason


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "src/kinds.py",
            "from typing import Protocol\n\n\nclass A(Protocol):\n    def f(self) -> int: ...\n\n\nB = A | None\n",
        ),
        (
            "src/constants.py",
            "import re\nfrom enum import Enum\n\nTAX = 0.19\nNAME = re.compile('x')\n\n\nclass C(Enum):\n    A = 1\n",
        ),
        (
            "src/shop/__main__.py",
            "import sys\n\nfrom shop.cli import main\n\nif __name__ == '__main__':\n    sys.exit(main())\n",
        ),
        ("src/shop/__main__.py", "from .cli import main\n\nraise SystemExit(main())\n"),
        ("src/kinds.ts", "export interface A {\n  f(a: string): void;\n}\n\nexport type B = (a: number) => string;\n"),
        ("src/constants.ts", "// all\nexport const TAX = 0.19;\nexport const NAMES = ['a', 'b'] as const;\n"),
        ("src/constants.js", "export const TAX = Object.freeze({ a: 1 });\n"),
        ("src/constants.js", "module.exports = { A: 1, B: 'x' };\n"),
        ("src/constants.js", "export default { a: 1 };\n"),
        ("src/kinds.py", "type A = int | str\n"),
        ("kinds.go", "package x\n\ntype F func(int) int\n"),
        ("kinds.go", "package x\n\ntype A struct {\n\tX int\n}\n"),
        ("src/kinds.rs", "pub struct A { pub x: i32 }\npub const B: i32 = 1;\n"),
    ],
)
def test_types_and_constants_need_no_test(act: Act, tmp_path: Path, name: str, text: str) -> None:
    samples.put(tmp_path, {name: ""})

    for action in (PRE, "ddd-pre-transformation"):
        samples.put(tmp_path, {name: text})
        said = act(action, **samples.write(tmp_path, name))
        assert (said.decision, said.note.partition(":")[0][:10]) == ("none", "nothing to")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("src/constants.py", "ADD = lambda a, b: a + b\n"),
        ("src/constants.py", "TAX = [n * 2 for n in range(9)]\n"),
        ("src/constants.py", "TAX = eval('1 + 1')\n"),
        ("src/kinds.py", "class A:\n    def f(self):\n        return 1\n"),
        ("src/kinds.ts", "export type A = 1; export const f = (n: number) => n * 2\n"),
        ("src/constants.ts", "export const f = (n) => n * 2\n"),
        ("src/constants.js", "export default { f: (n) => n * 2 }\n"),
        ("src/constants.js", "export default { f(n) { send(n) } }\n"),
        ("src/constants.js", "import('./a.js').then(send)\n"),
        ("constants.go", "package x\n\nvar F = func(n int) int { return n }\n"),
        ("src/constants.js", "export const f = function (n) { return n }\n"),
    ],
)
def test_code_in_their_clothes_does(act: Act, tmp_path: Path, name: str, text: str) -> None:
    assert act(PRE, **samples.write(tmp_path, name, text)).decision == "deny"


@pytest.mark.parametrize(
    ("source", "test"),
    [
        ("src/main/java/App.java", "src/test/java/TestApp.java"),
        ("src/main/java/App.java", "src/test/java/AppIT.java"),
        ("lib/app.ex", "test/app_test.exs"),
        ("src/App.php", "tests/AppTestCase.php"),
        ("src/app.cc", "src/app_unittest.cc"),
    ],
)
def test_tests_of_other_languages_are_known_by_their_names(act: Act, tmp_path: Path, source: str, test: str) -> None:
    samples.put(tmp_path, {source: "x", test: "assertEquals(3, add(1, 2))"})

    said = act(PRE, **samples.write(tmp_path, source, "y"))

    assert said.decision == "none"
    assert said.note == f"{source} has a test: {test}; whether it is red is not known"


def test_a_red_test_is_no_fault_to_one_action_and_a_step_to_the_other(act: Act, tmp_path: Path) -> None:
    root = samples.unittests(tmp_path, samples.BAD)
    given = samples.write(root, "tests/test_app.py")

    first, every = act(POST, project=root, **given), act("tool.after", project=root, **given)

    assert (first.decision, every.decision) == ("none", "none")
    assert (
        first.note.split(" in ")[0]
        == every.note.split(" in ")[0]
        == ("red, as a test is before its code: ran 1 test of tests/test_app.py")
    )
    assert "AssertionError: -1 != 3" in every.context


def test_what_a_shell_changed_is_tested_at_the_end_too(act: Act, tmp_path: Path) -> None:
    more = {
        "b.py": "x = 1\n",
        "tests/test_b.py": samples.UNITTESTS.replace("app import add", "b import x").replace("add(1, 2), 3", "x, 1"),
    }
    root = samples.committed(samples.put(samples.unittests(tmp_path), more))
    act(POST, project=root, **samples.changed(root, "app.py", f"{samples.GOOD}# sum\n"))
    samples.put(root, {"b.py": "x = 2\n"})

    said = act("tdd-completion", project=root)

    assert said.decision == "deny"
    assert "red: tests of b.py" in said.reason


def test_a_test_does_not_go_while_its_code_stays(act: Act, tmp_path: Path) -> None:
    root = samples.committed(samples.unittests(tmp_path))
    (root / "tests/test_app.py").unlink()

    gone = act("tdd-completion", project=root)
    samples.put(root, {"tests/unit/test_app.py": samples.UNITTESTS})
    moved = act("tdd-completion", project=root)

    assert gone.decision == "deny"
    assert "tests/test_app.py was deleted, and app.py has no other test" in gone.reason
    assert moved.decision == "none"


def test_nobody_says_that_nothing_is_red_of_what_was_not_run(hook: Hook, tmp_path: Path) -> None:
    root = samples.committed(samples.put(tmp_path, {"app.py": samples.GOOD}))
    samples.put(root, {"app.py": samples.BAD})

    answer = hook("ddd-completion", {"cwd": str(root)})

    assert answer.code == 0
    assert "nothing is red" not in answer.stdout + answer.stderr
    assert "not tested: app.py" in answer.stderr
