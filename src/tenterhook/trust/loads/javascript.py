"""What JavaScript and TypeScript load: relative `require`, `import` and `export ... from`."""

from __future__ import annotations

import json
import os
import re
from urllib.parse import unquote

from tenterhook.trust.loads.records import LoadedFile, Loads, SourceText

# What is loaded by a literal text; a template without ${} is a literal, too.
LITERAL = re.compile(
    r"""(?:\b(?:require|import)(?:\s*\.\s*resolve)?\s*(?:\?\.\s*)?\(\s*|\bfrom\s*|\bimport\s*)(["'`])([^"'`\n\\$]+)\1\s*([,)+.]?)"""
)
# A call whose argument is not one literal text.
COMPUTED = re.compile(r"""(?<![.\w$])(require|import)\s*(?:\?\.\s*)?\(\s*(?!["'`][^"'`\n\\$]+["'`]\s*[,)])[^)\s]""")
# Other ways to run a file.
OTHERS = re.compile(
    r"\b(createRequire|child_process|execa|worker_threads|new\s+Worker|eval\b(?=\s*[(,);])|(?:new\s+)?Function\s*\("
    r"|Deno\.Command|Bun\.spawn|process\.dlopen|_load\b|_compile\b|_extensions\b|runIn\w*Context|vm(?=[\"'`])"
    r"|getBuiltinModule|registerHooks)"
)
# A loader that is passed on or stored under another name, and a name with escapes.
KEPT = re.compile(r"""[=,(:]\s*(require)\s*(?=[;,)}\n]|$)|["'`](require)["'`]\s*[\])]""")
ESCAPED = re.compile(r"""\b(?:from|import)\s*["'][^"'\n]*\\""")
SUFFIXES = ("", ".js", ".json", ".node", ".mjs", ".cjs", ".ts", ".tsx", ".jsx", ".mts", ".cts")
LARGEST_PACKAGE = 1 << 20
# A package's main file may be a package again.
DEEPEST = 4
BUILTIN = frozenset(
    "assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain "
    "events fs http http2 https inspector module net os path perf_hooks process punycode querystring readline repl "
    "stream string_decoder sys timers tls trace_events tty url util v8 vm wasi worker_threads zlib".split()
)


def read(source: SourceText) -> Loads:
    found = Loads()
    text = source.text.decode("utf-8", "replace")
    packages: dict[str, None] = {}
    folder = os.path.dirname(source.real) if source.real else source.cwd
    for match in LITERAL.finditer(text):
        name = match[2]
        if match[3] in ("+", "."):
            found.note(source, f"{name}...: a name that is computed", line_of(text, match.start()))
        elif name.startswith((".", "/", "file:")):
            for one in dict.fromkeys((name, unquote(re.split(r"[?#]", name)[0]))):  # of an import it is a URL
                resolve(found, os.path.normpath(os.path.join(folder, one.removeprefix("file://"))))
        elif not name.startswith("node:") and name.partition("/")[0] not in BUILTIN:
            packages[name] = None
    for match in COMPUTED.finditer(text):
        found.note(source, f"{match[1]}() of a name that is computed", line_of(text, match.start()))
    for match in KEPT.finditer(text):
        found.note(source, "require under another name: what it loads", line_of(text, match.start()))
    for match in ESCAPED.finditer(text):
        found.note(source, "a name that is written with escapes", line_of(text, match.start()))
    for match in OTHERS.finditer(text):
        found.note(source, f"{' '.join(match[1].split()).rstrip('( ')}: what it runs", line_of(text, match.start()))
    if packages:
        found.note(source, f"packages that it imports ({', '.join(packages)})")
    return found


def line_of(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def resolve(found: Loads, path: str, depth: int = 0) -> None:
    """Every file that a loader might take for this name: which comes first differs between Node, Deno, Bun and tsx."""
    stem, suffix = os.path.splitext(path)
    candidates = [path + one for one in SUFFIXES]
    if suffix in (".js", ".jsx", ".mjs", ".cjs"):  # TypeScript writes the name of the compiled file
        candidates += [stem + one for one in (".ts", ".tsx", ".mts", ".cts")]
    found.look(os.path.dirname(path), *map(os.path.basename, candidates))
    there = [one for one in candidates if os.path.isfile(one)]
    if os.path.isdir(path):
        package = os.path.join(path, "package.json")
        found.look(path, "package.json", *(f"index{one}" for one in SUFFIXES if one))
        there += [one for one in (os.path.join(path, f"index{suffix}") for suffix in SUFFIXES) if os.path.isfile(one)]
        if os.path.isfile(package):
            there.append(package)
            if depth < DEEPEST and (main := main_of(package)):
                resolve(found, os.path.normpath(os.path.join(path, main)), depth + 1)
    for one in there or [path]:
        plain = one.endswith((".json", ".node"))
        found.files.append(LoadedFile(one, "data" if plain else "javascript"))


def main_of(package: str) -> str:
    try:
        with open(package, "rb") as opened:
            data = json.loads(opened.read(LARGEST_PACKAGE))
    except (OSError, ValueError, RecursionError):
        return ""
    main = data.get("main") if isinstance(data, dict) else None
    return main if isinstance(main, str) and main not in ("", ".", "./") and "\0" not in main else ""
