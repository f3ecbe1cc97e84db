"""library:git-rules in every agent, in a real repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from tenterhook.testing import each_dialect

from .conftest import Fire, git

NAME = "git-rules"
ON_MAIN = {
    "git push": "deny",
    "git push origin main": "deny",
    "git push origin HEAD": "deny",
    "git push origin topic:main": "deny",
    "git push origin refs/heads/main": "deny",
    "git push --all": "deny",
    "git push origin :": "deny",
    "git push origin 'refs/heads/*:refs/heads/*'": "deny",
    "git push origin main --force": "deny",
    "git push origin 'refs/heads/m*:refs/heads/m*'": "deny",
    "git push origin 'refs/heads/t*:refs/heads/t*'": "run",
    "git push origin heads/main": "deny",
    "git push origin HEAD:heads/main": "deny",
    "git push --dry-run origin main": "run",
    "git push -nf origin main": "run",
    "eval " * 40 + "git push origin main": "ask",
    "env " * 40 + "git push origin main": "ask",
    "env " * 40 + "ls": "run",
    "git push -o ci.skip origin topic": "run",
    "git push origin topic": "run",
    "git push --tags": "run",
    "git push origin v1:refs/tags/v1": "run",
    "git push -f origin topic": "deny",
    "git push origin +topic": "deny",
    "git push --force-with-lease origin topic": "run",
    "git push --force-with-lease origin main": "deny",
    "git push origin :main": "deny",
    "git push -d origin main": "deny",
    "git push origin :topic": "run",
    "git branch -D main": "deny",
    "git branch -d topic": "run",
    'git push origin "$BRANCH"': "ask",
    "sh -c 'git push origin main'": "deny",
    "env A=1 git -c x.y=z push": "deny",
    "echo main | xargs git push origin": "deny",
    "git switch -c topic && git push": "run",
    "git checkout topic && git push": "run",
    "git checkout README && git push": "deny",
    "git commit -m x": "run",
    "git log main": "run",
    "ls": "run",
}


def said(fired: object) -> str:
    return "deny" if fired.denied else "ask" if fired.asked else "run"  # type: ignore[attr-defined]


@pytest.mark.parametrize("command", ON_MAIN)
def test_pushes_are_known_by_where_they_go(command: str, fire: Fire, repository: Path) -> None:
    git(repository, "branch", "topic")

    assert said(fire(NAME, "tool.before", tool="shell", command=command)) == ON_MAIN[command]


@each_dialect("tool.before")
def test_force_pushes_and_pushes_to_protected_branches_are_refused(agent: str, fire: Fire, repository: Path) -> None:
    for command in ("git push", "git push -f origin topic", "sh -c 'git push origin HEAD'"):
        fired = fire(NAME, "tool.before", agent=agent, tool="shell", command=command)
        assert fired.denied, command
        assert "git-rules found this:" in fired.reason
    assert fire(NAME, "tool.before", agent=agent, tool="shell", command="git push origin topic").ran


def test_the_branch_that_is_checked_out_counts_in_a_worktree_and_elsewhere(
    fire: Fire, repository: Path, tmp_path: Path
) -> None:
    git(repository, "worktree", "add", "-q", "-b", "topic", str(tmp_path / "other"))
    here = fire(NAME, "tool.before", tool="shell", command="git push")
    there = fire(NAME, "tool.before", tool="shell", command=f"cd {tmp_path}/other && git push")
    by_option = fire(NAME, "tool.before", tool="shell", command=f"git -C {tmp_path}/other push")
    back = fire(NAME, "tool.before", tool="shell", command=f"cd {tmp_path}/other && git switch main && git push")

    assert (here.denied, there.ran, by_option.ran, back.denied) == (True, True, True, True)


def test_options_say_which_branches_and_what_to_do(fire: Fire, repository: Path) -> None:
    def with_options(command: str, **options: object) -> str:
        return said(fire(NAME, "tool.before", tool="shell", command=command, options=options))

    assert with_options("git push", branches=("release/*",)) == "run"
    assert with_options("git push origin release/1", branches=("release/*",)) == "deny"
    assert with_options("git push", push="ask") == "ask"
    assert with_options("git push -f origin topic", force="allow") == "run"
    assert with_options("git commit -m x", commit="deny") == "deny"
    assert with_options("git switch -c fix/1 && git commit -m x", commit="deny") == "run"
    assert with_options("git switch -c mine", new_branches=("fix/*", "topic/*")) == "deny"
    assert with_options("git branch fix/1", new_branches=("fix/*",)) == "run"


def test_a_warning_lets_it_run(fire: Fire, repository: Path) -> None:
    fired = fire(NAME, "tool.before", tool="shell", command="git push", options={"push": "warn"})

    assert fired.ran
    assert "protected branch main" in fired.everything


def test_a_word_that_is_no_decision_refuses_and_says_so(fails: Fire) -> None:
    fired = fails(NAME, "tool.before", tool="shell", command="ls", options={"force": "no"})

    assert fired.denied
    assert "force may be deny, ask, warn, allow; not 'no'" in fired.reason


@pytest.mark.parametrize("command", ["gh pr merge 1", "./release.sh", "git update-ref refs/heads/main HEAD~1"])
def test_what_it_cannot_stop_passes(command: str, fire: Fire, repository: Path) -> None:
    assert fire(NAME, "tool.before", tool="shell", command=command).ran
