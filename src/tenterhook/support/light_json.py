"""JSON without the module json. That one imports `re`: it would take a third of the start of a hook that uses neither.

These are the functions in C that json itself calls, with its own defaults. Where this Python lacks them, and where
they cannot do it, json does: so results and errors are the same.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

BLANKS = " \t\n\r"


class ScannerOptions:
    """What the scanner asks for: the defaults of `json.JSONDecoder`."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int = float, int
    parse_constant = {"-Infinity": float("-inf"), "Infinity": float("inf"), "NaN": float("nan")}.__getitem__


def loads(text: str) -> Any:
    """The same as `json.loads` for a text."""
    try:
        from _json import make_scanner

        scan = make_scanner(ScannerOptions)  # type: ignore[arg-type]
        value, end = scan(text, len(text) - len(text.lstrip(BLANKS)))
        if not text[end:].strip(BLANKS):
            return value
    except (ImportError, TypeError, ValueError, StopIteration, SystemError):
        pass  # json says what is wrong; without it the scanner has no class for that, which is the SystemError
    import json

    return json.loads(text)


def dumps(value: object) -> str:
    """The same as `json.dumps` without options."""
    try:
        from _json import encode_basestring_ascii, make_encoder

        # Markers against circles, no default, no indent, the separators; keys neither sorted nor skipped; NaN allowed.
        encode = make_encoder({}, None, encode_basestring_ascii, None, ": ", ", ", False, False, True)  # type: ignore[arg-type]
        return "".join(encode(value, 0))
    except (ImportError, TypeError, ValueError):
        import json

        return json.dumps(value)
