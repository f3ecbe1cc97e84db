"""Redact texts: the secret values of an environment, and whatever looks like a token.

What is recorded or shown of an event is redacted once, at the boundary: when a line is written into the journal, when
the log and the command print. Before anything is cut, because half a token is not recognised.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from tenterhook.support.secrets.names import kept_back
from tenterhook.support.secrets.patterns import spans

MARK = "[redacted]"
# A shorter value is hardly a secret, and hiding it would break words.
SHORTEST = 8
# Every encoding of a value costs a search: with more values than this, base64 is searched from its start only.
FEW = 16
# The same in JSON and in a URL. Most secrets are; importing the encoders for the others takes milliseconds.
PLAIN = r"[A-Za-z0-9_.~-]+"
# Names of variables that may hold the path of a secret, which is not a secret.
PATHS = ("CREDENTIALS", "KEY", "AUTH")


class Redactor:
    """Hides the secrets of one environment, and tokens of every kind.

    `text` is for plain texts. `data` is for a line of JSON in UTF-8, and what it gives is JSON again.
    """

    __slots__ = ("in_json", "in_text")

    def __init__(self, environ: Mapping[str, str]) -> None:
        values = [one for name, one in kept_back(environ).items() if is_value(name, one)]
        shifts = 3 if len(values) <= FEW else 1
        elsewhere = {form for value in values for form in encoded_secret_forms(value, shifts)}
        escaped = elsewhere.union(*map(as_json, values))
        # One byte is one character there, so that both are handled alike.
        self.in_json = longest_first(form.encode("utf-8", "surrogateescape").decode("latin-1") for form in escaped)
        self.in_text = longest_first((*values, *escaped))

    def text(self, text: str) -> str:
        # First the values, so that a token right after one of them begins a word.
        text = replace_spans_with_mark(text, places(text, self.in_text))
        return replace_spans_with_mark(text, spans(text))

    def data(self, line: bytes) -> bytes:
        text = whole = line.decode("latin-1")
        text = replace_spans_with_mark(text, apart(text, places(text, self.in_json)))
        text = replace_spans_with_mark(text, apart(text, spans(text)))
        return line if text == whole else text.encode("latin-1")


def is_value(name: str, value: str) -> bool:
    """Whether this value must be redacted. A path need not be, and our own mark would be hidden again and again."""
    if value.startswith("/") and name.upper().endswith(PATHS) and value.count("/") > 1 and "." in value:
        return False
    return len(value) >= SHORTEST and value not in MARK and MARK not in value


def as_json(value: str) -> set[str]:
    """The value in a JSON string: with other characters as they are, and in ASCII."""
    if re.fullmatch(PLAIN, value):
        return {value}
    from json import dumps

    return {dumps(value, ensure_ascii=False)[1:-1], dumps(value)[1:-1]}


def encoded_secret_forms(value: str, shifts: int) -> set[str]:
    """The value in a URL, and in base64 at offset 0, 1 or 2; the characters that depend on neighbouring bytes are left
    off.
    """
    from binascii import b2a_base64  # an extension module, imported only if there are secrets

    forms = set() if re.fullmatch(PLAIN, value) else {percent_encode(value)}
    data = value.encode("utf-8", "surrogateescape")
    for before in range(shifts):
        whole = (len(data) + before) // 3 * 4
        form = b2a_base64(bytes(before) + data).decode()[(0, 2, 3)[before] : whole]
        if len(form) >= SHORTEST:
            forms |= {form, form.replace("+", "-").replace("/", "_")}
    return forms


def percent_encode(value: str) -> str:
    from urllib.parse import quote

    return quote(value, safe="", errors="surrogateescape")


def longest_first(forms: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(forms), key=len, reverse=True))


def places(text: str, forms: Iterable[str]) -> Iterator[tuple[int, int]]:
    for form in forms:
        at = text.find(form)
        while at >= 0:
            yield at, at + len(form)
            at = text.find(form, at + len(form))


def apart(text: str, found: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Those that do not begin within an escape."""
    return (span for span in found if not in_escape(text, span[0]))


def in_escape(text: str, start: int) -> bool:
    """Whether a position in JSON is right after the beginning of an escape: the text there is not what it seems."""
    slash = text.rfind("\\", max(0, start - 5), start)
    if slash < 0 or not re.fullmatch(r"(?:u[0-9a-fA-F]{0,3})?", text[slash + 1 : start]):
        return False
    run = 1
    while slash >= run and text[slash - run] == "\\":
        run += 1
    return run % 2 == 1


def replace_spans_with_mark(text: str, found: Iterable[tuple[int, int]]) -> str:
    """The text with a mark in place of each span; overlapping or touching spans get one mark."""
    parts: list[str] = []
    done = 0
    for start, end in sorted(found):
        if start > done or not parts:
            parts += [text[done:start], MARK]
        done = max(done, end)
    return "".join(parts) + text[done:] if parts else text
