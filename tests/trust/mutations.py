"""An approved project, and everything that can be changed in it afterwards: the tests' list, and the fault row's."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from tenterhook import Engine
from tenterhook.tools.approve import decide
from tenterhook.trust import store

HOOK = {
    "on": '"tool.before"',
    "name": '"guard"',
    "match": '"Bash"',
    "command": '"./guard.sh check"',
    "timeout": "5",
    "env": '{MODE = "plain"}',
    "on_failure": '"deny"',
}
SCRIPT = "#!/bin/sh\ntouch ran\n"

Mutation = Callable[[Path, Path], Path]


def write(root: Path, **keys: str) -> None:
    entry = {**HOOK, **keys}
    (root / "tenterhook.toml").write_text("[[hook]]\n" + "".join(f"{key} = {value}\n" for key, value in entry.items()))


def script(path: Path, text: str = SCRIPT) -> None:
    path.write_text(text)
    path.chmod(0o755)


def build(root: Path) -> None:
    root.mkdir(parents=True, exist_ok=True)
    write(root)
    script(root / "guard.sh")


def approve(root: Path, home: Path, environ: Mapping[str, str]) -> decide.ProjectReview:
    """As `tenter trust --yes` does."""
    found = decide.look(root, home=home, environ=environ)
    decide.approve(found, decide.approvable(found.standings), found.gone)
    return found


def engine(root: Path, home: Path, environ: Mapping[str, str], **options: str) -> Engine:
    return Engine(root, home=home, environ=environ, grace=0.2, **options)  # type: ignore[arg-type]


def keyed(**keys: str) -> Mutation:
    def mutate(root: Path, home: Path) -> Path:
        write(root, **keys)
        return root

    return mutate


def byte(root: Path, home: Path) -> Path:
    script(root / "guard.sh", SCRIPT + "#")
    return root


def same_size(root: Path, home: Path) -> Path:
    """Another byte, and the same size and times as before."""
    path = root / "guard.sh"
    about = path.stat()
    path.write_text(SCRIPT.replace("ran", "raN"))
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))
    return root


def link(root: Path, home: Path) -> Path:
    """The same bytes, but from elsewhere."""
    script(home / "guard.sh")
    (root / "guard.sh").unlink()
    (root / "guard.sh").symlink_to(home / "guard.sh")
    return root


def interpreter(root: Path, home: Path) -> Path:
    script(root / "guard.sh", SCRIPT.replace("/bin/sh", "/bin/sh -e"))
    return root


def linked_config(root: Path, home: Path) -> Path:
    os.replace(root / "tenterhook.toml", root / "elsewhere.toml")
    (root / "tenterhook.toml").symlink_to("elsewhere.toml")
    return root


def moved(root: Path, home: Path) -> Path:
    return root.rename(root.with_name("moved"))


def copied(root: Path, home: Path) -> Path:
    """A copy of the project, with a copy of its store put where its own would be."""
    copy = Path(shutil.copytree(root, root.with_name("copied")))
    environ = {"HOME": str(home)}
    shutil.copy(store.place(str(root), str(home), environ), store.place(str(copy), str(home), environ))
    return copy


def restored(**changes: object) -> Mutation:
    """The store as it would be on another machine, or for another user."""

    def mutate(root: Path, home: Path) -> Path:
        path = Path(store.place(str(root), str(home), {"HOME": str(home)}))
        path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
        return root

    return mutate


MUTATIONS: dict[str, Mutation] = {
    "event": keyed(on='"tool.after"'),
    "matcher": keyed(match='".*"'),
    "match kind": keyed(match_kind='"glob"'),
    "command": keyed(command='"./guard.sh check all"'),
    "another program": keyed(command='"sh guard.sh check"'),
    "handler": keyed(command="false", script='"guard.sh"'),
    "time-out": keyed(timeout="6"),
    "value in the environment": keyed(env='{MODE = "other"}'),
    "name in the environment": keyed(env='["MODE"]'),
    "failure policy": keyed(on_failure='"allow"'),
    "once": keyed(once="true"),
    "sequential": keyed(sequential="true"),
    "priority": keyed(priority="7"),
    "background": keyed(background="true"),
    "leftovers": keyed(leftovers='"end"'),
    "condition": keyed(**{"if": '{"tool_input.command" = "ls*"}'}),
    "sandbox": keyed(sandbox='{network = "full"}'),
    "no sandbox": keyed(sandbox='"off"'),
    "name": keyed(name='"other"'),
    "byte of the script": byte,
    "byte of the script, times put back": same_size,
    "script behind a link": link,
    "interpreter of the script": interpreter,
    "config behind a link": linked_config,
    "project moved": moved,
    "project and store copied": copied,
    "store of another machine": restored(machine="another"),
    "store of another user": restored(user=4711),
    "store of another place": restored(place="/elsewhere"),
}


def fell(root: Path, home: Path, environ: Mapping[str, str]) -> bool:
    """Whether nothing of the project runs, and something says so."""
    with engine(root, home, environ) as made:
        outcomes = [made.fire(event, tool_name="Bash", tool_input={"command": "ls"}) for event in EVENTS]
        states = {hook.state for hook in made.hooks()}
    stopped = any(one.error == "modified" for outcome in outcomes for one in outcome.attempts)
    stopped |= any(one.why == "untrusted" for outcome in outcomes for one in outcome.skipped)
    ran = any((root / name).exists() for name in ("ran", "raN"))
    return stopped and not ran and not states & {"trusted"}


EVENTS = ("tool.before", "tool.after")
