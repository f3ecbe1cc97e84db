"""A project whose hooks are converted, in this process."""

import json

import pytest

from tenterhook import dialects
from tenterhook.cli.main import main
from tenterhook.engine.hookset import HookSet
from tenterhook.engine.options import EngineOptions
from tenterhook.tools.convert import convert


@pytest.fixture(autouse=True)
def home(tmp_path_factory, monkeypatch):
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return home


@pytest.fixture
def write(tmp_path):
    def write(path: str, text: object, *, mode: int = 0o644):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text if isinstance(text, str) else json.dumps(text, indent=1))
        file.chmod(mode)
        return file

    return write


@pytest.fixture
def converted(tmp_path):
    """What comes of the project's hooks, from one dialect to another; either may be a dialect of the test's own."""

    def run(source, target, **options):
        found = dialects.get(target) if isinstance(target, str) else target
        return convert(
            HookSet(EngineOptions(tmp_path, dialect=source, trust="all")), found, **{"plain": True, **options}
        )

    return run


@pytest.fixture
def command(tmp_path, capsys):
    """The command's exit code, and what it printed, the project's path left out."""

    def run(*argv: str) -> tuple[int, str, str]:
        code = main(["convert", "--project", str(tmp_path), *argv])
        printed = capsys.readouterr()
        return code, printed.out, printed.err.replace(f"{tmp_path}/", "")

    return run
