"""`tenter doctor` says what this machine can do, and what is wrong."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tenterhook.cli.commands import doctor
from tenterhook.cli.main import main
from tenterhook.engine.hookset import HookSet
from tenterhook.engine.options import EngineOptions
from tenterhook.runtime.sandbox import abilities, bubblewrap, kernel
from tenterhook.runtime.sandbox.abilities import Ability


@pytest.fixture(autouse=True)
def _at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    (tmp_path / "home").mkdir()
    monkeypatch.chdir(tmp_path)


def findings(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Ability]]:
    code = main(["doctor", "--json", *words])
    return code, by_name(capsys.readouterr().out)


def by_name(printed: str) -> dict[str, Ability]:
    return {f"{one['area']} {one['name']}": Ability(**one) for one in json.loads(printed)}


@pytest.fixture
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the machine's part, which takes a second."""
    monkeypatch.setattr(doctor, "abilities", list)
    monkeypatch.setattr(doctor, "proofs", list)
    monkeypatch.setattr(doctor, "check_trial_hook", lambda hooks: Ability("sandbox", "a hook, fired", "works"))
    monkeypatch.setattr(doctor, "speed", lambda hooks: [])


def test_the_machine_is_described_and_proven(capsys: pytest.CaptureFixture[str]) -> None:
    code, found = findings(capsys)

    names = {one.name for one in found.values() if one.area == "machine"}
    if kernel.MACHINE:
        assert {"Landlock", "seccomp", "user namespace", "network namespace", "bubblewrap", "pidfd"} <= names
    assert code == any(one.state == "broken" for one in found.values())
    assert found["sandbox a hook, fired"].state in ("works", "broken", "absent")
    proven = [one for one in found.values() if one.name.startswith("network ") and one.area == "sandbox"]
    assert len(proven) == (len(abilities.NETWORKS) if kernel.MACHINE else 0)
    assert all("tried" in one.detail or "bubblewrap" in one.detail for one in proven if one.state == "works")


@pytest.mark.skipif(sys.platform != "linux", reason="needs the supervisor")
def test_what_spares_hooks_their_start_is_tried() -> None:
    """In a process of its own: in ours, earlier tests may hold all the interpreters that are kept warm."""
    done = subprocess.run(
        [sys.executable, "-m", "tenterhook", "doctor", "--json"], capture_output=True, text=True, timeout=120
    )
    found = by_name(done.stdout)

    shell = Path("/bin/sh").resolve().name
    assert found["speed no shell"].state == ("works" if shell in ("dash", "bash") else "absent")
    assert found["speed warm Python"].state == "works", found["speed warm Python"].detail
    assert "in a fork" in found["speed warm Python"].detail
    assert (found["speed tenter serve"].state, "tenter serve --detach" in found["speed tenter serve"].detail) == (
        "absent",
        True,
    )


@pytest.mark.skipif(sys.platform != "linux", reason="needs the supervisor")
def test_where_no_hook_runs_nothing_is_said_to_be_warm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TENTERHOOK_OFF", "1")
    found = doctor.check_warm_python(HookSet(EngineOptions(tmp_path)))

    assert (found.state, "TENTERHOOK_OFF" in found.detail) == ("absent", True)


def test_a_leak_is_told_and_the_exit_code_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    result = {"mechanism": "namespace", "tried": 40, "leaks": ["read a key"], "failed": {"write": "no"}}
    monkeypatch.setattr(abilities, "prove", lambda network, mechanisms: result)
    found = abilities.check_network_sandbox("none")

    assert found.state == "broken"
    assert "read a key" in found.detail
    assert "could not write (no)" in found.detail


def test_without_any_mechanism_hooks_run_unconfined_and_that_is_no_small_thing(monkeypatch: pytest.MonkeyPatch) -> None:
    result = {"mechanism": "", "why": "namespace: forbidden", "refused": False}
    monkeypatch.setattr(abilities, "prove", lambda network, mechanisms: result)
    monkeypatch.setattr(bubblewrap, "find_working_bwrap", str)

    assert abilities.check_network_sandbox("full") == Ability(
        "sandbox", "network full", "broken", "hooks run unconfined, or are refused in strict mode: namespace: forbidden"
    )


def test_another_system_has_no_sandbox_yet_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "MACHINE", "")

    [found] = abilities.abilities()
    assert found.state == "absent"
    assert "Linux" in found.detail
    assert abilities.proofs() == []


@pytest.mark.usefixtures("_quick")
def test_what_the_settings_switch_off_is_said(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "home/.config/tenterhook/tenterhook.toml"
    file.parent.mkdir(parents=True)
    file.write_text('[settings]\nsandbox = "off"\nsecrets = "pass"\njournal = false\n')
    code, found = findings(capsys)

    assert code == 0
    assert {name for name in doctor.LOUD if found[f"settings {name}"].state == "off"} == {*doctor.LOUD}
    assert found["settings sandbox"].detail == "hooks run unconfined"


@pytest.mark.usefixtures("_quick")
def test_a_folder_that_others_can_write_is_broken(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "home/.local/state/tenterhook/trust"
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    code, found = findings(capsys)

    assert code == 1
    assert found["folders trust"].state == "broken"
    assert f"chmod go-w {folder}" in found["folders trust"].detail
    assert found["folders journal"].state == "works"


@pytest.mark.usefixtures("_quick")
def test_a_file_where_a_folder_belongs_is_broken(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "home/.local/state/tenterhook").mkdir(parents=True)
    (tmp_path / "home/.local/state/tenterhook/journal").write_text("")

    assert findings(capsys)[1]["folders journal"].state == "broken"


@pytest.mark.usefixtures("_quick")
def test_a_hook_that_gets_less_than_works_here_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "proofs", lambda: [Ability("sandbox", "network none", "works", "namespace: 48 tried")])
    monkeypatch.setattr(
        doctor, "check_trial_hook", lambda hooks: Ability("sandbox", "a hook, fired", "works", "landlock")
    )

    code, found = findings(capsys)

    assert (code, found["sandbox a hook, fired"].state) == (1, "broken")


@pytest.mark.usefixtures("_quick")
def test_people_get_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0

    printed = capsys.readouterr().out
    assert "folders" in printed
    assert printed.rstrip().endswith("everything works")


@pytest.mark.skipif(not kernel.MACHINE, reason="nothing is proven here")
def test_nobody_is_left_who_listened_for_the_proof() -> None:
    abilities.check_network_sandbox("loopback")

    assert not [thread for thread in threading.enumerate() if "(echo)" in thread.name]
