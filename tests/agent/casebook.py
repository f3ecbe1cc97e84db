"""Cases over `tenter agent --script`: files as a user writes them, a script, and what the transcript must say.

A case writes its files below a fresh project (and HOME), runs the agent once and compares. In a TOML file:

    dialect = "moai"

    [[case]]
    id = "what-it-shows"              what it shows; unique in its file
    req = ["CC-EV-PreToolUse"]        requirements that it checks
    prompt = "Go."                    (default)
    args = ["--yes"]                  further options; --trust is given unless `trust = false`
    config = '''...'''                the dialect's usual config file; `files` and `home` hold any others
    script = '''...'''                the model's replies, one JSON object a line
    exit = 0                          (default)
    expect = [{kind = "tool", ran = false, result = "has:no"}]
    never = [{kind = "user"}]
    after = {"a.txt" = "new"}

`expect` are entries of the transcript that must come in this order, others may stand between them. Of an entry the keys
that are named count. "has:..." is a part of the text, "re:..." a regular expression, a list in a list is found item by
item, anything else is the whole value. `never` are entries that must not be there at all. `after` says what stands in
a file afterwards: its text, true for any, false for none; a mapping is compared with its JSON. `stdout` and `stderr`
are texts that must be printed.
"""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

from conftest import Project

HERE = Path(__file__).parent / "cases"
CONFIG = {
    "moai": ".claude/settings.json",
    "amcp": ".amcp/hooks.toml",
    "wave": ".wave/settings.json",
    "llxprt": ".llxprt/settings.json",
    "gemini": ".gemini/settings.json",
    "qwen": ".qwen/settings.json",
    "massgen": "massgen.yaml",
    "tenterhook": "tenterhook.toml",
}
KEYS = {
    *("id", "req", "prompt", "args", "trust", "config", "files", "home", "env", "script", "exit", "expect", "never"),
    *("after", "stdout", "stderr", "dialect"),
}


def cases() -> list[dict[str, Any]]:
    """Of all files in cases/, each with its dialect."""
    found = []
    for file in sorted(HERE.glob("*.toml")):
        book = tomllib.loads(file.read_text())
        for case in book["case"]:
            assert not case.keys() - KEYS, f"{file.name}: {case['id']}: {case.keys() - KEYS}"
            found.append({"dialect": book.get("dialect"), "book": file.stem, **case})
    return found


def run(case: dict[str, Any], project: Project) -> list[str]:
    """What is wrong."""
    if "config" in case:
        project.write(CONFIG[case["dialect"]], case["config"])
    for put, files in ((project.write, case.get("files", {})), (project.home, case.get("home", {}))):
        for name, text in files.items():
            put(name, text.lstrip("\n"))
    script, transcript = project.home_folder / "script.jsonl", project.home_folder / "transcript.jsonl"
    script.write_text(case["script"])
    words = ["agent", "--dialect", case["dialect"], "--project", str(project.root), "--script", str(script)]
    words += ["--prompt", case.get("prompt", "Go."), "--transcript", str(transcript)]
    words += ["--trust"] if case.get("trust", True) else []
    done = subprocess.run(
        [sys.executable, "-m", "tenterhook", *words, *case.get("args", [])],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        env=environment(project, case.get("env", {})),
        cwd=project.home_folder,
        check=False,
    )
    entries = [json.loads(line) for line in transcript.read_text().splitlines()] if transcript.exists() else []
    wrong = [f"exit {done.returncode}, not {case.get('exit', 0)}"] if done.returncode != case.get("exit", 0) else []
    wrong += ["a traceback"] if "Traceback" in done.stderr else []
    wrong += ordered(case.get("expect", []), entries)
    wrong += [f"there is {one}" for no in case.get("never", []) for one in entries if not differs(no, one, "")]
    for name, want in case.get("after", {}).items():
        wrong += left(project.root / name, want)
    for stream in ("stdout", "stderr"):
        wrong += differs(case.get(stream, "has:"), getattr(done, stream), stream)
    if wrong:
        wrong += ["", *(json.dumps(one) for one in entries), "", done.stdout, done.stderr]
    return wrong


def environment(project: Project, more: dict[str, str]) -> dict[str, str]:
    """Hooks find the tester's own python3 first; {PATH} in a value is the path with it."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**project.environ(PATH=path), **{name: value.replace("{PATH}", path) for name, value in more.items()}}


def ordered(expected: list[Any], entries: list[Any]) -> list[str]:
    place = 0
    for want in expected:
        found = next((n for n in range(place, len(entries)) if not differs(want, entries[n], "")), None)
        if found is None:
            return [f"no entry like {want} after the first {place}"]
        place = found + 1
    return []


def differs(expected: Any, actual: Any, where: str) -> list[str]:
    """Where `actual` does not hold `expected`."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        return [one for key, value in expected.items() for one in differs(value, actual.get(key), f"{where}.{key}")]
    if isinstance(expected, list) and isinstance(actual, list) and expected and isinstance(expected[0], dict):
        return [f"{where}: none like {one}" for one in expected if all(differs(one, two, "") for two in actual)]
    if isinstance(expected, str) and expected.startswith(("has:", "re:")):
        kind, _, text = expected.partition(":")
        ok = isinstance(actual, str) and (text in actual if kind == "has" else re.search(text, actual, re.DOTALL))
        return [] if ok else [f"{where}: {actual!r} does not hold {text!r}"]
    return [] if expected == actual and type(expected) is type(actual) else [f"{where}: {actual!r}, not {expected!r}"]


def left(path: Path, want: Any) -> list[str]:
    if not path.exists():
        return [] if want is False else [f"{path.name} was not written"]
    if isinstance(want, bool):
        return [] if want else [f"{path.name} exists"]
    text = path.read_text()
    return differs(want, json.loads(text) if isinstance(want, dict) else text, path.name)
