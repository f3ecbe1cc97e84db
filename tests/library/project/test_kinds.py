"""What a file is, by its name."""

import pytest

from tenterhook.library.project import kinds

KINDS = {
    "test": "tests/test_app.py src/app_test.py app.test.ts app.spec.jsx __tests__/app.js test/app.js pkg/app_test.go "
    "tests/app.rs src/AppTest.java app_spec.rb blog/tests.py",
    "support": "tests/helpers.py tests/common/mod.rs tests/fixtures/data.ts spec/helper.rb",
    "source": "src/app.py app.ts latest.py contest.go lib.rs Main.java testing.py src/test.d/app.py attest.js",
    "style": "a.css b.SCSS index.html",
    "declaration": "app.pyi types.d.ts",
    "docs": "README.md a.rst docs/b.txt",
    "config": "pyproject.toml ci.yml package.json Dockerfile Dockerfile.dev Makefile setup.py conftest.py "
    "vite.config.ts .env .env.local",
    "other": "picture.png LICENSE a.bin",
}
STEMS = {
    "tests/test_app.py": "app",
    "app.test.ts": "app",
    "app-test.js": "app",
    "x/app_test.go": "app",
    "AppTest.java": "App",
    "AppTests.cs": "App",
    "app_spec.rb": "app",
    "app.e2e-spec.ts": "app",
    "cypress/app.cy.ts": "app",
    "tests/test_test_x.py": "test_x",
}


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, names in KINDS.items() for name in names.split()])
def test_a_name_says_what_a_file_is(kind: str, name: str) -> None:
    assert kind == kinds.kind_of(name)


@pytest.mark.parametrize(("name", "stem"), STEMS.items())
def test_a_tests_name_says_what_it_tests(name: str, stem: str) -> None:
    assert stem == kinds.tested_by(name)


def test_nobody_writes_tests_for_what_a_framework_makes_or_what_only_shows() -> None:
    made = (
        "shop/migrations/0001_initial.py alembic/versions/ab_x.py docs/conf.py manage.py gunicorn.conf.py .eslintrc.js"
    )
    shown = "src/Button.stories.tsx src/__mocks__/fs.js benches/speed.rs examples/hello.py"

    assert [name for name in f"{made} {shown}".split() if kinds.needs_test(name)] == []
    assert all(map(kinds.needs_test, "src/app.py docs.py src/conf.py web/stories.ts scripts/deploy.py".split()))


def test_an_init_and_an_index_bear_the_name_of_their_folder() -> None:
    assert kinds.stem_of("src/shop/__init__.py") == "shop"
    assert kinds.stem_of("web/cart/index.ts") == "cart"
    assert kinds.stem_of("src/tax/mod.rs") == "tax"


def test_every_language_has_its_module() -> None:
    from tenterhook.library.project import languages

    for language in set(kinds.LANGUAGES.values()):
        module = languages.of(language)
        assert module is not None
        assert module.MANIFESTS
        assert all(callable(getattr(module, name)) for name in ("commands", "to_write"))
        assert callable(getattr(module, "graph", None) or module.concerns)
