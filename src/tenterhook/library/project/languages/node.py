"""JavaScript and TypeScript: the scripts of package.json, and the tools behind them if they take files."""

from __future__ import annotations

import os
import re

from tenterhook.library.project import kinds
from tenterhook.library.project.commands import FILES, Command, absent, of_tool, on_path, read
from tenterhook.library.project.languages import found_in
from tenterhook.library.project.tests.reach import Import
from tenterhook.library.project.wording import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MANIFESTS = ("package.json",)
LOCKS = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lockb": "bun", "bun.lock": "bun"}
RUNNERS = {
    "vitest": (["run", FILES], ("--coverage.enabled=false",)),
    "jest": ([FILES], ("--ci", "--coverage=false")),
    "mocha": ([FILES], ("--no-color",)),
}
SCRIPTS = {"lint": ("lint",), "types": ("typecheck", "type-check", "types", "tsc"), "build": ("build",)}
ESLINT = tuple(f"eslint.config.{end}" for end in ("js", "mjs", "cjs", "ts")) + tuple(
    f".eslintrc{end}" for end in ("", ".js", ".cjs", ".json", ".yml", ".yaml")
)
NO_TEST = "no test specified"  # what `npm init` writes
TYPED = (".ts", ".mts", ".cts", ".tsx", ".jsx")
# `passes`: the names are only passed on.
IMPORT = re.compile(
    r"(?:(?P<passes>\bexport)\s+(?P<names>\{[^}]*\}|\*(?:\s*as\s+\w+)?)\s*from\s*|\bfrom\s+|\brequire\(\s*|\bimport\s*\(?\s*)"
    r"[\"'`](?P<source>[^\"'`\n]+)[\"'`]"
)
ALIAS = re.compile(r"^[@~]/")  # what most projects call their source folder
TAP = "--test-reporter=tap"


def commands(folders: list[str], tests: list[str]) -> dict[str, Command]:
    manifests = [parse_package_json(read(os.path.join(folder, "package.json"))) for folder in folders]
    manifest = manifests[0]
    found = {kind: command for kind in SCRIPTS if (command := script(kind, folders, manifest))}
    better = [test(folders, manifests, tests), eslint(folders, manifest), tsc(folders)]
    return {**found, **{command.kind: command for command in better if command and keeps(command, found)}}


def for_styles(folders: list[str]) -> dict[str, Command]:
    """The commands for style sheets and pages: only the lint script, because the tools do not take such files."""
    found = script("lint", folders, parse_package_json(read(os.path.join(folders[0], "package.json"))))
    return {"lint": found} if found else {}


def keeps(command: Command, scripts: dict[str, Command]) -> bool:
    """Whether to use a tool in place of the script: it must take single files and be installed."""
    return command.kind not in scripts or (command.takes_files and not command.absent)


def parse_package_json(text: str) -> dict[str, Any]:
    import json

    try:
        found = json.loads(text or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def scripts_of(manifest: dict[str, Any]) -> dict[str, Any]:
    scripts = manifest.get("scripts")
    return scripts if isinstance(scripts, dict) else {}


def depends(manifest: dict[str, Any], name: str) -> bool:
    tables = (manifest.get(key) for key in ("dependencies", "devDependencies"))
    return any(isinstance(table, dict) and name in table for table in tables)


def script(kind: str, folders: list[str], manifest: dict[str, Any]) -> Command | None:
    name = next((name for name in SCRIPTS[kind] if isinstance(scripts_of(manifest).get(name), str)), "")
    return by_manager(kind, name, folders) if name else None


def by_manager(kind: str, name: str, folders: list[str]) -> Command:
    manager = next((LOCKS[lock] for lock in LOCKS if found_in(folders, lock)), "npm")
    quiet = ["--silent"] if manager == "npm" else []
    return Command(kind, manager, folders[0], [manager, "run", *quiet, name], absent=absent(manager))


def test(folders: list[str], manifests: list[dict[str, Any]], tests: list[str]) -> Command:
    """The test script's runner, for files; any other script as it is; without one, `node --test`."""
    line = test_script(manifests[0])
    name = runner(line, manifests)
    if name:
        rest, flags = RUNNERS[name]
        return tool("test", name, folders, rest, flags)
    if line and not re.match(r"node\s[^|&;<>`$]*--test\b", line):
        return by_manager("test", "test", folders)
    missing = absent("node")
    if not line and any(kinds.suffix_of(file) in TYPED for file in tests):
        missing = f"no test script of {plain(folders[0])} says how to run TypeScript: not run"
    return Command("test", "node", folders[0], [*node_words(line), FILES], flags=(TAP,), absent=missing)


def test_script(manifest: dict[str, Any]) -> str:
    line = scripts_of(manifest).get("test")
    return line if isinstance(line, str) and NO_TEST not in line else ""


def runner(line: str, manifests: list[dict[str, Any]]) -> str:
    """The runner in the script; without a script, a dependency of the package or of one above it."""
    for name in RUNNERS:
        if re.search(rf"(?<![\w-]){name}(?![\w-])", line):
            return name
    depended = (name for manifest in manifests for name in RUNNERS if depends(manifest, name))
    return "" if line else next(depended, "")


def node_words(line: str) -> list[str]:
    """A `node --test` script without its files: the words before --test, and the options after it."""
    words = line.split() or ["node", "--test"]
    at = words.index("--test") if "--test" in words else len(words)
    return [*words[:at], "--test", *(word for word in words[at + 1 :] if word.startswith("-"))]


def eslint(folders: list[str], manifest: dict[str, Any]) -> Command | None:
    if not depends(manifest, "eslint") and not any(found_in(folders, name) for name in ESLINT):
        return None
    return tool("lint", "eslint", folders, [FILES], ("--no-color",), whole=(".",))


def tsc(folders: list[str]) -> Command | None:
    if not os.path.isfile(os.path.join(folders[0], "tsconfig.json")):
        return None
    return tool("types", "tsc", folders, ["--noEmit"], ("--pretty", "false"))


def tool(
    kind: str, name: str, folders: list[str], rest: list[str], flags: tuple[str, ...], whole: tuple[str, ...] = ()
) -> Command:
    """The command of a tool in node_modules of the package or of a folder above it, else on PATH."""
    program = found_in(folders, os.path.join("node_modules", ".bin", name)) or on_path(name)
    return of_tool(kind, name, folders[0], program, rest, flags=flags, whole=whole)


def graph(paths: list[str], folder: str) -> dict[str, list[Import]]:
    """The imports between the files: by a relative path, from the package's source folder, by its own name."""
    index = {bare(path): path for path in reversed(paths)}
    manifest = parse_package_json(read(os.path.join(folder, "package.json")))
    entry = manifest.get("main")
    own = manifest.get("name") if isinstance(manifest.get("name"), str) else ""
    if own:
        index[f"{folder}/{own}"] = index.get(
            bare(os.path.join(folder, entry if isinstance(entry, str) else "index")), ""
        )
    return {path: imported(path, folder, index) for path in paths}


def imported(path: str, folder: str, index: dict[str, str]) -> list[Import]:
    here, found = os.path.dirname(path), []
    for match in IMPORT.finditer(read(path)):
        target = match["source"]
        for base in (here,) if target.startswith(".") else (folder, os.path.join(folder, "src")):
            file = index.get(bare(os.path.normpath(os.path.join(base, ALIAS.sub("", target)))))
            if file and file != path:
                names = re.findall(r"([\w$*]+)(?:\s+as\s+([\w$]+))?", match["names"] or "")
                taken = frozenset(name for name, _ in names) if "{" in (match["names"] or "") else None
                bound = frozenset(alias or name for name, alias in names) if match["passes"] else frozenset()
                found.append(Import(file, taken, bound))
                break
    return found


def bare(path: str) -> str:
    """The path without suffix, and without an index that means its folder."""
    root, suffix = os.path.splitext(path)
    root = root if suffix in kinds.LANGUAGES else path
    return os.path.dirname(root) if os.path.basename(root) == "index" else root


def to_write(source: str, folder: str) -> str:
    """The folder of the package's tests: __tests__ beside the source, a tests folder, else beside the source."""
    here, (root, suffix) = os.path.dirname(source), os.path.splitext(source)
    suffix = suffix if suffix not in (".vue", ".svelte") else ".js"
    name = f"{os.path.basename(root)}.test{suffix}"
    places = [os.path.join(here, "__tests__"), os.path.join(folder, "tests"), os.path.join(folder, "test")]
    return os.path.join(next((place for place in places if os.path.isdir(place)), here), name)
