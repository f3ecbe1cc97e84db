"""Permission rules: which calls a rule is about."""

from typing import Any

import pytest

from tenterhook.pipeline.permission_rules import is_rule, permits


def about(rule: str, tool: str = "Bash", **given: Any) -> bool:
    return permits(rule, {"tool_name": tool, "tool_input": given})


@pytest.mark.parametrize(
    ("rule", "command", "fits"),
    [
        ("Bash", "anything", True),
        ("Bash(*)", "anything", True),
        ("Bash()", "anything", True),
        ("Bash(git push)", "git push", True),
        ("Bash(git push)", "git push -f", False),
        ("Bash(git *)", "git", True),
        ("Bash(git *)", "gitk", False),
        ("Bash(git*)", "gitk", True),
        ("Bash(git:*)", "git push -f", True),
        ("Bash(git * main)", "git push origin main", True),
        ("Bash(git * main)", "git push origin other", False),
        ("Bash(rm *)", "true; rm -r a", True),
        ("Bash(rm *)", "true | xargs rm", True),
        ("Bash(rm *)", "true | xargs -0 rm -r", True),
        ("Bash(rm *)", "true | xargs ls", False),
        ("Bash(rm *)", "$TOOL a", True),
        ("Bash(rm *)", "echo $HOME", False),
        ("Bash(rm *)", "echo ${HOME:-x}", True),
        ("Bash(rm *)", "echo {a,b}", True),
        ("Bash(rm *)", "echo '{a,b}'", False),
        ("Bash(rm *)", "cat <<E\nhello\nE", True),
        ("Bash(rm *)", "cat <<< hello", False),
        ("*", "anything", False),
        ("Bash(rm *)", "A=1 B='x y' rm a", True),
        ("Bash(rm *)", "echo `rm a`", True),
        ("Bash(rm *)", 'echo "$(rm a)"', True),
        ("Bash(rm *)", "for f in a; do rm $f; done", True),
        ("Bash(rm *)", "echo 'rm a'", False),
        ("Bash(rm *)", "if [ (", True),
        ("Bash(a && b)", "a && b", True),
        ("Bash(echo (x))", "echo (x)", True),
    ],
)
def test_every_part_of_a_command_is_looked_at(rule: str, command: str, fits: bool) -> None:
    assert about(rule, command=command) == fits


def test_a_command_that_is_too_long_to_be_looked_at_counts_as_fitting() -> None:
    assert about("Bash(rm *)", command="echo " + "x" * 100_000)


@pytest.mark.parametrize(
    ("rule", "path", "fits"),
    [
        ("Edit(*.ts)", "/work/src/a.ts", True),
        ("Edit(*.ts)", "/work/src/a.tsx", False),
        ("Edit(src/**)", "/work/src/a/b.py", True),
        ("Edit(src/*.py)", "/work/src/a.py", True),
        ("Edit(src/*.py)", "/work/src/a/b.py", False),
        ("Edit(src)", "/work/src/a/b.py", True),
        ("Edit(./.env)", "/work/.env", True),
        ("Edit(.env)", "/work/xenv", False),
        ("Edit(~/.ssh/**)", "/home/u/.ssh/id", True),
        ("Edit(//etc/*)", "/etc/passwd", True),
        ("Edit(//etc/*)", "/work/etc/passwd", False),
        ("Edit(?.py)", "/work/a.py", True),
    ],
)
def test_paths_are_globs_as_in_gitignore(rule: str, path: str, fits: bool) -> None:
    assert about(rule, "Edit", file_path=path) == fits


@pytest.mark.parametrize(
    ("rule", "url", "fits"),
    [
        ("WebFetch(domain:example.com)", "https://example.com/a", True),
        ("WebFetch(domain:example.com)", "https://www.example.com:8080/", True),
        ("WebFetch(domain:example.com)", "https://user@EXAMPLE.com", True),
        ("WebFetch(domain:example.com)", "https://example.com.evil.org", False),
        ("WebFetch(domain:example.com)", "https://evil.org/?example.com", False),
    ],
)
def test_a_domain_is_itself_and_what_is_below_it(rule: str, url: str, fits: bool) -> None:
    assert about(rule, "WebFetch", url=url) == fits


@pytest.mark.parametrize(
    ("rule", "tool", "fits"),
    [
        ("mcp__memory", "mcp__memory__create", True),
        ("mcp__memory__*", "mcp__memory__create", True),
        ("mcp__memory", "mcp__memory2__create", False),
        ("Task(Explore)", "Task", True),
        ("Edit", "Bash", False),
    ],
)
def test_other_tools_are_known_by_name_and_what_they_are_given(rule: str, tool: str, fits: bool) -> None:
    assert about(rule, tool, subagent_type="Explore") == fits


def test_a_rule_is_about_no_event_without_a_tool_and_what_is_no_rule_limits_nothing() -> None:
    assert not permits("Bash", {"prompt": "hi"})
    assert not permits("not a rule!", {"tool_name": "Bash"})
    assert permits(" ", {"tool_name": "Bash"})
    assert (is_rule("Bash(ls)"), is_rule("not a rule!")) == (True, False)
