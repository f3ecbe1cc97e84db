"""Every key and item of a config file is found on its line and column."""

import os
import subprocess
import sys

import pytest
import yaml

from tenterhook.support import readers

JSON = """\
{
  "hooks": {
    "PreToolUse": [
      {"matcher": "Bash", "hooks": [{"type": "command", "command": "a \\"b\\" ] }"}]},
      {
        "matcher": "",
        "hooks": []
      }
    ],
    "é\\u00e9": [1, -2.5e3,
      null, [true, [false]], "x"], "after": {}
  },
  "last": 1
}
"""
JSONC = """\
// settings
{ /* one */ "a": /* two
  lines */ [1, // "x": 2
    "http://not/a/comment", "/* nor this */"
  ], "b": {"c\\\\": 2} // end
}
//"""
TOML = '''\
# "x" = [
title = "a # \\" no comment" # [not.a.table]
a.b . "c.d" = 1
'lit\\eral'.x = """
[not a header]
k = 2 \\"""
"""""
after = \'\'\'
'' ]\\'\'\'
list = [ 1, "two", # three ]
  [3.0, { x = 4, y.z = [5] }],
  2024-01-02 03:04:05, 'a]', """b]""",
]
[tool.deep]
k-1_ = { a = "}", b = [ {c = 1}, {c = 2} ] }
[tool]
"q\\u00e9" = true
[[hooks.before]]
name = "one"
  [[ hooks.before ]]  # two
  name = "two"
  [[hooks.before.sub]]
  x = 1
  [[hooks.before.sub]]
  [hooks.before.sub.table]
  y = 2
[[hooks.before]]
[[hooks.before.sub]]
z = 3
'''
YAML = """\
# comment
hooks:
  before:
  - name: one
    args: [a, {b: c}, "d"]
  -   name: two
      run: |
        text: not a key
        - nor an item
  - - x
    -   - y
  - &it
    k: v
  - *it
on: 1
"quoted key": 'it''s'
? long
: value
base: &base {x: 1, y: {z: 2}}
other: &other
  x: 5
  w: 6
child:
  <<: [*base, *other]
  y: 3
empty:
  -
  - é: "é"
"""

WHERE = {
    "json": (
        JSON,
        [
            ((), (1, 1)),
            (("hooks",), (2, 3)),
            (("hooks", "PreToolUse"), (3, 5)),
            (("hooks", "PreToolUse", 0), (4, 7)),
            (("hooks", "PreToolUse", 0, "hooks"), (4, 27)),
            (("hooks", "PreToolUse", 0, "hooks", 0), (4, 37)),
            (("hooks", "PreToolUse", 0, "hooks", 0, "command"), (4, 57)),
            (("hooks", "PreToolUse", 1), (5, 7)),
            (("hooks", "PreToolUse", 1, "hooks"), (7, 9)),
            (("hooks", "éé", 1), (10, 20)),
            (("hooks", "éé", 2), (11, 7)),
            (("hooks", "éé", 3, 1, 0), (11, 21)),
            (("hooks", "éé", 4), (11, 30)),
            (("hooks", "after"), (11, 36)),
            (("last",), (13, 3)),
            (("hooks", "PreToolUse", 7, "no"), (3, 5)),
            (("hooks", "PreToolUse", 0, "hooks", 0, "command", "no"), (4, 57)),
            (("no",), (1, 1)),
        ],
    ),
    "jsonc": (
        JSONC,
        [
            (("a",), (2, 13)),
            (("a", 0), (3, 13)),
            (("a", 1), (4, 5)),
            (("a", 2), (4, 29)),
            (("b",), (5, 6)),
            (("b", "c\\"), (5, 12)),
        ],
    ),
    "toml": (
        TOML,
        [
            ((), (1, 1)),
            (("title",), (2, 1)),
            (("a",), (3, 1)),
            (("a", "b"), (3, 3)),
            (("a", "b", "c.d"), (3, 7)),
            (("lit\\eral", "x"), (4, 12)),
            (("after",), (8, 1)),
            (("list",), (10, 1)),
            (("list", 0), (10, 10)),
            (("list", 1), (10, 13)),
            (("list", 2), (11, 3)),
            (("list", 2, 0), (11, 4)),
            (("list", 2, 1, "x"), (11, 11)),
            (("list", 2, 1, "y"), (11, 18)),
            (("list", 2, 1, "y", "z"), (11, 20)),
            (("list", 2, 1, "y", "z", 0), (11, 25)),
            (("list", 3), (12, 3)),
            (("list", 4), (12, 24)),
            (("list", 5), (12, 30)),
            (("tool",), (16, 2)),
            (("tool", "deep"), (14, 7)),
            (("tool", "deep", "k-1_", "b", 1, "c"), (15, 35)),
            (("tool", "qé"), (17, 1)),
            (("hooks",), (18, 3)),
            (("hooks", "before"), (18, 9)),
            (("hooks", "before", 0), (18, 1)),
            (("hooks", "before", 0, "name"), (19, 1)),
            (("hooks", "before", 1), (20, 3)),
            (("hooks", "before", 1, "sub"), (22, 18)),
            (("hooks", "before", 1, "sub", 0, "x"), (23, 3)),
            (("hooks", "before", 1, "sub", 1), (24, 3)),
            (("hooks", "before", 1, "sub", 1, "table"), (25, 21)),
            (("hooks", "before", 1, "sub", 1, "table", "y"), (26, 3)),
            (("hooks", "before", 2), (27, 1)),
            (("hooks", "before", 2, "sub", 0), (28, 1)),
            (("hooks", "before", 2, "sub", 0, "z"), (29, 1)),
            (("hooks", "before", 3, "name"), (18, 9)),
        ],
    ),
    "yaml": (
        YAML,
        [
            ((), (1, 1)),
            (("hooks",), (2, 1)),
            (("hooks", "before"), (3, 3)),
            (("hooks", "before", 0), (4, 5)),
            (("hooks", "before", 0, "name"), (4, 5)),
            (("hooks", "before", 0, "args", 0), (5, 12)),
            (("hooks", "before", 0, "args", 1, "b"), (5, 16)),
            (("hooks", "before", 0, "args", 2), (5, 23)),
            (("hooks", "before", 1), (6, 7)),
            (("hooks", "before", 1, "run"), (7, 7)),
            (("hooks", "before", 2, 0), (10, 7)),
            (("hooks", "before", 2, 1, 0), (11, 11)),
            (("hooks", "before", 3, "k"), (13, 5)),
            (("hooks", "before", 4), (14, 5)),
            (("hooks", "before", 4, "k"), (13, 5)),
            ((True,), (15, 1)),
            (("on",), (15, 1)),
            (("quoted key",), (16, 1)),
            (("long",), (17, 3)),
            (("base", "y", "z"), (19, 24)),
            (("child", "x"), (19, 14)),
            (("child", "w"), (22, 3)),
            (("child", "y"), (25, 3)),
            (("child", "y", "z"), (25, 3)),
            (("empty", 1), (28, 5)),
        ],
    ),
}
CASES = [(format, path, place) for format, (_, places) in WHERE.items() for path, place in places]


@pytest.mark.parametrize(("format", "path", "place"), CASES)
def test_a_path_is_found_on_its_line_and_column(format, path, place):
    assert place == parse(WHERE[format][0], format).where(path)


@pytest.mark.parametrize(("format", "path", "place"), CASES)
def test_line_ends_of_windows_change_no_position(format, path, place):
    assert place == parse(WHERE[format][0].replace("\n", "\r\n"), format).where(path)


@pytest.mark.parametrize(("path", "place"), WHERE["yaml"][1])
def test_frontmatter_counts_from_the_top_of_the_markdown_file(path, place):
    document = parse("\ufeff---  \n" + YAML + "... \nnot: [yaml\n---\n", "frontmatter")

    assert (place[0] + 1 if path else 1, place[1]) == document.where(path)


@pytest.mark.parametrize("format", WHERE)
def test_a_byte_order_mark_is_not_a_column(format):
    text, places = WHERE[format]
    document = parse(b"\xef\xbb\xbf" + text.encode(), format)

    assert parse(text, format).data == document.data
    assert [place for _, place in places] == [document.where(path) for path, _ in places]


def parse(text: str | bytes, format: str) -> readers.Document:
    return readers.parse(text.encode() if isinstance(text, str) else text, "file", format)


def test_the_text_is_scanned_once_and_only_when_asked(monkeypatch):
    from tenterhook.support.readers import json as module

    scans = []
    scan = module.scan
    monkeypatch.setattr(module, "scan", lambda text, file: scans.append(file) or scan(text, file))
    document = parse(JSON, "json")
    assert scans == []

    for path, _ in WHERE["json"][1]:
        document.where(path)
    document.duplicates()
    assert scans == ["file"]


def test_yaml_is_typed_as_the_safe_loader_types_it():
    assert yaml.safe_load(YAML) == parse(YAML, "yaml").data


def test_comments_are_the_only_difference_of_jsonc():
    assert parse(JSONC, "jsonc").data == {"a": [1, "http://not/a/comment", "/* nor this */"], "b": {"c\\": 2}}


def test_yaml_without_libyaml_finds_the_same_places(tmp_path):
    file = tmp_path / "a.yaml"
    file.write_text(YAML)
    code = """if True:
        import sys
        sys.modules["yaml._yaml"] = None
        from tenterhook.support.readers import parse, read
        from tenterhook.support.readers.yaml import SafeLoader
        document = read(sys.argv[1], "yaml")
        print(SafeLoader.__name__, [document.where(path) for path in eval(sys.argv[2])])
        for text in ("[" * 5000, "a: \\u00e9\\a"):
            try:
                parse(text.encode(), "f", "yaml")
            except Exception as exc:
                print(exc)
    """
    places = WHERE["yaml"][1]
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", code, str(file), repr([path for path, _ in places])]
    printed = subprocess.run(command, env=environ, capture_output=True, text=True, check=True).stdout.splitlines()

    assert f"SafeLoader {[place for _, place in places]}" == printed[0]
    assert printed[1] == "f:1:65: nested deeper than 64 levels"
    assert printed[2] == "f:1:5: the character U+0007 is not allowed here"
