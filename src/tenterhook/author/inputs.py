"""Read what a tool's input names, in any agent's spelling: commands, files, texts, patches."""

from __future__ import annotations

import os

from tenterhook.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

COMMANDS = ("command", "cmd", "script")
PATHS = (
    *("file_path", "filePath", "path", "absolute_path", "notebook_path", "filename", "file", "target_file"),
    "filepath",
)
PATH_LISTS = ("paths", "file_paths", "filePaths", "files")
# The fields for the folder in which a shell runs.
FOLDERS = ("directory", "dir_path", "workdir", "work_dir", "working_directory", "cwd")
ENDS = ("source", "destination", "old_path", "new_path")
# The fields for a file's whole text, and for the replacement of a part.
WHOLE = ("content", "file_text")
NEW = ("new_string", "new_str", "newString", "newText", "new_source")
TEXTS = (*WHOLE, *NEW, "contents", "text", "code_edit", "insert_text")
# Our name for the input of a tool that takes one text and no fields, like apply_patch of some agents.
TEXT = "input"
PATCHES = ("patch", TEXT, "patchText", "diff", "command")
OUTPUTS = ("stdout", "llmContent", "textResultForLlm", "text_result_for_llm", "output", "content", "text", "result")
OLD = ("old_string", "old_str", "oldText", "oldString")
# Fields with the same meaning: if a hook changes one, this agent may use another name of its group.
SAME = (COMMANDS, PATHS, WHOLE, NEW, OLD)


def command(given: dict[str, Any]) -> str:
    """The command of a shell tool; a list of words is joined as a shell would need it."""
    for name in COMMANDS:
        found = given.get(name)
        if isinstance(found, str):
            return found
        if isinstance(found, list) and found:
            return of_words([str(word) for word in found])
    return ""


def of_words(words: list[str]) -> str:
    if len(words) == 3 and words[1] in ("-c", "-lc"):
        return words[2]
    import shlex

    return shlex.join(words)


def patch(given: dict[str, Any]) -> str:
    """A patch in an input, which tools keep under different names; empty if there is none."""
    for name in PATCHES:
        found = given.get(name)
        if isinstance(found, str) and ("\n+++ " in f"\n{found}" or ("***" in found and begins_patch(found))):
            return found
    return ""


def paths(given: dict[str, Any], cwd: str) -> tuple[str, ...]:
    """Every file that an input names, whole and in order."""
    return tuple(dict.fromkeys(whole(one, cwd) for one in named_paths(given)))


def named_paths(given: dict[str, Any], names: tuple[str, ...] = (*PATHS, *ENDS)) -> list[str]:
    """Every file that an input names, as it is written there."""
    found = [value for name, value in given.items() if name in names]
    for value in given.values():
        if isinstance(value, list):  # several files, or several edits of one call
            found += [one[name] for one in value if isinstance(one, dict) for name in PATHS if name in one]
    for name in PATH_LISTS:
        if isinstance(given.get(name), list):
            found += given[name]
    if changes := patch(given):
        from tenterhook.support.patches import in_patch

        found += in_patch(changes)
    return [one.removeprefix("file://") for one in found if one and isinstance(one, str)]


def begins_patch(text: str) -> bool:
    from tenterhook.support.patches import BEGIN, squeeze

    return BEGIN in squeeze(text)


def patch_lines(text: str, mark: str) -> list[str]:
    """The lines that a patch adds (`+`) or removes (`-`), without the mark.

    The header of a diff counts as such a line, too: a line that begins with two more marks looks the same.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [line[1:] for line in lines if line.startswith(mark)]


def whole(path: str, cwd: str) -> str:
    if path == "~" or path.startswith("~/"):
        path = os.path.expanduser(path)
    return os.path.normpath(os.path.join(cwd, path))


def texts(given: dict[str, Any]) -> tuple[str, ...]:
    """The texts that a tool is about to write, or wrote; for a patch the lines that it adds."""
    inner = [one for value in given.values() if isinstance(value, list) for one in value if isinstance(one, dict)]
    found = [one[name] for one in (given, *inner) for name in TEXTS if isinstance(one.get(name), str)]
    added = patch_lines(patch(given), "+")
    return (*found, "\n".join(added)) if added else tuple(found)


def old_texts(given: dict[str, Any]) -> tuple[str, ...]:
    """The texts that are replaced: by the call, by its single edits, and the lines that a patch removes."""
    found = [one[name] for one in (given, *edits(given)) for name in OLD if isinstance(one.get(name), str)]
    return (*found, *patch_lines(patch(given), "-"))


def edits(given: dict[str, Any]) -> list[dict[str, Any]]:
    """The single edits of one call."""
    found = given.get("edits")
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def given_texts(given: dict[str, Any], names: Iterable[str]) -> list[str]:
    """All texts in these fields: only the tool knows which of them it uses."""
    for name in names:
        if not isinstance(given.get(name, ""), str):
            raise UsageError(f"the tool's {name} must be text, not {type(given[name]).__name__}")
    return [given[name] for name in names if name in given]


def output_text(output: Any) -> str:
    """A tool's output as text."""
    if output is None or isinstance(output, str):
        return output or ""
    if isinstance(output, dict):
        name = next((name for name in OUTPUTS if isinstance(output.get(name), str)), "")
        if name:
            beside = output.get("stderr") if name == "stdout" else ""
            return f"{output[name]}\n{beside}" if beside else str(output[name])
    import json

    return json.dumps(output, ensure_ascii=False)


def output_like(text: Any, output: Any) -> Any:
    """A new output in the form of the old one: agents accept no other."""
    if isinstance(output, dict) and isinstance(text, str):
        name = next((name for name in OUTPUTS if isinstance(output.get(name), str)), "")
        if name:
            return {**output, name: text}
    return text


class Misplaced(UsageError):
    """A hook changes a field that the tool does not have: the agent would run the original call."""


def any_of(kind: str) -> str:
    """The key for the fields of all tools of this kind that were not recorded."""
    return f"any {kind}"


def apply_field_edits(given: dict[str, Any], edits: dict[str, Any]) -> dict[str, Any]:
    """Lay fields over an object; None removes one."""
    return {name: value for name, value in {**given, **edits}.items() if value is not None or name not in edits}


def edited_input(given: Any, edits: dict[str, Any], tool: str, takes: Iterable[str] | None) -> Any:
    """A tool's input with fields laid over it, under this agent's names for them; an input that is a text becomes
    another text.

    `takes` are the fields that the tool has; None if they are not known.
    """
    fields = {TEXT: given} if isinstance(given, str) else given if isinstance(given, dict) else {}
    known = () if isinstance(given, str) else takes
    named = {field_of(name, fields, known): value for name, value in edits.items()}
    if "" in named:
        strange = [name for name in edits if not field_of(name, fields, known)]
        has = ", ".join(dict.fromkeys((*fields, *(known or ())))) or "no fields"
        raise Misplaced(f"hook.rewrite changes {', '.join(strange)}, which {tool or 'the tool'} does not have: {has}")
    changed = apply_field_edits(fields, named)
    return changed.get(TEXT, "") if isinstance(given, str) else changed


def field_of(name: str, given: dict[str, Any], takes: Iterable[str] | None) -> str:
    """This agent's name for a field, from the tool's input and its known fields; empty if it has none."""
    if name in given:
        return name
    if name in PATCHES and (held := next((one for one in PATCHES if given.get(one) and patch({one: given[one]})), "")):
        return held
    same = next((group for group in SAME if name in group), ())
    if found := next((one for one in same if one in given), ""):
        return found
    if takes is None or name in takes:
        return name
    return next((one for one in same if one in takes), "")
