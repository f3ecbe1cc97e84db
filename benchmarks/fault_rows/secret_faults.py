"""What hooks see of secrets, what is kept and said of them, and what a config's text can make a shell or a pattern do.

Importing this adds its rows to those of faults.py.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import canaries
from fault_tools import ENV, Figures, row
from tenterhook.engine.engine import Engine
from tenterhook.pipeline.match import NOT_RUN, match
from tenterhook.pipeline.regex.re2 import engine as engine_of_re2
from tenterhook.support.secrets.redact import Redactor

DECLARED = ("OPENAI_API_KEY", "PLAIN_1")
KEPT = {"PATH": ENV["PATH"], "HOME": "/nowhere", "LANG": "C.UTF-8"}


def configured(folder: str, *hooks: Mapping[str, object]) -> Path:
    """A project of our own dialect with these hooks before every tool."""
    project = Path(folder)
    project.mkdir(exist_ok=True)
    lines = [f"{key} = {json.dumps(value)}" for one in hooks for key, value in {"on": "tool.before", **one}.items()]
    text = "\n".join("\n[[hook]]\n" + line if line.startswith("on =") else line for line in lines)
    (project / "tenterhook.toml").write_text(text)
    return project


@row("S7", "environment: 40 names, 15 shapes of values, 2 modes", "0 reach a hook; PATH, HOME, LANG, declared do")
def environment() -> Figures:
    reached, missing = set(), 0
    with tempfile.TemporaryDirectory() as folder:
        dump = "env -0 > "
        project = configured(folder, {"command": dump + "plain"}, {"command": dump + "own", "env": [*DECLARED]})
        for mode in ("faithful", "strict"):
            with Engine(project, mode=mode, trust="all", home=folder, environ={**canaries.ALL, **KEPT}) as engine:
                engine.fire("tool.before", tool_name="Bash")
            seen, own = ((project / name).read_text() for name in ("plain", "own"))
            reached |= {name for name, value in canaries.ALL.items() if value in seen}
            reached |= {name for name, value in canaries.ALL.items() if value in own and name not in DECLARED}
            missing += sum(f"{name}={value}" not in seen.split("\0") for name, value in KEPT.items())
            missing += sum(canaries.ALL[name] not in own for name in DECLARED)
    figures = f"{len(reached)} of {len(canaries.ALL)} reach it {' '.join(sorted(reached))}, {missing} of 10 are missing"
    return figures, len(canaries.ALL) == 55 and not reached and not missing


TELLTALE = """
import logging, os, sys
from tenterhook import Engine
folder = sys.argv[1]
logging.basicConfig(filename=folder + "/log")
with Engine(folder + "/project", mode="faithful", trust="all", journal=folder + "/journal", secrets="pass") as engine:
    def tap(outcome):
        raise ValueError(" ".join(os.environ.values()))
    engine.tap(tap)
    engine.fire("tool.before", tool_name="Bash", tool_input={"command": " ".join(os.environ.values())})
"""
# Hooks that print what they see: one says it, some fail of it, one gives it as a reason.
LOUD = ("env; exit 0", "env >&2; exit 1", "env >&2; exit 2", 'printf \'{"reason": "%s"}\' "$GITHUB_TOKEN $PLAIN_2"')


def said(folder: str) -> dict[str, bytes]:
    """Everything that is kept or shown while hooks, a listener and the config itself tell all secrets."""
    env = {**canaries.ALL, **KEPT, "PYTHONPATH": os.pathsep.join(sys.path), "HOME": folder}
    project = configured(f"{folder}/project", *({"command": text} for text in LOUD))
    subprocess.run([sys.executable, "-c", TELLTALE, folder], env=env, cwd=folder, timeout=50, check=True)
    tenter = [sys.executable, "-m", "tenterhook"]
    errors = b""
    for values in (canaries.VALUES, [*canaries.BY_NAME.values()]):
        (project / "tenterhook.toml").write_text(
            "".join(f'[[hook]]\non = "tool.before"\ncommand = "true"\n{json.dumps(one)} = 1\n' for one in values)
        )
        texts = (json.dumps([*values]), " ".join(values))
        for words in (["check"], ["check", "--json"], ["list", "--trust"], *(["fire", text] for text in texts)):
            done = subprocess.run([*tenter, *words], env=env, cwd=project, capture_output=True, timeout=50, input=b"{}")
            errors += done.stdout + done.stderr
    journal = b"".join(path.read_bytes() for path in Path(folder, "journal").rglob("*") if path.is_file())
    return {"journal": journal, "log": Path(folder, "log").read_bytes(), "errors": errors}


@row("S8", "redaction: 55 secrets told to journal, log and errors", "0 in their bytes, >= 20 MB/s")
def redaction() -> Figures:
    with tempfile.TemporaryDirectory() as folder:
        kept = said(folder)
    leaked = {where: sum(mark.encode() in text for mark in canaries.marks()) for where, text in kept.items()}
    speed = max(megabytes_a_second(Redactor(canaries.ALL)) for _ in range(20))
    told = ", ".join(f"{leaked[where]} in {len(text):,} bytes of {where}" for where, text in kept.items())
    return f"{told}; {speed:.0f} MB/s", not any(leaked.values()) and all(kept.values()) and speed >= 20


def megabytes_a_second(redactor: Redactor) -> float:
    """Of processor time: the machine may be busy with other things."""
    line = json.dumps({"stderr": Path(__file__).read_text() * 40}).encode()
    begun = time.process_time()
    redactor.data(line)
    return len(line) / 1e6 / (time.process_time() - begun)


BAIT = "touch pwned"
HOSTILE = [
    *(
        f"$({BAIT})",
        f"`{BAIT}`",
        f"; {BAIT};",
        f"& {BAIT} &",
        f"| {BAIT}",
        f"&& {BAIT}",
        f"\n{BAIT}\n",
        f"'; {BAIT}; '",
    ),
    *(f'"; {BAIT}; "', f"'$({BAIT})'", f'"$({BAIT})"', f"\\$({BAIT})", f"${{x:-$({BAIT})}}", f"$(({BAIT}))"),
    *("a b", " a", "*", "?", "[a-z]", "~", "-rf", "$HOME", "#", "!", "ä\u202e\x1b[31m"),
]
FORMS = ('printf %s "{0}"', 'printf %s "${{{1}}}"', 'v={0}; printf %s "$v"')
SHELLS = ("sh", "bash")


def forms(shell: str) -> list[dict[str, object]]:
    """A hook for each way to write a variable, which prints the project's folder, then the session."""
    hooks: list[dict[str, object]] = []
    for n, form in enumerate(FORMS):
        both = "; printf '\\n--\\n'; ".join(
            form.format(f"${name}", name) for name in ("TENTERHOOK_PROJECT", "TENTERHOOK_SESSION")
        )
        text = f"({both}) > {n}.out"
        hooks.append({"command": ["bash", "-c", text] if shell == "bash" else text})
    return hooks


@row("S9", "25 hostile folders and sessions x 3 forms x sh, bash", "0 injected, 0 broken")
def injection() -> Figures:
    shells = [shell for shell in SHELLS if shutil.which(shell)]
    injected = broken = tried = 0
    for shell in shells:
        for name in HOSTILE:
            with tempfile.TemporaryDirectory() as folder:
                project = configured(os.path.join(folder, name), *forms(shell))
                with Engine(project, trust="all", home=folder, session=name, environ=KEPT) as engine:
                    engine.fire("tool.before", tool_name="Bash")
                for n in range(len(FORMS)):
                    out = project / f"{n}.out"
                    tried += 1
                    broken += not out.exists() or out.read_text() != f"{project}\n--\n{name}"
                injected += any(path.name == "pwned" for path in Path(folder).rglob("*"))
    figures = f"{injected} injected, {broken} broken of {tried} ({', '.join(shells)})"
    return figures, not injected and not broken and tried == len(HOSTILE) * len(FORMS) * len(SHELLS)


EVIL = (
    *(("regex-full", text) for text in ("(a+)+b", "(a|a)*b", "(a|aa)+$", "([a-zA-Z]+)*1", r"(\w+\s?)*!")),
    *(("regex-search", text) for text in ("(x+x+)+y", "(.*a){12}$", "(?i)(A+a+)+b", "a?" * 28 + "a" * 28)),
    *(("regex-search", text) for text in (".*.*.*.*.*.*=", "((a*)*)*c", "(?=(a+)+b)a")),
    *(("glob", text) for text in ("*a" * 24 + "*b", "?*" * 24 + "!", "*[ab]" * 24 + "c")),
    ("glob-nocase", "*A" * 24 + "*b"),
)
TARGETS = ("a" * 40, "x" * 40, "aA" * 20, "a" * 30 + "!", "ab" * 500)
ORDINARY = (("regex-full", "mcp__.*"), ("regex-search", "^(Write|Edit)"), ("glob", "mcp__*"), ("regex-full", "A|Bash"))


def slowest(kind: str, text: str) -> tuple[float, bool]:
    """Milliseconds, the first look included; and whether it was run at all."""
    worst, ran = 0.0, False
    for target in TARGETS:
        begun = time.perf_counter()
        test = match(text, kind)
        ran |= test is not None and test(target) is not NOT_RUN
        worst = max(worst, (time.perf_counter() - begun) * 1000)
    return worst, ran


def warned(folder: str, texts: list[str]) -> int:
    """How many of these patterns count as matching in a real event, and are told of."""
    project = configured(folder, *({"command": "true", "match": text, "match_kind": "regex-search"} for text in texts))
    with Engine(project, trust="all", home=folder, environ=KEPT) as engine:
        outcome = engine.fire("tool.before", tool_name="a" * 40)
    told = sum(any(repr(text) in warning for warning in outcome.warnings) for text in texts)
    return min(told, len(outcome.attempts))


@row("S12", f"{len(EVIL)} evil patterns, globs too; ordinary ones", "<= 50 ms each, match + warning; <= 1 us")
def evil() -> Figures:
    took = {(kind, text): slowest(kind, text) for kind, text in EVIL}
    worst = max(milliseconds for milliseconds, _ in took.values())
    refused = [(kind, text) for (kind, text), (_, ran) in took.items() if not ran]
    with tempfile.TemporaryDirectory() as folder:
        searched = [text for kind, text in refused if kind == "regex-search"]
        told = warned(folder, searched)
    usual = max(min(timed(kind, text) for _ in range(25)) for kind, text in ORDINARY)
    # With RE2 most of them are run, in no time.
    enough = engine_of_re2() is not None or len(refused) == sum(kind.startswith("regex") for kind, _ in EVIL)
    figures = f"slowest {worst:.1f} ms, {len(refused)} not run, {told} of {len(searched)} fired warned of"
    good = worst <= 50 and enough and told == len(searched) and usual <= 1
    return f"{figures}; an ordinary match {usual:.2f} us", good


def timed(kind: str, text: str) -> float:
    """Microseconds of processor time that a match takes."""
    test = match(text, kind)
    assert test
    begun = time.process_time()
    for _ in range(2_000):
        test("mcp__github__create_issue")
    return (time.process_time() - begun) * 500
