"""`tenter init`, called as a user calls it: what it changes, what it says, what it refuses."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tenterhook import dialects
from tenterhook.tools.install.init.install import setup_of

from .conftest import Init, snapshot, write

NAMES = [name for name in dialects.names() if dialects.get(name).setup]
CONFIG = {name: setup_of(dialects.get(name)).files[0] for name in ("amcp", "llxprt", "massgen", "moai", "wave")}


@pytest.mark.parametrize("name", NAMES)
def test_a_second_init_changes_nothing_and_says_so(name: str, init: Init) -> None:
    init("--dialect", name)
    first = snapshot(Path())
    ran = init("--dialect", name)

    assert (ran.code, ran.out) == (0, "nothing to do: the wrappers and the config are there\n")
    assert snapshot(Path()) == first


@pytest.mark.parametrize("name", NAMES)
def test_a_dry_run_shows_everything_and_writes_nothing(name: str, init: Init) -> None:
    dry = init("--dialect", name, "--dry-run")

    assert snapshot(Path()) == {}
    assert dry.out.endswith("nothing was written (--dry-run)\n")
    done = init("--dialect", name)
    assert dry.out.splitlines()[:-1] == done.out.splitlines()[:-1]


def test_all_files_are_named_and_the_configs_change_is_a_unified_diff(init: Init) -> None:
    write(".wave/settings.json", '{\n  "a": 1\n}')
    ran = init("--dialect", "wave")

    assert ran.out.startswith("created  .wave/hooks/tenterhook/handle-pre-tool.sh\n")
    assert "changed  .wave/settings.json\n" in ran.out
    assert (
        '--- .wave/settings.json\n+++ .wave/settings.json\n@@ -1,3 +1,40 @@\n {\n-  "a": 1\n+  "a": 1,\n+  "hooks": {'
        in ran.out
    )
    assert "\\ No newline at end of file\n" in ran.out


def test_the_diff_is_one_that_patch_can_apply(init: Init) -> None:
    write(".wave/settings.json", '{\n  "a": 1\n}')
    diff = json.loads(init("--dialect", "wave", "--dry-run", "--json").out)["diff"]
    subprocess.run(["patch", "-p0", "-s"], input=diff, text=True, check=True, timeout=30)
    patched = Path(".wave/settings.json").read_bytes()
    write(".wave/settings.json", '{\n  "a": 1\n}')
    init("--dialect", "wave")

    assert Path(".wave/settings.json").read_bytes() == patched


def test_as_data(init: Init) -> None:
    ran = init("--dialect", "massgen", "--json")
    data = json.loads(ran.out)

    assert {key: data[key] for key in ("dialect", "done", "notes", "by_hand")} == {
        "dialect": "massgen",
        "done": True,
        "notes": [],
        "by_hand": [],
    }
    assert data["project"] == os.getcwd()
    assert {"what": "created", "path": "massgen.yaml"} in data["files"]
    assert json.loads(init("--dialect", "massgen", "--json").out)["done"] is False


def test_an_entry_that_somebody_changed_is_kept_as_it_is(init: Init) -> None:
    init("--dialect", "moai")
    settings = Path(".claude/settings.json")
    settings.write_text(
        settings.read_text().replace("Write|Edit|Bash|Monitor", "Bash").replace('"timeout": 60', '"timeout": 9')
    )
    changed = settings.read_text()
    ran = init("--dialect", "moai")

    assert "nothing to do" in ran.out
    assert settings.read_text() == changed


def test_an_entry_that_is_gone_comes_back(init: Init) -> None:
    init("--dialect", "wave")
    settings = Path(".wave/settings.json")
    data = json.loads(settings.read_text())
    del data["hooks"]["Stop"]
    settings.write_text(json.dumps(data))
    init("--dialect", "wave")

    assert [group["hooks"][0]["timeout"] for group in json.loads(settings.read_text())["hooks"]["Stop"]] == [5]


def test_entries_go_where_the_file_lists_hooks_already(init: Init) -> None:
    write("massgen.yaml", "hooks:\n  PreToolUse:\n    override: false\n    hooks:\n      - handler: mine.check\n")
    init("--dialect", "massgen")

    assert "    hooks:\n      - handler: mine.check\n      - matcher:" in Path("massgen.yaml").read_text()


@pytest.mark.parametrize(("there", "used"), [([0], 0), ([1], 1), ([0, 1], 0)])
def test_of_several_files_the_first_that_is_there_is_taken(there: list[int], used: int, init: Init) -> None:
    files = setup_of(dialects.get("amcp")).files
    for number in there:
        write(files[number], "{}\n" if number else "")
    init("--dialect", "amcp")

    assert "handle-stop.sh" in Path(files[used]).read_text()
    assert [path for path in files if os.path.exists(path)] == [files[number] for number in there]


BROKEN = [
    ("wave", "{\n  oops\n}", "settings.json:2:3: "),
    ("amcp", "[[", "hooks.toml:1:"),
    ("massgen", "a: [", "massgen.yaml:1:"),
]


@pytest.mark.parametrize(("name", "text", "said"), BROKEN)
def test_with_a_broken_config_nothing_is_written(name: str, text: str, said: str, init: Init) -> None:
    write(CONFIG[name], text)
    before = snapshot(Path())
    ran = init("--dialect", name)

    assert ran.code == 1
    assert said in ran.err
    assert snapshot(Path()) == before


def test_a_config_that_cannot_be_extended_is_refused_with_the_text_to_add(init: Init) -> None:
    write("massgen.yaml", "hooks: {PreToolUse: []}\n")
    before = snapshot(Path())
    ran = init("--dialect", "massgen")

    assert ran.code == 1
    assert 'add by hand:\nhooks:\n  PreToolUse:\n    - matcher: "Write|Edit|Bash"\n' in ran.err
    assert snapshot(Path()) == before


def test_scripts_of_somebody_else_are_named_and_nothing_is_written(init: Init) -> None:
    write(".claude/hooks/moai/handle-stop.sh", "#!/bin/bash\nmoai hook stop\n")
    write(".claude/hooks/moai/handle-compact.sh", "#!/bin/bash\n")
    before = snapshot(Path())
    ran = init("--dialect", "moai")

    assert ran.code == 1
    assert "  .claude/hooks/moai/handle-compact.sh\n  .claude/hooks/moai/handle-stop.sh\n--replace" in ran.err
    assert snapshot(Path()) == before


def test_replace_replaces_them_and_undo_gives_them_back(init: Init) -> None:
    write(".claude/hooks/moai/handle-stop.sh", b"#!/bin/bash\n\xff\n").chmod(0o700)
    before = snapshot(Path())
    ran = init("--dialect", "moai", "--replace")

    assert "replaced  .claude/hooks/moai/handle-stop.sh" in ran.out
    assert "tenter hook stop" in Path(".claude/hooks/moai/handle-stop.sh").read_text()
    assert init("--dialect", "moai", "--undo").code == 0
    assert snapshot(Path()) == before


def test_a_link_in_a_wrappers_place_is_never_followed(init: Init, tmp_path: Path) -> None:
    central = write(str(tmp_path / "central.sh"), "mine")
    Path(".wave/hooks/tenterhook").mkdir(parents=True)
    Path(".wave/hooks/tenterhook/handle-stop.sh").symlink_to(central)
    ran = init("--dialect", "wave", "--replace")

    assert ran.code == 1
    assert "handle-stop.sh is not a regular file; move it away first" in ran.err
    assert central.read_text() == "mine"


def test_a_wrapper_that_the_user_changed_is_kept_and_named(init: Init) -> None:
    init("--dialect", "wave")
    stop = Path(".wave/hooks/tenterhook/handle-stop.sh")
    stop.write_text(stop.read_text() + "# mine\n")
    changed = stop.read_bytes()
    ran = init("--dialect", "wave")

    assert "kept  .wave/hooks/tenterhook/handle-stop.sh\n" in ran.out
    assert stop.read_bytes() == changed


def test_wrappers_of_another_machine_are_left_and_those_of_an_older_place_brought_up_to_date(
    init: Init, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tenterhook.cli.commands.init.program", lambda: "/old/tenter")
    init("--dialect", "wave")
    monkeypatch.setattr("tenterhook.cli.commands.init.program", lambda: "/new/tenter")
    stop = Path(".wave/hooks/tenterhook/handle-stop.sh")

    assert "changed  .wave/hooks/tenterhook/handle-stop.sh" in init("--dialect", "wave").out
    assert " /new/tenter " in stop.read_text()
    Path(".wave/hooks/tenterhook/.tenter-init.json").unlink()
    monkeypatch.setattr("tenterhook.cli.commands.init.program", lambda: "/newest/tenter")
    assert "kept  .wave/hooks/tenterhook/handle-stop.sh" in init("--dialect", "wave").out
    assert " /new/tenter " in stop.read_text()


def test_a_lost_run_bit_comes_back(init: Init) -> None:
    init("--dialect", "wave")
    stop = Path(".wave/hooks/tenterhook/handle-stop.sh")
    stop.chmod(0o644)
    init("--dialect", "wave")

    assert os.access(stop, os.X_OK)


def test_a_linked_config_is_changed_where_it_is_and_stays_a_link(init: Init, tmp_path: Path) -> None:
    real = write(str(tmp_path / "dotfiles/wave.json"), "{}")
    real.chmod(0o600)
    Path(".wave").mkdir()
    Path(".wave/settings.json").symlink_to(real)
    before = snapshot(tmp_path)
    ran = init("--dialect", "wave")

    assert f".wave/settings.json is a link; what changes is {real}" in ran.out
    assert Path(".wave/settings.json").is_symlink()
    assert (real.stat().st_mode & 0o777, "handle-stop.sh" in real.read_text()) == (0o600, True)
    init("--dialect", "wave", "--undo")
    assert snapshot(tmp_path) == before


def test_a_linked_folder_is_named_with_where_it_leads(init: Init, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    Path(".wave").symlink_to(other)
    said = f".wave is a link; what is written below it is written to {other}"

    assert said in init("--dialect", "wave", "--dry-run").out
    assert list(other.iterdir()) == []
    assert said in init("--dialect", "wave").out
    init("--dialect", "wave", "--undo")
    assert list(other.iterdir()) == []


def test_a_project_behind_a_link_is_a_project(init: Init, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("my project")

    assert init("--dialect", "moai", "--project", str(tmp_path / "link")).code == 0
    assert Path(".claude/hooks/moai/handle-stop.sh").exists()
    assert init("--undo", "--project", str(tmp_path / "link")).code == 0
    assert snapshot(Path()) == {}


def test_a_link_that_leads_nowhere_is_refused(init: Init) -> None:
    Path(".wave").mkdir()
    Path(".wave/settings.json").symlink_to("nowhere")
    ran = init("--dialect", "wave")

    assert (ran.code, "is a link that leads nowhere" in ran.err) == (1, True)


@pytest.mark.parametrize("name", sorted(CONFIG))
def test_the_one_agent_whose_files_are_here_is_taken(name: str, init: Init) -> None:
    Path(CONFIG[name]).parent.mkdir(exist_ok=True)
    write(CONFIG[name], "{}\n" if CONFIG[name].endswith("json") else "")
    ran = init()

    assert ran.code == 0
    assert ran.err == f"tenter: --dialect {name} ({CONFIG[name]})\n"


def test_a_file_that_many_projects_have_counts_where_it_holds_hooks(init: Init) -> None:
    write("pyproject.toml", "[project]\nname = 'x'\n")
    assert init().code == 1
    write("pyproject.toml", "[[tool.tenterhook.hook]]\non = 'turn.stop'\ncommand = 'true'\n")

    assert init().err == "tenter: --dialect tenterhook (pyproject.toml)\n"


def test_where_several_agents_or_none_are_here_the_choices_are_told(init: Init) -> None:
    ran = init()
    assert ran.code == 1
    assert "no agent's files are here\nsay which one with --dialect; there are: amcp, llxprt, massgen, moai" in ran.err
    Path(".wave").mkdir()
    Path(".claude").mkdir()
    ran = init()

    assert ran.code == 1
    assert "files of several agents are here:\n  .claude: --dialect moai\n  .wave: --dialect wave\n" in ran.err


def test_the_home_folder_is_no_project(init: Init, home: Path) -> None:
    ran = init("--dialect", "moai", "--project", str(home))

    assert ran.code == 1
    assert "is your home, not a project" in ran.err
    assert not list(home.iterdir())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--dialect", "wove"), "no dialect 'wove' (did you mean 'wave'?)"),
        (("--dialect", "wave", "--project", "nowhere"), "nowhere"),
        (("--undo", "--replace"), "--replace cannot be used with --undo"),
    ],
)
def test_a_call_that_cannot_work_is_told_in_words(words: tuple[str, ...], said: str, init: Init) -> None:
    ran = init(*words)

    assert ran.code == 1
    assert said in ran.err


def test_the_command_itself_bakes_in_where_it_is(home: Path) -> None:
    tenter = Path(sys.executable).parent / "tenter"
    subprocess.run([tenter, "init", "--dialect", "wave"], check=True, timeout=60, capture_output=True)

    assert f"for place in {shlex.quote(str(tenter))} " in Path(".wave/hooks/tenterhook/handle-stop.sh").read_text()
