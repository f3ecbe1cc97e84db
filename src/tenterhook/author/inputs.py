"""What a tool's input names, however its agent spells it: commands, files, texts, patches."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

COMMANDS = ("command", "cmd", "script")
PATHS = (
    *("file_path", "filePath", "path", "absolute_path", "notebook_path", "filename", "file", "target_file"),
    "filepath",
)
PATH_LISTS = ("paths", "file_paths", "filePaths", "files")
ENDS = ("source", "destination", "old_path", "new_path")
TEXTS = (
    *("content", "file_text", "new_string", "new_str", "newString", "newText", "new_source", "contents", "text"),
    *("code_edit", "insert_text"),
)
PATCHES = ("patch", "input", "patchText", "diff", "command")
OUTPUTS = ("stdout", "llmContent", "textResultForLlm", "text_result_for_llm", "output", "content", "text", "result")
# One name for another, where a hook changes an input: what it calls so may be called otherwise by this agent.
SAME = (COMMANDS, PATHS, TEXTS[:2], TEXTS[2:7])
ADDED = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ", "+++ b/", "--- a/")


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
    """A patch in an input, which tools keep under different names; empty where there is none."""
    for name in PATCHES:
        found = given.get(name)
        if isinstance(found, str) and ("*** Begin Patch" in found or "\n+++ " in found):
            return found
    return ""


def paths(given: dict[str, Any], cwd: str) -> tuple[str, ...]:
    """Every file that an input names, whole and in order."""
    found = [value for name, value in given.items() if name in PATHS or name in ENDS]
    for value in given.values():
        if isinstance(value, list):  # several files, or several edits of one call
            found += [one[name] for one in value if isinstance(one, dict) for name in PATHS if name in one]
    for name in PATH_LISTS:
        if isinstance(given.get(name), list):
            found += given[name]
    found += in_patch(patch(given))
    return tuple(dict.fromkeys(whole(one, cwd) for one in found if one and isinstance(one, str)))


def in_patch(text: str) -> list[str]:
    """The files that a patch names."""
    marked = [(line, mark) for line in text.splitlines() for mark in ADDED if line.startswith(mark)]
    return [line[len(mark) :].partition("\t")[0].strip() for line, mark in marked]


def whole(path: str, cwd: str) -> str:
    if path.startswith("file://"):
        path = path[7:]
    if path == "~" or path.startswith("~/"):
        path = os.path.expanduser(path)
    return os.path.normpath(os.path.join(cwd, path))


def texts(given: dict[str, Any]) -> tuple[str, ...]:
    """The texts that a tool is about to write, or wrote; of a patch the lines that it adds."""
    inner = [one for value in given.values() if isinstance(value, list) for one in value if isinstance(one, dict)]
    found = [one[name] for one in (given, *inner) for name in TEXTS if isinstance(one.get(name), str)]
    lines = patch(given).splitlines()
    added = [line[1:] for line in lines if line.startswith("+") and not line.startswith("+++ ")]
    return (*found, "\n".join(added)) if added else tuple(found)


def output_text(output: Any) -> str:
    """What a tool gave back, as text."""
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
    """A new output in the form of the one that was there: agents take no other."""
    if isinstance(output, dict) and isinstance(text, str):
        name = next((name for name in OUTPUTS if isinstance(output.get(name), str)), "")
        if name:
            return {**output, name: text}
    return text


def edited(given: dict[str, Any], edits: dict[str, Any]) -> dict[str, Any]:
    """An input with fields laid over it, under this agent's names for them; None takes one away."""
    result = dict(given)
    for name, value in edits.items():
        same = next((group for group in SAME if name in group and name not in given), ())
        name = next((one for one in same if one in given), name)
        if value is None:
            result.pop(name, None)
        else:
            result[name] = value
    return result
