"""The pages in docs/agents/dialects/ say what the data says, and their examples work."""

import importlib
import json
import shutil
from pathlib import Path

import pytest

from tenterhook import Engine, dialects
from tenterhook.cli.main import main

SCRIPTS = Path(__file__).parents[3] / "scripts"
NAMES = dialects.names()


@pytest.fixture(scope="module")
def generate():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SCRIPTS))
        yield importlib.import_module("generate")


@pytest.fixture(scope="module")
def script(generate):
    return generate.dialect_pages


@pytest.fixture
def project(script, tmp_path, monkeypatch):
    """A project with a dialect's example in the place where it belongs."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)

    def make(name: str) -> Path:
        example = script.example_file(name)
        place = tmp_path / "project" / script.target(dialects.get(name), example)
        place.parent.mkdir(parents=True)
        shutil.copy(example, place)
        (tmp_path / "project" / "hooks").mkdir()
        shutil.copy(script.EXAMPLES / "guard.py", tmp_path / "project" / "hooks" / "guard.py")
        return tmp_path / "project"

    return make


def test_all_generated_files_are_up_to_date(generate, capsys):
    assert generate.main(["--check"]) == 0, capsys.readouterr().out


def test_a_stale_a_missing_and_a_forgotten_page_are_named(generate, script, tmp_path, monkeypatch, capsys):
    shutil.copytree(script.PAGES, tmp_path / "dialects")
    monkeypatch.setattr(script, "PAGES", tmp_path / "dialects")
    assert generate.update([script.files], check=True) == []
    (tmp_path / "dialects" / "wave.md").write_text("old")
    (tmp_path / "dialects" / "amcp.md").unlink()
    (tmp_path / "dialects" / "gone.md").write_text("no such dialect")

    found = generate.update([script.files], check=True)

    stale = [Path(line.split(":")[0]).name for line in capsys.readouterr().out.splitlines()]
    assert sorted(stale) == sorted(path.name for path in found) == ["amcp.md", "gone.md", "wave.md"]
    assert len(generate.update([script.files], check=False)) == 3
    assert generate.update([script.files], check=True) == []


def test_an_unknown_option_of_the_script_is_refused(generate, capsys):
    assert generate.main(["--chek"]) == 2
    assert "--check" in capsys.readouterr().err


@pytest.mark.parametrize("name", NAMES)
def test_a_page_has_the_example_and_every_event(script, name):
    page = (script.PAGES / f"{name}.md").read_text()

    assert script.example_file(name).read_text().strip() in page
    assert all(f"| `{rule.name}` |" in page for rule in dialects.get(name).events)


def test_bars_and_stars_do_not_break_a_table(script):
    table = script.markdown_table(("a", "b"), script.quote_first([("x|y*", "p|q*")]))

    assert table.splitlines()[2] == "| `x\\|y*` | p\\|q\\* |"


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_wrong_with_an_example(project, name, capsys):
    code = main(["check", "--strict", "--dialect", name, "--project", str(project(name))])

    assert code == 0, capsys.readouterr().out


@pytest.mark.parametrize("name", NAMES)
def test_an_example_refuses_a_forced_push_and_nothing_else(script, project, name):
    tool = script.shell(dialects.get(name))
    with Engine(project(name), dialect=name, trust="all") as engine:
        forced = engine.fire("tool.before", tool_name=tool, tool_input={"command": "git push --force"})
        usual = engine.fire("tool.before", tool_name=tool, tool_input={"command": "git push"})
        other = engine.fire("tool.before", tool_name="Read", tool_input={"path": "git push --force"})

    assert (forced.blocked, forced.reason) == (True, "Forced pushes are not allowed here.")
    assert (usual.blocked, len(usual.attempts), usual.success) == (False, 1, True)
    assert other.attempts == ()


@pytest.mark.parametrize("name", NAMES)
def test_the_commands_on_a_page_can_be_typed_as_they_stand(script, project, name, capsysbinary):
    page = (script.PAGES / f"{name}.md").read_text()
    typed = page.split("```sh\n")[1].split("```")[0]
    event = typed.split("'")[1]
    fire = typed.split("tenter ")[1].split()
    given = project(name) / "event.json"
    given.write_text(event)

    code = main([*fire, "--project", str(given.parent), "--input", str(given)])

    assert code == 2
    assert json.loads(capsysbinary.readouterr().out)["blocked"] is True
