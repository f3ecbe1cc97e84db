"""frontend-verification: linter, types and tests of a changed frontend file."""

import json
from pathlib import Path

import pytest

from library.actions import samples
from library.actions.conftest import Act

ACTION = "frontend-verification"
pytestmark = samples.needs_node
# A linter as a package would bring it: found in node_modules, given the file.
ESLINT = """#!/bin/sh
for file; do case $file in --*) continue;; esac
grep -n 'var ' "$file" /dev/null >&2 && { echo "$PWD/$file"; echo "  1:1  error  Unexpected var  no-var"; exit 1; }
done
exit 0
"""


def with_eslint(root: Path) -> Path:
    samples.put(root, {"node_modules/.bin/eslint": ESLINT, "eslint.config.js": "module.exports = []\n"})
    (root / "node_modules/.bin/eslint").chmod(0o755)
    return root


@pytest.mark.req("CC-ACT-table")
def test_a_clean_file_with_passing_tests_is_fine(act: Act, tmp_path: Path) -> None:
    root = with_eslint(samples.node(tmp_path))

    said = act(ACTION, project=root, **samples.write(root, "app.js"))

    assert said.decision == "none"
    assert said.message.startswith("eslint: clean; ran 1 test of app.js in ")


@pytest.mark.req("CC-ACT-table")
def test_linter_and_tests_tell_their_first_failures(act: Act, tmp_path: Path) -> None:
    root = with_eslint(samples.node(tmp_path, "var sign = -1\nexports.add = (a, b) => a + sign * b\n"))

    said = act(ACTION, project=root, **samples.write(root, "app.js"))

    assert said.decision == "deny"
    assert "1:1  error  Unexpected var  no-var" in said.reason
    assert "not ok 1 - adds" in said.reason
    assert not (root / "run").exists()


def test_a_style_sheet_is_left_to_the_lint_script(act: Act, tmp_path: Path) -> None:
    scripts = {"lint": "grep -q colour style.css && echo 'style.css: colour is no property' && exit 1 || exit 0"}
    root = samples.node(tmp_path, more={"package.json": json.dumps({"scripts": scripts}), "style.css": "a {}\n"})

    good = act(ACTION, project=root, **samples.write(root, "style.css"))
    bad = act(ACTION, project=root, **samples.changed(root, "style.css", "a { colour: red }\n"))

    assert (good.decision, good.message) == ("none", "npm: clean")
    assert bad.decision == "deny"
    assert "style.css: colour is no property" in bad.reason


def test_a_package_of_a_monorepo_is_run_in_its_own_folder(act: Act, tmp_path: Path) -> None:
    inner = samples.node(tmp_path / "packages")
    root = samples.put(tmp_path, {"package.json": '{"scripts": {"test": "exit 1"}}'})

    said = act(ACTION, project=root, **samples.write(inner, "app.js"))

    assert said.decision == "none"
    assert "ran 1 test of packages/" in said.note


def test_a_python_file_is_none_of_its_business(act: Act, tmp_path: Path) -> None:
    root = samples.python(tmp_path)

    said = act(ACTION, project=root, **samples.write(root, "src/app.py"))

    assert (said.decision, said.note) == ("none", "nothing to check: src/app.py is not a frontend file")
