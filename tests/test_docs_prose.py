"""Pages that people write keep to short sentences, speak to the reader, and show more than they tell."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
GENERATED = "<!-- Written by"
WORDS, YOU, BLOCKS = 15.0, 10.0, 5.0
# Tables and measurements: there is little to say about them in sentences.
APART = {"docs/README.md", "docs/dependencies.md", "docs/inside/requirements.md"}


class Measures(NamedTuple):
    """Words in a sentence, "you" in a thousand words, blocks of code in a thousand words."""

    words: float
    you: float
    blocks: float


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

    assert found.words <= WORDS, "words in a sentence"
    assert found.you >= YOU, '"you" in a thousand words'
    assert found.blocks >= BLOCKS, "blocks of code in a thousand words"


if __name__ == "__main__":  # what each page has now
    for name in sys.argv[1:] or pages():
        print(f'    "{name}": {measure((ROOT / name).read_text())},')
