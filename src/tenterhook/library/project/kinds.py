"""What a file is, by its name: the one place that knows a test from a source file, docs and config."""

from __future__ import annotations

import os
import re

LANGUAGES = {
    **dict.fromkeys((".py", ".pyi"), "python"),
    **dict.fromkeys((".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".vue", ".svelte"), "node"),
    ".go": "go",
    ".rs": "rust",
}
# Languages whose commands only a Makefile or the settings can name.
OTHER_CODE = frozenset(".java .kt .kts .scala .rb .php .cs .swift .c .cc .cpp .h .hpp .ex .exs .dart .lua".split())
STYLES = frozenset(".css .scss .sass .less .html .htm".split())
DOCS = frozenset(".md .markdown .mdx .rst .adoc .txt".split())
CONFIGS = frozenset(".toml .yaml .yml .json .jsonc .ini .cfg .conf .env .tf .lock .xml .properties".split())
CONFIG_NAMES = frozenset(
    "makefile dockerfile containerfile jenkinsfile procfile setup.py conftest.py noxfile.py build.rs".split()
)
CONFIG_WORDS = (".config.js", ".config.mjs", ".config.cjs", ".config.ts", ".config.mts")
DECLARATIONS = (".pyi", ".d.ts", ".d.mts", ".d.cts")
TEST_FOLDERS = frozenset(("tests", "test", "__tests__", "spec", "specs", "e2e"))
# Where every file of the language is a test, whatever its name: mocha, `node --test` and cargo have it so.
WHOLE_FOLDERS = {"node": ("__tests__", "test"), "rust": ("tests",)}
MARKED = re.compile(
    r"^tests?[_-](?=.)|(?<=.)(?:[._-](?:tests?|spec|unittest)|\.e2e-spec|\.cy)$|(?<=[a-z0-9])(?:Tests?|TestCase|Spec|IT)$|^Test(?=[A-Z])"
)
MARKED_FIRST = (".java", ".kt", ".cs", ".php", ".swift", ".scala")  # where TestApp is a test of App
SOURCES = f"src{os.sep}main{os.sep}"  # where every file is a source, whatever its name
# Code that nobody writes tests for: made by or for a framework, or there to show, to measure or to stand in.
UNTESTED_FOLDERS = frozenset("migrations alembic docs doc examples example benches benchmarks __mocks__".split())
UNTESTED_NAMES = frozenset("manage.py asgi.py wsgi.py _version.py fabfile.py".split())

FRONTEND = STYLES | frozenset(".js .mjs .cjs .jsx .ts .mts .cts .tsx .vue .svelte".split())
BACKEND = OTHER_CODE | frozenset(".py .go .rs .js .mjs .cjs .ts .mts .cts".split())


def suffix_of(path: str) -> str:
    return os.path.splitext(path)[1].lower()


def language_of(path: str) -> str:
    """The language whose commands concern the file; empty where only the settings or a Makefile can tell."""
    suffix = suffix_of(path)
    return "node" if suffix in STYLES else LANGUAGES.get(suffix, "")


def stem_of(path: str) -> str:
    """The name without its suffix; a package's __init__ and an index bear the name of their folder."""
    stem = os.path.splitext(os.path.basename(path))[0]
    if stem in ("__init__", "index", "mod"):
        return os.path.basename(os.path.dirname(path)) or stem
    return stem


def tested_by(path: str) -> str:
    """What a test's name says it tests: `app` for test_app.py, app.test.ts, app_test.go and AppTest.java."""
    stem = stem_of(path)
    return MARKED.sub("", stem) if is_marked(stem, path) else stem


def kind_of(path: str) -> str:
    """test, support (of tests), source, style, declaration, docs, config or other. The path counts from the project."""
    name, suffix = os.path.basename(path).lower(), suffix_of(path)
    if name in CONFIG_NAMES or name.endswith(CONFIG_WORDS) or name.startswith("dockerfile."):
        return "config"
    if name.endswith(DECLARATIONS):
        return "declaration"
    if suffix in LANGUAGES or suffix in OTHER_CODE:
        return code(path)
    for kind, suffixes in (("style", STYLES), ("docs", DOCS), ("config", CONFIGS)):
        if suffix in suffixes:
            return kind
    return "config" if name.startswith(".env") else "other"


def needs_test(path: str) -> bool:
    """Whether a source file is one that people write tests for. The path counts from the project."""
    name = os.path.basename(path)
    if name in UNTESTED_NAMES or name.startswith(".") or name.endswith(".conf.py") or ".stories." in name:
        return False
    return not UNTESTED_FOLDERS.intersection(os.path.dirname(path).split(os.sep))


def code(path: str) -> str:
    folders = os.path.dirname(path).split(os.sep)
    stem = os.path.splitext(os.path.basename(path))[0]
    if suffix_of(path) in MARKED_FIRST and SOURCES in f"{os.path.dirname(path)}{os.sep}":
        return "source"
    if is_marked(stem, path) or stem in ("test", "tests"):
        return "test"
    if folders[-1] in WHOLE_FOLDERS.get(language_of(path), ()):
        return "test"
    return "support" if TEST_FOLDERS.intersection(folders) else "source"


def is_marked(stem: str, path: str) -> bool:
    """Whether a name is that of a test in the file's language."""
    found = MARKED.search(stem)
    capital = found is not None and found[0] in ("Test", "IT", "TestCase")
    return found is not None and (not capital or suffix_of(path) in MARKED_FIRST or stem.endswith("Test"))
