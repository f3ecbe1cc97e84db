"""`tenter agent` as a command: exit codes, wrong calls, scripts with mistakes, signals, what it prints."""

import json
import signal
import subprocess
import time

import pytest

from conftest import Project

from .agents import call, ended, run, script, words

DENY = '[[hook]]\non = "{event}"\ncommand = "echo no >&2; exit 2"\n'
STOP = """[[hook]]\non = "{event}"\ncommand = '''echo '{{"stop": true, "stop_reason": "enough"}}' '''\n"""


def test_a_reply_without_calls_ends_the_turn(project: Project) -> None:
    done = run(project, "tenterhook", "All is well.")

    assert done.code == 0
    assert done.entries == [
        {"kind": "prompt", "text": "Go."},
        {
            "kind": "model",
            "messages": [{"role": "user", "text": "Go."}],
            "tools": ["Bash", "Read", "Write", "Edit", "Grep", "Glob", "Task"],
            "mode": "AUTO",
            "reply": {"text": "All is well.", "calls": []},
            "synthetic": False,
        },
        {"kind": "end", "reason": "done", "text": "All is well."},
    ]
    assert "All is well." in done.stdout
    assert "No hook ran; tenter list shows which there are." in done.stdout
    assert not done.stderr


def test_a_blocked_prompt_is_exit_2_and_no_model_is_asked(project: Project) -> None:
    project.write("tenterhook.toml", DENY.format(event="prompt.submit"))

    done = run(project, "tenterhook", "never said")

    assert done.code == 2
    assert done.entries == [{"kind": "user", "text": "no"}, {"kind": "end", "reason": "blocked", "text": "no"}]


@pytest.mark.parametrize("event", ["session.start", "prompt.submit", "model.before", "tools.select", "turn.stop"])
def test_a_stop_is_exit_3_wherever_a_hook_says_it(project: Project, event: str) -> None:
    project.write("tenterhook.toml", STOP.format(event=event))

    done = run(project, "tenterhook", "one", "two")

    assert done.code == 3
    assert done.end == {"kind": "end", "reason": "stopped", "text": "enough"}
    assert {"kind": "user", "text": "enough"} in done.entries


def test_a_script_without_another_reply_is_exit_1_and_says_so(project: Project) -> None:
    project.write("tenterhook.toml", DENY.format(event="turn.stop"))

    done = run(project, "tenterhook", "one")

    assert done.code == 1
    assert done.end["reason"] == "script"
    assert "no reply left after 1" in done.end["text"]
    assert "no reply left after 1" in done.stdout


def test_every_call_has_a_result_when_a_hook_stops_the_agent_among_them(project: Project) -> None:
    project.write("tenterhook.toml", STOP.format(event="tool.before"))

    done = run(project, "tenterhook", [call("Bash", command="touch a"), call("Bash", command="touch b")])

    stopped, left = done.of("tool")
    assert (stopped["ran"], left["ran"]) == (False, False)
    assert "enough" in stopped["result"]
    assert left["result"] == "the agent was stopped before this call began"
    assert not project.has("a")
    assert not project.has("b")


def test_an_unknown_tool_is_said_to_the_model(project: Project) -> None:
    done = run(project, "tenterhook", [call("Reed", file_path="x")], "I see.")

    (tool,) = done.of("tool")
    assert tool["ran"] is False
    assert "there is no tool 'Reed' (did you mean 'Read'?)" in tool["result"]
    assert done.code == 0


def test_a_prompt_may_come_from_stdin(project: Project) -> None:
    path = script(project, "Fine.")

    done = ended(project, words(project, "tenterhook", "--script", str(path)), "Look around.\n")

    assert done.returncode == 0
    assert "> Look around." in done.stdout


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "give either --model NAME or --script FILE"),
        (("--script", "x.jsonl", "--model", "openai:x"), "give either --model"),
        (("--script", "not-there.jsonl"), "--script 'not-there.jsonl': No such file"),
        (("--script", "{script}", "--yes", "--no"), "--yes and --no cannot be used together"),
        (("--script", "{script}", "--context", "many"), "--context must be a whole number of at least 1, not 'many'"),
        (("--script", "{script}", "--context", "0"), "--context must be a whole number of at least 1"),
        (("--script", "{script}", "--transcript", "/no/such/folder/t"), "--transcript '/no/such/folder/t': No such"),
        (("--script", "{script}", "--dialect", "lava"), "lava"),
        (("--script", "{script}", "--project", "/no/such/folder"), "is not a folder"),
        (("--script", "{script}", "--confg", "x"), "unknown option '--confg' (did you mean '--config'?)"),
        (("--model", "gpt-5"), "a model is named PROVIDER:NAME"),
    ],
)
def test_a_wrong_call_is_exit_1_with_a_plain_word(project: Project, options: tuple[str, ...], said: str) -> None:
    path = str(script(project, "Fine."))
    given = [one.replace("{script}", path) for one in options]

    done = ended(project, [*words(project, "tenterhook", "--prompt", "Go."), *given])

    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_no_prompt_at_all_is_said(project: Project) -> None:
    done = ended(project, words(project, "tenterhook", "--script", str(script(project, "Fine."))))

    assert done.returncode == 1
    assert "no prompt: give --prompt TEXT, or write one to stdin" in done.stderr


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("{", "a reply is one JSON object per line"),
        ("[]", "a reply is one JSON object per line"),
        ('{"txt": "a"}', "no key 'txt' (did you mean 'text'?)"),
        ('{"text": 1}', "text must be a text, not int"),
        ('{"calls": {"name": "Bash"}}', "calls must be a list, not dict"),
        ('{"calls": ["Bash"]}', 'a call is {"name": "Bash"'),
        ('{"calls": [{"name": "Bash", "inputs": {}}]}', "no key 'inputs' in a call (did you mean 'input'?)"),
        ('{"calls": [{"name": "Bash", "input": "ls"}]}', "the input of Bash must be an object, not str"),
    ],
)
def test_a_mistake_in_a_script_is_found_before_anything_runs(project: Project, row: str, said: str) -> None:
    path = project.home(
        "script.jsonl", '{"text": "ok", "calls": [{"name": "Bash", "input": {"command": "touch made"}}]}\n\n' + row
    )

    done = ended(project, words(project, "tenterhook", "--script", str(path), "--prompt", "Go."))

    assert done.returncode == 1
    assert f"{path}:3: {said}" in done.stderr
    assert not project.has("made")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_what_runs_and_the_session(project: Project, number: int) -> None:
    project.write("tenterhook.toml", '[[hook]]\non = "session.end"\ncommand = "touch ended"\n')
    path = script(project, [call("Bash", command="touch begun; sleep 30; touch slept")])
    kept = project.home_folder / "transcript.jsonl"
    command = words(
        project, "tenterhook", "--script", str(path), "--prompt", "Go.", "--trust", "--transcript", str(kept)
    )
    began = time.monotonic()
    with subprocess.Popen(command, env=project.environ(), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        while not project.has("begun") and time.monotonic() - began < 20:
            time.sleep(0.02)
        child.send_signal(number)
        _, errors = child.communicate(timeout=20)

    assert child.returncode == 130
    assert b"Traceback" not in errors
    assert project.has("ended")
    assert '"reason":"interrupted"' in kept.read_text()
    time.sleep(0.1)
    assert not project.has("slept")


def test_a_summary_tells_each_hook_its_runs_and_its_time(project: Project) -> None:
    project.write("tenterhook.toml", '[[hook]]\non = "tool.before"\nname = "watcher"\ncommand = "true"\n')

    done = run(project, "tenterhook", [call("Glob", pattern="*"), call("Glob", pattern="*")], "Done.")

    assert "1 hook ran 2 times" in done.stdout
    assert "watcher  2 runs" in done.stdout


def test_hooks_of_a_project_that_is_not_trusted_do_not_run(project: Project) -> None:
    project.write("tenterhook.toml", DENY.format(event="prompt.submit"))

    done = run(project, "tenterhook", "Fine.", args=())

    assert done.code == 0
    assert "prompt.submit: not run, because not trusted:" in done.stdout


def test_a_call_of_a_tool_that_hooks_took_away_is_refused_in_words_on_the_screen(project: Project) -> None:
    limits = """echo '{"tool_config": {"mode": "ANY", "allowedFunctionNames": ["Read"]}}'"""
    project.write("tenterhook.toml", f"[[hook]]\non = 'tools.select'\ncommand = '''{limits}'''\n")

    done = run(project, "tenterhook", [call("Bash", command="touch made")], "Done.")

    assert "Bash may not be called in this turn" in done.stdout
    assert not project.has("made")


@pytest.mark.req("HOOK-159")
def test_a_system_message_reaches_the_model_and_is_not_shown_to_the_user(project: Project) -> None:
    """The hook's line says that there is one, and not what it says: that is for the model alone."""
    events = ("SessionStart", "BeforeAgent", "BeforeModel", "BeforeToolSelection", "BeforeTool", "AfterTool")
    named = {event: f"for the model at {event}" for event in (*events, "AfterModel", "AfterAgent", "Notification")}
    project.script("h", 'grep -o \'"hook_event_name":"[A-Za-z]*"\' | sed \'s/.*:"/for the model at /; s/"//\'')
    hooks = {event: [{"hooks": [{"type": "command", "command": "./h", "name": "h"}]}] for event in named}
    project.write(".llxprt/settings.json", json.dumps({"enableHooks": True, "hooks": hooks}))
    call = {"name": "write_file", "input": {"file_path": "a.txt", "content": "A"}}

    done = run(project, "llxprt", {"calls": [call]}, "Done.")

    seen = json.dumps([one["messages"] for one in done.entries if one["kind"] == "model"])
    applied = [event for event in named if named[event] in seen]
    assert applied == ["BeforeModel", "BeforeToolSelection", "BeforeTool", "AfterTool", "AfterModel"]
    assert "[hook h] adds a system message for the model" in done.stdout
    assert "for the model at" not in done.stdout + done.stderr
    assert not [one for one in done.entries if one["kind"] == "user"]
