"""What `tenter check` prints, and which findings it leaves out."""

import json
from pathlib import Path

import pytest

from tenterhook.cli.main import main
from tenterhook.tools.check.rules import all_rules

HOOK = '[[hook]]\non = "tool.before"\ncommand = "./gone.sh"\nzzz = 1\n'


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def out(here, capsys):
    def run(*argv: str) -> tuple[int, str]:
        code = main(["check", *argv])
        return code, capsys.readouterr().out

    return run


def test_sarif_is_what_the_standard_asks_for(write, out, home):
    write("tenterhook.toml", HOOK)
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").write_text('{"hooks": {')
    code, text = out("--format", "sarif")
    log = json.loads(text)
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]

    assert code == 2
    assert (log["version"], run["tool"]["driver"]["name"]) == ("2.1.0", "tenterhook")
    assert log["$schema"].endswith("sarif-2.1.0.json")
    assert [rule["id"] for rule in rules] == [rule.id for rule in all_rules()]
    assert all(rule["shortDescription"]["text"] and rule["help"]["text"] for rule in rules)
    assert run["originalUriBaseIds"]["%SRCROOT%"]["uri"].startswith("file:///")
    assert run["originalUriBaseIds"]["%SRCROOT%"]["uri"].endswith("/")
    assert len(run["results"]) == 3
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
        assert result["message"]["text"]
        (place,) = result["locations"]
        assert place["physicalLocation"]["region"]["startLine"] >= 1
        assert place["physicalLocation"]["region"]["startColumn"] >= 1
    uris = {one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for one in run["results"]}
    assert uris == {"tenterhook.toml", f"file://{home}/.claude/settings.json"}


def test_githubs_commands_have_place_and_rule_and_no_text_can_begin_another(write, out):
    write("tenterhook.toml", HOOK.replace("zzz", '"50%\\n::error::x"'))
    lines = out("--format", "github")[1].splitlines()

    assert lines[0].startswith("::error file=tenterhook.toml,line=3,col=1,title=TH301 missing-file::./gone.sh does not")
    assert lines[1].startswith(
        "::warning file=tenterhook.toml,line=4,col=1,title=TH103 unknown-key::unknown key '50%25"
    )
    assert [line for line in lines if line.startswith("::")] == lines[:2]


def test_text_ends_in_the_rule_and_paths_are_relative_to_here(write, out, home):
    write("tenterhook.toml", HOOK)
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").write_text('{"hooks": {')
    lines = out()[1].splitlines()

    broken = next(line for line in lines if "TH101" in line)
    assert broken.startswith("  ~/.claude/settings.json:1:")
    assert broken.endswith("[TH101 Claude Code]")
    assert "  tenterhook.toml:4:1: warning: unknown key 'zzz'; it is ignored [TH103 tenterhook]" in lines


def test_colours_are_for_terminals_that_want_them(write, out, monkeypatch):
    write("tenterhook.toml", HOOK)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[31merror\x1b[0m" in out()[1]
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in out()[1]


@pytest.mark.parametrize(
    ("argv", "left"),
    [
        ((), {"TH103", "TH301"}),
        (("--select", "TH3"), {"TH301"}),
        (("--select", "th103,missing-file"), {"TH103", "TH301"}),
        (("--ignore", "unknown-key"), {"TH301"}),
        (("--select", "TH1,TH3", "--ignore", "TH3"), {"TH103"}),
    ],
)
def test_rules_are_chosen_by_id_by_its_beginning_or_by_name(write, out, argv, left):
    write("tenterhook.toml", HOOK)

    assert {one["rule"] for one in json.loads(out("--json", *argv)[1])["problems"]} == left


@pytest.mark.parametrize(
    ("file", "table", "left"),
    [
        ("tenterhook.toml", '[check]\nignore = ["TH103"]\n', {"TH301"}),
        ("tenterhook.toml", '[check.files]\n"tenterhook.*" = ["TH1", "missing-file"]\n', set()),
        ("tenterhook.toml", '[check.files]\n"other.toml" = ["TH1"]\n', {"TH103", "TH301"}),
        ("pyproject.toml", '[tool.tenterhook.check]\nignore = ["TH3"]\n', {"TH103"}),
    ],
)
def test_a_project_says_which_rules_do_not_count(write, out, file, table, left):
    write("tenterhook.toml", HOOK if file != "tenterhook.toml" else f"{HOOK}\n{table}")
    if file != "tenterhook.toml":
        write(file, table)

    assert {one["rule"] for one in json.loads(out("--json")[1])["problems"]} == left


@pytest.mark.parametrize(
    ("argv", "table", "said"),
    [
        (("--select", "TH9"), "", "--select: no rule 'TH9'"),
        (("--ignore", "unknown-tol"), "", "did you mean 'unknown-tool'?"),
        (("--explain", "x"), "", "see tenter check --rules"),
        (("--dry-run",), "", "--dry-run belongs to --fix"),
        (("--agent", "claud"), "", "did you mean 'claude'?"),
        (("--agent", "claude", "--dialect", "codex"), "", "cannot be used together"),
        (("--format", "xml"), "", "--format may be"),
        ((), "[check]\nignore = 'TH1'\n", "tenterhook.toml:6:1: ignore must be a list of rules"),
        ((), "[check]\nignor = []\n", "tenterhook.toml:6:1: unknown key 'ignor' (did you mean 'ignore'?)"),
        ((), "[check]\nignore = ['TH777']\n", "tenterhook.toml:6:1: ignore: no rule 'TH777'"),
        ((), "[check]\nfiles = []\n", "tenterhook.toml:6:1: files must be a table"),
    ],
)
def test_a_wrong_choice_is_refused_with_its_place(write, here, capsys, argv, table, said):
    write("tenterhook.toml", HOOK + table)

    assert main(["check", *argv]) == 1
    assert said in capsys.readouterr().err


def test_a_comment_leaves_out_the_findings_of_its_line(write, out):
    def left(text: str) -> set[str]:
        write("tenterhook.toml", text)
        return {one["rule"] for one in json.loads(out("--json")[1])["problems"]}

    assert left(HOOK.replace("zzz = 1", "zzz = 1  # tenter: ignore")) == {"TH301"}
    assert left(HOOK.replace("zzz = 1", "# tenter: ignore[TH1]\nzzz = 1")) == {"TH301"}
    assert left(HOOK.replace("zzz = 1", "zzz = 1  # tenter: ignore[TH301]")) == {"TH103", "TH301"}
    assert left(HOOK.replace("zzz = 1", 'zzz = "# no"')) == {"TH103", "TH301"}


def test_rules_are_listed_and_explained_without_a_project(out):
    assert all(f"{rule.id}  {rule.name}" in out("--rules")[1] for rule in all_rules())
    code, text = out("--explain", "th202")
    assert code == 0
    assert text.startswith("TH202 unknown-tool: a matcher fits no tool of the agent\n")


def test_a_page_is_there_for_each_rule():
    root = Path(__file__).parents[3]

    assert all((root / rule.page).is_file() for rule in all_rules())
