"""Additions to a config's text: everything else stays, and what cannot be changed safely is refused."""

from typing import Any

import pytest

from tenterhook.errors import ConfigError
from tenterhook.support import readers
from tenterhook.tools.install.editing.edit import Addition, apply_additions, without

ENTRY = {"matcher": "Bash", "command": "x"}
STOP = Addition(("hooks", "Stop"), ENTRY, says="x")
SWITCH = Addition(("enableHooks",), True, item=False)


def add(text: str, format: str, *additions: Addition) -> str:
    return apply_additions(text.encode(), "file", format, list(additions))[0].decode()


def test_an_empty_mapping_opens_up() -> None:
    assert (
        add("{}\n", "json", SWITCH, STOP)
        == """{
  "enableHooks": true,
  "hooks": {
    "Stop": [
      {
        "matcher": "Bash",
        "command": "x"
      }
    ]
  }
}
"""
    )


def test_the_indentation_of_the_file_is_kept() -> None:
    assert (
        add('{\n\t"a": 1\n}', "json", STOP)
        == """{
\t"a": 1,
\t"hooks": {
\t\t"Stop": [
\t\t\t{
\t\t\t\t"matcher": "Bash",
\t\t\t\t"command": "x"
\t\t\t}
\t\t]
\t}
}"""
    )


def test_what_is_written_on_one_line_stays_on_one_line() -> None:
    added = '{"a":1, "hooks": {"Stop": [{"matcher": "Bash", "command": "x"}]}}'

    assert add('{"a":1}', "json", STOP) == added


def test_a_list_that_is_there_gets_one_more_item() -> None:
    before = """{
    "hooks": {
        "Stop": [{
            "command": "mine"
        }]
    }
}
"""
    after = """{
    "hooks": {
        "Stop": [{
            "command": "mine"
        },
            {
                "matcher": "Bash",
                "command": "x"
            }]
    }
}
"""
    assert add(before, "json", STOP) == after


def test_comments_stay_with_what_they_are_about() -> None:
    before = """{
  // first
  "a": [1, /* two */ 2], // after a, with a "quote and a }
  /* the
     end */
}
"""
    after = """{
  // first
  "a": [1, /* two */ 2], // after a, with a "quote and a }
  /* the
     end */
  "enableHooks": true
}
"""
    with pytest.raises(ConfigError, match="there is a comma before"):
        add(before, "jsonc", SWITCH)
    assert add(before.replace("2],", "2]"), "jsonc", SWITCH) == after


def test_a_comment_in_an_empty_mapping_stays_above_what_is_added() -> None:
    assert add("{\n  // nothing yet\n}\n", "jsonc", SWITCH) == '{\n  // nothing yet\n  "enableHooks": true\n}\n'


def test_line_ends_and_the_byte_order_mark_are_kept() -> None:
    done, _ = apply_additions(b'\xef\xbb\xbf{\r\n  "a": 1\r\n}\r\n', "file", "json", [STOP])

    assert done.startswith(b'\xef\xbb\xbf{\r\n  "a": 1,\r\n  "hooks": {\r\n')
    assert done.count(b"\n") == done.count(b"\r\n") == 11


def test_of_a_key_that_stands_twice_the_one_that_counts_is_taken() -> None:
    text = '{"hooks": {}, "hooks": {"Stop": []}}'

    assert add(text, "json", STOP) == '{"hooks": {}, "hooks": {"Stop": [{"matcher": "Bash", "command": "x"}]}}'


BLOCK = '[[hooks.Stop]]\nmatcher = "Bash"\ncommand = "x"\n'


@pytest.mark.parametrize(
    ("before", "between"),
    [
        ("", ""),
        ("# mine\n", "\n"),
        ("a = 1", "\n\n"),
        ("[hooks]\n[[hooks.Stop]]\ncommand = 'mine'\n", "\n"),
        ("[hooks.Start]\n", "\n"),
    ],
)
def test_toml_gets_a_table_at_its_end(before: str, between: str) -> None:
    assert add(before, "toml", STOP) == before + between + BLOCK


def test_toml_keeps_its_line_ends() -> None:
    assert add("a = 1\r\n", "toml", STOP) == "a = 1\r\n" + ("\n" + BLOCK).replace("\n", "\r\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "hooks:\n  Stop:\n    - {e}\n      {f}\n"),
        ("# mine\n", "# mine\nhooks:\n  Stop:\n    - {e}\n      {f}\n"),
        ("a: 1", "a: 1\nhooks:\n  Stop:\n    - {e}\n      {f}\n"),
        ("---\na: 1\n...\n", "---\na: 1\nhooks:\n  Stop:\n    - {e}\n      {f}\n...\n"),
        (
            "hooks:  # all\n    Start: []  # none\n# end\nb: é\n",
            "hooks:  # all\n    Start: []  # none\n    Stop:\n      - {e}\n        {f}\n# end\nb: é\n",
        ),
        (
            "hooks:\n  Stop:\n  - command: mine  # kept\n\n  Start: []\n",
            "hooks:\n  Stop:\n  - command: mine  # kept\n  - {e}\n    {f}\n\n  Start: []\n",
        ),
        (
            "hooks:\n  Start:\n    - |\n      text\n",
            "hooks:\n  Start:\n    - |\n      text\n  Stop:\n    - {e}\n      {f}\n",
        ),
        ("t: |\n  text\n\n", "t: |\n  text\n\nhooks:\n  Stop:\n    - {e}\n      {f}\n"),
    ],
)
def test_yaml_gets_lines_where_they_belong(before: str, after: str) -> None:
    wanted = after.replace("{e}", 'matcher: "Bash"').replace("{f}", 'command: "x"')

    assert add(before, "yaml", STOP) == wanted


REFUSED = [
    ("toml", "hooks = { Stop = [] }\n", BLOCK),
    ("toml", "[hooks]\nStop = [{ command = 'mine' }]\n", BLOCK),
    ("toml", "hooks.Stop = 1\n", BLOCK),
    ("yaml", "hooks: {Stop: []}\n", 'hooks:\n  Stop:\n    - matcher: "Bash"\n      command: "x"'),
    ("yaml", "hooks:\n  Stop: [a, b]\n", "hooks:"),
    ("yaml", "hooks:\n", "hooks:"),
    ("yaml", "a: &a\n  - one\nhooks:\n  Stop: *a\n", "hooks:"),
    ("yaml", "a: &a {x: 1}\nhooks: *a\n", "hooks:"),
    ("yaml", "t: |+\n  text", "hooks:"),
    ("json", '{"hooks": null}', '"Stop": ['),
    ("json", '{"hooks": {"Stop": {"command": "mine"}}}', '"Stop": ['),
    ("json", '{"hooks": []}', '"Stop": ['),
]


@pytest.mark.parametrize(("format", "text", "shown"), REFUSED)
def test_what_cannot_be_changed_safely_is_refused_with_the_text_to_add(format: str, text: str, shown: str) -> None:
    with pytest.raises(ConfigError, match=r"(?s)^file: .*nothing was written\nadd by hand:\n") as caught:
        add(text, format, STOP)

    assert shown.strip() in str(caught.value)


@pytest.mark.parametrize(
    ("format", "text", "where"),
    [("json", '{"a": }', "1:7"), ("jsonc", "{\n/* }", "2:1"), ("toml", "a = \n", "1:5"), ("yaml", "a: [\n", "2:1")],
)
def test_of_a_broken_file_the_place_is_told(format: str, text: str, where: str) -> None:
    with pytest.raises(ConfigError, match=f"^file:{where}: "):
        add(text, format, STOP)


def taken_out(text: str, format: str, change: Any) -> tuple[str, int]:
    """Our additions made, the text changed by somebody, our additions taken out; and how many stayed."""
    done, edits = apply_additions(text.encode(), "file", format, [SWITCH, STOP] if format == "jsonc" else [STOP])
    changed = change(done.decode())
    assert changed != done.decode()
    readers.parse(changed.encode(), "file", format)
    back, left = without(changed.encode(), "file", format, edits)
    return back.decode(), len(left)


@pytest.mark.parametrize(
    ("before", "change", "after"),
    [
        ("{}\n", lambda t: t.replace("{\n", '{\n  "mine": 1,\n', 1), '{\n  "mine": 1\n}\n'),
        ("{}\n", lambda t: t.replace("\n}\n", ',\n  "mine": 1\n}\n'), '{\n  "mine": 1\n}\n'),
        ('{"a": 1}', lambda t: t.replace('"a": 1', '"a": 2'), '{"a": 2}'),
        (
            "{}\n",
            lambda t: t.replace('"hooks": {\n', '"hooks": {\n    "E": [],\n'),
            '{\n  "hooks": {\n    "E": []\n  }\n}\n',
        ),
        ('{"hooks": {"Stop": [1]}}', lambda t: t.replace("[1, ", "["), '{"hooks": {"Stop": []}}'),
        ('{"hooks": {"Stop": []}}', lambda t: t.replace("}]", "}, 2]"), '{"hooks": {"Stop": [2]}}'),
    ],
)
def test_from_json_that_somebody_changed_only_ours_is_taken_out(before: str, change: Any, after: str) -> None:
    back, left = taken_out(before, "jsonc", change)

    assert left == 0
    assert readers.parse(back.encode(), "file", "jsonc").data == readers.parse(after.encode(), "file", "jsonc").data


@pytest.mark.parametrize(
    ("format", "before", "more"),
    [("toml", "a = 1\n", "\n[b]\nc = 2\n"), ("yaml", "a: 1\n", "b: 2\n"), ("yaml", "", "b: 2\n")],
)
def test_from_other_files_too(format: str, before: str, more: str) -> None:
    assert taken_out(before, format, lambda text: text + more) == (before + more, 0)


@pytest.mark.parametrize(("format", "text"), [("jsonc", "{}"), ("toml", ""), ("yaml", "")])
def test_an_entry_that_somebody_changed_stays_and_is_told(format: str, text: str) -> None:
    changed, left = taken_out(text, format, lambda text: text.replace('"Bash"', '"Write"'))

    assert left == 1
    assert '"Write"' in changed


@pytest.mark.parametrize("format", ["jsonc", "toml", "yaml"])
def test_an_entry_that_somebody_took_out_is_nothing_to_tell(format: str) -> None:
    empty = "{}" if format == "jsonc" else ""
    _, left = taken_out(empty, format, lambda text: empty)

    assert left == 0


GROUP = Addition(("hooks", "Stop"), {"matcher": "a", "hooks": [{"type": "command", "timeout": 5}]}, says="x")


def test_entries_in_groups_can_be_written_in_every_format() -> None:
    """No agent of ours has groups in TOML or YAML; one of somebody else may."""
    toml = '[[hooks.Stop]]\nmatcher = "a"\nhooks = [{ type = "command", timeout = 5 }]\n'
    yaml = 'hooks:\n  Stop:\n    - matcher: "a"\n      hooks:\n        - type: "command"\n          timeout: 5\n'

    assert add("", "toml", GROUP) == toml
    assert add("", "yaml", GROUP) == yaml


def test_a_switch_can_be_written_in_every_format_where_there_is_room_for_it() -> None:
    assert add("", "toml", SWITCH) == "enableHooks = true\n"
    assert add("a: 1\n", "yaml", SWITCH) == "a: 1\nenableHooks: true\n"
    with pytest.raises(ConfigError, match="enableHooks must come before the tables"):
        add("[table]\n", "toml", SWITCH)
