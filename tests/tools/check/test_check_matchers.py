"""Matchers that hit nothing, or more than was meant, are reported; others are not."""

import json

import pytest


@pytest.mark.parametrize(
    ("dialect", "matcher", "said"),
    [
        ("wave", "mcp__.*", "write 'mcp__*'"),
        ("wave", "^Write$", "write 'Write'"),
        ("wave", "Write.*", "write 'Write*'"),
        ("wave", "Edit(.*)", "write 'Edit*'"),
        ("wave", "(Edit|Write)", "write 'Edit|Write'"),
        ("wave", r"\w+", "matches no usual name"),
        ("wave", "|", "matches nothing; write '*' to match everything"),
        ("wave", " ", "matches nothing"),
        ("moai", "mcp__*", "write 'mcp__.*'"),
        ("moai", "Write*", "write 'Write.*'"),
        ("moai", "*Edit", "is not a regular expression (nothing to repeat at position 0)"),
        ("moai", "*Edit", "write '.*Edit'"),
        ("moai", "(Edit", "so it matches only a name spelled exactly so"),
        ("moai", "Edit | Write", "write 'Edit|Write'"),
        ("moai", " Edit", "write 'Edit'"),
        ("moai", "|", "matches nothing"),
        ("llxprt", "^Write$|", "is found in every name"),
        ("llxprt", "|", "is found in every name"),
        ("llxprt", "a | b", "has blanks"),
        ("llxprt", "Bash, Read", "write 'Bash|Read'"),
        ("moai", "Bash,Read", "write 'Bash|Read'"),
        ("wave", "mcp__*, Read", "write 'mcp__*|Read'"),
        ("moai", "Bash(git *)", "looks like a permission rule, but only the tool's name is matched; write 'Bash'"),
        ("moai", "Bash(npm run test:*)", "permission rule"),
        ("wave", "Read(./.env)", "permission rule"),
        (
            "qwen",
            "(?i)write_file",
            "is not a regular expression (to the agent's engine: an unknown kind of group",
        ),
        ("qwen", "write_file|(?P<n>x)", "so it matches only a name spelled exactly so"),
    ],
)
def test_a_matcher_that_does_not_do_what_it_looks_like(one_hook, dialect, matcher, said):
    event = "BeforeTool" if dialect == "llxprt" else "PreToolUse"

    lines = one_hook(dialect, event, matcher=matcher)

    assert len(lines) == 1
    assert f": warning: the matcher {matcher!r} " in lines[0]
    assert said in lines[0]


@pytest.mark.parametrize(
    ("dialect", "matcher", "whose"),
    [("claude", "(?i)Bash", "JavaScript"), ("codex", "(?=B)Bash", "Rust")],
)
def test_it_is_said_whose_regular_expression_a_matcher_is_not(one_hook, dialect, matcher, whose):
    lines = one_hook(dialect, "PreToolUse", matcher=matcher)

    assert f"is not a {whose} regular expression: it matches nothing, the hook never runs" in lines[0]


@pytest.mark.parametrize(
    ("dialect", "matcher"),
    [
        *(("wave", one) for one in ("Bash", "mcp__*", "Edit | Write", "*", "", "[BE]*", "mcp__x-y__z.w", "Write|")),
        *(("moai", one) for one in ("Bash", "mcp__.*", "Edit|Write", "(Multi)?Edit", "[a-z]*", r"a\*", "Notebook.+")),
        *(("moai", one) for one in ("Notebook(Edit|Read)", "mcp__(a|b)__.*", "a{1,2}", "Edit(Other)?")),
        *(("llxprt", one) for one in ("^Write$", "^(Write|Edit)$", "^mcp__", "mcp__", "write_.*", "(?<n>a)b")),
        *(("qwen", one) for one in ("write_file", "write_file|*", "(?=w)write_file", "a | b")),
        *(("llxprt", one) for one in ("^a$|^b$", "^read|^list", "^(?:read|list)", "_file$", "(read_|list_)")),
        *(("llxprt", one) for one in ("write_file", "write_file|replace", "(write_file|edit)", "Write|Edit", "file$")),
    ],
)
def test_a_matcher_that_is_meant_as_it_is_written_is_not_reported(one_hook, dialect, matcher):
    event = "BeforeTool" if dialect == "llxprt" else "PreToolUse"

    assert one_hook(dialect, event, matcher=matcher) == []


@pytest.mark.parametrize(
    ("event", "matcher", "said"),
    [
        ("afterFileEdit", "Write", "so it also hits 'TabWrite'; write '^Write$' for whole names"),
        ("afterFileEdit", "^Write$", ""),
        ("afterFileEdit", "Write|TabWrite", ""),
        ("preToolUse", "Write|Shell", ""),
        ("beforeShellExecution", "Shell", "is compared with the command on beforeShellExecution, not with the tool's"),
        ("beforeShellExecution", "gh |git push", ""),
        ("beforeShellExecution", "curl|wget", ""),
        ("beforeMCPExecution", "github|pull request", ""),
    ],
)
def test_a_name_is_reported_only_for_what_the_agent_has(write, check, event, matcher, said):
    entry = {"command": "true", "matcher": matcher}
    write(".cursor/hooks.json", json.dumps({"version": 1, "hooks": {event: [entry]}}, indent=1))

    lines = check("--dialect", "cursor")[1][:-1]

    assert len(lines) == bool(said)
    assert said in "".join(lines)


def test_a_matcher_is_reported_where_it_stands_in_its_group(one_hook):
    lines = one_hook("moai", "PreToolUse", matcher="mcp__*")

    assert lines[0].startswith(".claude/settings.json:11:5: ")


def test_a_matcher_is_reported_where_it_stands_in_a_flat_entry(write, check):
    write("massgen.yaml", "hooks:\n  PreToolUse:\n    - handler: ls\n      matcher: ^ls$\n")

    assert check("--dialect", "massgen")[1][0].startswith("massgen.yaml:4:7: ")


def test_a_value_that_the_event_never_has_is_reported_with_the_nearest(one_hook):
    lines = one_hook("moai", "Notification", matcher="idle_promt")

    assert "matches no type of Notification (did you mean 'idle_prompt'?); there are: " in lines[0]


def test_one_bad_value_among_good_ones_is_reported(one_hook):
    assert "holds 'exit', which matches no reason" in one_hook("moai", "SessionEnd", matcher="clear|exit")[0]
    assert one_hook("moai", "SessionEnd", matcher="clear|logout") == []
    assert one_hook("moai", "SessionEnd", matcher="log.*") == []


@pytest.mark.parametrize(("kind", "said"), [("glob", "looks like a regular"), ("literal", "compared literally")])
def test_a_hook_may_name_its_own_kind_of_matcher(write, check, kind, said):
    hook = f'[[hook]]\non = "tool.before"\nmatch = "a.*|b"\nmatch_kind = "{kind}"\ncommand = "true"\n'
    write("tenterhook.toml", hook)

    assert said in check()[1][0]
