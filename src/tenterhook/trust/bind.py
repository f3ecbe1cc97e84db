"""A hook -> the files that its command or function names, and what it runs that cannot be determined beforehand.

Nothing is run or imported to find out. What cannot be bound is reported when the hook is approved, not guessed. What
those files load in turn is in closure.py.
"""

from __future__ import annotations

import os
import re
import string
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from tenterhook.support.command_line import BUILTINS, at_home, one_program, simple_words, substitute_placeholders
from tenterhook.support.fingerprint import Stamp
from tenterhook.trust.loads import language_of
from tenterhook.trust.loads.records import LoadedFile, Loads
from tenterhook.trust.parts import BoundFile, ProjectRoots, part
from tenterhook.trust.variables import loads_code

if TYPE_CHECKING:
    from tenterhook.types import Hook

SHELLS = ("sh", "bash", "dash", "zsh", "ksh", "fish")
INTERPRETERS = (*SHELLS, "python", "pypy", "node", "deno", "bun", "ruby", "perl", "php", "lua", "tsx", "ts-node")
# Programs that run the command after their own options.
WRAPPERS = (
    *("env", "exec", "command", "nohup", "nice", "time", "sudo", "doas", "stdbuf", "setsid", "builtin", "timeout"),
    *("ionice", "chrt", "taskset", "flock", "busybox", "unbuffer", "chronic", "caffeinate", "gtimeout", "runuser"),
)
# Those of them that take a time, a file or a number first.
MEASURED = ("timeout", "gtimeout", "flock", "taskset", "chrt")
# Programs that run whatever the project's files say.
RUNNERS = frozenset(
    "npm npx yarn pnpm bunx make gmake ninja just task rake bundle composer cargo go mvn gradle gradlew ant sbt tox "
    "nox pytest poetry uv uvx pipx hatch pdm pre-commit lefthook docker podman docker-compose bazel cmake jest vitest "
    "mocha eslint webpack vite turbo nx mix rebar3 swift dotnet git ssh eval xargs find parallel watch "
    "run-parts".split()
)
CODE = frozenset(
    ".py .pyw .pyz .pyc .js .jsx .mjs .cjs .ts .tsx .mts .cts .sh .bash .zsh .ksh .fish .nu .rb .pl .pm .php .phar "
    ".lua .awk .sed .jq .jar .java .so .dylib .dll .exe .bat .cmd .ps1 .r .tcl .exs .clj .groovy .scala .wasm".split()
)
# Options after which an interpreter other than a shell expects code, not a file's name.
TEXT = re.compile(r"-[a-zA-Z]*[ce]|-p|-pe|--eval|--print|--run")
# A module or a text for Python, possibly after other one-letter options.
PYTHON = re.compile(r"-[bBdEiIOPqRsSuvx]*([cm])(.*)", re.DOTALL)
# Options for files that node loads before its script.
PRELOADS = re.compile(r"(?:--require|--import|--loader|--experimental-loader|-r)(?:=(.*))?")
ASSIGNED = re.compile(r"[A-Za-z_]\w*=")
DEEPEST = 4
# The most folders among a command's words that are searched: a command that names thousands must not cause a delay.
FEW = 4


class EntryPoint(Struct, frozen=True):
    """Where code of the project begins to run: a file, a module by name, or a text; in a language, in a folder."""

    cwd: str
    file: LoadedFile | None = None
    module: str = ""
    text: str = ""
    language: str = ""
    title: str = ""
    first: bool = True


class Binding(Struct):
    """What an approval of one hook is bound to, each file with its fingerprint; and what it cannot be bound to.

    `starts` are the entry points, for `closure.follow`.
    """

    parts: dict[str, tuple[BoundFile, Stamp]] = field(default_factory=dict)
    unbound: list[str] = field(default_factory=list)
    starts: list[EntryPoint] = field(default_factory=list)


class Binder:
    """Looks at the files of one project, each once."""

    def __init__(self, where: ProjectRoots, cwd: str, env: Mapping[str, str]) -> None:
        self.where, self.cwd = where, cwd
        self.env = {**env, "PWD": cwd}
        self.seen: dict[str, tuple[BoundFile, Stamp]] = {}
        self.loads: dict[Hashable, Loads] = {}

    def hook(self, hook: Hook) -> Binding:
        bind = FORMS.get(hook.spec["form"])
        found = Binding()
        main = hook.spec["main"]
        if hook.spec.get("placeholders"):
            main = substitute_placeholders(
                main, {**self.env, **{name: value for name, value in hook.env.items() if value}}
            )
        if hook.spec["form"] == "mcp":
            main = hook.spec.get("files", "").split()
        if bind:
            bind(self.within(hook.spec.get("cwd", "")), found, main)
        return found

    def whole(self, hook: Hook) -> Binding:
        """A hook with all that its files load."""
        from tenterhook.trust.closure import follow

        return follow(self, self.hook(hook))

    def within(self, folder: str) -> Binder:
        """The same for a hook that runs in another folder."""
        if not folder:
            return self
        other = Binder(self.where, os.path.join(self.cwd, folder), self.env)
        other.seen, other.loads = self.seen, self.loads
        return other

    def command(self, main: str | Sequence[str]) -> Binding:
        """A command as shell text or as words, with all that it loads."""
        from tenterhook.trust.closure import follow

        found = Binding()
        self.shell(found, main)
        return follow(self, found)

    def shell(self, found: Binding, main: Any, depth: int = 0) -> None:
        if depth > DEEPEST:
            note(found, "what a shell in a shell in a shell runs")
            return
        plain = list(main) if not isinstance(main, str) else simple_words(main, self.env)
        if plain:
            self.words(found, plain, depth)
            if isinstance(main, str):
                self.others(found, loose_words(main, self.env))
        elif isinstance(main, str) and main.strip():
            note(
                found,
                "all but the project's files that are named in it: a shell reads it as more than one plain command",
            )
            self.others(found, loose_words(main, self.env))
            found.starts.append(EntryPoint(self.cwd, text=main, language="shell", title="its command"))

    def program(self, found: Binding, main: str) -> None:
        *interpreter, path = one_program(main, self.cwd, self.env.get("HOME", "~"))
        self.words(found, [*interpreter, path])

    def servers(self, found: Binding, files: list[str]) -> None:
        """The project's files that say how a server is started."""
        for name in files:
            if not name.startswith("~/") and os.path.exists(path := os.path.join(self.cwd, name)):
                self.file(found, path, "data")

    def script(self, found: Binding, main: str) -> None:
        path = at_home(string.Template(main).safe_substitute(self.env), self.env.get("HOME", "~"))
        self.file(found, os.path.join(self.cwd, path))

    def use(self, found: Binding, main: str) -> None:
        """An author's file. A ready hook is part of tenterhook."""
        from tenterhook.author.loading import LIBRARY

        if not main.startswith(LIBRARY):
            self.file(found, os.path.join(self.cwd, at_home(main, self.env.get("HOME", "~"))), "python")

    def words(self, found: Binding, words: list[str], depth: int = 0) -> None:
        """One simple command."""
        first, name = words[0], os.path.basename(words[0])
        if name in (".", "source") and len(words) > 1:
            self.file(found, os.path.join(self.cwd, words[1]), "shell")
            return
        if first not in BUILTINS:
            self.file(found, self.locate_file(first))
        if name in WRAPPERS:
            self.bind_wrapped(found, name, words[1:], depth + 1)
        elif name.rstrip("0123456789.") in INTERPRETERS:
            self.interpreter(found, words, depth)
        elif name in RUNNERS:
            note(found, f"{' '.join(words[:2])}: what it runs")
        known = name in BUILTINS or self.named_by_project(first)
        self.others(found, words[1:], strange=not known and name not in WRAPPERS and name not in INTERPRETERS)

    def interpreter(self, found: Binding, words: list[str], depth: int = 0) -> None:
        if self.runs(words[0]):
            self.file(found, self.locate_file(words[0]))
        name = os.path.basename(words[0])
        if self.named_by_project(words[0]):
            note(found, f"{name}: an interpreter of the project's own, with whatever lies beside it")
        self.bind_interpreter(found, name, words[1:], depth)

    def bind_wrapped(self, found: Binding, name: str, words: list[str], depth: int) -> None:
        """The command that a wrapper runs. The word after an option may be its value or the command: both count."""
        measured = name in MEASURED
        for n, word in enumerate(words if depth <= DEEPEST else ()):
            if word.startswith("-") or ASSIGNED.match(word):
                continue
            value = n > 0 and words[n - 1].startswith("-")
            if measured and not value:
                value, measured = True, False
            if not value or self.runs(word):
                self.words(found, words[n:], depth)
            if not value:
                return
        note(found, f"{name}: what it runs")

    def runs(self, word: str) -> bool:
        path = self.locate_file(word)
        return word in BUILTINS or ("\0" not in path and os.path.isfile(path) and os.access(path, os.X_OK))

    def bind_interpreter(self, found: Binding, name: str, words: list[str], depth: int) -> None:
        """The script of an interpreter, or the text given instead of one.

        The word after an option may be its value: then the script comes later, and both are looked at.
        """
        for n, word in enumerate(words):
            follows = words[n + 1] if n + 1 < len(words) else ""
            attached = PYTHON.fullmatch(word) if language_of(name) == "python" else None
            if attached and attached[1] == "m":
                module = attached[2] or follows
                found.starts.append(EntryPoint(self.cwd, module=module, language="python", title=f"{name} -m {module}"))
            elif attached and attached[2]:
                found.starts.append(EntryPoint(self.cwd, text=attached[2], language="python", title=f"{name} -c"))
            elif name in SHELLS and re.fullmatch("-[a-zA-Z]*c", word):
                self.shell(found, follows, depth + 1)
            elif name not in SHELLS and TEXT.fullmatch(word):
                title = f"{name} {word}"
                found.starts.append(EntryPoint(self.cwd, text=follows, language=language_of(name), title=title))
            elif language_of(name) == "javascript" and (early := PRELOADS.fullmatch(word)):
                self.module(found, early[1] or follows, f"{name} {word}")
            elif name in SHELLS and word.partition("=")[0] in ("--rcfile", "--init-file"):
                self.file(found, os.path.join(self.cwd, word.partition("=")[2] or follows), "shell")
            elif word.startswith("-"):
                continue
            elif language_of(name) == "javascript" and not os.path.isfile(os.path.join(self.cwd, word)):
                self.module(found, os.path.join(self.cwd, word), f"{name} {word}")  # it adds a suffix or an index to it
            else:
                path = os.path.join(self.cwd, word)
                self.file(found, path, language_of(name))
                if n and words[n - 1].startswith("-") and not os.path.exists(path):
                    continue
            return

    def module(self, found: Binding, name: str, title: str) -> None:
        """What node loads under a name."""
        if not name.startswith((".", "/", "file:")):
            note(found, f"{title}: the package")
            return
        path = os.path.normpath(os.path.join(self.cwd, name.removeprefix("file://")))
        found.starts.append(EntryPoint(self.cwd, module=path, language="javascript", title=title))

    def others(self, found: Binding, words: Sequence[str], *, strange: bool = False) -> None:
        """Files of the project among a command's words that look like code; from folders among them, too.

        To an unknown program any file may be code: such files are reported.
        """
        folders = [path for word in words if os.path.isdir(path := os.path.join(self.cwd, word))]
        for word in words:
            variable, _, value = word.partition("=") if ASSIGNED.match(word) else ("", "", "")
            if loads_code(variable):
                note(found, f"{variable}: what it makes the command load")
            for path in (
                os.path.join(folder, one) for folder in (self.cwd, *folders[:FEW]) for one in {word, value or word}
            ):
                if "\0" in path or not os.path.isfile(path) or not self.where.of_project(os.path.realpath(path)):
                    continue
                if looks_like_code(path):
                    self.file(found, path)
                elif strange and path not in found.parts:
                    note(found, f"{word}: a file that the command is given")

    def function(self, found: Binding, main: str) -> None:
        """The module of a function; the closure has the packages around it, which are imported first."""
        name, _, attribute = main.replace("\0", "").partition(":")
        module = name if attribute else name.rpartition(".")[0] or name
        found.starts.append(EntryPoint(self.cwd, module=module, language="python", title=main, first=False))

    def locate_file(self, word: str) -> str:
        if os.sep in word:
            return os.path.join(self.cwd, at_home(word, self.env.get("HOME", "~")))
        return which(word, self.env.get("PATH", os.defpath), self.cwd) or word

    def named_by_project(self, word: str) -> bool:
        """Whether a program's name leads into the project, wherever a symlink leads from there."""
        path = self.locate_file(word)
        return "\0" not in path and self.where.of_project(os.path.join(os.path.realpath(os.path.dirname(path)), "it"))

    def file(self, found: Binding, path: str, language: str = "") -> None:
        """A file, and the interpreter in its first line."""
        if "\0" in path:  # no file has such a name, and the system refuses it
            found.parts[path] = (BoundFile(path, path, "absent"), ())
            return
        if os.path.isabs(path):  # a symlink on the way is another path to the same file; the file itself may be one
            path = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        if path in found.parts:
            return
        if path not in self.seen:
            self.seen[path] = part(path, self.where)
        one = found.parts[path] = self.seen[path]
        ours = self.where.of_project(one[0].real)
        if one[0].how == "path" and ours and language != "python":
            note(found, f"{os.path.basename(path)}: what is in it, it is not a file")
        if one[0].how == "stamp" and ours:
            note(found, f"{os.path.basename(path)}: its bytes, it is too large")
        if not ours and language not in ("", "data") and one[0].how == "content":
            found.starts.append(EntryPoint(self.cwd, LoadedFile(path, language)))
        if ours and language != "data" and (one[0].how == "content" or (one[0].how == "path" and language == "python")):
            found.starts.append(EntryPoint(self.cwd, LoadedFile(path, language)))
        if one[0].how == "content":
            self.first_line(found, one[0])

    def first_line(self, found: Binding, one: BoundFile) -> None:
        try:
            with open(one.real, "rb") as opened:
                start = opened.read(256)
        except OSError:
            return
        if start.startswith(b"#!"):
            words = start.split(b"\n", 1)[0][2:].decode("utf-8", "replace").split()
            name = skip_wrapper_options(words[1:])[:1] if words and os.path.basename(words[0]) == "env" else words[:1]
            for interpreter in name:
                self.file(found, self.locate_file(interpreter))


def which(word: str, path: str, cwd: str) -> str:
    """The program's path by PATH, whose relative folders are relative to where the hook runs."""
    for folder in path.split(os.pathsep):
        found = os.path.join(cwd, folder, word)
        if "\0" not in found and os.path.isfile(found) and os.access(found, os.X_OK):
            return found
    return ""


def note(found: Binding, text: str) -> None:
    if text not in found.unbound:
        found.unbound.append(text)


def loose_words(text: str, env: Mapping[str, str]) -> list[str]:
    """All words of a shell text that may be a file's name, variables filled in; only the shell knows."""
    import shlex

    lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    found = re.split(r"[\s;&|<>()`\"']+", text)
    with suppress(ValueError):  # an open quote
        found += lexer
    return [string.Template(word).safe_substitute(env) for word in dict.fromkeys(found) if word]


def looks_like_code(path: str) -> bool:
    if os.path.splitext(path)[1].lower() in CODE or os.access(path, os.X_OK):
        return True
    try:
        with open(path, "rb") as opened:
            return opened.read(2) == b"#!"
    except OSError:
        return False


def skip_wrapper_options(words: Sequence[str]) -> list[str]:
    """The command after a wrapper's own options and assignments."""
    rest = list(words)
    while rest and (rest[0].startswith("-") or ASSIGNED.match(rest[0])):
        rest.pop(0)
    return rest


FORMS: dict[str, Callable[[Binder, Binding, Any], None]] = {
    "shell": Binder.shell,
    "program": Binder.program,
    "script": Binder.script,
    "use": Binder.use,
    "function": Binder.function,
    "mcp": Binder.servers,
}
