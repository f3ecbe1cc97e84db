"""The wheel and the source distribution hold what they should and nothing else, and the wheel's tag is true."""

import email
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tenterhook.version import __version__

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "tenterhook"
SUFFIXES = {".py", ".json", ".toml", ".typed"}
STATIC = ["manylinux2014", "manylinux_2_17", "musllinux_1_1"]


def build(folder: Path, *words: str, **environ: str) -> Path:
    line = [sys.executable, "-m", "hatchling", "build", "--directory", str(folder), *words]
    done = subprocess.run(line, cwd=ROOT, env=os.environ | environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (made,) = folder.iterdir()
    return made


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, zipfile.ZipFile]:
    made = {
        "pure": build(tmp_path_factory.mktemp("pure"), "--target", "wheel", TENTERHOOK_PURE="1"),
        "native": build(tmp_path_factory.mktemp("native"), "--target", "wheel", TENTERHOOK_PURE=""),
    }
    return {name: zipfile.ZipFile(path) for name, path in made.items()}


def on_disk() -> set[str]:
    """The package's own files, as they should be in every wheel."""
    return {
        str(path.relative_to(PACKAGE.parent))
        for path in PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".c"
    }


def test_a_wheel_holds_the_package_its_records_and_nothing_else(wheels):
    info = f"tenterhook-{__version__}.dist-info"
    records = {f"{info}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE")}

    manual = {f"tenterhook-{__version__}.data/data/share/man/man1/tenter.1"}
    assert set(wheels["pure"].namelist()) == on_disk() | records | manual
    assert {Path(name).suffix for name in on_disk()} <= SUFFIXES


def test_a_wheel_with_the_client_is_for_the_systems_that_can_run_it(wheels):
    native = wheels["native"]
    more = set(native.namelist()) - set(wheels["pure"].namelist())
    tags = email.message_from_bytes(native.read(f"tenterhook-{__version__}.dist-info/WHEEL")).get_all("Tag")
    if not more:
        pytest.skip("no C compiler")

    (client,) = more
    program = native.read(client)
    linked = b"/ld-linux" in program[:4096] or b"/ld-musl" in program[:4096]
    anywhere = [tag.removeprefix("py3-none-").startswith(one) for one, tag in zip(STATIC, sorted(tags), strict=False)]
    assert client == f"tenterhook-{__version__}.data/scripts/tenter-client"
    assert program.startswith(b"\x7fELF")
    assert (anywhere == [True] * 3) is not linked
    assert linked or len(tags) == 3


def test_a_pure_wheel_is_for_every_system(wheels):
    assert wheels["pure"].filename.endswith(f"tenterhook-{__version__}-py3-none-any.whl")


def test_both_names_start_the_command(wheels):
    entries = wheels["pure"].read(f"tenterhook-{__version__}.dist-info/entry_points.txt").decode()

    assert {"tenter = tenterhook.cli.main:main", "tenterhook = tenterhook.cli.main:main"} <= set(entries.splitlines())


def test_the_page_of_the_package_has_no_link_into_nowhere(wheels):
    page = email.message_from_bytes(wheels["pure"].read(f"tenterhook-{__version__}.dist-info/METADATA")).get_payload()

    assert "](docs/" not in page
    assert "/blob/main/docs/start/install.md)" in page
    assert "/raw/main/docs/terminal.svg)" in page


def test_a_source_distribution_holds_what_git_knows(tmp_path):
    listing = ["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard"]
    listed = subprocess.run(listing, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git checkout")
    with tarfile.open(build(tmp_path, "--target", "sdist")) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}

    known = {*listed.stdout.splitlines(), "PKG-INFO"}
    assert held <= known
    assert {name for name in known - held if not name.startswith(".ci/")} == set()
