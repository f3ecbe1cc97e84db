"""Draws docs/terminal.svg: what a terminal shows when hooks are at work on an agent, from a real run of the demo."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from html import escape
from pathlib import Path

from demo import PROMPT, agent

ROOT = Path(__file__).parent.parent
COMMAND = f"$ tenter agent --trust --script agent.jsonl --prompt '{PROMPT}'"
COLOURS = {"31": "#ff7b72", "32": "#7ee787", "33": "#e3b341", "34": "#79c0ff", "35": "#d2a8ff", "36": "#76e3ea"}
COLOURS |= {str(int(code) + 60): colour for code, colour in COLOURS.items()} | {"2": "#8b949e", "90": "#8b949e"}
ANSI = re.compile(r"\x1b\[([\d;]*)m")
LINE, LEFT, TOP, CHAR = 20, 20, 46, 8.1


def main() -> int:
    lines = [COMMAND, "", *shown().splitlines()]
    width = LEFT * 2 + CHAR * max(len(ANSI.sub("", line)) for line in lines)
    height = TOP + LINE * len(lines) + 6
    rows = "\n".join(row(number, line) for number, line in enumerate(lines))
    dots = "".join(f'<circle cx="{20 + n * 18}" cy="18" r="6" fill="{c}"/>' for n, c in enumerate(DOTS))
    svg = f"""<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" role="img">
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>{dots}
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13.5" fill="#e6edf3">
{rows}
</g>
</svg>
"""
    (ROOT / "docs" / "terminal.svg").write_text(svg)
    return 0


DOTS = ("#ff5f57", "#febc2e", "#28c840")


def shown() -> str:
    """On a pseudo-terminal, for its colours."""
    ours, theirs = pty.openpty()
    with agent() as (command, env):
        env |= {"TERM": "xterm", "COLUMNS": "96"}
        child = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs)
        os.close(theirs)
        text = b""
        while data := read(ours):
            text += data
        if child.wait():
            sys.exit(text.decode())
    return text.decode().replace("\r\n", "\n")


def read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other side is closed
        return b""


def row(number: int, line: str) -> str:
    """One line, a span for each colour."""
    spans, style, at = [], "", 0
    for found in [*ANSI.finditer(line), None]:
        text = line[at : found.start() if found else None]
        if text:
            spans.append(f"<tspan{style}>{escape(text)}</tspan>")
        if found:
            style, at = styled(found[1]), found.end()
    return f'<text x="{LEFT}" y="{TOP + LINE * number}" xml:space="preserve">{"".join(spans)}</text>'


def styled(codes: str) -> str:
    parts = codes.split(";")
    colour = next((COLOURS[code] for code in parts if code in COLOURS), "")
    bold = ' font-weight="bold"' if "1" in parts else ""
    return (f' fill="{colour}"' if colour else "") + bold


if __name__ == "__main__":
    sys.exit(main())
