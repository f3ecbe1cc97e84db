"""Whether a test tests anything."""

import pytest

from tenterhook.library.project.tests import assertions

CAN_FAIL = [
    "assert f() == 3 or f() == 4",
    "assert (f(), 1) == (2, 1)",
    "for x in f():\n        assert x",
    "def inner():\n        assert f()\n    run(inner)",
    "try:\n        f()\n    except ValueError:\n        pass\n    else:\n        assert False",
    "try:\n        assert f()\n    except AssertionError:\n        print(1)\n        raise",
    "try:\n        assert f()\n    except OSError:\n        pass",
    "if f():\n        raise AssertionError",
    "with open(f()) as file:\n        assert file.read() == 'x'",
    "match f():\n        case 1:\n            assert g()",
    "self.assertEqual(f(), 1)",
    "self.assertNotEqual(f(), f())",
]
SOUND = {
    "an assert": "def test_a():\n    assert f() == 1\n",
    "raises": "def test_a():\n    with pytest.raises(ValueError):\n        f()\n",
    "unittest": "class A(TestCase):\n    def test_a(self):\n        self.assertEqual(f(), 1)\n",
    "a class that asserts": "def test_a():\n    with AssertPrints('x'):\n        f()\n",
    "a mock": "def test_a():\n    m.assert_called_once()\n",
    "a helper": "def same(x):\n    assert x == 1\n\ndef test_a():\n    same(f())\n",
    "async": "async def test_a():\n    assert await f()\n",
    "skipif": "@pytest.mark.skipif(WINDOWS, reason='x')\ndef test_a():\n    assert f()\n",
    **{f"a body {number}": f"def test_a(self):\n    {body}\n" for number, body in enumerate(CAN_FAIL)},
    "xfail under a condition": "@pytest.mark.xfail(WINDOWS, reason='x')\ndef test_a():\n    assert f()\n",
    "skipif that does not hold": "@pytest.mark.skipif(1 == 2, reason='x')\ndef test_a():\n    assert f()\n",
    "a fixture that may skip": (
        "@pytest.fixture(autouse=True)\ndef x():\n    if f():\n        pytest.skip()\n\ndef test_a():\n    assert f()\n"
    ),
    "skip under a condition": "def test_a():\n    if not f():\n        pytest.skip('x')\n    assert f()\n",
}
NOTHING = "line 1: test_a asserts nothing that could be false"
NEVER_FAIL = {
    'assert (f() == 9, "msg")': NOTHING,
    "assert f() == 9 or True": NOTHING,
    "assert True or f()": NOTHING,
    "assert f() == f()": NOTHING,
    "assert 1 == 1": NOTHING,
    "assert not False": NOTHING,
    "assert len(f()) >= 0": NOTHING,
    "assert isinstance(f(), object)": NOTHING,
    "assert [f() == 9]": NOTHING,
    "assert f'{f()}x'": NOTHING,
    "assert lambda: f() == 9": NOTHING,
    "assert True if f() else True": NOTHING,
    "assert (x := 1)": NOTHING,
    "assert False": NOTHING,
    "f() == 9": NOTHING,
    "return\n    assert f() == 9": NOTHING,
    "if False:\n        assert f() == 9": NOTHING,
    "while 0:\n        assert f() == 9": NOTHING,
    "def inner():\n        assert f() == 9": NOTHING,
    "try:\n        assert f() == 9\n    except AssertionError:\n        pass": NOTHING,
    "try:\n        assert f() == 9\n    except:\n        print('no')": NOTHING,
    "with suppress(Exception):\n        assert f() == 9": NOTHING,
    "with pytest.raises(ValueError):\n        raise ValueError": NOTHING,
    "self.assertEqual(f(), f())": NOTHING,
    "self.assertEqual(1, 1)": NOTHING,
    "self.assertTrue((f() == 9, 'x'))": NOTHING,
    "self.assertIsNotNone(1)": NOTHING,
    "assert f() == 3 or f() != 3": NOTHING,
    "assert f() or not f()": NOTHING,
    "try:\n        assert f() == 9\n    finally:\n        return": NOTHING,
}
UNSOUND = {
    **{f"def test_a():\n    {body}\n": why for body, why in NEVER_FAIL.items()},
    "@pytest.mark.xfail\ndef test_a():\n    assert f()\n": "line 2: test_a is skipped",
    "@pytest.mark.xfail(reason='x', strict=True)\ndef test_a():\n    assert f()\n": "line 2: test_a is skipped",
    "@pytest.mark.skipif(True, reason='x')\ndef test_a():\n    assert f()\n": "line 2: test_a is skipped",
    "@unittest.expectedFailure\ndef test_a():\n    assert f()\n": "line 2: test_a is skipped",
    "@unittest.skipUnless(False, 'x')\ndef test_a():\n    assert f()\n": "line 2: test_a is skipped",
    "def test_a():\n    pytest.xfail('x')\n    assert f()\n": "line 1: test_a is skipped",
    "@pytest.mark.skipif(1 == 1, reason='x')\ndef test_a():\n    assert f()\n": "line 2: test_a is skipped",
    "@pytest.mark.skipif('True', reason='x')\ndef test_a():\n    assert f()\n": "line 2: test_a is skipped",
    "@pytest.mark.parametrize('n', [])\ndef test_a(n):\n    assert f()\n": "line 2: test_a is skipped",
    "if True:\n    pytest.skip('x')\n\ndef test_a():\n    assert f()\n": "line 1: the whole file is skipped",
    "raise SkipTest('x')\n\ndef test_a():\n    assert f()\n": "line 1: the whole file is skipped",
    "@pytest.fixture(autouse=True)\ndef x():\n    pytest.skip()\n\ndef test_a():\n    assert f()\n": (
        "line 2: the whole file is skipped"
    ),
    "class A(Base):\n    def setUp(self):\n        self.skipTest()\n    def test_a(self):\n        assert f()\n": (
        "line 1: A is skipped"
    ),
    "def helper():\n    def test_a():\n        assert f()\n": "holds no test",
    "@pytest.fixture\ndef test_a():\n    assert f()\n": "holds no test",
    "class TestA:\n    __test__ = False\n    def test_a(self):\n        assert f()\n": "line 1: TestA is skipped",
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
    "chai": "it('a', () => {\n  expect(f()).to.equal(1)\n})\n",
    "rejects": "it('a', async () => {\n  await expect(f()).rejects.toThrow()\n})\n",
    "a url": "it('a', () => {\n  expect(f('http://x/')).toBe(1)\n})\n",
    "a catch that looks": "it('a', () => {\n  try { f() } catch (e) { assert.equal(e.code, 1) }\n})\n",
    "supertest": "it('a', () => request(app).get('/').expect(200))\n",
    "a query that throws": "it('a', () => {\n  render(f())\n  screen.getByText('x')\n})\n",
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
    "// test('a', () => { assert(f()) })\n": "holds no test",
    "test('a', { skip: true }, () => { assert(f()) })\n": "line 1: is skipped",
    "test('a')\n": "line 1: test 'a' asserts nothing",
    **{
        f"test('a', () => {{\n  {body}\n}})\n": "line 1: test 'a' asserts nothing that could be false"
        for body in (
            "expect(1).toBe(1)",
            "expect(f())",
            "expect(f()).toBe(f())",
            "assert.equal(1, 1)",
            "assert.strictEqual(f(1, 2), f(1, 2))",
            "assert.ok(f() === 9 || true)",
            "/* assert.equal(f(), 3) */",
            "log('assert.equal(f(), 3)')",
            "try { assert.equal(f(), 9) } catch {}",
            "try { assert.equal(f(), 9) } catch (e) { console.log(e) }",
            "if (false) { assert.equal(f(), 9) }",
            "return; assert.equal(f(), 9)",
        )
    },
}


@pytest.mark.parametrize("text", SOUND.values(), ids=SOUND)
def test_a_sound_python_test(text: str) -> None:
    assert not assertions.problems("test_a.py", text)


@pytest.mark.parametrize(("text", "why"), UNSOUND.items())
def test_an_unsound_python_test(text: str, why: str) -> None:
    assert assertions.problems("test_a.py", text)[0].startswith(why)


@pytest.mark.parametrize("text", NODE_SOUND.values(), ids=NODE_SOUND)
def test_a_sound_javascript_test(text: str) -> None:
    assert not assertions.problems("a.test.ts", text)


@pytest.mark.parametrize(("text", "why"), NODE_UNSOUND.items())
def test_an_unsound_javascript_test(text: str, why: str) -> None:
    assert assertions.problems("a.test.js", text)[0].startswith(why)


HOLDS = [
    ("tests/test_a.py", "def test_a():\n    assert f()\n", True),
    ("tests/test_a.py", "@pytest.mark.skip\ndef test_a():\n    assert f()\n", False),
    ("tests/test_a.py", "# test\n", False),
    ("tests/test_a.py", "def test_a(:\n", False),
    ("a.test.js", "// test('a')\n", False),
    ("a.test.js", "test('a', () => { assert(f()) })\n", True),
    ("a_test.go", "package x\n", False),
    ("a_test.go", "func TestA(t *testing.T) {\n\tt.Fatal()\n}\n", True),
    ("tests/a.rs", "#[test]\nfn a() { assert!(true); }\n", False),
    ("tests/a.rs", "#[test]\nfn a() { assert!(f()); }\n", True),
    ("spec/a_spec.rb", "# it 'works'\n\n", False),
    ("AppTest.java", "/* @Test\n */\n", False),
    ("AppTest.java", "class AppTest { @Test void a() {} }\n", True),
]


@pytest.mark.parametrize(("path", "text", "holds"), HOLDS)
def test_a_file_without_a_test_that_can_fail_holds_none(path: str, text: str, holds: bool) -> None:
    assert assertions.holds_test(path, text) is holds


@pytest.mark.parametrize(
    ("path", "text", "idle"),
    [
        ("tests/test_a.py", "def test_a():\n    f()\n    assert True\n", True),
        ("tests/test_a.py", "def test_a():\n    assert True\n\ndef test_b():\n    assert f()\n", False),
        ("tests/test_a.py", "class TestA(Shared):\n    make = f\n", False),
        ("tests/test_a.py", "scenarios('a.feature')\n", False),
        ("a.test.js", "test('a', () => { assert.ok(true) })\n", True),
        ("a.test.js", "test('a', () => { assert.ok(f()) })\n", False),
        ("AppTest.java", "@Test void a() {}\n", False),
    ],
)
def test_only_tests_that_are_there_and_cannot_fail_are_idle(path: str, text: str, idle: bool) -> None:
    assert assertions.is_idle(path, text) is idle


def test_go_and_rust() -> None:
    assert not assertions.problems("a_test.go", 'func TestA(t *testing.T) {\n\tif f() {\n\t\tt.Fatal("no")\n\t}\n}\n')
    assert assertions.problems("a_test.go", "func TestA(t *testing.T) {\n\tf()\n}\n") == ["asserts nothing"]
    assert not assertions.problems("tests/a.rs", "#[test]\nfn a() { assert_eq!(f(), 1); }\n")
    assert assertions.problems("tests/a.rs", "#[test]\n#[ignore]\nfn a() { assert!(f()); }\n") == ["line 2: is skipped"]


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
    assert not assertions.problems(path, text)


def test_a_language_that_nobody_knows_is_left_alone() -> None:
    assert not assertions.problems("AppTest.java", "")
