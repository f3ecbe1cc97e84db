"""A long conversation told in short: what stays, what is retold, what hooks hear of it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import Project
from tenterhook.agent.compaction import CUT, HEAD, build_compacted_messages, retold, size, split_for_summary

from .agents import call, run

TURN = st.tuples(st.integers(0, 3), st.integers(0, 400), st.booleans())


def conversation(turns: list[tuple[int, int, bool]]) -> list[dict[str, Any]]:
    """User's words, then a reply with so many calls and their results, texts of such a length."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "begin"}]
    for n, (calls, length, user) in enumerate(turns):
        wishes = [{"name": "Bash", "input": {"command": "x" * length}, "id": f"{n}-{one}"} for one in range(calls)]
        messages.append({"role": "model", "content": "m" * length, **({"tool_calls": wishes} if wishes else {})})
        messages += [
            {"role": "tool", "tool_call_id": one["id"], "name": "Bash", "content": "r" * length} for one in wishes
        ]
        messages += [{"role": "user", "content": f"wish {n}"}] if user else []
    return messages


@given(st.lists(TURN, max_size=8), st.integers(40, 4000))
def test_a_call_and_its_results_are_never_torn_apart(turns: list[tuple[int, int, bool]], room: int) -> None:
    messages = conversation(turns)

    old, kept = split_for_summary(messages, room)
    after = build_compacted_messages(retold(old, room), "begin", kept, room)

    assert [*old, *kept] == messages
    asked = {one["id"] for message in after for one in message.get("tool_calls", ())}
    answered = {message["tool_call_id"] for message in after if message["role"] == "tool"}
    assert asked == answered
    assert after[0]["role"] != "tool"


@given(st.lists(TURN, min_size=1, max_size=8), st.integers(400, 4000))
def test_what_the_user_wanted_last_is_still_there(turns: list[tuple[int, int, bool]], room: int) -> None:
    messages = conversation(turns)
    wish = next(one["content"] for one in reversed(messages) if one["role"] == "user")

    old, kept = split_for_summary(messages, room)

    assert any(wish in one["content"] for one in build_compacted_messages(retold(old, room), wish, kept, room))


def test_what_is_too_long_even_so_is_cut_visibly() -> None:
    messages = [{"role": "user", "content": "x" * 1000}]

    old, kept = split_for_summary(messages, 400)
    (after,) = build_compacted_messages(retold(old, 400), messages[0]["content"], kept, 400)

    assert len(after["content"]) == 100
    assert CUT in after["content"]


def test_size_counts_calls_too() -> None:
    bare = size([{"role": "model", "content": ""}])

    assert size([{"role": "model", "content": "", "tool_calls": [{"input": {"command": "x" * 100}}]}]) > bare + 100


@pytest.mark.req("AM-EV-PreCompact", "CC-EV-PreCompact", "HOOK-203")
@pytest.mark.parametrize(
    ("dialect", "file", "config"),
    [
        ("amcp", ".amcp/hooks.toml", '[[hooks.PreCompact.handlers]]\ncommand = "cat > seen.json"\n'),
        ("moai", ".claude/settings.json", '{"hooks": {"PreCompact": [{"command": "cat > seen.json"}]}}'),
        (
            "llxprt",
            ".llxprt/settings.json",
            '{"enableHooks": true, "hooks": {"PreCompress": [{"hooks": ['
            '{"type": "command", "command": "cat > seen.json"}]}]}}',
        ),
        ("tenterhook", "tenterhook.toml", '[[hook]]\non = "compact.before"\ncommand = "cat > seen.json"\n'),
    ],
)
def test_hooks_hear_of_it_before_it_happens(project: Project, dialect: str, file: str, config: str) -> None:
    project.write(file, config)
    project.write("long.txt", "a line\n" * 400)
    read = [call("Read", file_path="long.txt")]

    done = run(project, dialect, read, read, "Done.", args=("--trust", "--context", "900"))

    assert project.has("seen.json")
    assert project.json("seen.json").get("trigger", "auto") == "auto"
    assert done.code == 0
    assert any(one["text"].startswith(HEAD) for one in done.of("model")[-1]["messages"])
    assert "short account" in done.stdout


def test_what_a_hook_says_then_is_in_the_conversation_that_goes_on(project: Project) -> None:
    project.write("tenterhook.toml", '[[hook]]\non = "compact.before"\ncommand = "echo keep the plan in mind"\n')
    project.write("long.txt", "a line\n" * 400)

    done = run(
        project, "tenterhook", [call("Read", file_path="long.txt")], "Done.", args=("--trust", "--context", "500")
    )

    last = done.of("model")[-1]["messages"]
    assert last[-1]["role"] == "user"
    assert "keep the plan in mind" in last[-1]["text"]


def test_what_a_hook_says_below_a_long_result_is_not_cut_away(project: Project) -> None:
    project.write("long.txt", "words\n" * 2000)
    project.write(
        "tenterhook.toml",
        """[[hook]]\non = "tool.after"\ncommand = '''echo '{"context": "never touch it again"}' '''\n""",
    )

    done = run(
        project, "tenterhook", [call("Read", file_path="long.txt")], "Done.", args=("--trust", "--context", "1000")
    )

    told = done.of("model")[1]["messages"]
    assert any("[cut here" in one["text"] and "never touch it again" in one["text"] for one in told)
