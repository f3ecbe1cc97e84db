"""A long conversation with a model behind an API: the account it is asked for, and what follows where it gives none."""

import json
import sys
from typing import Any

from clients.models.provider_apis import KEY, anthropic_stream, chat_stream
from clients.models.provider_server import serving
from conftest import Project

from .agents import ended, script, words
from .terminal import Person

REFUSED = {"error": {"message": "too long"}}
HOOK = """\
import json, sys
if "Only the account" in json.load(sys.stdin)["llm_request"]["messages"][-1]["content"]:
    said = {"candidates": [{"content": {"role": "model", "parts": ["Not today."]}, "finishReason": "STOP"}]}
    own = {"hookEventName": "BeforeModel", "llm_response": said}
    print(json.dumps({"decision": "deny", "reason": "no", "hookSpecificOutput": own}))
"""


def test_the_account_is_asked_for_without_calls_because_no_tool_is_defined(project: Project) -> None:
    project.write("a.txt", "B" * 900)
    with serving() as api:
        for n in range(3):
            api.events(anthropic_stream([], [(f"c{n}", "Read", {"file_path": "a.txt"})]))
        api.events(anthropic_stream(["An account."]))
        api.events(anthropic_stream(["Done."]))
        options = ("--context", "500", "--model", "anthropic:claude-sonnet-4-5", "--prompt", "Go.")
        done = ended(project, words(project, "tenterhook", *options), ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL=api.url)

    (asked,) = [one.body for one in api.requests if "Only the account" in json.dumps(one.body)]
    assert done.returncode == 0, done.stderr
    assert "tools" not in asked
    assert "tool_use" not in json.dumps(asked["messages"])
    assert "[called Read: " in json.dumps(asked["messages"])
    assert "B" * 900 in json.dumps(asked["messages"])


def test_a_conversation_goes_on_where_the_model_gives_no_account(project: Project) -> None:
    with serving() as api:
        api.events(chat_stream(["A" * 3000]))
        api.error(400, REFUSED)
        api.events(chat_stream(["Still here."]))
        options = ("--context", "500", "--model", f"m@{api.url}/v1")
        with Person(project, words(project, "tenterhook", *options)) as person:
            person.sees("What should I do?")
            person.types("one\n")
            person.sees("\n> ")
            person.sees("\n> ")
            person.types("two\n")
            person.sees("Still here.")
            person.types("/exit\n")

            assert person.leaves() == 0


def test_compact_that_fails_leaves_the_conversation_as_it_was(project: Project) -> None:
    with serving() as api:
        api.events(chat_stream(["Hello."]))
        api.error(400, REFUSED)
        api.events(chat_stream(["Still here."]))
        with Person(project, words(project, "tenterhook", "--model", f"m@{api.url}/v1")) as person:
            person.sees("What should I do?")
            person.types("one\n")
            person.sees("Hello.")
            person.types("/compact\n")
            person.sees("too long")
            person.types("two\n")
            person.sees("Still here.")
            person.types("/exit\n")

            assert person.leaves() == 0
        sent = [message["content"] for message in api.last["messages"]]
    assert sent[1:] == ["one", "Hello.", "two"]


def test_nothing_is_shortened_where_nothing_was_said(project: Project) -> None:
    project.write("tenterhook.toml", '[[hook]]\non = "compact.before"\ncommand = "touch compacted"\n')
    kept = project.home_folder / "transcript.jsonl"
    options = ("--script", str(script(project, "Answer.")), "--trust", "--transcript", str(kept))
    with Person(project, words(project, "tenterhook", *options)) as person:
        person.sees("What should I do?")
        person.types("/compact\n")
        person.types("one\n")
        person.sees("Answer.")
        person.types("/exit\n")
        person.leaves()
    (model,) = [one for one in map(json.loads, kept.read_text().splitlines()) if one["kind"] == "model"]
    assert model["messages"] == [{"role": "user", "text": "one"}]
    assert not project.has("compacted")


def test_what_a_hook_says_in_place_of_the_model_is_no_account(project: Project) -> None:
    project.write("hook.py", HOOK)
    before: dict[str, Any] = {"hooks": [{"type": "command", "command": f"'{sys.executable}' hook.py"}]}
    settings = {"enableHooks": True, "tools": {"enableHooks": True}, "hooks": {"BeforeModel": [before]}}
    project.write(".llxprt/settings.json", json.dumps(settings))
    project.write("a.txt", "B" * 3000)
    with serving() as api:
        api.events(chat_stream([], [("c1", "read_file", {"absolute_path": "a.txt"})]))
        api.events(chat_stream(["Done."]))
        options = ("--context", "500", "--trust", "--model", f"m@{api.url}/v1", "--prompt", "C" * 1500)
        ended(project, words(project, "llxprt", *options))
        sent = json.dumps(api.last["messages"])
    assert "Not today." not in sent
    assert "the user said: CCC" in sent
