"""The whole command with a model behind a real protocol on the loopback: hooks change what goes over the wire."""

import json
from pathlib import Path
from typing import Any

import pytest

from clients.models.provider_apis import KEY
from clients.models.provider_chosen import Chosen
from conftest import Project

from .agents import Entry, ended, words

BLOCK = """\
[[hook]]
name = "guard"
on = "tool.before"
match = "Bash"
command = "echo 'not on this machine' >&2; exit 2"
"""


def run(project: Project, chosen: Chosen, *options: str) -> tuple[Any, list[Entry]]:
    kept: Path = project.home_folder / "transcript.jsonl"
    api, protocol = chosen.api, chosen.protocol
    given = ("--model", protocol.model(api.url), "--prompt", "Go.", "--trust", "--transcript", str(kept), *options)
    done = ended(project, words(project, "tenterhook", *given), **protocol.environ(api.url))
    return done, [json.loads(line) for line in kept.read_text().splitlines()]


def test_a_deny_goes_back_to_the_model_as_the_result_of_its_call(project: Project, chosen: Chosen) -> None:
    project.write("tenterhook.toml", BLOCK)
    stream = chosen.protocol.stream
    chosen.api.events(stream(["I write."], [("call_1", "Bash", {"command": "touch made"})]))
    chosen.api.events(stream(["I was told not to."]))

    done, entries = run(project, chosen, "--yes")

    assert done.returncode == 0, done.stdout + done.stderr
    assert not project.has("made")
    assert entries[-1] == {"kind": "end", "reason": "done", "text": "I was told not to."}
    first, second = (chosen.protocol.messages(one.body) for one in chosen.api.requests)
    assert any("coding agent" in str(what) for role, what in first)
    assert ("user", "Go.") in [(role, what) for role, what in first]
    (result,) = [what for role, what in second if role == "result"]
    assert "not on this machine" in str(result)
    assert "I write." in done.stdout
    assert KEY not in done.stdout + done.stderr


def test_hooks_choose_the_tools_and_change_the_request(project: Project, chosen: Chosen) -> None:
    project.write(
        "tenterhook.toml",
        """\
[[hook]]
on = "tools.select"
command = '''echo '{"tool_config": {"mode": "ANY", "allowedFunctionNames": ["Read"]}}' '''

[[hook]]
on = "model.before"
script = "ask.py"
""",
    )
    project.write(
        "ask.py",
        "import json, sys\n"
        "request = json.load(sys.stdin)['llm_request']\n"
        "request['messages'].append({'role': 'user', 'content': 'Be brief.'})\n"
        "print(json.dumps({'request': request}))\n",
    )
    chosen.api.events(chosen.protocol.stream(["Fine."]))

    done, entries = run(project, chosen)

    assert done.returncode == 0, done.stdout + done.stderr
    mode, names = chosen.protocol.choice(chosen.api.last)
    assert names == ["Read"]
    assert mode in ("required", "any", "ANY")
    assert any("Be brief." in str(what) for _, what in chosen.protocol.messages(chosen.api.last))
    (model,) = [one for one in entries if one["kind"] == "model"]
    assert (model["tools"], model["mode"]) == (["Read"], "ANY")
    assert model["messages"][-1] == {"role": "user", "text": "Be brief."}


def test_without_anybody_to_ask_nothing_that_needs_permission_runs(project: Project, chat: Chosen) -> None:
    """A script's calls are the user's own; a model's are not."""
    chat.api.events(chat.protocol.stream([], [("call_1", "Bash", {"command": "touch made"})]))
    chat.api.events(chat.protocol.stream(["Then not."]))

    done, entries = run(project, chat)

    assert done.returncode == 0
    assert not project.has("made")
    (tool,) = [one for one in entries if one["kind"] == "tool"]
    assert tool["ran"] is False
    assert "there is no user to ask: --yes and --no answer every question" in tool["result"]


def test_a_long_conversation_goes_on_with_the_models_own_account(project: Project, chat: Chosen) -> None:
    project.write("long.txt", "a line\n" * 400)
    chat.api.events(chat.protocol.stream([], [("call_1", "Read", {"file_path": "long.txt"})]))
    chat.api.events(chat.protocol.stream(["The user wants to go; long.txt was read."]))
    chat.api.events(chat.protocol.stream(["Done."]))

    done, entries = run(project, chat, "--context", "500")

    assert done.returncode == 0, done.stdout
    _, account, last = [one for one in entries if one["kind"] == "model"]
    assert account["tools"] == []
    assert "Write a short account" in account["messages"][-1]["text"]
    assert "long.txt was read" in last["messages"][0]["text"]


@pytest.mark.parametrize(("status", "said"), [(401, "401"), (429, "429"), (500, "500")])
def test_a_model_that_cannot_be_asked_is_one_line_and_exit_1(
    project: Project, chat: Chosen, status: int, said: str
) -> None:
    project.write("tenterhook.toml", '[[hook]]\non = "turn.failed"\ncommand = "cat > failed.json"\n')
    for _ in range(4):
        chat.api.error(status, chat.protocol.error("no", status), retry_after="0")

    done, entries = run(project, chat)

    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert entries[-1]["reason"] == "failed"
    assert said in project.json("failed.json")["error"]


def test_a_call_that_cannot_be_read_is_told_to_the_model_which_tries_again(project: Project, chat: Chosen) -> None:
    """Models of one's own machine do this often."""
    garbled = [one.replace(': \\"', ": ") for one in chat.protocol.stream([], [("c1", "Bash", {"command": "ls"})])]
    chat.api.events(garbled)
    chat.api.events(chat.protocol.stream(["Then in words."]))

    done, entries = run(project, chat)

    assert done.returncode == 0, done.stdout
    assert entries[-1]["text"] == "Then in words."
    assert "an input that is not a JSON object" in entries[-2]["messages"][-1]["text"]


def test_two_calls_with_one_id_have_each_their_own_result(project: Project, chosen: Chosen) -> None:
    project.write("a.txt", "first")
    project.write("b.txt", "second")
    both = [("same", "Read", {"file_path": "a.txt"}), ("same", "Read", {"file_path": "b.txt"})]
    chosen.api.events(chosen.protocol.stream([], both))
    chosen.api.events(chosen.protocol.stream(["Done."]))

    done, _ = run(project, chosen)

    assert done.returncode == 0, done.stdout
    sent = json.dumps(chosen.api.last)
    assert "first" in sent
    assert "second" in sent
