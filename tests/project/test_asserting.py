"""Whether a test tests anything."""

import pytest

from tenterhook.project import asserting

SOUND = {
    "an assert": "def test_a():\n    assert f() == 1\n",
    "raises": "def test_a():\n    with pytest.raises(ValueError):\n        f()\n",
    "unittest": "class A(TestCase):\n    def test_a(self):\n        self.assertEqual(f(), 1)\n",
    "a class that asserts": "def test_a():\n    with AssertPrints('x'):\n        f()\n",
    "a mock": "def test_a():\n    m.assert_called_once()\n",
    "a helper": "def same(x):\n    assert x == 1\n\ndef test_a():\n    same(f())\n",
    "async": "async def test_a():\n    assert await f()\n",
    "skipif": "@pytest.mark.skipif(WINDOWS, reason='x')\ndef test_a():\n    assert f()\n",
    "skip under a condition": "def test_a():\n    if not f():\n        pytest.skip('x')\n    assert f()\n",
}
UNSOUND = {
    "def test_a():\n    f()\n": "line 1: test_a asserts nothing",
    "def test_a():\n    assert 1\n": "line 1: test_a asserts nothing",
    "class A(TestCase):\n    def test_a(self):\n        self.assertTrue(True)\n": "line 2: test_a asserts nothing",
    "@pytest.mark.skip(reason='x')\ndef test_a():\n    assert f()\n": "line 2: test_a is skipped",
    "@unittest.skip('x')\nclass TestA:\n    def test_a(self):\n        assert f()\n": "line 2: TestA is skipped",
    "def test_a():\n    '''Doc.'''\n    pytest.skip('x')\n    assert f()\n": "line 1: test_a is skipped",
    "pytestmark = [pytest.mark.skip]\n\ndef test_a():\n    assert f()\n": "line 1: the whole file is skipped",
    "pytest.skip('x', allow_module_level=True)\n\ndef test_a():\n    assert f()\n": "line 1: the whole file is skipped",
    "import os\n": "holds no test",
    "def test_a(:\n": "line 1: cannot be read",
}
NODE_SOUND = {
    "assert": "test('a', () => {\n  assert.equal(f(), 1)\n})\n",
    "expect": "describe('x', () => {\n  it('a', () => {\n    expect(f()).toBe(1)\n  })\n})\n",
    "ava": "test('a', t => {\n  t.is(f(), 1)\n})\n",
    "a comment": "// it.only('x')\ntest('a', () => {\n  assert(f())\n})\n",
    "each": "it.each([1])('a %i', (n) => {\n  expect(n).toBe(1)\n})\n",
}
NODE_UNSOUND = {
    "it.only('a', () => {\n  expect(f()).toBe(1)\n})\n": "line 1: only this one runs",
    "fdescribe('x', () => {})\n": "line 1: only this one runs",
    "describe.skip('x', () => {})\n": "line 1: is skipped",
    "xit('a', () => { expect(f()).toBe(1) })\n": "line 1: is skipped",
    "it('a', () => {\n  expect(true).toBe(true)\n})\n": "line 2: asserts what is always true",
    "test('a', () => {\n  f()\n})\ntest('b', () => {\n  assert(f())\n})\n": "line 1: test 'a' asserts nothing",
    "const x = 1\n": "holds no test",
}


@pytest.mark.parametrize("text", SOUND.values(), ids=SOUND)
def test_a_sound_python_test(text: str) -> None:
    assert not asserting.problems("test_a.py", text)


@pytest.mark.parametrize(("text", "why"), UNSOUND.items())
def test_an_unsound_python_test(text: str, why: str) -> None:
    assert asserting.problems("test_a.py", text)[0].startswith(why)


@pytest.mark.parametrize("text", NODE_SOUND.values(), ids=NODE_SOUND)
def test_a_sound_javascript_test(text: str) -> None:
    assert not asserting.problems("a.test.ts", text)


@pytest.mark.parametrize(("text", "why"), NODE_UNSOUND.items())
def test_an_unsound_javascript_test(text: str, why: str) -> None:
    assert asserting.problems("a.test.js", text)[0].startswith(why)


def test_go_and_rust() -> None:
    assert not asserting.problems("a_test.go", 'func TestA(t *testing.T) {\n\tif f() {\n\t\tt.Fatal("no")\n\t}\n}\n')
    assert asserting.problems("a_test.go", "func TestA(t *testing.T) {\n\tf()\n}\n") == ["asserts nothing"]
    assert not asserting.problems("tests/a.rs", "#[test]\nfn a() { assert_eq!(f(), 1); }\n")
    assert asserting.problems("tests/a.rs", "#[test]\n#[ignore]\nfn a() { assert!(f()); }\n") == ["line 2: is skipped"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("test/helpers.js", "exports.x = 1"),
        ("tests/common.rs", "pub fn x() {}"),
        ("export_test.go", "package x"),
        ("a/tests.py", ""),
    ],
)
def test_a_helper_among_tests_need_not_test(path: str, text: str) -> None:
    assert not asserting.problems(path, text)


def test_a_language_that_nobody_knows_is_left_alone() -> None:
    assert not asserting.problems("AppTest.java", "")
