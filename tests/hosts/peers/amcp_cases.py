"""What AMCP's own functions and ours are both asked, and where their answers differ (see differences.py)."""

from __future__ import annotations

import json
from shlex import quote
from typing import Any, NamedTuple

TOOL_INPUT = {"path": "src/a.py", "content": "x"}
WRITE = {"session_id": "s1", "tool_name": "write_file", "tool_input": TOOL_INPUT, "tool_use_id": "toolu_1"}
WROTE = {**WRITE, "tool_response": {"text": "written"}}
EVENTS = {
    "PreToolUse": ("run_pre_tool_use_hooks", WRITE),
    "PostToolUse": ("run_post_tool_use_hooks", WROTE),
    "UserPromptSubmit": ("run_user_prompt_hooks", {"session_id": "s1", "prompt": "hello"}),
    "SessionStart": ("run_session_start_hooks", {"session_id": "s1"}),
    "SessionEnd": ("run_session_end_hooks", {"session_id": "s1"}),
    "Stop": ("run_stop_hooks", {"session_id": "s1"}),
    "PreCompact": ("run_pre_compact_hooks", {"session_id": "s1", "compact_type": "manual"}),
    "Notification": ("execute_hooks", {"event": "Notification", "session_id": "s1", "message": "m"}),
}
SHOW = 'echo "$AMCP_SESSION_ID|$AMCP_HOOK_EVENT|$AMCP_TOOL_NAME"'


# Text, so that it is feedback: JSON would be an answer.
TELL_NAMES = "import json, sys\nprint('told', sorted(json.load(sys.stdin)))\n"
TELL = TELL_NAMES.replace("stdin)", "stdin).items()")


class Case(NamedTuple):
    """`differs` says which fields differ and why. `exact` compares feedback to the letter."""

    name: str
    call: str
    given: dict[str, Any]
    files: dict[str, str] = {}
    differs: dict[str, str] = {}
    environ: dict[str, str] = {}
    on_path: bool = True
    exact: bool = False


def command(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "command", "command": text, **more}


def printing(answer: Any, **more: Any) -> dict[str, Any]:
    """A command that prints text, or a value as JSON."""
    return command(f"printf %s {quote(answer if isinstance(answer, str) else json.dumps(answer))}", **more)


def config(*handlers: dict[str, Any], event: str = "PreToolUse") -> str:
    return json.dumps({"hooks": {event: {"handlers": list(handlers)}}})


def toml(text: str, event: str = "PreToolUse", **more: Any) -> str:
    lines = "\n".join(
        f"{key} = {json.dumps(value)}" for key, value in {"type": "command", "command": text, **more}.items()
    )
    return f"[hooks.{event}]\n[[hooks.{event}.handlers]]\n{lines}\n"


def on(event: str, name: str, *handlers: dict[str, Any], files: dict[str, str] | None = None, **how: Any) -> Case:
    """An event whose handlers stand in the project's hooks.json."""
    call, given = EVENTS[event]
    written = {"project/.amcp/hooks.json": config(*handlers, event=event), **(files or {})}
    return Case(name, call, {**given, **how.pop("given", {})}, written, **how)


def pre(name: str, *handlers: dict[str, Any], **how: Any) -> Case:
    return on("PreToolUse", name, *handlers, **how)


def answer(name: str, value: Any, event: str = "PreToolUse", **how: Any) -> Case:
    return on(event, name, printing(value), **how)


def section(event: str = "PreToolUse", **fields: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, **fields}}


def decides(word: str, reason: str = "because") -> dict[str, Any]:
    return section(permissionDecision=word, permissionDecisionReason=reason)


def function(name: str, body: str, event: str = "PreToolUse", timeout: int = 30, **how: Any) -> Case:
    """A function of the project; each module has a name of its own, for Python keeps modules."""
    module = f"case_{''.join(c if c.isalnum() else '_' for c in name)}"
    entry = {"type": "python", "function": f"{module}.check", "timeout": timeout}
    return on(event, name, entry, files={f"project/{module}.py": body}, **how)


def matching(matcher: str, tool_name: str | None, **differs: str) -> Case:
    name = f"{matcher!r} against {tool_name!r}"
    return Case(name, "matches", {"matcher": matcher, "tool_name": tool_name}, differs=differs)


def written(name: str, files: dict[str, str], event: str = "PreToolUse", **how: Any) -> Case:
    call, given = EVENTS[event]
    return Case(name, call, given, files, **how)


MATCHERS = (
    matching("write_file", "write_file"),
    matching("write_file", "write_file2"),
    matching("write_file", "rewrite_file"),
    matching("write_file", "Write_File"),
    matching("write_file|apply_patch", "apply_patch"),
    matching("write_file|apply_patch", "apply_patch_all"),
    matching(r"mcp\..*", "mcp.server.tool"),
    matching(r"mcp\..*", "mcp__server__tool"),
    matching("*", "anything"),
    matching("", "anything"),
    matching("*", None),
    matching("write_file", None),
    matching("[", "["),
    matching("[", "x"),
    matching("*.py", "*.py"),
    matching("(?i)bash", "BASH", matches="flags"),
    matching("(?<kind>read|write)_file", "write_file", matches="named-group"),
    matching("bash", "bash\n", matches="line-end"),
    matching(".*", None, matches="unnamed"),
)

EXITS = (
    *(on(event, f"exit 0 without a word on {event}", command("true")) for event in EVENTS),
    *(on(event, f"text at exit 0 on {event}", command("echo '  some text '")) for event in EVENTS),
    *(on(event, f"exit 2 with words on {event}", command("echo no >&2; exit 2")) for event in EVENTS),
    pre("exit 2 without a word", command("exit 2"), differs={"decision_reason": "no-words", "feedback": "no-words"}),
    pre("exit 2 with JSON on stdout", command('echo \'{"feedback": "f"}\'; echo no >&2; exit 2')),
    pre("exit 1", command("echo oops >&2; exit 1"), differs={"success": "success"}),
    pre(
        "exit 1 with a deny on stdout",
        command(f"printf %s {quote(json.dumps(decides('deny')))}; exit 1"),
        differs={"success": "success"},
    ),
    pre("a command that is not there", command("./no-such-program"), differs={"success": "success"}),
    pre("a handler that is killed", command("kill -9 $$"), differs={"success": "success"}),
    pre("text on stderr at exit 0", command("echo aside >&2")),
    pre("a hook that does not read its input", command("exec <&-; echo done")),
    pre("a time-out", command("sleep 5", timeout=1), differs={"success": "success", "feedback": "failure-text"}),
    pre(
        "a decision and a child that goes on",
        command(f"sleep 4 & printf %s {quote(json.dumps(decides('deny')))}", timeout=1),
        differs={"decision": "leftover", "decision_reason": "leftover", "feedback": "failure-text"},
    ),
)

ANSWERS = (
    *(answer(f"permissionDecision {word}", decides(word)) for word in ("allow", "deny", "continue")),
    answer("permissionDecision ask", decides("ask"), differs={"decision": "ask"}),
    answer(
        "an unknown word",
        decides("perhaps", "why not"),
        differs={"decision": "unknown-word", "decision_reason": "unknown-word"},
    ),
    answer("a word in capitals", decides("DENY"), differs={"decision": "capitals", "decision_reason": "capitals"}),
    answer("a reason without a decision", section(permissionDecisionReason="r")),
    answer(
        "a section without a name",
        {"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "r"}},
        differs={"decision": "unnamed-section", "decision_reason": "unnamed-section"},
    ),
    answer("a section of another event", section("PostToolUse", permissionDecision="deny")),
    answer("a decision at the top", {"decision": "deny", "reason": "r"}),
    answer("an empty object", {}),
    answer("unknown keys", {"what": 1, "hookSpecificOutput": {}}),
    answer("feedback", {"feedback": "look here"}, exact=True, differs={"feedback": "newline"}),
    answer("feedback of two lines", {"feedback": "one\ntwo"}),
    answer("a message for the user", {"systemMessage": "hello"}),
    answer("suppressed output", {"suppressOutput": True}),
    answer("continue true", {"continue": True, "stopReason": "never"}),
    answer("continue false", {"continue": False, "stopReason": "enough"}),
    answer("continue false without a reason", {"continue": False}),
    answer("continue false beside a deny", {"continue": False, "stopReason": "enough", **decides("deny")}),
    answer(
        "continue false with only the reason of a deny",
        {"continue": False, **decides("deny")},
        differs={"stop_reason": "stop-reason"},
    ),
    answer("continue null", {"continue": None}, differs={"continue_execution": "falsy-continue"}),
    answer("continue 0", {"continue": 0}, differs={"continue_execution": "falsy-continue"}),
    answer("continue as text", {"continue": "false"}),
    answer("feedback that is a number", {"feedback": 5}, differs={"feedback": "wrong-text"}),
    answer("JSON after text", "Note: {}"),
    answer("half of JSON", '{"feedback": "x"'),
    answer("a JSON list", [1], differs={"feedback": "no-object"}),
    answer("JSON text", '"words"', differs={"feedback": "no-object"}),
    answer(
        "a byte order mark",
        "\ufeff" + json.dumps({"systemMessage": "m"}),
        differs={"system_message": "byte-order", "feedback": "byte-order"},
    ),
    answer("a key twice", '{"continue": true, "continue": false}'),
    answer("NaN", '{"feedback": "f", "score": NaN}', differs={"feedback": "not-a-number"}),
    answer("updatedInput", section(updatedInput={"path": "b.py", "new": [1]})),
    answer(
        "updatedInput beside a deny",
        section(updatedInput={"path": "b.py"}, permissionDecision="deny", permissionDecisionReason="r"),
    ),
    answer("updatedInput that is empty", section(updatedInput={})),
    answer("updatedInput as it was", section(updatedInput=TOOL_INPUT), differs={"updated_input": "same-value"}),
    answer("updatedInput that is text", section(updatedInput="b.py"), differs={"updated_input": "wrong-input"}),
    answer("updatedInput after a tool", section("PostToolUse", updatedInput={"a": 1}), "PostToolUse"),
    answer("updatedResponse", section("PostToolUse", updatedResponse={"text": "short"}), "PostToolUse"),
    answer("updatedResponse that is text", section("PostToolUse", updatedResponse="short"), "PostToolUse"),
    answer(
        "updatedResponse that is empty",
        section("PostToolUse", updatedResponse={}),
        "PostToolUse",
        differs={"updated_response": "empty-response"},
    ),
    answer("updatedResponse before a tool", section(updatedResponse={"a": 1})),
    answer(
        "a block after a tool",
        section("PostToolUse", decision="block", reason="r"),
        "PostToolUse",
        differs={"decision": "post-block", "decision_reason": "post-block"},
    ),
    answer("a block of a stop", section("Stop", decision="block", reason="r"), "Stop"),
    answer("a decision on a prompt", section("UserPromptSubmit", permissionDecision="deny"), "UserPromptSubmit"),
    answer("continue false on a prompt", {"continue": False, "stopReason": "not this"}, "UserPromptSubmit"),
)

TWO = (printing({"feedback": "one"}), printing({"feedback": "two"}))
CHAINS = (
    pre("two texts", *TWO),
    pre("an allow and silence", printing(decides("allow")), command("true")),
    pre("an allow and a deny", printing(decides("allow", "a")), printing(decides("deny", "d"))),
    pre("a deny ends the chain", printing(decides("deny")), printing({"feedback": "never"})),
    pre("exit 2 ends the chain", command("echo no >&2; exit 2"), printing({"feedback": "never"})),
    pre("a stop ends the chain", printing({"continue": False, "stopReason": "s"}), printing({"feedback": "never"})),
    pre(
        "a failure does not end the chain",
        command("exit 3"),
        printing({"feedback": "two"}),
        differs={"success": "success"},
    ),
    pre(
        "two allows",
        printing(decides("allow", "first")),
        printing(decides("allow", "second")),
        differs={"decision_reason": "first-reason"},
    ),
    pre(
        "two messages",
        printing({"systemMessage": "one"}),
        printing({"systemMessage": "two"}),
        differs={"system_message": "both-messages"},
    ),
    pre("two changes of one key", *(printing(section(updatedInput={"path": path})) for path in ("b", "c"))),
    pre(
        "changes of two keys",
        printing(section(updatedInput={"a": 1})),
        printing(section(updatedInput={"b": 2})),
        differs={"updated_input": "both-inputs"},
    ),
    pre(
        "what the second is told",
        printing(section(updatedInput={"path": "b.py"})),
        command('grep -o \'"path": *"[^"]*"\' | tr -d \' \''),
        differs={"feedback": "chained"},
    ),
    pre(
        "only what matches",
        printing({"feedback": "one"}, matcher="bash"),
        printing({"feedback": "two"}, matcher="write_.*"),
    ),
    pre("switched off", printing({"feedback": "one"}, enabled=False), printing({"feedback": "two"})),
    pre("suppressed by one of two", printing({"suppressOutput": True}), printing({"suppressOutput": False})),
)

ONE = toml("echo one")
FILES = (
    written("no file at all", {}),
    written("TOML of the project", {"project/.amcp/hooks.toml": ONE}),
    written("TOML of the user", {"home/.config/amcp/hooks.toml": ONE}),
    written(
        "JSON of the user",
        {"home/.config/amcp/hooks.json": config(command("echo one"))},
        differs={"feedback": "user-json"},
    ),
    written(
        "TOML and JSON of the project",
        {"project/.amcp/hooks.toml": ONE, "project/.amcp/hooks.json": config(command("echo two"))},
    ),
    written(
        "user and project, one event",
        {"home/.config/amcp/hooks.toml": ONE, "project/.amcp/hooks.toml": toml("echo two")},
        differs={"feedback": "override"},
    ),
    written(
        "user and project, two events",
        {"home/.config/amcp/hooks.toml": ONE, "project/.amcp/hooks.toml": toml("echo two", "Stop")},
    ),
    written(
        "the folder that the environment names",
        {"home/elsewhere/amcp/hooks.toml": ONE, "home/.config/amcp/hooks.toml": toml("echo never")},
        environ={"XDG_CONFIG_HOME": "<HOME>/elsewhere"},
    ),
    written(
        "a broken file beside a good one",
        {"project/.amcp/hooks.toml": "[hooks", "project/.amcp/hooks.json": config(command("echo two"))},
    ),
    written("an event that nobody knows", {"project/.amcp/hooks.toml": toml("echo never", "BeforeLunch") + ONE}),
    written(
        "an event as a list",
        {"project/.amcp/hooks.json": json.dumps({"hooks": {"PreToolUse": [command("echo one")]}})},
        differs={"feedback": "bare-list"},
    ),
    written("handlers that are no list", {"project/.amcp/hooks.json": '{"hooks": {"PreToolUse": {"handlers": 5}}}'}),
    written("no type is a command", {"project/.amcp/hooks.json": config({"command": "echo one"})}),
    written(
        "a type that nobody knows",
        {"project/.amcp/hooks.json": config({"type": "poem", "command": "echo one"}, command("echo two"))},
    ),
    written(
        "a command without its command", {"project/.amcp/hooks.json": config({"type": "command"}, command("echo two"))}
    ),
    written(
        "a time-out of 0",
        {"project/.amcp/hooks.json": config(command("sleep 0.3; echo one", timeout=0))},
        differs={"feedback": "bad-timeout"},
    ),
    written(
        "a time-out that is text",
        {"project/.amcp/hooks.json": config(command("echo one", timeout="5"))},
        differs={"feedback": "bad-timeout"},
    ),
    written(
        "a rule file",
        {"project/.amcp/hooks/rule.md": "---\nevent: file\naction: block\n---\nNo.\n"},
        differs={"decision": "rule-files", "decision_reason": "rule-files", "feedback": "rule-files"},
    ),
    written(
        "a matcher on a prompt",
        {"project/.amcp/hooks.json": config(command("echo one", matcher="bash"), event="UserPromptSubmit")},
        "UserPromptSubmit",
        differs={"feedback": "no-target"},
    ),
    pre("a relative command", command("./hook.sh"), files={"project/hook.sh": "#!/bin/sh\necho ran\n"}),
    pre(
        "the project's folder in a command",
        command('"$AMCP_PROJECT_DIR/hook.sh"'),
        files={"project/hook.sh": "#!/bin/sh\necho ran\n"},
    ),
    pre(
        "the project's folder in single quotes",
        command("echo '$AMCP_PROJECT_DIR'"),
        differs={"feedback": "substitution"},
    ),
)

SCRIPT = "import json, sys\nprint(json.load(sys.stdin)['tool_name'])\n"
SCRIPTS = (
    pre("a script, absolute", {"type": "python", "script": "<PROJECT>/check.py"}, files={"project/check.py": SCRIPT}),
    pre(
        "a script, relative",
        {"type": "python", "script": "./check.py"},
        files={"project/check.py": SCRIPT, "project/.amcp/check.py": "print('beside the config')"},
        differs={"feedback": "script-folder"},
    ),
    pre(
        "a script with a variable",
        {"type": "python", "script": "$AMCP_PROJECT_DIR/check.py"},
        files={"project/check.py": SCRIPT},
        differs={"feedback": "script-variable"},
    ),
    pre(
        "a script that raises",
        {"type": "python", "script": "<PROJECT>/check.py"},
        files={"project/check.py": "raise SystemExit(5)"},
        differs={"success": "success"},
    ),
    pre(
        "a script that blocks",
        {"type": "python", "script": "<PROJECT>/check.py"},
        files={"project/check.py": "import sys\nsys.exit(2)"},
        differs={"decision_reason": "no-words", "feedback": "no-words"},
    ),
    pre(
        "a script that is not there",
        {"type": "python", "script": "<PROJECT>/none.py"},
        differs={"success": "success", "feedback": "failure-text"},
    ),
)

WAITING = """
import asyncio

async def check(data):
    await asyncio.sleep(0)
    return {"feedback": data["session_id"]}
"""
OUTPUT = """
from {module} import HookDecision, HookOutput

def check(data):
    return HookOutput("""
REFUSAL = "decision=HookDecision.DENY, decision_reason='r', "
FUNCTIONS = (
    function("a function that returns nothing", "def check(data):\n    return None\n"),
    function("a function that returns a mapping", f"def check(data):\n    return {decides('deny')!r}\n"),
    function("a function that returns text", "def check(data):\n    return 'hello ' + data['tool_name']\n"),
    function(
        "a function that returns JSON as text",
        'def check(data):\n    return \'{"systemMessage": "m"}\'\n',
        differs={"feedback": "function-json", "system_message": "function-json"},
    ),
    function(
        "a function that returns a number",
        "def check(data):\n    return 5\n",
        differs={"feedback": "object-result", "success": "success"},
    ),
    function(
        "a function that waits",
        WAITING,
    ),
    function(
        "a function that raises",
        "def check(data):\n    raise ValueError('odd')\n",
        differs={"feedback": "failure-text", "success": "success"},
    ),
    function(
        "a function past its time",
        "import time\n\ndef check(data):\n    time.sleep(1.5)\n",
        timeout=1,
        differs={"feedback": "failure-text", "success": "success"},
    ),
    function(
        "a function that returns a HookOutput",
        OUTPUT + REFUSAL + "feedback='f', system_message='m', suppress_output=True)\n",
    ),
    function(
        "a HookOutput that stops",
        OUTPUT + "continue_execution=False, stop_reason='s')\n",
    ),
    function(
        "a HookOutput that changes the response",
        OUTPUT + "updated_response={'a': 1})\n",
        "PostToolUse",
    ),
    function(
        "a HookOutput that denies a prompt",
        OUTPUT + REFUSAL + ")\n",
        "UserPromptSubmit",
        differs={"decision": "prompt-deny", "decision_reason": "prompt-deny"},
    ),
    function(
        "a function without the path",
        "def check(data):\n    return 'found'\n",
        on_path=False,
        differs={"feedback": "function-path"},
    ),
    pre(
        "a function that is not there",
        {"type": "python", "function": "no_such_module.check"},
        differs={"feedback": "failure-text", "success": "success"},
    ),
    pre(
        "a function without a module",
        {"type": "python", "function": "check"},
        differs={"feedback": "failure-text", "success": "success"},
    ),
)

TOLD = (
    *(on(event, f"the environment on {event}", command(SHOW)) for event in EVENTS),
    *(
        on(
            event,
            f"what is told on {event}",
            {"type": "python", "script": "<PROJECT>/tell.py"},
            files={"project/tell.py": TELL},
        )
        for event in EVENTS
    ),
    pre(
        "what is told of an empty input",
        {"type": "python", "script": "<PROJECT>/tell.py"},
        files={"project/tell.py": TELL_NAMES},
        given={"tool_input": {}},
        differs={"feedback": "empty-input"},
    ),
    pre(
        "what is told without an id",
        {"type": "python", "script": "<PROJECT>/tell.py"},
        files={"project/tell.py": TELL_NAMES},
        given={"tool_use_id": None},
    ),
    pre(
        "an empty session",
        command('test -z "$AMCP_SESSION_ID" && echo none || echo one'),
        given={"session_id": ""},
        differs={"feedback": "session"},
    ),
    Case("an input as JSON", "to_json", {"hook_event_name": "PreToolUse", "cwd": "/", **WRITE}),
    Case(
        "an input with metadata as JSON",
        "to_json",
        {"session_id": "s", "hook_event_name": "PreCompact", "cwd": "/", "metadata": {"ä": 1}},
    ),
    Case(
        "an empty input as JSON",
        "to_json",
        {"hook_event_name": "PreToolUse", "cwd": "/", **WRITE, "tool_input": {}},
        differs={"json": "empty-input"},
    ),
)

BOTH = {
    "project/.amcp/hooks.json": config(
        command("echo one", matcher="bash"), command("echo two"), command("echo three", enabled=False)
    )
}
INPUT = {"event": "PreToolUse", **WRITE}
CODE = (
    Case("handlers for a tool", "get_handlers", {"event": "PreToolUse", "tool_name": "write_file"}, BOTH),
    Case("handlers for the other tool", "get_handlers", {"event": "PreToolUse", "tool_name": "bash"}, BOTH),
    Case("handlers without a tool", "get_handlers", {"event": "PreToolUse", "tool_name": None}, BOTH),
    Case("handlers of an event without any", "get_handlers", {"event": "Stop", "tool_name": None}, BOTH),
    Case("execute_hooks", "execute_hooks", {**INPUT, "tool_name_given": "write_file"}, BOTH),
    Case(
        "execute_hooks without the name",
        "execute_hooks",
        {**INPUT, "tool_name": "bash"},
        BOTH,
        {"feedback": "input-name"},
    ),
    Case("a handler in code", "in_code", {**WRITE, "handlers": [command("echo code")]}, BOTH),
    Case(
        "a handler in code that blocks", "in_code", {**WRITE, "handlers": [command("echo no >&2; exit 2", timeout=5)]}
    ),
    Case(
        "a handler in code for another tool", "in_code", {**WRITE, "handlers": [command("echo code", matcher="bash")]}
    ),
    Case(
        "a handler in code with nothing to run",
        "in_code",
        {**WRITE, "handlers": [{"type": "poem"}]},
        differs={"raises": "no-type"},
    ),
    Case(
        "a project that is not there", "run_stop_hooks", {"session_id": "s"}, {"nowhere": ""}, {"raises": "no-folder"}
    ),
    *(
        Case(f"from_exit_code {code}", "from_exit_code", {"exit_code": code, "stdout": "out", "stderr": "err"})
        for code in (0, 1)
    ),
    Case("from_exit_code 2", "from_exit_code", {"exit_code": 2, "stdout": "", "stderr": "err"}),
    Case(
        "from_exit_code of an answer",
        "from_exit_code",
        {"exit_code": 0, "stdout": json.dumps({"continue": False, "stopReason": "s", **decides("deny")}), "stderr": ""},
    ),
    Case(
        "from_exit_code of a response",
        "from_exit_code",
        {"exit_code": 0, "stdout": json.dumps(section("PostToolUse", updatedResponse={"a": 1})), "stderr": ""},
    ),
)

CASES = (*MATCHERS, *EXITS, *ANSWERS, *CHAINS, *FILES, *SCRIPTS, *FUNCTIONS, *TOLD, *CODE)
