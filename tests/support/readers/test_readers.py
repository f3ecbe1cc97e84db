"""Config files are read as their formats say; what is wrong with one is said in words, with its line and column."""

import os
import subprocess
import sys

import pytest

from tenterhook.errors import ConfigError, DialectError
from tenterhook.support import readers


def parse(text: str | bytes, format: str) -> readers.Document:
    return readers.parse(text.encode() if isinstance(text, str) else text, "file", format)


def refused(text: str | bytes, format: str) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        parse(text, format)
    assert caught.value.file == "file"
    return caught.value


@pytest.mark.parametrize("format", ["toml", "yaml", "frontmatter"])
@pytest.mark.parametrize("text", ["", " \n", "\ufeff", "\r\n\r\n", "# only a comment\n"])
def test_an_empty_file_says_nothing(format, text):
    document = parse(text, format)

    assert (document.data, document.where(("a", 0)), document.duplicates()) == ({}, (1, 1), [])


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("---\na: 1\n---\n", {"a": 1}),
        ("---\t \r\na: 1\r\n...\r\nb: 2", {"a": 1}),
        ("---\na: 1\n---", {"a": 1}),
        ("---\na: |\n  x\n  ---\n---\n", {"a": "x\n---\n"}),
        ("---\n---\n", {}),
        ("---\n# nothing\n---\n", {}),
        ("---\na: 1\n", {}),
        ("---", {}),
        ("\n---\na: 1\n---\n", {}),
        ("----\na: 1\n---\n", {}),
        (" ---\na: 1\n---\n", {}),
        ("# A title\n\ntext\n---\na: 1\n---\n", {}),
    ],
)
def test_frontmatter_stands_between_dashes_at_the_very_top(text, data):
    assert data == parse(text, "frontmatter").data


@pytest.mark.parametrize(
    ("format", "text", "found"),
    [
        ("json", '{"a": {"b": 1,\n "b": 2}, "a": 3}', [(2, 2, "b"), (2, 11, "a")]),
        ("json", '{"a": {"b": 1}, "c": {"b": 2}}', []),
        ("jsonc", '{"a": 1, /* "a" */\n"\\u0061": 3}', [(2, 1, "a")]),
        ("toml", "a = 1\n[b]\na = 1\n", []),
        ("yaml", "a: 1\nb: {c: 1, 'c': 2}\na: 2\n", [(2, 11, "c"), (3, 1, "a")]),
        ("yaml", "a: &x {b: 1}\nc:\n  <<: *x\n  b: 2\n", []),
        ("yaml", "on: 1\nyes: 2\n", [(2, 1, True)]),
        ("frontmatter", "---\na: 1\na: 2\n---\n", [(3, 1, "a")]),
    ],
)
def test_a_key_that_stands_twice_is_found(format, text, found):
    assert parse(text, format).duplicates() == found


DEEP_JSON = '{"a":' + "[" * 64 + "]" * 64 + "}"
NINE_ALIASES = "".join(f"b{i}: &b{i} [{', '.join([f'*b{i - 1}'] * 9)}]\n" for i in range(1, 9))
NINE_MERGES = "".join(f"b{i}: &b{i} {{<<: [{', '.join([f'*b{i - 1}'] * 9)}]}}\n" for i in range(1, 9))
ALIAS_CHAIN = "b0: &b0 [x]\n" + "".join(f"b{i}: &b{i} [*b{i - 1}]\n" for i in range(1, 99))


@pytest.mark.parametrize(
    ("format", "text", "place", "words"),
    [
        ("json", "", (1, 1), "the file is empty; write {}"),
        ("json", "\r\n \n", (1, 1), "the file is empty"),
        ("jsonc", "// nothing\n", (1, 1), "the file is empty"),
        ("json", '{"a": }', (1, 7), "expected a value, found '}'"),
        ("json", '{"a":\n', (2, 1), "expected a value, found the end of the file"),
        ("json", '{\n  "a": 1,\n}', (2, 9), "there is a comma before '}'; remove it"),
        ("json", '{"a": [1 , ]}', (1, 10), "there is a comma before ']'; remove it"),
        ("jsonc", '{"a": 1, // x\n}', (1, 8), "there is a comma before '}'"),
        ("json", "{,}", (1, 2), "expected a key in double quotes, found ','"),
        ("json", "{a: 1}", (1, 2), "expected a key in double quotes, found 'a'"),
        ("json", "{'a': 1}", (1, 2), "write it in double quotes"),
        ("json", '{"é" 1}', (1, 6), "expected ':' after the key 'é', found '1'"),
        ("json", '{"a": 1\n "b": 2}', (2, 2), "expected ',' or '}', found '\"'"),
        ("json", '{"a": [1 2]}', (1, 10), "expected ',' or ']', found '2'"),
        ("json", '\n{"a": [1', (2, 9), "found the end of the file; the '[' of line 2 is not closed"),
        ("json", '{"a": [1}', (1, 9), "expected ',' or ']', found '}'"),
        ("json", "{} {}", (1, 4), "expected the end of the file, found '{'"),
        ("json", "{}\0", (1, 3), "expected the end of the file"),
        ("json", '{"a": NaN}', (1, 7), "found 'NaN', which JSON does not have"),
        ("json", '{"a": [-Infinity]}', (1, 8), "found '-Infinity', which JSON does not have"),
        ("json", '{"a": True}', (1, 7), "found 'True'; write true"),
        ("json", '{"a": 01}', (1, 7), "expected a value, found '01'"),
        ("json", '{"a": 1e999}', (1, 7), "the number is out of range"),
        ("json", '{"a": "b\n"}', (1, 7), "the string that starts here does not end on its line"),
        ("json", '{"a": "b\\"}', (1, 7), "the string that starts here does not end on its line"),
        ("json", '{"a": "\t"}', (1, 8), "a string holds a control character; write \\u0009"),
        ("json", '{"a": "\\n\\x41"}', (1, 10), "\\x is not an escape in a string"),
        ("json", '{"a": "\\ud83d\\ude00 \\u12"}', (1, 21), "\\u12 is not an escape in a string"),
        ("json", '{"a": "\\ud800"}', (1, 8), "\\ud800 is not an escape in a string"),
        ("json", "// x\n{}", (1, 1), "comments are not allowed here"),
        ("jsonc", '{"a": 1}\n /* x', (2, 2), "the comment that starts here does not end"),
        ("jsonc", '{"a": / 1}', (1, 7), "found '/'"),
        ("jsonc", '{"a": "/', (1, 7), "the string that starts here does not end"),
        ("json", b'{"\xc3\xa9": "\xff"}', (1, 8), "byte 0xff is not UTF-8"),
        ("toml", b"a = 1\nb = '\xff'", (2, 6), "byte 0xff is not UTF-8"),
        ("json", " \n[]", (2, 1), "the top level must be a mapping, not a list"),
        ("json", "null", (1, 1), "not null"),
        ("yaml", "- a\n", (1, 1), "the top level must be a mapping, not a list"),
        ("frontmatter", "---\nhello\n---\n", (1, 1), "the top level must be a mapping, not a string"),
        ("json", DEEP_JSON, (1, 69), "nested deeper than 64 levels"),
        ("json", '{"a":' * 5000, (1, 321), "nested deeper than 64 levels"),
        ("toml", "\na = " + "[" * 64 + "]" * 64, (2, 68), "nested deeper than 64 levels"),
        ("toml", "a = " + "[" * 5000, (1, 68), "nested deeper than 64 levels"),
        ("toml", ".".join("a" * 65) + " = 1", (1, 129), "nested deeper than 64 levels"),
        ("toml", "[" + ".".join("a" * 100_000) + "]", (1, 130), "nested deeper than 64 levels"),
        ("toml", ".".join("a" * 100_000), (1, 129), "nested deeper than 64 levels"),
        ("toml", "[" + ".".join("a" * 64) + "]", (1, 128), "nested deeper than 64 levels"),
        ("toml", "[[a]]\n" + "".join(f"[[{'.'.join('a' * i)}]]\n" for i in range(2, 40)), (32, 65), "nested deeper"),
        ("yaml", "a: " + "[" * 64 + "]" * 64, (1, 67), "nested deeper than 64 levels"),
        ("yaml", "a: " + "[" * 5000, (1, 67), "nested deeper than 64 levels"),
        ("yaml", ALIAS_CHAIN, (63, 6), "nested deeper than 64 levels"),
        ("yaml", "b0: &b0 [x]\n" + NINE_ALIASES, (6, 5), "more than 100,000 values, counting each alias as a copy"),
        ("yaml", "b0: &b0 {x: 1}\n" + NINE_MERGES, (6, 14), "more than 100,000 values"),
        ("yaml", "a: &a [*a]", (1, 4), "an alias is inside of what it names"),
        ("toml", "a = 1\nb = ", (2, 5), "Invalid value"),
        ("toml", "# " + "." * 2000 + "\n[a", (2, 3), "Expected ']' at the end of a table declaration"),
        ("toml", "a = [1\n", (2, 1), "Unclosed array"),
        ("toml", "a = 1\r\nb = \r\n", (2, 5), "Invalid value"),
        ("toml", "é = 1", (1, 1), "Invalid statement"),
        ("toml", "[a]\n[a]\nb = 1", (2, 3), "twice"),
        ("yaml", "a:\n\tb: 1", (2, 1), "indent with spaces, not with tabs"),
        ("yaml", "é: {b: [1}", (1, 10), "while parsing a flow sequence"),
        ("yaml", "a: 1\n b: 2", (2, 3), "mapping values are not allowed"),
        ("yaml", "a: *b", (1, 4), "undefined alias"),
        ("yaml", "a: 1\n---\nb: 2\n", (2, 1), "expected a single document"),
        ("yaml", "é: é\a", (1, 5), "the character U+0007 is not allowed here"),
        ("yaml", "a: 2024-13-45", (1, 4), "'2024-13-45' cannot be read as timestamp: month must be in 1..12"),
        ("yaml", "a: !!bool x", (1, 4), "'x' cannot be read as bool"),
        ("yaml", "a:\n  - !!python/name:os.system x", (2, 5), "could not determine a constructor"),
        ("yaml", "? [a]\n: 1", (1, 3), "found unhashable key"),
        ("frontmatter", "---\na: 1\nb: ]\n---\n", (3, 4), "did not find expected node content"),
    ],
)
def test_an_error_says_what_is_wrong_and_where(format, text, place, words):
    error = refused(text, format)

    assert words in error.message
    assert place == (error.line, error.column)


def test_tomllibs_own_position_is_taken_out_of_the_message():
    assert refused("a = \nb = 1", "toml").message == "Invalid value"
    assert refused('a = "x', "toml").message == "Unterminated string"


@pytest.mark.parametrize("format", ["json", "jsonc", "toml", "yaml", "frontmatter"])
def test_a_file_larger_than_eight_mebibytes_is_refused(format):
    assert refused(b" " * (8 * 1024 * 1024 + 1), format).message == "larger than 8 MiB"


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("json", '{"a":' * 64 + "1" + "}" * 64),
        ("toml", ".".join("a" * 64) + " = 1"),
        ("yaml", "a: " + "[" * 63 + "]" * 63),
    ],
)
def test_nesting_of_sixty_four_levels_is_fine(format, text):
    assert parse(text, format).data


def test_an_unknown_format_is_the_dialects_fault():
    with pytest.raises(DialectError, match="'ini'"):
        parse("", "ini")


def test_a_file_is_read(tmp_path):
    file = tmp_path / "a.json"
    file.write_text('{"a": [' + "1, " * 50_000 + "2]}")

    document = readers.read(str(file), "json")

    assert document is not None
    assert (str(file), 50_001) == (document.file, len(document.data["a"]))


def test_a_file_that_is_not_there_is_none(tmp_path):
    (tmp_path / "file").write_text("")

    assert readers.read(str(tmp_path / "no.json"), "json") is None
    assert readers.read(str(tmp_path / "file" / "no.json"), "json") is None


def test_a_file_that_cannot_be_read_is_an_error(tmp_path):
    with pytest.raises(ConfigError, match=r"cannot be read: Is a directory"):
        readers.read(str(tmp_path), "json")
    with pytest.raises(ConfigError, match=r"cannot be read: .*null"):
        readers.read("a\0b", "json")


def python(code: str, *arguments: str) -> str:
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, env=environ, capture_output=True, text=True, check=True).stdout


def test_reading_and_scanning_json_imports_no_other_parser(tmp_path):
    """What msgspec and the types bring along is not counted: before Python 3.13 `typing` brings `re`."""
    file = tmp_path / "a.json"
    file.write_text('{"a": ["\\n", 1]} // "b"')
    os.utime(file, (0, 0))  # one that was written this moment is looked at more closely
    code = """if True:
        import sys, msgspec, tenterhook.types, tenterhook.errors
        before = set(sys.modules)
        from tenterhook.support.readers import read
        document = read(sys.argv[1], "jsonc")
        document.where(("a", 1)), document.duplicates()
        print(*sorted(set(sys.modules) - before))
    """
    loaded = set(python(code, str(file)).split())

    assert loaded <= {
        "tenterhook.support",
        "tenterhook.support.readers",
        "tenterhook.support.readers.json",
        "tenterhook.support.files",
        "errno",
    }


def test_markdown_without_frontmatter_costs_no_yaml(tmp_path):
    file = tmp_path / "a.md"
    file.write_text("# Title\n")
    code = (
        "import sys; from tenterhook.support.readers import read; read(sys.argv[1], 'frontmatter'); print(*sys.modules)"
    )

    assert "yaml" not in python(code, str(file)).split()


@pytest.mark.parametrize(("data", "kind"), [({}, "a mapping"), ([], "a list"), (None, "null"), (True, "a boolean")])
def test_what_something_is_is_said_in_words_of_config_files(data, kind):
    assert readers.kind(data) == kind
