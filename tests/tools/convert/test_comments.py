"""Comments travel with the entries that they are about; where they cannot, the report has them."""

import pytest

from tenterhook.tools.convert import comments

TOML = """# About the whole file.

# The guard.
[[hook]]  # beside it
on = "tool.before"
match = "Bash"  # shell only
command = "guard # not one"

# The other one,
# in two lines.
[[hook]]
on = "tool.after"
command = "after"
# at the end
"""
ALL = ["About the whole file.", "The guard.", "beside it", "shell only", "The other one,", "in two lines."]


def test_comments_of_toml_travel_into_yaml_and_back(write, converted):
    write("tenterhook.toml", TOML.replace("guard # not one", "guard"))
    there = converted("tenterhook", "massgen").text
    found = [one.text for one in comments.find_comments(there, "yaml")]
    assert found == ALL

    write("massgen.yaml", there)
    back = converted("massgen", "tenterhook").text
    assert [one.text for one in comments.find_comments(back, "toml")] == ALL
    assert back.index("# The guard.") < back.index('command = "guard') < back.index("# The other one")


def test_comments_travel_into_json_that_may_have_some(write, converted):
    write("tenterhook.toml", TOML)

    there = converted("tenterhook", "llxprt").text

    assert [one.text for one in comments.find_comments(there, "jsonc")] == ALL
    assert there.index("// The guard.") < there.index('"command": "guard # not one"') < there.index("// The other one,")


def test_into_a_format_without_comments_they_are_in_the_report(write, converted):
    write("tenterhook.toml", TOML)

    made = converted("tenterhook", "wave")

    assert "//" not in made.text
    kept = [loss.text.partition(": ")[2] for loss in made.losses if loss.name == "comment"]
    assert kept == ALL
    assert {loss.level for loss in made.losses if loss.name == "comment"} == {"note"}


@pytest.mark.parametrize(
    ("format", "text", "wanted"),
    [
        ("jsonc", '{"a": "// no", /* one */ "b": 1 // two\n}', [(1, "one"), (1, "two")]),
        ("jsonc", "{/* one\n * two\n */}", [(1, "one"), (2, "two")]),
        ("toml", 'a = "# no" # one\nb = """\n# no\n"""\n# two\n', [(1, "one"), (5, "two")]),
        ("yaml", "a: '# no' # one\nb: |\n  # no\nc: x#no\n# two\n", [(1, "one"), (5, "two")]),
        ("json", "{}", []),
    ],
)
def test_comments_are_found_and_strings_are_none(format, text, wanted):
    assert [(one.line, one.text) for one in comments.find_comments(text, format)] == wanted
