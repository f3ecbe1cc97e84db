"""The pages in docs/agents/dialects/ say what the data says, and their examples work."""

import importlib.util
import json
import shutil
from pathlib import Path

import pytest

from tenterhook import Engine, dialects
from tenterhook.cli.main import main

SCRIPT = Path(__file__).parents[3] / "scripts" / "dialect_pages.py"
NAMES = dialects.names()


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("dialect_pages", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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


def test_the_pages_are_what_the_script_would_write(script, capsys):
    assert script.main(["--check"]) == 0, capsys.readouterr().out


def test_a_stale_a_missing_and_a_forgotten_page_are_named(script, tmp_path, monkeypatch, capsys):
    shutil.copytree(script.PAGES, tmp_path / "dialects")
    monkeypatch.setattr(script, "PAGES", tmp_path / "dialects")
    assert script.main([]) == 0
    (tmp_path / "dialects" / "wave.md").write_text("old")
    (tmp_path / "dialects" / "amcp.md").unlink()
    (tmp_path / "dialects" / "gone.md").write_text("no such dialect")

    code = script.main(["--check"])

    stale = [Path(line.split(":")[0]).name for line in capsys.readouterr().out.splitlines()]
    assert (code, sorted(stale)) == (1, ["amcp.md", "gone.md", "wave.md"])
    assert script.main([]) == 0
    assert script.main(["--check"]) == 0


def test_an_unknown_option_of_the_script_is_refused(script, capsys):
    assert script.main(["--chek"]) == 2
    assert "--check" in capsys.readouterr().err


@pytest.mark.parametrize("name", NAMES)
def test_a_page_has_the_example_and_every_event(script, name):
    page = (script.PAGES / f"{name}.md").read_text()

    assert script.example_file(name).read_text().strip() in page
    assert all(f"| `{rule.name}` |" in page for rule in dialects.get(name).events)


def test_bars_and_stars_do_not_break_a_table(script):
    assert script.markdown(("a", "b"), script.quoted([("x|y*", "p|q*")])).splitlines()[2] == "| `x\\|y*` | p\\|q\\* |"


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
