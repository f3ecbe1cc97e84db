"""Draws docs/terminal.svg: what a terminal shows when a sample hook blocks a command, from a real run."""

from __future__ import annotations

import re
import sys
import tempfile
from html import escape
from pathlib import Path

from tenterhook import Engine
from tenterhook.report import report

ROOT = Path(__file__).parent.parent
INPUT = '{"tool_name": "Bash", "tool_input": {"command": "git push --force"}}'
COMMANDS = (f"$ echo '{INPUT}' \\", "    | tenter fire tool.before --trust")
COLOURS = {"31": "#ff7b72", "32": "#7ee787", "33": "#e3b341", "34": "#79c0ff", "35": "#d2a8ff", "36": "#76e3ea"}
COLOURS |= {str(int(code) + 60): colour for code, colour in COLOURS.items()} | {"2": "#8b949e", "90": "#8b949e"}
ANSI = re.compile(r"\x1b\[([\d;]*)m")
LINE, LEFT, TOP, CHAR = 20, 20, 46, 8.1


def main() -> int:
    lines = [*COMMANDS, "", *shown().splitlines()]
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
    with (
        tempfile.TemporaryDirectory() as home,
        Engine(ROOT / "examples" / "tenterhook", trust="all", home=home) as engine,
    ):
        outcome = engine.fire("tool.before", tool_name="Bash", tool_input={"command": "git push --force"})
    return report(outcome, colour=True).replace(f"{ROOT}/examples/tenterhook/", "")


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
