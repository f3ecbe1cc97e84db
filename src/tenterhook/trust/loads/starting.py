"""Programs that Python code starts: by subprocess, asyncio and os."""

from __future__ import annotations

import ast
import os

from tenterhook.trust.loads.paths import Values, name_of
from tenterhook.trust.loads.records import Loads, SourceText

# Functions of subprocess, asyncio and os, and whether they take shell text, a list of words, or words.
STARTS = {
    **dict.fromkeys(("run", "Popen", "call", "check_call", "check_output"), "either"),
    **dict.fromkeys(("system", "popen", "getoutput", "getstatusoutput", "create_subprocess_shell"), "text"),
    **dict.fromkeys(("create_subprocess_exec", "execl", "execlp", "execle", "execlpe"), "words"),
    **dict.fromkeys(("execv", "execvp", "execve", "execvpe", "posix_spawn", "posix_spawnp"), "program"),
}
STARTERS = ("subprocess", "os", "asyncio", "sp", "sh")
# Placeholder among a command's words for one that only the running program knows.
UNKNOWN_WORD = "\1"


class Starting:
    """The part of a reader that follows the programs that the code starts."""

    source: SourceText
    found: Loads
    values: Values
    starters: set[str]
    started: set[str]

    def starts(self, node: ast.Call) -> bool:
        """Whether it is a function of a module that starts programs; a bare `run` may be any function."""
        func = node.func
        if isinstance(func, ast.Attribute):
            return isinstance(func.value, ast.Name) and func.value.id in self.starters
        return name_of(func) in self.started

    def start(self, node: ast.Call, form: str) -> None:
        given = next((one.value for one in node.keywords if one.arg in ("args", "cmd")), None)
        first = node.args[0] if node.args else given
        cwd = self.values.text(next((one.value for one in node.keywords if one.arg == "cwd"), None))
        if isinstance(first, ast.Name) and isinstance(self.values.assigned.get(first.id), ast.List | ast.Tuple):
            first = self.values.assigned[first.id]
        if form == "program" and len(node.args) > 1 and isinstance(node.args[1], ast.List | ast.Tuple):
            words = [first, *node.args[1].elts[1:]] if first is not None else []
        elif form == "words":
            words = list(node.args)
        elif isinstance(first, ast.List | ast.Tuple):
            words = list(first.elts)
        else:
            self.start_text(node, self.values.text(first), cwd)
            return
        # For the other words it is enough that one of them may name a file.
        known = [self.values.text(one) for one in words]
        if not known or known[0] is None:
            self.found.note(self.source, "starts a program whose name is computed", node.lineno)
            return
        if language_hidden(known):
            self.found.note(self.source, f"{known[0]}: runs what is computed", node.lineno)
            known = known[:1]
        self.found.commands.append(([one or UNKNOWN_WORD for one in known], self.folder(cwd)))

    def start_text(self, node: ast.Call, text: str | None, cwd: str | None) -> None:
        if text is None:
            self.found.note(self.source, "starts a command that is computed", node.lineno)
        elif text.strip():
            self.found.commands.append((["sh", "-c", text], self.folder(cwd)))

    def folder(self, cwd: str | None) -> str:
        return os.path.join(self.source.cwd, cwd or "")


def language_hidden(words: list[str | None]) -> bool:
    """Whether an interpreter's script, the first word that is not an option, is computed."""
    from tenterhook.trust.loads import language_of

    if not words[0] or not language_of(words[0]):
        return False
    return next((word is None for word in words[1:] if word is None or not word.startswith("-")), False)
