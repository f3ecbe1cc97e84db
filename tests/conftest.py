"""What all tests share: surroundings of their own, and a project folder with a home beside it."""

import json
import os
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

import clean_start

clean_start.reset()  # before anything looks at the environment

from processes import both_ways, own_way  # noqa: E402, F401  # fixtures
from tenterhook import Engine, Outcome  # noqa: E402

# On a busy machine neither the time of one example nor the time to draw it says anything about the code.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

OURS = "TENTERHOOK_"
# What a folder may be called, and what must not matter: a shell that took it for its own would leave a file behind.
STRANGE = 'it\'s "a" $(touch pwned) my project'
# The first lines of a Python program, for interpreters in folders whose names no #! line can hold: to the shell they
# are a command that runs Python on the same file, to Python they are a text.
PYTHON = f"""#!/bin/sh
'''exec' {shlex.quote(sys.executable)} "$0" "$@"
' '''
"""


@pytest.fixture(scope="session")
def state_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("state")


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, state_folder: Path) -> None:
    """Nothing that the tester's own shell says may decide a test, and no test writes to the tester's own journal."""
    for name in [name for name in os.environ if name.startswith(OURS)]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_STATE_HOME", str(state_folder))
    monkeypatch.setenv("TENTERHOOK_SERVE", "off")  # an agent's call would start a server that outlives the test
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)  # where the tester's own server may be


@pytest.fixture(autouse=True)
def _forgotten_imports(request: pytest.FixtureRequest) -> Iterator[None]:
    """Modules that hooks import are forgotten afterwards, so that every test may call its own `guard`."""
    path = list(sys.path)
    folder = str(request.getfixturevalue("tmp_path")) if "tmp_path" in request.fixturenames else ""
    yield
    sys.path[:] = path
    for name, module in list(sys.modules.items()) if folder else ():
        if str(getattr(module, "__file__", None)).startswith(folder):
            del sys.modules[name]


@pytest.fixture
def project(tmp_path: Path) -> Iterator["Project"]:
    made = Project(tmp_path)
    yield made
    made.close()


class Project:
    """A folder whose name has blanks, quotes and a command in it, and a HOME beside it."""

    def __init__(self, folder: Path) -> None:
        self.root, self.home_folder = folder / STRANGE, folder / "home"
        self.root.mkdir()
        self.home_folder.mkdir()
        self.engines: list[Engine] = []

    def write(self, name: str, text: str) -> Path:
        """A file of the project; one that starts with #! can be run."""
        return put(self.root / name, text)

    def home(self, name: str, text: str) -> Path:
        """A file below HOME."""
        return put(self.home_folder / name, text)

    def script(self, name: str, body: str) -> str:
        """A program of the project, by its name: .py for Python, else /bin/sh. Returns ./name, good in any config."""
        shebang = "" if body.startswith("#!") else PYTHON if name.endswith(".py") else "#!/bin/sh\n"
        self.write(name, shebang + body)
        return f"./{name}"

    def answers(self, name: str, answer: Any = "", *, exit_code: int = 0, stderr: str = "") -> str:
        """A program that keeps its input in NAME.json, prints the answer (text, or a value as JSON) and exits.

        A program in an agent's own folder cannot write there: it keeps its input in a folder without the dot.
        """
        text = answer if isinstance(answer, str) else json.dumps(answer)
        self.write(f"{name}.out", text)
        self.write(f"{name}.err", stderr)
        here = '"${0%/*}/' + name.rpartition("/")[2]
        record = self.root / f"{name.lstrip('.')}.json"
        record.parent.mkdir(parents=True, exist_ok=True)
        kept = shlex.quote(str(record)) if name.startswith(".") else f'{here}.json"'
        return self.script(name, f'cat > {kept}\ncat {here}.out"\ncat {here}.err" >&2\nexit {exit_code}\n')

    def logs(self, *words: str) -> None:
        """Programs that each add their own name to the file `order`."""
        for word in words:
            self.script(word, f'printf "{word} " >> order\n')

    def read(self, name: str) -> str:
        return (self.root / name).read_text()

    def json(self, name: str) -> Any:
        """What a hook wrote down, such as its stdin."""
        return json.loads(self.read(name))

    def has(self, name: str) -> bool:
        return (self.root / name).exists()

    @staticmethod
    def told(outcome: Outcome) -> list[tuple[str, str, str]]:
        """Who was told what."""
        return [(message.to, message.kind, message.text) for message in outcome.messages]

    def environ(self, **more: str | None) -> dict[str, str]:
        """The tester's environment with this HOME; a value of None takes a variable away."""
        folders = {"HOME": str(self.home_folder), "XDG_CONFIG_HOME": None, "XDG_STATE_HOME": None}
        base: dict[str, str | None] = {**os.environ, **folders, **more}
        return {name: value for name, value in base.items() if value is not None}

    def engine(self, dialect: str, **options: Any) -> Engine:
        """An engine for this project; closed when the test ends, if not before."""
        environ = self.environ(**(options.pop("environ", None) or {}))
        options = {"trust": "all", "grace": 0.2, **options}
        engine = Engine(self.root, dialect=dialect, home=self.home_folder, environ=environ, **options)
        self.engines.append(engine)
        return engine

    def fire(
        self,
        dialect: str,
        event: str,
        data: dict[str, Any] | None = None,
        *,
        agent: str = "",
        trust: str = "all",
        config: str | Path | None = None,
        mode: str = "",
        environ: dict[str, str | None] | None = None,
        **options: Any,
    ) -> Outcome:
        """One event in an engine of its own. `environ` is laid over the usual one; `config` counts from the project."""
        place = None if config is None else self.root / config
        given = {"agent": agent, "trust": trust, "config": place, "mode": mode, "environ": environ, **options}
        with self.engine(dialect, **given) as engine:
            return engine.fire(event, **(data or {}))

    def close(self) -> None:
        for engine in self.engines:
            engine.close()


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    if text.startswith("#!"):
        path.chmod(0o755)
    return path
