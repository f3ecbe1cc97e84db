"""Remove characters that move the cursor, hide or reorder text."""

from __future__ import annotations

import re

# Escape sequences are removed as a whole, or their letters would stay behind as text.
ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # a control sequence: colours, cursor
    r"|\x1b[\]PX^_].*?(?:\x07|\x1b\\|\Z)"  # a command string: title, link, clipboard
    r"|\x1b[ -/]*[0-~]?",
    re.DOTALL,
)
# Control characters except tab and newline; characters that reorder text; invisible tags that only a model reads;
# surrogates.
CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f\ud800-\udfff]"
)


def clean(text: str) -> str:
    """The text without cursor movement, hidden or reordered parts; line ends become newlines."""
    if text.isprintable() and text.isascii():
        return text
    return CONTROLS.sub("", ESCAPES.sub("", text.replace("\r\n", "\n")))
