"""A million mutated answers through the reader and the verdict of every dialect; none may raise.

    python benchmarks/fuzz.py [COUNT] [--seed N] [--jobs N]

Prints how many inputs, how fast, the slowest of them, and how long answers of one mebibyte take.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from collections.abc import Callable
from multiprocessing import get_context
from typing import Any, NamedTuple

from tenterhook import dialects
from tenterhook.cli.commands.fire import as_json
from tenterhook.pipeline.answer import KEPT, read
from tenterhook.pipeline.event_reader import Rules, compile_rules
from tenterhook.pipeline.verdict import verdict
from tenterhook.types import Attempt, Hook, Outcome, Source

LIMIT = 0.050
SHOWN = 5
DECISIONS = {"none", "allow", "ask", "deny"}
CODES = (0, 0, 0, 0, 2, 2, 1, 127, None)

# ---- what is mutated

VALUES: dict[str, list[Any]] = {
    "decision": ["allow", "deny", "ask", "block", "approve", None, 7],
    "continue": [True, False, "false"],
    "stop": [True, False, 1],
    "suppress": [True],
    "input": [{"command": "rm"}, {}, "x"],
    "output": ["redacted", {"a": [1]}],
    "request": [{"model": "x"}],
    "response": [{"text": "x"}],
    "tool_config": [{"mode": "ANY", "allowedFunctionNames": ["b", "a"]}, {"mode": "NONE"}],
}
TEXTS = ["", "plain text", "[1, 2]", '"quoted"', "null", "-0.0e+1", '{"a": 1}{"b": 2}', "\ufeff{}", "{" * 40, "[" * 300]
PIECES = [
    *(b'"decision": "deny"', b'"decision":"allow",', b'"stop": true', b'"continue": false', b"\\ud800", b"\\u0064"),
    *(b"NaN", b"-Infinity", b"1e999", b"9" * 400, b"0x1F", b"\xef\xbb\xbf", b"\x00", b"\xff\xfe", b"\xed\xa0\x80"),
    *(b"\xf0\x9f\x98\x80", b"\xe2\x80\xa8", b"{}", b"[]", b'{"', b'"}', b"}}", b"]]", b"//", b"\\", b'\\"', b"\r\n"),
    *(b"true", b"null", b",", b":", b"[" * 260, b'{"a":' * 260, b"hookSpecificOutput", b'"reason": "\\n"', b"'"),
]
SWAPS = ((b'"', b"'"), (b"true", b"NaN"), (b"deny", b"allow"), (b": ", b":"), (b"{", b"["))


def corpus() -> list[bytes]:
    """Every field of every dialect with good and odd values, alone and together, plain and encoded twice."""
    found = list(TEXTS)
    for name in dialects.names():
        whole: dict[str, Any] = {}
        for answer in dialects.get(name).reading.answers:
            for value in VALUES.get(answer.effect, ["text"]):
                found.append(json.dumps(nested({}, answer.path, value)))
                nested(whole, answer.path, value)
            found.append(json.dumps(whole))
        found += [json.dumps(json.dumps(whole)), json.dumps(whole, indent=2), f"log line\n{json.dumps(whole)}"]
    return [text.encode() for text in dict.fromkeys(found)]


def nested(into: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    *parents, leaf = path.split(".")
    level = into
    for parent in parents:
        level = level.setdefault(parent, {})
    level[leaf] = value
    return into


# ---- how it is mutated


class Mutator:
    """The same inputs for the same seed."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.corpus = corpus()
        self.ways: list[Callable[[bytes], bytes]] = [
            *(self.cut, self.splice, self.flip, self.insert, self.double, self.escape, self.drop, self.wrap, self.swap),
        ]

    def next(self) -> str:
        """One input: up to three mutations, then decoded once as a hook's output is."""
        text = self.chance.choice(self.corpus)
        for _ in range(self.chance.choice((0, 1, 1, 1, 2, 2, 3))):
            text = self.chance.choice(self.ways)(text)
        return text.decode("utf-8", "replace")

    def place(self, text: bytes) -> int:
        return int(self.chance.random() * (len(text) + 1))

    def cut(self, text: bytes) -> bytes:
        return text[: self.place(text)]

    def splice(self, text: bytes) -> bytes:
        other = self.chance.choice(self.corpus)
        return text[: self.place(text)] + other[self.place(other) :]

    def flip(self, text: bytes) -> bytes:
        raw = bytearray(text)
        for _ in range(self.chance.choice((1, 1, 2, 4)) if raw else 0):
            raw[self.place(text) % len(raw)] ^= 1 << self.chance.randrange(8)
        return bytes(raw)

    def insert(self, text: bytes) -> bytes:
        at = self.place(text)
        return text[:at] + self.chance.choice(PIECES) + text[at:]

    def double(self, text: bytes) -> bytes:
        """A stretch of it once more, such as a key with its value."""
        one, other = sorted((self.place(text), self.place(text)))
        return text[:other] + b"," + text[one:]

    def escape(self, text: bytes) -> bytes:
        at = self.place(text)
        return text[:at] + (b"\\u%04x" % text[at] if at < len(text) else b"\\u00") + text[at + 1 :]

    def drop(self, text: bytes) -> bytes:
        at = self.place(text)
        return text[:at] + text[at + 1 + self.chance.randrange(4) :]

    def wrap(self, text: bytes) -> bytes:
        shapes = (b"[%b]", b'{"n": %b}', b"\xef\xbb\xbf%b", b"log\n%b", b"%b\ndone", b"```json\n%b\n```")
        if self.chance.random() < 0.3:
            return json.dumps(text.decode("utf-8", "replace")).encode()
        return self.chance.choice(shapes) % text

    def swap(self, text: bytes) -> bytes:
        old, new = self.chance.choice(
            ((b'"', b"'"), (b"true", b"NaN"), (b"deny", b"allow"), (b": ", b":"), (b"{", b"["))
        )
        return text.replace(old, new, self.chance.choice((1, -1)))


# ---- what it goes through


class Found(NamedTuple):
    """What one share of the inputs came to."""

    inputs: int
    slowest: float
    slowest_text: str
    escapes: list[str]


def all_rules() -> list[list[Rules]]:
    """For every dialect all of its events, in a faithful and in a strict engine."""
    return [
        [compile_rules(dialect, rule, strict=strict) for rule in dialect.events for strict in (False, True)]
        for dialect in map(dialects.get, dialects.names())
    ]


HOOK = Hook(name="fuzzed", event="", handler="command", spec={}, source=Source("fuzz"))


def judge(text: str, code: int | None, rules: Rules) -> None:
    """Judge it, which reads it, and hold the verdict to what every verdict keeps."""
    error = None if code is not None else "signal"
    one = verdict(Attempt("fuzzed", "command", "", code, error=error, stdout=text, stderr=text[:50]), HOOK, rules)
    if (
        one.decision not in DECISIONS
        or (one.decision == "deny") > bool(one.reason)
        or (one.stop_reason and not one.stop)
    ):
        raise AssertionError(f"{one!r}")
    if one.decision != "deny" and code == 2 and rules.rule.can.block and not rules.dialect.reading.outranks_exit:
        raise AssertionError(f"exit 2 did not deny: {one!r}")
    if one.changes:
        as_json(Outcome(one.decision, changes=one.changes, messages=tuple(one.messages), warnings=tuple(one.warnings)))


def share(seed: int, count: int) -> Found:
    mutator, tables, clock = Mutator(seed), all_rules(), time.process_time
    chance, escapes, slowest, worst = random.Random(~seed), [], 0.0, ""
    for _ in range(count):
        text, code = mutator.next(), chance.choice(CODES)
        began = clock()
        for table in tables:
            rules = table[int(chance.random() * len(table))]
            try:
                judge(text, code, rules)
            except Exception as exc:
                escapes.append(f"{rules.dialect.name} {rules.rule.name} exit {code}: {text!r}: {exc!r}")
        took = clock() - began
        if took > slowest:
            slowest, worst = took, text
    return Found(count, slowest, worst, escapes)


# ---- large answers


def large() -> dict[str, str]:
    """Answers of about a mebibyte, each the worst of its sort."""
    start = '{"decision": "deny", "n": '
    return {
        "one text": start + '"' + "x" * (KEPT - 100) + '"}',
        "many keys": "{" + ", ".join(f'"k{n}": {n}' for n in range(59_000)) + ', "decision": "deny"}',
        "many objects": start + "[" + ", ".join(['{"a": [1]}'] * 87_000) + "]}",
        "many brackets": start + "[" + ",".join(["[]"] * 349_000) + "]}",
        "a key 50,000 times": "{" + '"decision": "deny", ' * 52_000 + '"decision": "allow"}',
        "escapes": start + '"' + "\\u0041" * 174_000 + '"}',
        "half surrogate pairs": start + '"' + "\\ud800" * 174_000 + '"}',
        "encoded twice": json.dumps(start + '"' + "\\u0041" * 149_000 + '"}'),
        "brackets without end": start + "[" * 1_000_000,
        "a number": start + "1" * 1_000_000 + "}",
        "plain text": "x" * 1_000_000,
    }


def time_large() -> dict[str, float]:
    """Seconds of CPU for each, the best of three, through the reader alone."""
    found: dict[str, float] = {}
    for name, text in large().items():
        best = 1e9
        for _ in range(3):
            began = time.process_time()
            read(text, twice=True, guarded=("decision", "stop"))
            best = min(best, time.process_time() - began)
        found[name] = best
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", nargs="?", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    shares = [(options.seed * 1000 + n, options.count * (n + 1) // 64 - options.count * n // 64) for n in range(64)]
    began = time.perf_counter()
    with get_context("fork").Pool(options.jobs) as pool:
        found = pool.starmap(share, shares, chunksize=1)
    seconds = time.perf_counter() - began
    count = sum(one.inputs for one in found)
    escapes = [escape for one in found for escape in one.escapes]
    slowest = max(found, key=lambda one: one.slowest)
    names = len(dialects.names())
    print(f"inputs    {count:,}, each in {names} dialects, seed {options.seed}, {options.jobs} processes")
    print(f"time      {seconds:.1f} s, {count / seconds:,.0f} inputs/s, {count * names / seconds:,.0f} verdicts/s")
    print(f"slowest   {slowest.slowest * 1000:.2f} ms for all dialects: {slowest.slowest_text[:60]!r}")
    print(f"escapes   {len(escapes)}")
    for escape in escapes[:SHOWN]:
        print(f"  {escape[:400]}")
    slow = 0
    for name, took in time_large().items():
        slow += took > LIMIT
        print(f"1 MiB     {took * 1000:6.1f} ms  {name}{'  TOO SLOW' if took > LIMIT else ''}")
    return 1 if escapes or slow else 0


if __name__ == "__main__":
    sys.exit(main())
