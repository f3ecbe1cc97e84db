"""Row 7: cold start of the command, installed and compiled as a user has it.

A fresh environment in .bench/startup, the project built and installed into it, every file compiled; then each command
is started in turn, so that a slow second hits all of them. PYTHONDONTWRITEBYTECODE and the like are not passed on.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
import time
import venv
from importlib.util import find_spec
from pathlib import Path
from typing import IO

from msgspec import Struct

from figures import Line, Measured, Rounds, Row, Unavailable
from outside import BENCH, ROOT, environment, pip, run

HOME = BENCH / "startup"
PYTHON = HOME / "bin" / "python"
TENTER = HOME / "bin" / "tenter"
NATIVE = HOME / "bin" / "tenter-client"
YARDSTICK = 'python -c "import json"'
# What a hook that does next to nothing costs, and what ours cost instead.
SCRIPT = "a Python script that reads and writes JSON"
TEXT = "import json\nimport sys\n\nevent = json.load(sys.stdin)\njson.dump({}, sys.stdout)\n"
HOOKS = {
    "tenter hook pre-tool": ["pre-tool"],
    "tenter hook agent backend-validation": ["agent", "backend-validation"],
    "tenter hook compact, in the dialect of another agent": ["compact", "--dialect", "llxprt"],
}
# A hook of an author's own, by each of the ways in which an agent may call it.
GUARD = """from tenterhook import hook


@hook("tool.before", match="shell")
def no_force_push(event):
    if "push --force" in event.command:
        return hook.deny("Force pushes are not allowed here.")


if __name__ == "__main__":
    hook.main()
"""
# The gate as an agent calls it where there is neither a server nor the native client.
COLD_CALL = "tenter run, no hook matches, no server"
NAMED, UNNAMED = (
    "a hook of your own, python FILE --agent",
    "the same, where the payload tells the agent",
)
LISTED = 12

EVENT = {"tool_name": "Bash", "tool_input": {"command": "ls -la"}}
CALL: dict[str, object] = {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/", "tool_name": "Bash"}
CALL |= {"transcript_path": "/home/user/.claude/x.jsonl", "tool_input": {"command": "git push --force"}}
HOOK = {"type": "command", "command": "true"}
# One project for each format, with one hook that does not match the event.
PROJECTS = {
    "JSON (llxprt)": (
        "llxprt",
        ".llxprt/settings.json",
        json.dumps({"enableHooks": True, "hooks": {"BeforeTool": [{"matcher": "^Write$", "hooks": [HOOK]}]}}),
    ),
    "JSON (moai)": (
        "moai",
        ".claude/settings.json",
        json.dumps({"hooks": {"PreToolUse": [{"matcher": "Write", "hooks": [HOOK]}]}}),
    ),
    "TOML (amcp)": (
        "amcp",
        ".amcp/hooks.toml",
        '[[hooks.PreToolUse.handlers]]\nmatcher = "write_file"\ncommand = "true"\n',
    ),
    "YAML (massgen)": (
        "massgen",
        "massgen.yaml",
        "hooks:\n  PreToolUse:\n    - matcher: write_file\n      type: command\n      handler: 'true'\n",
    ),
}


class Import(Struct, frozen=True):
    """One line of -X importtime: microseconds in the module itself, and with all it imported first."""

    name: str
    own: int
    whole: int


VERSION = "tenter --version"
LIMITS = {VERSION: 1.2, "tenter fire, JSON (llxprt)": 2.5, "tenter fire, JSON (moai)": 2.5}
LINES = [Line(what, YARDSTICK, LIMITS.get(what)) for what in (VERSION, *(f"tenter fire, {what}" for what in PROJECTS))]
LINES += [Line(what, SCRIPT, 2.2) for what in HOOKS]
LINES += [Line(COLD_CALL, SCRIPT, 1.6), Line(NAMED, SCRIPT, 1.0), Line(UNNAMED, SCRIPT, 1.0)]


def cold_start(rounds: Rounds) -> Measured:
    times = starts(rounds(41))
    for line in LINES:
        yield line.key, list(zip(times[line.what], times[line.yardstick], strict=True))


def starts(rounds: int) -> dict[str, list[float]]:
    """Seconds of every start, by what was started; the n-th of each belong to one round."""
    install()
    with tempfile.TemporaryDirectory(dir=BENCH) as folder:
        given = Path(folder, "input.json")
        given.write_text(json.dumps(EVENT))
        commands = {YARDSTICK: [str(PYTHON), "-c", "import json"], VERSION: [str(TENTER), "--version"]}
        commands |= {f"tenter fire, {what}": fire(Path(folder), what) for what in PROJECTS}
        check(commands, given)
        script = Path(folder, "script.py")
        script.write_text(TEXT)
        hooks = {what: [str(TENTER), "hook", *words, "--project", folder] for what, words in HOOKS.items()}
        commands |= {SCRIPT: [str(PYTHON), str(script)], **hooks}
        called, asked = Path(folder, "call.json"), Path(folder, "asked.json")
        authors = authored(Path(folder), called)
        gate = cold_call(Path(folder), asked)
        times: dict[str, list[float]] = {what: [] for what in (*commands, *authors, COLD_CALL)}
        with given.open("rb") as stdin, called.open("rb") as call, asked.open("rb") as other:
            for _ in range(rounds):
                for what, argv in commands.items():
                    times[what].append(started(argv, stdin, folder))
                for what, argv in authors.items():
                    times[what].append(started(argv, call, folder))
                times[COLD_CALL].append(started(gate, other, folder, TENTERHOOK_SERVE="off"))
    return times


def cold_call(folder: Path, given: Path) -> list[str]:
    """`tenter run` in a project with an approved hook, which is for another tool than the one that is called."""
    project = folder / "gate"
    project.mkdir()
    (project / "guard.py").write_text(GUARD)
    (project / "tenterhook.toml").write_text('[[hook]]\nuse = "guard.py"\n')
    env = environment(str(folder))
    subprocess.run([str(TENTER), "trust", "--yes"], cwd=project, env=env, check=True, capture_output=True)
    given.write_text(json.dumps(CALL | {"cwd": str(project), "tool_name": "Read", "tool_input": {"file_path": "/a"}}))
    argv = [str(TENTER), "run", "--agent", "claude"]
    done = subprocess.run(argv, env=env | {"TENTERHOOK_SERVE": "off"}, input=given.read_bytes(), capture_output=True)
    assert (done.returncode, done.stdout) == (0, b""), done
    return argv


def install() -> None:
    """Built and installed anew each time: it is the present source that is measured."""
    shutil.rmtree(HOME, ignore_errors=True)
    venv.create(HOME, symlinks=True, with_pip=False)
    wheels = HOME / "wheels"
    isolation = ["--no-build-isolation"] if find_spec("hatchling") else []
    pip("wheel", "-q", "--no-deps", *isolation, "-w", str(wheels), str(ROOT))
    pip("--python", str(PYTHON), "install", "-q", *map(str, wheels.glob("*.whl")))
    run([str(PYTHON), "-m", "compileall", "-q", str(HOME / "lib")])


def fire(folder: Path, what: str) -> list[str]:
    dialect, file, text = PROJECTS[what]
    project = folder / dialect
    (project / file).parent.mkdir(parents=True, exist_ok=True)
    (project / file).write_text(text)
    return [str(TENTER), "fire", "tool.before", "--dialect", dialect, "--project", str(project), "--trust"]


def authored(folder: Path, given: Path) -> dict[str, list[str]]:
    """A hook file, called in each way, and each time it refuses."""
    file = folder / "guard.py"
    file.write_text(GUARD)
    given.write_text(json.dumps(CALL))
    python, agent = [str(PYTHON), str(file)], ["--agent", "claude"]
    commands = {NAMED: [*python, *agent], UNNAMED: python}
    for what, argv in commands.items():
        done = subprocess.run(argv, env=environment(str(folder)), input=given.read_bytes(), capture_output=True)
        assert b"Force pushes are not allowed here." in done.stdout, (what, done)
    return commands


def check(commands: dict[str, list[str]], given: Path) -> None:
    """Each command does what it is measured for: the hook was seen, and set aside by its matcher."""
    for what, argv in commands.items():
        done = subprocess.run(argv, env=environment(str(given.parent)), input=given.read_bytes(), capture_output=True)
        if done.returncode:
            raise Unavailable(f"{what}: exit code {done.returncode}: {done.stderr.decode().strip()}")
        if " fire" in what:
            skipped = json.loads(done.stdout)["skipped"]
            assert [one["why"] for one in skipped] == ["matcher"], (what, skipped)


def started(argv: list[str], stdin: IO[bytes], home: str, **more: str) -> float:
    stdin.seek(0)
    env = environment(home) | more
    began = time.perf_counter()
    nowhere = subprocess.DEVNULL
    subprocess.run(argv, stdin=stdin, stdout=nowhere, stderr=nowhere, env=env, check=True)
    return time.perf_counter() - began


def imports() -> str:
    """Which modules `tenter fire` spends its start on, ours and others', the dearest first; the best of five runs."""
    if not TENTER.exists():
        return ""
    with tempfile.TemporaryDirectory(dir=BENCH) as folder:
        argv = [str(PYTHON), "-X", "importtime", *fire(Path(folder), "JSON (llxprt)")]
        runs = [imported(argv, folder) for _ in range(5)]
    best = min(runs, key=lambda run: sum(one.own for one in run))
    # What the interpreter itself imports, before the command begins, is in the yardstick too.
    bare = {one.name for one in imported([str(PYTHON), "-X", "importtime", "-c", ""], str(ROOT))}
    ours = [one for one in best if one.name.startswith("tenterhook")]
    others = [one for one in best if one.name not in bare and one not in ours]
    return "\n".join(
        [
            *listed("ours", ours),
            *listed("others", others),
        ]
    )


def imported(argv: list[str], home: str) -> list[Import]:
    given = json.dumps(EVENT).encode()
    told = subprocess.run(argv, env=environment(home), input=given, capture_output=True).stderr.decode()
    rows = [row.removeprefix("import time:").split("|") for row in told.splitlines() if row.startswith("import time:")]
    return [Import(name.strip(), int(own), int(whole)) for own, whole, name in rows if own.strip().isdigit()]


def listed(what: str, found: list[Import]) -> list[str]:
    head = f"modules of `tenter fire` (llxprt), {what}: {len(found)}, {sum(one.own for one in found) / 1000:.1f} ms"
    dearest = sorted(found, key=lambda one: -one.own)[:LISTED]
    return [head, *(f"  {one.own / 1000:6.2f} ms  {one.name}" for one in dearest)]


ROWS = {7: Row(tuple(LINES), cold_start, long=True)}
