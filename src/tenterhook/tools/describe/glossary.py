"""What the words of a dialect mean, one line each, for people: used by the command and the pages only."""

from __future__ import annotations

MATCHERS = {
    "glob": "names between |, trimmed, each a glob on the whole name; case counts",
    "glob-nocase": "names between |, trimmed, each a glob on the whole name; case does not count",
    "regex-full": "a regular expression that must fit the whole name; one that is invalid is compared as text",
    "regex-search": "a regular expression that is searched for in the name; one that is invalid is compared as text",
    "literal": "the name itself",
    "names-or-regex": "of letters, digits, _, -, blanks, commas and |: exact names; anything else is a regular "
    "expression that is searched for in the name; one that is invalid matches nothing",
    "names-or-regex-narrow": "of letters, digits, _ and |: exact names; anything else is a regular expression that is "
    "searched for in the name; one that is invalid matches nothing",
    "names-and-regex": "names between |, trimmed, and all of it a regular expression that is searched for in the name; "
    "one that is invalid is names alone",
    "names-or-regex-whole": "trimmed; of letters, digits, _ and |: exact names; anything else is a regular expression "
    "that must fit the whole name; one that is invalid, or empty, matches nothing, blanks alone match everything",
    "regex-whole": "a regular expression that must fit the whole name; one that is invalid matches nothing, nor do an "
    "empty one and *",
}
ENGINES = {
    "": "",
    "javascript": "; patterns are read as JavaScript's",
    "javascript-2025": "; patterns are read as JavaScript's, with the modifiers of 2025, (?i:...)",
    "rust": "; patterns are read as Rust's: without look-around, with flags anywhere",
}


def matcher(kind: str) -> str:
    """How a matcher is read, and by which engine."""
    how, _, engine = kind.partition("@")
    return MATCHERS[how] + ENGINES[engine]


UNITS = {
    "seconds": "seconds",
    "milliseconds": "milliseconds",
    "whole-seconds": "whole seconds, at least one",
    "seconds-below-1000": "seconds, and milliseconds from 1000 on",
}
DEDUPES = {
    "": "",
    "command": "command",
    "name-command": "name and command",
    "name-main": "name and command, prompt or URL, or the same name in the same file",
    "main": "type and command, prompt or URL",
}
ORDERS = {
    "parallel": "the hooks of an event run at once",
    "sequential": "the hooks of an event run one after another, in the order of the files",
    "parallel-unless-sequential": "the hooks of an event run at once, or one after another where one of them says so",
}
MERGES = {
    "replace": "the last hook's value counts as a whole",
    "last-finished": "the value of the hook that finished last counts as a whole",
    "last-finished-alike": "the same, of values that have the form of what was there; others count for nothing",
    "union": "what any hook lists",
    "overlay": "each hook's object is laid over the one before, by top-level key",
    "overlay-last": "of hooks that ran at once the last one's object is laid over what was there",
    "overlay-given": "the last hook's object is laid over what was there before all of them",
    "any": "true where any hook says so",
    "union-tools": "all allowed names together; the most restrictive mode counts",
    "tools-of-hooks": "all names that hooks allow together; the most restrictive mode counts, AUTO if nobody said one",
}
LAYERS = {
    "add": "hooks of all files add up",
    "override-by-event": "an event that a project's file names replaces the user's hooks of that event",
}
EFFECTS = {
    "decision": "decides",
    "reason": "the reason of the decision",
    "notice": "is shown to the user, and is the reason where there is no other",
    "follow_up": "keeps the agent at work, with this text",
    "continue": "false stops the agent",
    "stop": "true stops the agent",
    "stop_reason": "why the agent stops",
    "suppress": "true hides the output from the user",
    "text": "a message",
    "input": "changes the tool's input",
    "output": "changes the tool's output",
    "request": "changes the model request",
    "response": "gives the model's response",
    "tool_config": "limits the tools",
    "set": "asks the host for something",
    "hold": "keeps the agent going; the text is its instruction",
    "note": "is read with its neighbours and says nothing alone",
}
VALUES = {
    "session": "the session's id",
    "cwd": "the working directory",
    "project": "the project's folder",
    "event": "the event's name",
    "timestamp": "when it happened, ISO 8601",
    "transcript": "the transcript's path",
    "agent": "the agent's id",
    "tool": "the tool's name",
    "pid": "the process id of the agent",
}
FIELD_FORMS = {
    "json": "as JSON in text",
    "epoch-ms": "in milliseconds since 1970",
    "nullable": "null where there is none",
    "iso": "in ISO 8601",
    "list": "as a list",
    "called": "by the name that the agent's hooks know it by",
    "result": "as a record of resultType and textResultForLlm",
    "result-snake": "as a record of result_type and text_result_for_llm",
    "error": "as a record of message and name",
    "after-colon": "without what stands before its colon",
    "edits": "as a list of old_string and new_string",
}
KEYS = {
    "type": "which handler runs the hook",
    "spec": "what runs, and with what",
    "matcher": "which names the hook is for",
    "matcher_trimmed": "which names the hook is for",
    "match_kind": "how the matcher is read, where it differs from the dialect's",
    "timeout": "how long the hook may take",
    "timeout_else": "the same, where that key is not there",
    "enabled": "false switches the hook off",
    "name": "what the hook is called in reports",
    "sequential": "true runs the event's hooks one after another",
    "override": "true replaces the general hooks by the agent's own",
    "event": "the event, or a list of events",
    "priority": "higher comes first",
    "once": "true runs the hook once in an engine's life; each `tenter fire` is an engine of its own",
    "leftovers": "keep or end the processes that the hook leaves behind",
    "condition": "dotted paths into the event's data and the globs they must fit",
    "on_failure": "allow, ask or deny where the hook fails, for all causes or by cause",
    "env": "names to pass on from the host's environment, or values to set",
    "sandbox": "off, or what the hook's process may do: network (none, loopback, full), read and write (paths)",
    "background": "true does not wait for the hook; its texts are told on the next turn, it decides nothing",
    "note": "for people",
    "warm": "false starts the interpreter anew for each event, though the hook is a Python script",
    "words": "what the program is called with; then no shell reads it, and ${NAME} stands for a variable",
    "rule": "a permission rule that the call must fit, such as Bash(git *)",
    "closed": "whether the hook's failure counts as a refusal",
    "wakes": "true runs it in the background, and tells the model of its refusal when it comes",
    "once_in_skill": "true runs the hook once in a session; in skills only",
    "stop_cap": "how often in a row the hook may keep the agent from stopping; null is without end",
    "ours": "options of tenterhook: name, if, on_failure, leftovers, once, env, sandbox, warm, those of its handlers",
    "spec_flag": "true or false",
    "spec_texts": "names and their texts",
    "spec_seconds": "seconds",
    "spec_count": "how many at most",
    "spec_object": "an object",
    "context_limit": "how many tokens of context the hook may give; what is beyond is cut",
}
# What a key of a handler means, if that is more than its setter tells.
SPECS = {
    "url": "where an http hook's event is sent",
    "headers": "what is sent with it; $NAME stands for a variable that the entry's list of variables names",
    "allowedEnvVars": "the variables that headers may use",
    "loopback": "true lets an http hook reach this machine",
    "private": "true lets an http hook reach private networks",
    "connect_timeout": "seconds that an http hook may take to connect",
    "prompt": "what a model is asked; the event's JSON stands in for $ARGUMENTS, or follows",
    "model": "PROVIDER:NAME, or NAME@URL for a server that speaks OpenAI's chat completions",
    "server": "the MCP server whose tool is called",
    "tool": "the tool that is called",
    "input": "what the tool is given; ${dotted.path} stands for a value of the event",
    "continueOnBlock": "true lets the turn go on where the model refuses",
    "max_turns": "how often an agent hook's model is asked at most",
    "max_tokens": "how many tokens a prompt or agent hook may use, in and out",
}
# The forms of a command. Of other types, the handler says what they are.
FORMS = {
    "shell": "a shell runs the text; a list of words runs without a shell",
    "program": "one program, without a shell",
    "exec": "a program with its arguments, without a shell",
    "none": "depends on the host",
}
MODES = {
    "faithful": "what the agent's own documents say, holes included; lost answers are reported",
    "strict": "a hook that failed or cannot be read asks or denies, where the event can be blocked",
    "observe": "hooks run and are recorded, nothing is applied",
}
NETWORKS = {
    "none": "no network at all",
    "loopback": "a network of its own, with nobody but what the hook itself starts",
    "full": "the network as it is",
}


def key(name: str, setter: str) -> str:
    """What a key of an entry means."""
    return SPECS.get(name) or KEYS[setter]


CAUTIONS = {
    "approval": "what the agent's user must approve before a hook runs",
    "byte order mark": "where what hooks are told begins with one",
    "keys": "whose keys hooks are given with the environment",
}
