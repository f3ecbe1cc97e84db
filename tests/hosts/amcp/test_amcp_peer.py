"""AMCP 0.13.0's own functions and ours, over the same files: where they differ, it is in the table, with the reason."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hosts.peers.amcp_cases import CASES, Case
from hosts.peers.differences import AMCP, TABLES

ROOT = Path(__file__).parent.parent.parent.parent
PEERS = Path(sys.prefix) / "peers"
DRIVER = Path(__file__).parent.parent / "peers" / "drive_amcp.py"
PAGE = ROOT / "docs" / "embed" / "hosts" / "amcp.md"
MODULES = {"theirs": "amcp.hooks", "ours": "tenterhook.hosts.amcp"}

Results = dict[str, dict[str, dict[str, Any]]]


def line(case: Case, folder: Path, module: str) -> str:
    """A case's files in a folder of their own, and what the driver is to do there."""
    project, home = folder / "project", folder / "home"
    home.mkdir(parents=True)
    if "nowhere" not in case.files:
        project.mkdir()
    for name, text in case.files.items():
        if name != "nowhere":
            put(folder / name, text.replace("<PROJECT>", str(project)).replace("{module}", module))
    environ = {key: value.replace("<HOME>", str(home)) for key, value in case.environ.items()}
    how = {"call": case.call, "given": case.given, "environ": environ, "on_path": case.on_path}
    return json.dumps({"project": str(project), "home": str(home), **how})


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    if text.startswith("#!"):
        path.chmod(0o755)


def started(side: str, folder: Path) -> subprocess.Popen[str]:
    """One process for all cases of a side."""
    lines = [line(case, folder / side / str(n), MODULES[side]) for n, case in enumerate(CASES)]
    argv = [sys.executable, str(DRIVER), *([str(PEERS)] if side == "theirs" else [])]
    given = folder / f"{side}.jsonl"
    given.write_text("".join(f"{one}\n" for one in lines))
    with given.open() as stdin:
        return subprocess.Popen(
            argv, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder
        )


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    if not (PEERS / "amcp").is_dir():
        pytest.fail(f"AMCP's own program is not in {PEERS}: run `make test`, which installs it there")
    folder = tmp_path_factory.mktemp("peers")
    running = {side: started(side, folder) for side in MODULES}
    found: Results = {}
    for side, process in running.items():
        printed, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
        values = [json.loads(one.replace(str(folder / side), "FOLDER")) for one in printed.splitlines()]
        found[side] = {case.name: value for case, value in zip(CASES, values, strict=True)}
    return found


def shown(result: dict[str, Any], case: Case) -> dict[str, Any]:
    """The empty line that their feedback starts with is one difference, with a case of its own."""
    feedback = result.get("feedback")
    return {**result, "feedback": feedback.lstrip("\n")} if feedback and not case.exact else result


@pytest.mark.req("AM-API-functions")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_differs_is_in_the_table(case: Case, results: Results) -> None:
    theirs, ours = (shown(results[side][case.name], case) for side in MODULES)

    found = {name for name in {*theirs, *ours} if theirs.get(name) != ours.get(name)}
    if "raises" in found:
        found = {"raises"}
    assert found == set(case.differs), f"theirs {theirs}\nours {ours}"


def test_the_cases_are_many_and_every_row_of_the_table_is_a_difference_that_some_case_shows() -> None:
    assert len(CASES) == len({case.name for case in CASES}) >= 60
    assert {why for case in CASES for why in case.differs.values()} == set(AMCP)


def test_the_page_has_the_table() -> None:
    assert TABLES["amcp"] in PAGE.read_text(), "print it with `python tests/hosts/peers/differences.py amcp`"
