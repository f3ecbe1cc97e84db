"""All project files that a hook's files load in turn: an approval is bound to them, too."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator

from tenterhook.trust.bind import Binder, Binding, EntryPoint, note
from tenterhook.trust.loads import language_in, language_of, loads_of
from tenterhook.trust.loads.paths import project_variables
from tenterhook.trust.loads.records import LoadedFile, Loads, SourceText
from tenterhook.trust.parts import names_in

# The most texts read for one hook, and the most notes made.
MOST = 500
MOST_NOTES = 30
# The most that is read of each text.
LARGEST = 4 << 20


def follow(binder: Binder, found: Binding) -> Binding:
    """Add everything that it loads to the binding."""
    Follower(binder, found).run()
    return found


class Follower:
    """Reads one text after another, until nothing more is loaded."""

    def __init__(self, binder: Binder, found: Binding) -> None:
        self.binder, self.found = binder, found
        self.project = binder.where.project
        self.names: dict[str, set[str]] = {}
        self.waiting = deque(found.starts)
        self.done: set[EntryPoint] = set()
        self.left_out = 0

    def run(self) -> None:
        while self.waiting:
            start = self.waiting.popleft()
            if start in self.done:
                continue
            self.done.add(start)
            if len(self.done) > MOST:
                note(self.found, f"more than {MOST} files that it loads: the rest of them")
                break
            for source in self.sources(start):
                self.take(start, self.loads(source))
        for folder, names in sorted(self.names.items()):
            path = os.path.join(folder, "")
            self.found.parts[path] = names_in(path, names)
        if self.left_out:
            self.found.unbound.append(f"and {self.left_out} more of this kind")

    def loads(self, source: SourceText) -> Loads:
        """What a text loads; the same text for several agents is read once."""
        key = (*(getattr(source, name) for name in source.__struct_fields__ if name != "variables"),)
        key += (tuple(source.variables.items()),)
        if key not in self.binder.loads:
            self.binder.loads[key] = loads_of(source)
        return self.binder.loads[key]

    def sources(self, start: EntryPoint) -> Iterator[SourceText]:
        """The text that an entry point stands for."""
        if start.file is not None:
            yield from self.of_file(start, start.file)
        elif start.module and start.language == "javascript":
            from tenterhook.trust.loads.javascript import resolve

            found = Loads()
            resolve(found, start.module)
            self.take(start, found)
        elif start.module:
            yield from self.of_module(start)
        elif start.language in ("python", "shell", "javascript"):
            text = start.text.encode("utf-8", "surrogateescape")
            roads = (start.cwd, *self.python_path()) if start.language == "python" else ()
            yield self.source(start, "", "", text, start.language, roads)
        else:
            self.note(f"{start.title}: what its text imports, reads and starts")

    def of_file(self, start: EntryPoint, file: LoadedFile) -> Iterator[SourceText]:
        path, real, roads = file.path, os.path.realpath(file.path), file.roads
        if file.language == "data":
            return
        if not self.binder.where.of_project(real):
            if file.language and os.path.isfile(real):
                self.note(f"{os.path.basename(path)}: what it loads, it lies outside of the project")
            return
        if os.path.isdir(real):  # Python runs the __main__.py of a folder
            roads = (real, *file.roads)
            real = path = os.path.join(real, "__main__.py")
            self.binder.file(self.found, path, "python")
            self.look(os.path.dirname(path), "__main__")
        try:
            with open(real, "rb") as opened:
                text = opened.read(LARGEST + 1)
        except (OSError, ValueError):
            return
        language = file.language or language_in(path, text[:1024])
        if not language or (b"\0" in text[:1024] and language != "python"):
            return
        if len(text) > LARGEST:
            self.note(f"{os.path.relpath(path, self.project)}: what it loads, it is too long to be read")
            return
        # Python looks first in the script's own folder, symlinks followed; a module has its script's.
        roads = roads or ((os.path.dirname(real), *self.python_path()) if language == "python" else ())
        yield self.source(start, path, real, text, language, roads, file.first, file.main)

    def of_module(self, start: EntryPoint) -> Iterator[SourceText]:
        """A module by name, as if a text imported it. If it is a package, its `__main__` runs."""
        text = f"import {start.module}\n"
        if start.first:
            text += f"import {start.module}.__main__\n"
        if not all(part.isidentifier() for part in start.module.split(".")):
            self.note(f"{start.title}: the module")
            return
        source = self.source(start, "", "", text.encode(), "python", (start.cwd, *self.python_path()), start.first)
        if not any(one.path.endswith((".py", ".so", ".pyd", ".pyc")) for one in self.loads(source).files):
            what = "the module" if start.first else "a module that is not the project's own"
            self.note(f"{start.title}: {what}")
        yield source

    def python_path(self) -> list[str]:
        """Folders of the project that PYTHONPATH in the user's environment names."""
        given = [one for one in self.binder.env.get("PYTHONPATH", "").split(os.pathsep) if one]
        roads = [os.path.realpath(os.path.join(self.binder.cwd, one)) for one in given]
        return [road for road in roads if self.binder.where.of_project(road)]

    def source(
        self,
        start: EntryPoint,
        path: str,
        real: str,
        text: bytes,
        language: str,
        roads: tuple[str, ...],
        first: bool = True,
        main: str = "",
    ) -> SourceText:
        variables = project_variables(self.binder.env, (self.project, self.binder.cwd))
        home = {"HOME": self.binder.env.get("HOME", "~"), "PATH": self.binder.env.get("PATH", os.defpath)}
        return SourceText(
            path, real, text, language, self.project, start.cwd,
            {name: value for name, value in {**variables, **home}.items() if name.encode() in text}, roads,
            first if start.file else start.first, main or path, start.title,
        )  # fmt: skip

    def take(self, start: EntryPoint, loads: Loads) -> None:
        for one in loads.files:
            self.binder.file(self.found, one.path, one.language)
            self.waiting.append(EntryPoint(start.cwd, one))
        before = len(self.found.starts)
        for words, folder in loads.commands:
            binder = self.binder.within(folder or start.cwd)
            if language_of(words[0]):
                binder.interpreter(self.found, words)
            elif binder.runs(words[0]):
                binder.words(self.found, words)
            elif os.sep in words[0]:
                binder.file(self.found, binder.locate_file(words[0]))
        self.waiting.extend(self.found.starts[before:])
        for folder, names in loads.names.items():
            self.look(folder, *names)
        for text in loads.unknown:
            self.note(text)

    def look(self, folder: str, *names: str) -> None:
        if self.binder.where.of_project(os.path.realpath(folder)):
            self.names.setdefault(folder, set()).update(names)

    def note(self, text: str) -> None:
        if len(self.found.unbound) < MOST_NOTES or text in self.found.unbound:
            note(self.found, text)
        else:
            self.left_out += 1
