"""Grep: lines of text files that match a regular expression.

A pattern can take Python practically for ever, and nothing in the same process can interrupt it. So the search runs in
its own process, whose program this module is too, and what it found by the time-out counts.
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

import msgspec

import tenterhook
from tenterhook.clients.tool_definition import Definition
from tenterhook.clients.workspace.glob import matcher
from tenterhook.clients.workspace.texts import coding, cut_end
from tenterhook.clients.workspace.workspace import Workspace, WorkspaceError
from tenterhook.support.terminal.text import pluralise_count

if TYPE_CHECKING:
    from tenterhook.runtime.process import Completed

SECONDS = 20.0
USUAL_MATCHES, MOST_MATCHES = 100, 1000
LARGEST, LONGEST_LINE, KEPT_BYTES = 4 << 20, 400, 4 << 20
# The exit code of a search that cannot be made; stderr says why.
CANNOT = 3

ABOUT = f"""Search text files for a regular expression, as Python's re has it, line by line. Gives file:line:text.
Left out are binary files, files above {LARGEST >> 20} MiB, links, and folders such as .git and node_modules unless the
path names them; .gitignore is not read. A search ends after {SECONDS:g} seconds with what it has found."""


class Search(msgspec.Struct):
    """The input of the search process."""

    root: str
    given: str
    confined: bool
    home: str
    pattern: str
    path: str = "."
    glob: str = ""
    ignore_case: bool = False
    limit: int = USUAL_MATCHES


def definition(workspace: Workspace) -> Definition:
    async def grep(
        pattern: str, path: str = ".", glob: str = "", ignore_case: bool = False, limit: int = USUAL_MATCHES
    ) -> str:
        if not 1 <= limit <= MOST_MATCHES:
            raise WorkspaceError(f"limit is between 1 and {MOST_MATCHES}, not {limit}")
        home = workspace.environ.get("HOME", "~")
        search = Search(
            workspace.root, workspace.given, workspace.confined, home, pattern, path or ".", glob, ignore_case, limit
        )
        return format_search_result(await run_search_process(search, workspace.environ))

    return Definition(
        name="Grep",
        about=ABOUT,
        inputs={
            "pattern": {"type": "string", "description": "The regular expression."},
            "path": {"type": "string", "description": "The file or folder to search; by default the project."},
            "glob": {"type": "string", "description": "Only files like this: *.py, src/**/*.ts, *.{js,ts}."},
            "ignore_case": {"type": "boolean", "description": "Whether A is the same as a; false by default."},
            "limit": {"type": "integer", "description": f"How many lines at most; {USUAL_MATCHES} by default."},
        },
        function=grep,
        required=("pattern",),
        asks=lambda input: workspace.asks(input.get("path") or "."),
    )


async def run_search_process(search: Search, environ: Mapping[str, str]) -> Completed:
    from tenterhook.clients.workspace.children import run_to_completion
    from tenterhook.runtime.process import Program

    # This package and msgspec, wherever they are, and nothing else: no site, no module of the project.
    path = dict.fromkeys(os.path.dirname(os.path.dirname(module.__file__ or "")) for module in (tenterhook, msgspec))
    argv = (sys.executable, "-S", "-P", "-m", __name__)
    env = {**environ, "PYTHONPATH": os.pathsep.join(path)}
    try:
        given = msgspec.json.encode(search)
    except UnicodeEncodeError:
        raise WorkspaceError("the pattern or the path holds half a character, which no file can hold") from None
    return await run_to_completion(Program(argv, given, env, search.root, SECONDS, 0.1, KEPT_BYTES, "end"))


def format_search_result(done: Completed) -> str:
    found = done.stdout.decode("utf-8", "replace").rstrip("\n")
    if done.error == "timeout":
        whole = found[: found.rfind("\n") + 1].rstrip("\n") if done.stdout[-1:] != b"\n" else found
        ending = f"[ended after {SECONDS:g} seconds: make the pattern simpler, or name a smaller folder with path]"
        return f"{whole}\n{ending}" if whole else ending
    if done.exit_code != 0:
        problem = done.stderr.decode("utf-8", "replace").strip()
        raise WorkspaceError(problem if done.exit_code == CANNOT else f"the search failed: {problem or done.detail}")
    return found or "[no line matches]"


# In its own process


def main() -> int:
    search = msgspec.json.decode(sys.stdin.buffer.read(), type=Search)
    out = sys.stdout.buffer
    try:
        for line in matches(search):
            out.write(line.encode("utf-8", "replace") + b"\n")
            out.flush()
    except WorkspaceError as exc:
        sys.stderr.buffer.write(str(exc).encode("utf-8", "replace"))
        return CANNOT
    return 0


def matches(search: Search) -> Iterator[str]:
    """A line for each match, and at the end what was left out."""
    workspace = Workspace(search.given, confined=search.confined, environ={"HOME": search.home})
    if workspace.root != search.root:  # the project's symlink has changed since this process was started
        raise WorkspaceError("the project's folder was replaced by another meanwhile")
    found = expression(search.pattern, search.ignore_case).search
    huge = count = 0
    for path, size in files(workspace, search):
        if size > LARGEST:
            huge += 1
            continue
        for number, line in lines(workspace, path, found):
            if count == search.limit:
                yield f"[more lines match: these are the first {count}]"
                return
            count += 1
            yield f"{workspace.display_path(path)}:{number}:{cut_end(line, LONGEST_LINE)}"
    if huge:
        yield f"[left out: {pluralise_count(huge, 'file')} above {LARGEST >> 20} MiB]"


def expression(pattern: str, ignore_case: bool) -> re.Pattern[str]:
    if not pattern:
        raise WorkspaceError("the pattern is empty, and would match every line")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return re.compile(pattern, re.IGNORECASE if ignore_case else 0)
    except (re.error, OverflowError, RecursionError) as exc:
        raise WorkspaceError(f"this is not a Python regular expression: {exc}") from None


def files(workspace: Workspace, search: Search) -> Iterator[tuple[str, int]]:
    if not workspace.is_folder(search.path):
        with workspace.open_file(search.path) as fd:
            size = os.fstat(fd).st_size
        yield search.path, size
        return
    fits = build_glob_filter(search.glob)
    start = len(os.path.join(search.path, ""))
    for entry in workspace.walk(search.path):
        if entry.regular and fits(entry.path[start:]):
            yield entry.path, entry.size


def build_glob_filter(glob: str) -> Callable[[str], bool]:
    """A pattern without a slash matches the name alone."""
    if not glob:
        return lambda path: True
    return matcher(glob.lstrip("/") if "/" in glob else f"**/{glob}")


def lines(workspace: Workspace, path: str, found: Callable[[str], object]) -> Iterator[tuple[int, str]]:
    try:
        data = workspace.read(path, LARGEST)
        how = coding(data)
        text = how.decode_bytes(data) if how else ""
    except (WorkspaceError, UnicodeDecodeError):
        return
    for number, line in enumerate(text.removesuffix("\n").split("\n") if text else (), 1):
        if found(line.removesuffix("\r")):
            yield number, line.removesuffix("\r")


if __name__ == "__main__":
    sys.exit(main())
