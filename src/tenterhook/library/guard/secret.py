"""Find text that looks like a secret: known shapes of keys and tokens, and random values with a secret's name.

The value itself is never repeated: `mask_secret` shows its first four characters and its length.
"""

from __future__ import annotations

import re

from tenterhook.support.secrets.patterns import TOKENS

SHAPES = (
    *TOKENS,
    (
        "password in a database's address",
        ("://",),
        r"(?:postgres|postgresql|mysql|mariadb|mongodb|redis|rediss|amqp|amqps|mssql)(?:\+\w{1,20})?"
        r"://[^\s:@/\"']{0,100}:([^\s@/\"']{3,200})@(?!localhost|127\.0\.0\.1|\[::1\]|db[:/])",
    ),
    ("password in an address", ("://",), r"https?://[^\s:@/\"']{1,100}:([^\s:@/\"']{8,200})@"),
)
GENERIC = (
    r"(?i)(?:api_?-?key|secret(?:_?-?key)?|access_?-?key|private_?-?key|auth_?-?token|access_?-?token|token|"
    r"passw(?:or)?d|client_?-?secret)[\"']?\s{0,4}(?::=|=>|[:=])\s{0,4}[\"']([^\"'\s]{12,200})[\"']"
)
# The same without quotes, as in environments and YAML: the rest of a line after a name that ends so.
UNQUOTED = (
    r"(?im)^[ \t]{0,40}(?:export[ \t]+|env[ \t]+|-[ \t]+)?[\w.-]{0,60}"
    r"(?:api_?-?key|secret(?:_?-?key)?|access_?-?key|token|passw(?:or)?d)"
    r"[ \t]{0,4}[:=][ \t]{0,4}([A-Za-z0-9+/_=-]{16,200})[ \t]*$"
)
HINTS = ("key", "secret", "token", "passw")
# Parts of a value that is an example, or comes from elsewhere.
PLACEHOLDERS = tuple(
    "example sample your changeme change_me change-me placeholder dummy redacted insert password xxxx **** .... < ${ "
    "{{ $( %( %s { fake not-a- todo process.env environ".split()
)
ENOUGH = 3.2


def find_secret_spans(text: str) -> list[tuple[str, int, int]]:
    """Name, start and end of each apparent secret in a text, in order, without overlaps."""
    spans: list[tuple[str, int, int]] = []
    for name, hints, shape in SHAPES:
        if not any(hint.lstrip("?") in text for hint in hints):
            continue
        for one in re.finditer(shape, text):
            group = 1 if one.re.groups else 0
            if not is_placeholder(one[group]):
                spans.append((name, *one.span(group)))
    lowered = text.lower()
    if any(hint in lowered for hint in HINTS):
        named = [*re.finditer(GENERIC, text), *(one for one in re.finditer(UNQUOTED, text) if is_mixed(one[1]))]
        spans += [("secret", *one.span(1)) for one in named if looks_random(one[1]) and not is_placeholder(one[1])]
    return apart(spans)


def is_mixed(value: str) -> bool:
    """Whether an unquoted value is unlike a name in code, which has few digits, mostly at its end."""
    return len(re.findall(r"\d", value.rstrip("0123456789"))) >= 2


def apart(spans: list[tuple[str, int, int]]) -> list[tuple[str, int, int]]:
    """Of overlapping spans keep the one with the most specific shape, which is the first in the table."""
    separate: list[tuple[str, int, int]] = []
    # Sorting by start alone keeps the table's order among equals.
    for span in sorted(spans, key=lambda one: one[1]):
        if not separate or span[1] >= separate[-1][2]:
            separate.append(span)
    return separate


def is_placeholder(value: str) -> bool:
    lowered = value.lower()
    return any(part in lowered for part in PLACEHOLDERS) or len(set(value)) < 4


def looks_random(value: str) -> bool:
    """Whether letters and digits look random, and it is not a UUID, a name, a path or a version."""
    if not any(char.isdigit() for char in value) or not any(char.isalpha() for char in value):
        return False
    if re.fullmatch(
        r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?:\.{0,2}/)?[a-z_]+(?:[./_-][a-z0-9_]{1,12})+", value
    ):
        return False
    return entropy(value) >= ENOUGH


def entropy(value: str) -> float:
    """Bits per character."""
    from math import log2

    size = len(value)
    return -sum(value.count(char) / size * log2(value.count(char) / size) for char in set(value))


def mask_secret(value: str) -> str:
    return f"{value[:4]}..., {len(value)} characters"


def a(name: str) -> str:
    """The name with its article, by sound: an OpenAI key, an npm token."""
    return f"{'an' if name[0] in 'AEIO' or name.startswith('npm') else 'a'} {name}"


def mask_secrets_in_text(text: str) -> str:
    """Mask the apparent secrets in a text."""
    for _, start, end in reversed(find_secret_spans(text)):
        text = text[:start] + mask_secret(text[start:end]) + text[end:]
    return text


def describe_new_secrets(text: str, *, before: str = "", most: int = 5) -> list[str]:
    """One line for each new secret of a text: its place, its shape, masked."""
    new = [span for span in find_secret_spans(text) if not before or text[span[1] : span[2]] not in before]
    return [
        f"line {text.count(chr(10), 0, start) + 1}: what looks like {a(name)} ({mask_secret(text[start:end])})"
        for name, start, end in new[:most]
    ]
