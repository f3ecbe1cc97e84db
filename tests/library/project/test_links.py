"""Links that lead somewhere, and what is said of those that do not."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tenterhook.library.project.pages.links import Links
from tenterhook.library.project.pages.markdown import Page

OTHER = """\
---
title: Other
---

# The Other Page

## Again
## Again

Setext one
==========

Setext two
---

<a name="by-name"></a> <h3 id='by-id'>Head of HTML</h3>

### `code()` & **bold** [link](x.md) {#custom}

```
# Not a heading
```
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "it's a $(project)"
    (folder / "docs" / "sub").mkdir(parents=True)
    (folder / "docs" / "other.md").write_text(OTHER)
    (folder / "docs" / "my file (1).md").write_text("# Mine\n")
    (folder / "docs" / "sub" / "index.md").write_text("# Index\n")
    (folder / "a.png").touch()
    return folder


def found(project: Path, text: str, page: str = "docs/page.md") -> list[str]:
    return Links(str(project)).problems(str(project / page), text)


SOUND = [
    "[`open`], [it][`close`], [a][the `x` page]\n\n[`open`]: other.md\n[`close`]: ../a.png\n[The `x` page]: sub\n",
    "[a](other.md) [b](./other.md#again) [c](other.md#again-1) [d](../a.png) ![e](../a.png 'title')",
    "[a](sub) [b](sub/) [c](sub/index.md#index) [d](other) [e](other.html#again) [f](/docs/other.md)",
    "[a](<my file (1).md>) [b](my%20file%20(1).md) [c](my%20file%20%281%29.md#mine)",
    "[a](other.md#the-other-page) [b](other.md#setext-one) [c](other.md#setext-two) [d](other.md#by-name)",
    "[a](other.md#by-id) [b](other.md#custom) [c](other.md#code--bold-link) [d](other.md#head-of-html)",
    "[a](https://x.y/z) <https://x.y> [b](mailto:a@b.c) [c](//x.y) [d](tel:1) [e](data:x) [f](/site/page)",
    "# One\n\n[a](#one) [b](#One) [c](#top) [d](other.md#L10-L20)",
    "[a][other] [other][] [other]\n\n[other]: other.md 'title'\n[OTHER]: other.md\n",
    "A note[^1] and one[^b].\n\n[^1]: text\n[^b]: more\n",
    '<a href="other.md#again">x</a> <img src=\'../a.png\' alt="">',
    "[![badge](../a.png)](other.md)",
    "`[a](missing.md)` ``x ` [b](missing.md)`` \\[c](missing.md) <!-- [d](missing.md) -->",
    "```\n[a](missing.md)\n```\n\n    [b](missing.md)\n\n~~~~\n~~~\n[c](missing.md)\n~~~~\n",
    "- item\n\n  ```sh\n  [a](missing.md)\n  ```\n\n      [code](missing.md)\n\n  [b](other.md)\n",
    "> ```\n> [a](missing.md)\n\n[b](other.md)\n",
    "<pre>\n[a](missing.md)\n</pre>\n<!--\n[b](missing.md)\n-->\n",
    "[a]({{ site.url }}/x) [b](${X}/y) [c]({% link x %}) [d](../../issues) [e](../../releases/latest)",
    "items[a][b] and f(x)[0](y z) and [optional] words, [x] done, [ ] open, [^a-z]",
    "[`A`][] [the class][package.mod.Class] [x](@site/y.md)",
    "- [Risk]: [Mitigation]\n",
    "(label)=\n# One\n\n[a](#label) [b](#user-content-one)",
    "[text\nover lines](other.md\n'title') [empty text in a heading]\n",
]
WRONG = [
    ("[a](othr.md)", "1:5: there is no 'othr.md' (did you mean 'other.md'?)"),
    ("x\n\n- [a](missing/x.md)", "3:7: there is no 'missing/x.md'"),
    ("![a](../b.png)", "1:6: there is no '../b.png'"),
    ("[a](other.md#nope)", "1:5: there is no heading or anchor #nope in 'other.md'"),
    ("# One\n[a](#two)", "2:5: there is no heading or anchor #two on this page"),
    ("# One\n[a](#ones)", "(did you mean 'one'?)"),
    ("[a](other.md#again-2)", "there is no heading or anchor #again-2"),
    ("[a](other.md#not-a-heading)", "there is no heading or anchor #not-a-heading"),
    ("[a]()", "1:5: the link is empty"),
    ("[a](#)", "1:5: the link is empty"),
    ("[a](../../secret.md)", "1:5: '../../secret.md' leads out of the project"),
    ("[a](../../../etc/passwd)", "leads out of the project"),
    ("[a](/docs/none.md)", "there is no '/docs/none.md'"),
    ("[a](my file (1).md)", "1:5: the target"),
    ("[a](some file.md)", "holds blanks: write %20 for each, or <...> around it"),
    ("[a][nowhere]", "1:1: [nowhere] is defined nowhere"),
    ("[a]: other.md\n[A]: ../a.png\n", "2:2: [a] is defined again, with another target"),
    ("[`a`]: other.md\n[`b`]: ../a.png\n[`A`]: sub\n", "3:2: [`a`] is defined again, with another target"),
    ("[a]: gone.md\n", "1:2: there is no 'gone.md'"),
    ("text[^1]", "1:5: the footnote [^1] has no text"),
    ("text[^b]\n\n[^a]: x", "the footnote [^b] has no text"),
    ('<a href="gone.md">', "1:1: there is no 'gone.md'"),
    ("<img alt='x' src=gone.png>", "there is no 'gone.png'"),
    ("text\n\n```python\ncode\n", "3:1: the code block that starts here is not closed"),
    ("~~~\n```\n", "1:1: the code block that starts here is not closed"),
    ("````\n```\n", "1:1: the code block that starts here is not closed"),
    ("[a](x%00.md)", "the target holds a NUL"),
    ("```\n```\n[a](gone.md)", "3:5: there is no 'gone.md'"),
    ("a `b` [c](gone.md) `d`", "1:11: there is no 'gone.md'"),
]


@pytest.mark.parametrize("text", SOUND)
def test_links_that_lead_somewhere_are_left_alone(project: Path, text: str) -> None:
    assert not found(project, text)


@pytest.mark.parametrize(("text", "expected"), WRONG)
def test_what_is_wrong_is_said_with_its_place(project: Path, text: str, expected: str) -> None:
    told = found(project, text)

    assert any(expected in one for one in told), told
    assert len(told) == 1


RST = """\
Title
=====

`a <other.md>`_ and ``not `b <gone.md>`_`` and `c <gone.rst>`__ and `web <https://x.y>`_ and `named <thing_>`_

.. _good: other.md
.. _bad: gone.md
.. _good: ../a.png
.. image:: ../a.png
.. figure:: /root.png
.. include:: gone.inc

:doc:`other` :doc:`text <gone>` :download:`../a.png`

Literal::

   `d <gone2.rst>`_
   .. image:: gone.png

.. code-block:: rst

   .. image:: gone.png
"""


def test_restructured_text_is_looked_at_as_far_as_it_is_plain(project: Path) -> None:
    assert found(project, RST, "docs/page.rst") == [
        "4:1: there is no 'gone.rst'",
        "7:1: there is no 'gone.md'",
        "8:1: the target 'good' is defined again, with another link",
        "11:1: there is no 'gone.inc'",
        "13:1: there is no 'gone'",
    ]


def test_a_file_that_is_no_page_has_no_links(project: Path) -> None:
    assert not found(project, "[a](gone.md)", "docs/page.txt")


def test_what_is_there_but_cannot_be_read_is_linked_to_all_the_same(project: Path) -> None:
    """A pipe would never end, and a folder has no headings."""
    os.mkfifo(project / "docs" / "pipe.md")
    (project / "docs" / "folder.md").mkdir()

    assert not found(project, "[a](pipe.md#x) [b](folder.md#x)")


def test_a_name_that_is_no_text_can_be_linked_to(project: Path) -> None:
    with open(os.path.join(os.fsencode(project), b"docs", b"caf\xe9.md"), "w"):
        pass

    assert not found(project, "[a](caf%E9.md)")


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("`fs.watch(filename[, options][, listener])`", "fswatchfilename-options-listener"),
        ("Access to <nodejs.org> <a name='x'></a>", "access-to-nodejsorg"),
        ("`__init__` and [`run()`](x.md) of `List<T>`", "__init__-and-run-of-listt"),
        ("Hello World", "hello-world"),
        ("A & B", "a--b"),
        ("`tenter hook` -- now!", "tenter-hook----now"),
        ("snake_case and _emphasis_", "snake_case-and-emphasis"),
        ("한국어 제목", "한국어-제목"),
        ("1.2 Über *alles*", "12-über-alles"),
        ("[a link](x.md) here", "a-link-here"),
        ("Fast &amp; small", "fast--small"),
        ("C++ / C#", "c--c"),
    ],
)
def test_a_heading_has_the_anchor_that_github_gives_it(heading: str, expected: str) -> None:
    assert [expected] == [one.anchor for one in Page(f"# {heading}\n").headings]


def test_a_page_knows_its_headings() -> None:
    page = Page("# A #\n\ntext\n---\n\n---\n\n#no\n##\n- # In a list\n> ## Quoted ##\n\n| a |\n---\n")

    assert [(one.level, one.text) for one in page.headings] == [
        (1, "A"),
        (2, "text"),
        (2, ""),
        (1, "In a list"),
        (2, "Quoted"),
    ]
    assert {"a", "text", "", "in-a-list", "quoted"} == page.anchors()


PIECES = [
    "[",
    "](",
    ")",
    "`",
    "```\n",
    "> ",
    "- ",
    "<!--",
    "-->",
    "<a href=",
    "[a]: b\n",
    "[^1]",
    "# ",
    "\n\n",
    "\\",
    "    ",
    "_",
]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=4)), max_size=40))
def test_no_text_breaks_the_reader_and_nothing_moves(pieces: list[str]) -> None:
    """Prose is as long as the text, so that every place in it is a place in the file."""
    text = "".join(pieces)

    page = Page(text)
    Links("/nowhere").problems("/nowhere/a.md", text)
    Links("/nowhere").problems("/nowhere/a.rst", text)

    assert len(page.text) == len(page.prose)
    assert page.text.count("\n") == page.prose.count("\n")


@pytest.mark.parametrize(
    "piece", [*PIECES, "[a][", "[](", "![", "[a](b ", "# " + " " * 60, "``` `", "<h1>", "[a](#b)\n"]
)
def test_a_large_page_of_anything_takes_no_time_to_speak_of(piece: str) -> None:
    text = piece * ((1 << 16) // len(piece))
    began = time.process_time()

    Links("/nowhere").problems("/nowhere/a.md", text)
    Links("/nowhere").problems("/nowhere/a.rst", text)

    assert time.process_time() - began < 5
