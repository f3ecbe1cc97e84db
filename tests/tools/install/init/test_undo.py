"""`tenter init --undo`: files as they were, and only ours taken out of what somebody changed since."""

import json
import os
from pathlib import Path

import pytest

from tenterhook import dialects
from tenterhook.tools.install.init.install import setup_of

from .conftest import Init, snapshot, write

NAMES = [name for name in dialects.names() if dialects.get(name).setup]
BEFORE = {
    "amcp": "# mine\n[[hooks.Stop.handlers]]\ncommand = 'true'",
    "llxprt": '{\n\t// mine\n\t"hooks": {"AfterAgent": []}\n}\n',
    "massgen": "agents:\n  - id: a # one\n\nhooks:\n  PreToolUse:\n    - handler: a.b\n# end",
    "moai": '\ufeff{"hooks": {"Stop": [{"command": "true"}]}}',
    "tenterhook": "\r\n[[hook]]\r\non = 'turn.stop'\r\ncommand = 'true'\r\n\r\n",
    "wave": '{"b":1,"a":[ ]}',
}
RECORD = {name: f"{setup_of(dialects.get(name)).folder}/.tenter-init.json" for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_what_was_not_there_is_gone_with_its_folders(name: str, init: Init) -> None:
    init("--dialect", name)
    ran = init("--undo")

    assert ran.code == 0
    assert ran.err == f"tenter: --dialect {name} (its init is on record)\n"
    assert snapshot(Path()) == {}


@pytest.mark.parametrize("name", NAMES)
def test_what_was_there_is_as_it_was_byte_for_byte(name: str, init: Init) -> None:
    write(setup_of(dialects.get(name)).files[0], BEFORE[name]).chmod(0o640)
    before = snapshot(Path())
    init("--dialect", name)
    assert snapshot(Path()) != before

    assert init("--dialect", name, "--undo").code == 0
    assert snapshot(Path()) == before


@pytest.mark.parametrize("name", NAMES)
def test_a_dry_undo_shows_and_keeps_everything(name: str, init: Init) -> None:
    init("--dialect", name)
    before = snapshot(Path())
    ran = init("--dialect", name, "--undo", "--dry-run")

    assert "removed  " + setup_of(dialects.get(name)).files[0] in ran.out
    assert ran.out.endswith("nothing was written (--dry-run)\n")
    assert snapshot(Path()) == before


@pytest.mark.parametrize("words", [("--dialect", "wave"), ()])
def test_without_a_record_there_is_nothing_to_undo(words: tuple[str, ...], init: Init) -> None:
    init("--dialect", "wave")
    init("--dialect", "wave", "--undo")
    ran = init("--undo", *words)

    assert (ran.code, ran.out) == (0, "nothing to undo: no init is on record here\n")


def test_of_several_inits_one_must_be_named(init: Init) -> None:
    init("--dialect", "wave")
    init("--dialect", "amcp")
    ran = init("--undo")

    assert ran.code == 1
    assert "inits of several agents are on record; say which one with --dialect: amcp, wave" in ran.err


def test_what_the_user_added_stays_and_only_ours_goes(init: Init) -> None:
    write(".wave/settings.json", '{\n  "a": 1\n}\n')
    init("--dialect", "wave")
    settings = Path(".wave/settings.json")
    settings.write_text(settings.read_text().replace('"a": 1', '"a": 2,\n  "mine": []'))
    ran = init("--dialect", "wave", "--undo")

    assert ran.code == 0
    assert settings.read_text() == '{\n  "a": 2,\n  "mine": []\n}\n'
    assert not Path(".wave/hooks").exists()


def test_a_hook_of_the_users_among_ours_stays(init: Init) -> None:
    init("--dialect", "wave")
    settings = Path(".wave/settings.json")
    data = settings.read_text().replace('"Stop": [\n', '"Stop": [\n      {"hooks": [{"command": "mine"}]},\n')
    settings.write_text(data)
    assert init("--dialect", "wave", "--undo").code == 0

    assert json.loads(settings.read_text()) == {"hooks": {"Stop": [{"hooks": [{"command": "mine"}]}]}}


def test_an_entry_that_the_user_changed_is_told_and_its_wrapper_stays_until_a_second_undo(init: Init) -> None:
    init("--dialect", "amcp")
    hooks = Path(".amcp/hooks.toml")
    hooks.write_text(hooks.read_text().replace("timeout = 60", "timeout = 90"))
    ran = init("--dialect", "amcp", "--undo")

    assert ran.code == 1
    assert 'take out of .amcp/hooks.toml: the entry with "$AMCP_PROJECT_DIR/' in ran.out
    assert [path.name for path in Path(".amcp/hooks/tenterhook").glob("*.sh")] == ["handle-post-tool.sh"]
    assert hooks.read_text().strip().startswith("[[hooks.PostToolUse.handlers]]\n")
    hooks.unlink()
    assert init("--dialect", "amcp", "--undo").code == 0
    assert snapshot(Path()) == {}


def test_a_wrapper_that_the_user_changed_stays_and_is_named(init: Init) -> None:
    init("--dialect", "wave")
    stop = Path(".wave/hooks/tenterhook/handle-stop.sh")
    agent = Path(".wave/hooks/tenterhook/handle-agent-hook.sh")
    stop.write_text("mine")
    agent.unlink()
    agent.symlink_to(stop.name)
    ran = init("--dialect", "wave", "--undo")

    assert ran.code == 0
    assert "kept     .wave/hooks/tenterhook/handle-stop.sh\n" in ran.out
    assert {name for name, (kind, *_) in snapshot(Path()).items() if kind != "folder"} == {str(stop), str(agent)}


def test_files_of_others_in_our_folders_stay(init: Init) -> None:
    init("--dialect", "wave")
    write(".wave/hooks/mine.sh", "mine")
    init("--dialect", "wave", "--undo")

    assert list(snapshot(Path())) == [".wave", ".wave/hooks", ".wave/hooks/mine.sh"]


def test_a_config_and_wrappers_that_are_gone_are_no_trouble(init: Init) -> None:
    init("--dialect", "wave")
    os.unlink(".wave/settings.json")
    os.unlink(".wave/hooks/tenterhook/handle-stop.sh")

    assert init("--dialect", "wave", "--undo").code == 0
    assert snapshot(Path()) == {}


def test_a_config_that_broke_since_is_told_and_nothing_is_undone(init: Init) -> None:
    init("--dialect", "wave")
    write(".wave/settings.json", "{")
    before = snapshot(Path())
    ran = init("--dialect", "wave", "--undo")

    assert ran.code == 1
    assert ".wave/settings.json:1:2: " in ran.err
    assert snapshot(Path()) == before


def test_after_two_inits_with_a_change_between_them_ours_go_and_the_change_stays(init: Init) -> None:
    write("tenterhook.toml", "# mine\n")
    init("--dialect", "tenterhook")
    config = Path("tenterhook.toml")
    cut = config.read_text().index('[[hook]]\non = "turn.stop"')
    config.write_text(config.read_text()[:cut].replace("# mine", "# still mine"))
    init("--dialect", "tenterhook")
    assert init("--dialect", "tenterhook", "--undo").code == 0

    assert config.read_text().strip() == "# still mine"


def test_two_inits_without_a_change_of_others_between_them_are_undone_byte_for_byte(init: Init) -> None:
    """The second adds what the first, of an older version, did not know."""
    write(".wave/settings.json", '{"a": 1 }')
    before = snapshot(Path())
    init("--dialect", "wave")
    os.unlink(".wave/hooks/tenterhook/handle-stop.sh")
    init("--dialect", "wave")
    init("--dialect", "wave", "--undo")

    assert snapshot(Path()) == before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('".wave/settings.json"', '"../home/.bashrc"'),
        ('"handle-stop.sh"', '"../../../pwned"'),
        ('".wave/hooks"', '"../home"'),
        ('"version": 1', '"version": 2'),
        ('"version": 1', '"version": '),
    ],
)
def test_a_record_that_names_what_init_never_writes_is_not_followed(old: str, new: str, init: Init) -> None:
    """It may come with a repository, from anybody."""
    init("--dialect", "wave")
    record = Path(RECORD["wave"])
    text = record.read_text()
    assert old in text
    record.write_text(text.replace(old, new))
    before = snapshot(Path())
    ran = init("--dialect", "wave", "--undo")

    assert ran.code == 1
    assert RECORD["wave"] in ran.err
    assert snapshot(Path()) == before


def test_a_record_can_put_nothing_new_into_the_config(init: Init) -> None:
    """An original that is not the config without our entries is not restored; ours are taken out instead."""
    write(".wave/settings.json", "{}")
    init("--dialect", "wave")
    record = json.loads(Path(RECORD["wave"]).read_text())
    record["configs"][".wave/settings.json"]["original"] = "eyJldmlsIjoxfQ=="
    write(RECORD["wave"], json.dumps(record))
    init("--dialect", "wave", "--undo")

    assert Path(".wave/settings.json").read_text() == "{}"
