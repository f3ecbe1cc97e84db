"""Which tests belong to a source file, which sources to a test, and which test to write."""

import os
from pathlib import Path

import pytest

from tenterhook.library.project.subject import Subject, subject
from tenterhook.library.project.tests import companions

from .conftest import Put

FOUND = {
    "python, in the tests folder": ("src/app.py", {"tests/test_app.py": ""}, ["tests/test_app.py"]),
    "python, deeper": ("src/shop/tax.py", {"tests/unit/test_tax.py": ""}, ["tests/unit/test_tax.py"]),
    "python, beside": ("src/tax.py", {"src/tax_test.py": ""}, ["src/tax_test.py"]),
    "python, private": ("src/_tax.py", {"tests/test_tax.py": ""}, ["tests/test_tax.py"]),
    "python, a package": ("src/shop/__init__.py", {"tests/test_shop.py": ""}, ["tests/test_shop.py"]),
    "python, mirrored": (
        "src/a/util.py",
        {"tests/a/test_util.py": "", "tests/b/test_util.py": ""},
        ["tests/a/test_util.py"],
    ),
    "python, imported": ("src/tax.py", {"tests/test_shop.py": "from tax import rate\n"}, ["tests/test_shop.py"]),
    "python, imported from its package": (
        "shop/tax.py",
        {"shop/__init__.py": "", "tests/test_all.py": "from shop import (\n    cart,\n    tax,\n)\n"},
        ["tests/test_all.py"],
    ),
    "python, imported with dots": (
        "shop/tax.py",
        {"shop/tests/test_all.py": "from ..tax import rate\n"},
        ["shop/tests/test_all.py"],
    ),
    "python, of another package": (
        "shop/types.py",
        {"shop/__init__.py": "", "tests/test_all.py": "import types\n"},
        [],
    ),
    "typescript, beside": ("src/app.ts", {"src/app.test.ts": ""}, ["src/app.test.ts"]),
    "javascript, spec": ("src/app.js", {"spec/app.spec.js": ""}, ["spec/app.spec.js"]),
    "javascript, __tests__": ("src/app.jsx", {"src/__tests__/app.jsx": ""}, ["src/__tests__/app.jsx"]),
    "javascript, imported": (
        "src/cart/index.js",
        {"test/all.test.mjs": "import { cart } from '../src/cart'\n"},
        ["test/all.test.mjs"],
    ),
    "javascript, not imported": ("src/a.js", {"test/all.test.js": "require('../src/b')\n"}, []),
    "go": ("pkg/app.go", {"pkg/app_test.go": "", "other/app_test.go": ""}, ["pkg/app_test.go"]),
    "go, by what it declares": ("pkg/app.go", {"pkg/all_test.go": "Total(1)"}, ["pkg/all_test.go"]),
    "rust, in the tests folder": ("src/tax.rs", {"tests/tax.rs": ""}, ["tests/tax.rs"]),
    "rust, named in a test": ("src/tax.rs", {"tests/all.rs": "use shop::tax;"}, ["tests/all.rs"]),
    "java": ("src/main/App.java", {"src/test/AppTest.java": ""}, ["src/test/AppTest.java"]),
    "none": ("src/app.py", {"tests/test_other.py": ""}, []),
    "not in node_modules": ("src/app.js", {"node_modules/x/app.test.js": ""}, []),
}


def made(root: Path, name: str) -> Subject:
    found = subject(str(root), str(root / name))
    assert found is not None
    return found


def names(root: Path, paths: list[str]) -> list[str]:
    return [os.path.relpath(path, os.path.realpath(root)) for path in paths]


@pytest.mark.parametrize(("source", "files", "tests"), FOUND.values(), ids=FOUND)
def test_the_tests_of_a_source_file(put: Put, source: str, files: dict[str, str], tests: list[str]) -> None:
    root = put({source: "func Total(n int) int {", **files})

    assert tests == names(root, companions.tests_of(made(root, source)))


def test_rust_tests_may_stand_in_the_file_itself(put: Put) -> None:
    root = put({"Cargo.toml": "", "src/tax.rs": "#[cfg(test)]\nmod tests {}\n"})

    assert names(root, companions.tests_of(made(root, "src/tax.rs"))) == ["src/tax.rs"]


def test_a_tests_own_test_is_itself(put: Put) -> None:
    root = put({"tests/test_app.py": ""})

    assert names(root, companions.tests_of(made(root, "tests/test_app.py"))) == ["tests/test_app.py"]


def test_the_source_of_a_test(put: Put) -> None:
    root = put({"src/app.py": "", "src/other.py": "", "tests/test_app.py": ""})

    assert names(root, companions.sources_of(made(root, "tests/test_app.py"))) == ["src/app.py"]


def test_what_the_folders_above_the_project_are_called_does_not_matter(put: Put, tmp_path: Path) -> None:
    root = put({"src/app.py": "", "tests/test_app.py": ""}, tmp_path / "tests" / "test")

    assert made(root, "src/app.py").kind == "source"
    assert names(root, companions.tests_of(made(root, "src/app.py"))) == ["tests/test_app.py"]


def test_in_a_monorepo_only_the_own_packages_tests_and_the_projects_count(put: Put) -> None:
    root = put(
        {
            "a/pyproject.toml": "",
            "a/src/util.py": "",
            "a/tests/test_util.py": "",
            "b/pyproject.toml": "",
            "b/tests/test_util.py": "",
            "tests/test_util.py": "",
        }
    )

    assert names(root, companions.tests_of(made(root, "a/src/util.py"))) == ["a/tests/test_util.py"]


def test_a_name_that_is_no_utf_8(put: Put) -> None:
    name = os.fsdecode(b"src/caf\xe9.py")
    root = put({name: "", os.fsdecode(b"tests/test_caf\xe9.py"): ""})

    assert names(root, companions.tests_of(made(root, name))) == [os.fsdecode(b"tests/test_caf\xe9.py")]


ADD = "def add(a, b):\n    return a + b\n"
THROUGH = {
    "a package that passes it on": (
        "src/shop/app.py",
        {"src/shop/__init__.py": "from shop.app import add\n", "tests/test_api.py": "from shop import add\n"},
        ["tests/test_api.py"],
    ),
    "a package that passes it on under another name, and not the rest": (
        "src/shop/app.py",
        {
            "src/shop/__init__.py": "from .app import add as plus\nfrom .cart import total\n",
            "src/shop/cart.py": "def total(): ...\n",
            "tests/test_api.py": "from shop import (\n    plus,\n)\n",
            "tests/test_cart.py": "from shop import total\n",
        },
        ["tests/test_api.py"],
    ),
    "a star": (
        "src/shop/app.py",
        {"src/shop/__init__.py": "from .app import *\n", "tests/test_api.py": "from shop import add\n"},
        ["tests/test_api.py"],
    ),
    "the package as a whole": (
        "src/shop/app.py",
        {"src/shop/__init__.py": "from shop.app import add\n", "tests/test_api.py": "import shop\n"},
        ["tests/test_api.py"],
    ),
    "a module that uses it": (
        "src/shop/app.py",
        {
            "src/shop/__init__.py": "",
            "src/shop/cart.py": "from shop.app import add\n",
            "src/shop/other.py": "",
            "tests/test_cart.py": "from shop.cart import total\n",
            "tests/test_other.py": "import shop.other\n",
        },
        ["tests/test_cart.py"],
    ),
    "a fixture of all tests": (
        "src/shop/app.py",
        {
            "src/shop/__init__.py": "",
            "tests/conftest.py": "from shop.app import add\n\n\n@pytest.fixture\ndef plus():\n    return add\n",
            "tests/test_cart.py": "def test_adds(plus):\n    assert plus(1, 2) == 3\n",
            "tests/test_other.py": "def test_other(minus):\n    assert minus(1, 2) == -1\n",
            "other/test_far.py": "def test_far(plus):\n    assert plus\n",
        },
        ["tests/test_cart.py"],
    ),
    "a helper of tests": (
        "src/shop/app.py",
        {
            "src/shop/__init__.py": "",
            "tests/__init__.py": "",
            "tests/helpers.py": "from shop.app import add\n",
            "tests/test_cart.py": "from tests.helpers import add\n",
        },
        ["tests/test_cart.py"],
    ),
    "quotes of another kind": (
        "src/app.js",
        {"test/api.test.js": "const { add } = require(`../src/app`)\n"},
        ["test/api.test.js"],
    ),
    "a program": (
        "src/shop/__main__.py",
        {"src/shop/__init__.py": "", "tests/test_cli.py": "run([sys.executable, '-m', 'shop'])\n"},
        ["tests/test_cli.py"],
    ),
    "a circle": (
        "src/shop/app.py",
        {
            "src/shop/__init__.py": "",
            "src/shop/a.py": "import shop.b\n",
            "src/shop/b.py": "import shop.a\n",
            "tests/test_a.py": "import shop.a\n",
        },
        [],
    ),
    "an index": (
        "src/app.js",
        {"src/index.js": "export * from './app.js'\n", "test/api.test.js": "import { add } from '../src'\n"},
        ["test/api.test.js"],
    ),
    "an index of CommonJS": (
        "src/app.js",
        {"src/index.js": "exports.add = require('./app').add\n", "test/api.test.js": "require('../src/index.js')\n"},
        ["test/api.test.js"],
    ),
    "the source folder's short name": (
        "src/app.ts",
        {"package.json": "{}", "src/cart.ts": "import { add } from './app'\n", "test/c.test.ts": "import '@/cart'\n"},
        ["test/c.test.ts"],
    ),
    "a module of a crate": (
        "src/tax.rs",
        {"Cargo.toml": "", "src/cart.rs": "use crate::tax;\n", "tests/whole.rs": "use shop::cart::total;\n"},
        ["tests/whole.rs"],
    ),
}


@pytest.mark.parametrize(("source", "files", "expected"), THROUGH.values(), ids=THROUGH)
def test_a_test_that_reaches_the_source_through_others_is_found(
    put: Put, source: str, files: dict[str, str], expected: list[str]
) -> None:
    root = put({source: ADD, **files})

    assert names(root, companions.tests_of(made(root, source))) == expected


def test_a_test_through_other_code_counts_only_where_none_is_nearer(put: Put) -> None:
    root = put(
        {
            "app.py": ADD,
            "cart.py": "from app import add\n",
            "tests/test_app.py": "import app\n",
            "tests/test_cart.py": "import cart\n",
        }
    )

    assert names(root, companions.tests_of(made(root, "app.py"))) == ["tests/test_app.py"]
    (root / "tests/test_app.py").unlink()
    assert names(root, companions.tests_of(made(root, "app.py"))) == ["tests/test_cart.py"]


WRITTEN = {
    "src/app.py": ({}, "tests/test_app.py"),
    "src/shop/tax.py": ({"tests/shop/test_cart.py": ""}, "tests/shop/test_tax.py"),
    "shop/tax.py": ({"shop/test_cart.py": ""}, "shop/test_tax.py"),
    "src/app.ts": ({}, "src/app.test.ts"),
    "src/app.js": ({"test/other.test.js": ""}, "test/app.test.js"),
    "web/app.jsx": ({"web/__tests__/x.jsx": ""}, "web/__tests__/app.test.jsx"),
    "pkg/app.go": ({}, "pkg/app_test.go"),
    "src/tax.rs": ({}, "tests/tax.rs"),
    "lib/app.rb": ({}, "spec/app_spec.rb"),
    "lib/cart.rb": ({"test/test_helper.rb": ""}, "test/cart_test.rb"),
    "src/main/java/shop/App.java": ({}, "src/test/java/shop/AppTest.java"),
    "src/main/kotlin/shop/App.kt": ({}, "src/test/kotlin/shop/AppTest.kt"),
    "src/Cart.php": ({}, "tests/CartTest.php"),
    "lib/shop/app.ex": ({}, "test/shop/app_test.exs"),
    "app.zig": ({}, "tests/test_app.zig"),
}


@pytest.mark.parametrize(("source", "expected"), WRITTEN.items())
def test_the_test_to_write(put: Put, source: str, expected: tuple[dict[str, str], str]) -> None:
    files, test = expected
    root = put({source: "", **files})

    assert test == companions.to_write(made(root, source))
