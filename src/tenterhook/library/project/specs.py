"""The documents of a SPEC: which folder is meant, and what its documents must contain."""

from __future__ import annotations

import os
import re

from tenterhook.library.project.pages.completeness import find_document_gaps, matching, newest, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tenterhook.author.event import Event

FOLDERS = ".moai/specs/SPEC-*"
OTHERS = ("specs/**/*.md", "docs/specs/**/*.md")
DOCUMENTS = ("spec.md", "plan.md", "acceptance.md")
REQUIREMENTS = re.compile(r"requirement|EARS|user stor|scope|goal|요구|要求|要件", re.IGNORECASE)
CRITERIA = re.compile(r"\b(?:given|when|then)\b", re.IGNORECASE)
LISTED = {"bullet_list_open", "ordered_list_open", "table_open"}


def folder_of(event: Event) -> str:
    """The SPEC that the event names, else the one that was written last, relative to the project; empty without any."""
    from glob import glob

    folders = [one for one in glob(FOLDERS, root_dir=event.project) if os.path.isdir(os.path.join(event.project, one))]
    if not folders:
        return ""
    text = repr(event.data)
    named = [one for one in folders if re.search(rf"\b{re.escape(os.path.basename(one))}(?![\w-])", text)]
    return max(named or folders, key=lambda one: latest_file_mtime(os.path.join(event.project, one)))


def latest_file_mtime(folder: str) -> float:
    """The time of the last change to any of its files."""
    times = [one.stat(follow_symlinks=False).st_mtime for one in os.scandir(folder) if one.is_file()]
    return max(times, default=0.0)


def problems_of(project: str, folder: str, headings: list[str]) -> list[str]:
    """What the three documents of a SPEC lack, each as `path:line: what`; the headings are required in spec.md."""
    found: list[str] = []
    for name in DOCUMENTS:
        path = os.path.join(folder, name)
        if not os.path.isfile(os.path.join(project, path)):
            found.append(f"{path}: there is no such document")
            continue
        lacks = find_document_gaps(os.path.join(project, path), headings if name == "spec.md" else [])
        found += [f"{path}:{one}" for one in lacks or special(name, os.path.join(project, path))]
    return found


def special(name: str, path: str) -> Iterator[str]:
    """Requirements of single documents."""
    from tenterhook.library.project.pages.markdown import Page

    page = Page(text_of(path)[0])
    if name == "spec.md" and not page.front and not any(REQUIREMENTS.search(one.text) for one in page.headings):
        yield "1: neither front matter nor a heading with requirements"
    if name == "acceptance.md" and not LISTED & page.blocks and not CRITERIA.search(page.prose):
        yield "1: no criterion: write Given/When/Then, or a list of what must be true"


def others(project: str) -> list[str]:
    """The documents beside the newest one in a folder of specifications, if there is no SPEC folder."""
    names = [name for pattern in OTHERS for name in matching(project, pattern)]
    folder = os.path.dirname(newest(project, names))
    return [name for name in names if os.path.dirname(name) == folder]
