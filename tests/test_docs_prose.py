"""Pages that people write keep to short sentences, speak to the reader, and show more than they tell."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
GENERATED = "<!-- Written by"
WORDS, YOU, BLOCKS = 16.0, 10.0, 5.0
# Tables and measurements: there is little to say about them in sentences.
APART = {"docs/README.md", "docs/dependencies.md", "docs/inside/requirements.md"}


class Measures(NamedTuple):
    """Words in a sentence, "you" in a thousand words, blocks of code in a thousand words."""

    words: float
    you: float
    blocks: float


# What a page has not reached yet, as it was measured. It may only get better; then its line goes.
NOT_YET: dict[str, Measures] = {
    "docs/architecture.md": Measures(10.1, 5.5, 0.0),
    "docs/embed/embedding.md": Measures(10.2, 0.0, 10.9),
    "docs/embed/hosts/README.md": Measures(10.0, 0.0, 0.0),
    "docs/embed/hosts/amcp.md": Measures(16.2, 6.2, 18.5),
    "docs/embed/hosts/llxprt.md": Measures(13.8, 4.0, 1.3),
    "docs/embed/hosts/massgen.md": Measures(14.5, 0.0, 12.5),
    "docs/embed/library.md": Measures(10.5, 3.7, 11.0),
    "docs/embed/sessions.md": Measures(13.7, 7.6, 2.5),
    "docs/embed/tools.md": Measures(14.8, 1.9, 7.5),
    "docs/inside/performance.md": Measures(15.4, 2.1, 1.4),
    "docs/inside/processes.md": Measures(14.8, 4.9, 0.0),
    "docs/inside/supervisor.md": Measures(18.7, 1.3, 2.5),
    "docs/inside/warm.md": Measures(18.5, 0.0, 3.9),
    "docs/team/journal.md": Measures(18.1, 0.0, 8.9),
    "docs/team/modes.md": Measures(12.7, 0.0, 0.0),
    "docs/team/sandbox.md": Measures(13.9, 7.9, 4.0),
    "docs/team/secrets.md": Measures(16.0, 1.3, 6.5),
    "docs/team/serve.md": Measures(13.1, 1.3, 1.3),
    "docs/team/settings.md": Measures(11.4, 0.0, 14.6),
    "docs/team/trust.md": Measures(15.7, 9.9, 9.1),
}


def pages() -> list[str]:
    found = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    names = [page.relative_to(ROOT).as_posix() for page in found if not page.read_text().startswith(GENERATED)]
    return [name for name in names if name not in APART]


def measure(text: str) -> Measures:
    """Of sentences in paragraphs, lists and alerts; tables and headings are not made of sentences."""
    blocks = len(re.findall(r"^```\w*\n", text, re.MULTILINE)) - len(re.findall(r"^```\n", text, re.MULTILINE))
    text = re.sub(r"^```.*?^```", "\n", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"^(\||#|    \S|> \[!).*$", "\n", text, flags=re.MULTILINE)
    text = re.sub(r"^> ?", "", text, flags=re.MULTILINE)
    text = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"`[^`]+`", "code", text)
    parts = re.split(r"\n\s*\n|^\s*(?:[-*]|\d+\.) |[.!?:](?=\s|$)", text, flags=re.MULTILINE)
    sentences = [words for part in parts if (words := re.findall(r"[\w'-]+", part))]
    words = [word.lower() for sentence in sentences for word in sentence]
    you = sum(word in ("you", "your", "yours", "yourself") for word in words)
    return Measures(
        round(len(words) / len(sentences), 1), round(1000 * you / len(words), 1), round(1000 * blocks / len(words), 1)
    )


@pytest.mark.parametrize("page", pages())
def test_a_page_is_short_of_breath_and_long_on_examples(page: str) -> None:
    found = measure((ROOT / page).read_text())
    least = NOT_YET.get(page, Measures(WORDS, YOU, BLOCKS))

    assert found.words <= max(least.words, WORDS), "words in a sentence"
    assert found.you >= min(least.you, YOU), '"you" in a thousand words'
    assert found.blocks >= min(least.blocks, BLOCKS), "blocks of code in a thousand words"


if __name__ == "__main__":  # what each page has now
    for name in sys.argv[1:] or pages():
        print(f'    "{name}": {measure((ROOT / name).read_text())},')
