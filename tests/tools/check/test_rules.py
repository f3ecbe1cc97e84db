"""Every rule of `tenter check` finds what its example shows, and is silent about the example without the mistake."""

import json
import os
import re
import sys
from pathlib import Path

import pytest

from tenterhook.cli.main import main
from tenterhook.tools.check.rules import Rule, all_rules, rules

SOURCE = Path(main.__code__.co_filename).parent.parent
WITH_EXAMPLES = [rule for rule in all_rules() if rule.example]


def by_id(rule: Rule) -> str:
    return rule.id


@pytest.fixture
def findings(write, tmp_path, capsys, monkeypatch):
    """The names of the rules that files break, as one agent reads them."""
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")

    def run(rule: Rule, files: dict[str, str]) -> list[str]:
        assert rule.example
        for path, text in files.items():
            runs = path.endswith(".sh") or "/bin/" in path
            write(path, text.encode(), mode=0o755 if runs and rule.name != "not-executable" else 0o644)
        main(["check", "--agent", rule.example.agent, "--project", str(tmp_path), "--format", "json"])
        return [one["name"] for one in json.loads(capsys.readouterr().out)["problems"]]

    return run


@pytest.mark.parametrize("rule", WITH_EXAMPLES, ids=by_id)
def test_the_example_breaks_its_rule_alone(rule, findings):
    assert rule.example
    assert set(findings(rule, rule.example.files)) == {rule.name}


@pytest.mark.parametrize("rule", [rule for rule in WITH_EXAMPLES if rule.example and rule.example.right], ids=by_id)
def test_the_mended_example_breaks_no_rule(rule, findings):
    assert rule.example
    assert findings(rule, rule.example.right) == []


@pytest.mark.parametrize("rule", [rule for rule in WITH_EXAMPLES if rule.fixable], ids=by_id)
def test_fix_mends_the_example(rule, findings, tmp_path, capsys):
    assert rule.example
    findings(rule, rule.example.files)
    argv = ["check", "--agent", rule.example.agent, "--project", str(tmp_path), "--fix"]
    before = {path: (tmp_path / path).read_text() for path in rule.example.files}
    main([*argv, "--dry-run"])
    assert {path: (tmp_path / path).read_text() for path in rule.example.files} == before

    assert main(argv) == 0
    assert capsys.readouterr().out.endswith(" 0 errors, 0 warnings\n")
    for path, text in rule.example.right.items():
        assert json.loads((tmp_path / path).read_text()) == json.loads(text) if path.endswith("json") else True
    if rule.name == "not-executable":
        assert (tmp_path / "guard.sh").stat().st_mode & 0o777 == 0o755


def test_every_problem_in_the_code_names_a_rule_and_every_rule_is_named():
    code = [path.read_text() for folder in ("config", "tools/check") for path in (SOURCE / folder).glob("*.py")]
    text = "\n".join(code) + (SOURCE / "tools/check/answers.toml").read_text()
    named = set(re.findall(r'"([a-z]+(?:-[a-z]+)+)"', text))

    assert not [name for name in rules() if name not in named and name != "crlf"]


def test_ids_and_names_are_unique_and_in_order():
    assert [rule.id for rule in all_rules()] == sorted({rule.id for rule in rules().values()})
    assert len(rules()) == len(all_rules())
