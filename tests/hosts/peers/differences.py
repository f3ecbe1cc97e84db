"""Every way in which agents' own APIs differ here from the programs that they come from, with the reason.

Tests name these rows: a difference without a row fails them, and so does a row that no test shows any more.
`python differences.py amcp` prints the table for docs/embed/hosts/amcp.md; `massgen` the other one.
"""

from __future__ import annotations

import sys
from typing import NamedTuple


class Difference(NamedTuple):
    """One row."""

    what: str
    theirs: str
    ours: str
    why: str


AMCP = {
    # ---- files
    "override": Difference(
        "a user's and a project's handlers for one event",
        "all run, the user's first",
        "the project's only",
        "the document: project-level hooks override user-level hooks",
    ),
    "user-json": Difference("the user's hooks.json", "never read", "read", "the document names it"),
    "bare-list": Difference(
        "an event that is a list, without `handlers`",
        "it and all events after it are lost",
        "its items are the handlers",
        "the meaning is clear, and a guard is not lost for a bracket",
    ),
    "script-folder": Difference(
        "a relative `script`",
        "counts from the folder of the config file",
        "counts from the project",
        "the document's example uses the same `./scripts/` for commands and scripts",
    ),
    "script-variable": Difference(
        "`$AMCP_PROJECT_DIR` and `~/` in `script`",
        "taken as they are written",
        "expanded",
        "the document lists the variables for all handlers",
    ),
    "substitution": Difference(
        "`$AMCP_PROJECT_DIR` in a command",
        "its text is replaced, quoted or not",
        "it is a variable of the shell",
        "a folder's name must not become part of a program",
    ),
    "function-path": Difference(
        "a `function` in a module of the project",
        "found only where the host put the project on its path",
        "found",
        "the document says: importable; a project's own modules are",
    ),
    "bad-timeout": Difference(
        "a `timeout` that is not a number above 0",
        "the handler fails each time, unheard",
        "it is said, and 30 seconds count",
        "a slip in a time must not switch a guard off",
    ),
    "no-folder": Difference(
        "a project folder that is not there",
        "a project without hooks",
        "`UsageError`",
        "a wrong path must not pass for a project without hooks",
    ),
    # ---- matchers
    "no-target": Difference(
        "a matcher on an event without a tool",
        "the handler never runs",
        "the matcher is ignored, which is said",
        "there is nothing to match on",
    ),
    "flags": Difference(
        "a matcher with flags in front, such as `(?i)bash`",
        "not a regex, compared as it is written",
        "a regex",
        "Python reads it as one when nothing is put around it",
    ),
    "named-group": Difference(
        "a matcher with a group `(?<name>...)`",
        "not a regex, compared as it is written",
        "a regex",
        "agents in JavaScript write named groups this way",
    ),
    "line-end": Difference(
        "a tool name that ends with a line end", "matches as if it did not", "does not match", "the whole name counts"
    ),
    "unnamed": Difference(
        "no tool name", "only `*` and the empty matcher fit", "what fits an empty name fits", "`.*` is everything too"
    ),
    "input-name": Difference(
        "`execute_hooks` without `tool_name`, where the input has one",
        "no matcher fits",
        "the input's counts",
        "a forgotten argument must not get past every guard",
    ),
    # ---- what hooks are told
    "empty-input": Difference(
        "an empty `tool_input`", "left out of what hooks are told", "told", "a hook may rely on the field"
    ),
    "chained": Difference(
        "what a handler is told after another changed the input",
        "the original",
        "the input as changed so far",
        "it guards what will really happen",
    ),
    "session": Difference(
        "an empty session id", "told as it is", "one is made up", "a log must be able to tell runs apart"
    ),
    # ---- answers
    "ask": Difference(
        '`permissionDecision` "ask"', "denies", "`HookDecision.ASK`", "the document: prompt the user for confirmation"
    ),
    "unknown-word": Difference(
        "an unknown `permissionDecision`",
        "denies",
        "decides nothing, which is said",
        "the document knows three words; a strict engine denies too",
    ),
    "capitals": Difference(
        "`permissionDecision` in capitals",
        "read as if in small letters",
        "an unknown word, which is said",
        "the document writes three words, in small letters",
    ),
    "unnamed-section": Difference(
        "`hookSpecificOutput` without `hookEventName`",
        "does not count",
        "counts",
        "which event it is for is clear; a deny is not lost for a name",
    ),
    "post-block": Difference(
        '`decision: "block"` in the section of `PostToolUse`',
        "denies",
        "not read, which is said",
        "the document does not have it; exit 2 and feedback are there",
    ),
    "no-object": Difference(
        "JSON that is not an object", "the handler has failed", "text, and so feedback", "only an object is an answer"
    ),
    "falsy-continue": Difference(
        "`continue` that is null or 0", "stops the agent", "is said and does not count", "only false is false"
    ),
    "stop-reason": Difference(
        "`continue: false` without `stopReason`, beside a reason",
        "no reason",
        "that reason",
        "the stopped agent is told why",
    ),
    "wrong-text": Difference(
        "`feedback` that is not text",
        "replaced by an error message for the model",
        "is said and does not count",
        "the model is told what hooks say, not what went wrong in here",
    ),
    "wrong-input": Difference(
        "`updatedInput` that is not an object", "handed to the host", "is said and does not count", "no tool takes it"
    ),
    "empty-response": Difference(
        "an empty `updatedResponse`", "does not count", "replaces the response", "a hook may take all of it away"
    ),
    "byte-order": Difference(
        "a byte order mark before the JSON", "not JSON, and so feedback", "read", "a deny is not lost for a mark"
    ),
    "not-a-number": Difference("`NaN` in an answer", "read", "not JSON, and so feedback", "JSON has no such word"),
    "object-result": Difference(
        "a function that returns neither mapping nor text",
        "its `str()` is feedback",
        "it has failed",
        "a number is not an answer",
    ),
    "function-json": Difference(
        "a function that returns JSON as text",
        "the text is feedback",
        "read as if printed",
        "a function and a program say the same in the same words",
    ),
    "prompt-deny": Difference(
        "a function that returns `HookOutput(decision=DENY)` for a prompt",
        "`decision` is DENY",
        "not read, which is said",
        "decisions belong to `PreToolUse`; `continue_execution=False` stops a prompt",
    ),
    # ---- several handlers
    "newline": Difference(
        "`feedback`", "starts with an empty line", "starts with its first word", "no hook said that line"
    ),
    "both-inputs": Difference(
        "two handlers that change the input",
        "only the last one's changes",
        "both, the later over the earlier",
        "the document: merged",
    ),
    "same-value": Difference(
        "`updated_input` that changes nothing",
        "repeated",
        "None",
        "it holds what is to be laid over the input",
    ),
    "both-messages": Difference(
        "two handlers with a `systemMessage`", "the last one's", "both, one a line", "no hook's words are lost"
    ),
    "first-reason": Difference(
        "two handlers that allow", "the last one's reason", "the first one's reason", "as everywhere in this project"
    ),
    # ---- failures
    "success": Difference(
        "`success`", "always true", "false where a handler failed", "health is told, apart from decisions"
    ),
    "failure-text": Difference(
        "a handler that failed: time-out, no script, exception",
        "a text about it in `feedback`, for the model",
        "in the log and in `outcome`",
        "the document: logged as a warning, execution continues",
    ),
    "no-words": Difference(
        "exit 2 without a word", '"Hook denied"', '"Blocked by hook"', "one text for a deny that gives no reason"
    ),
    "leftover": Difference(
        "a decision whose child keeps the pipe open past the time-out",
        "lost",
        "counts",
        "a hook that printed its decision and ended has decided",
    ),
    "no-type": Difference(
        "a handler made in code that has nothing to run",
        "skipped",
        "`UsageError`",
        "the host is told at once that its guard guards nothing",
    ),
    "rule-files": Difference(
        "rule files (`hooks/*.md`) and plugins",
        "read",
        "not read, which is logged for each",
        "the document does not have them",
    ),
}

MASSGEN = {
    # ---- registration
    "command": Difference(
        "a handler of `type: command`",
        "taken for a function that cannot be imported: every call is denied",
        "a program that is run",
        "the document: external command hooks",
    ),
    "untyped": Difference(
        "no `type`", "python", "a path is a command, a dotted name python", "the handler says what it is"
    ),
    "override": Difference(
        "`override: true` with an empty list, or in an item of the list",
        "the global hooks go on",
        "switches them off",
        "the document: only per-agent hooks are executed",
    ),
    "project-module": Difference(
        "a handler in a module of the project",
        "found only where the host put the project on its path",
        "found",
        "a project's hooks are in the project",
    ),
    "time": Difference(
        "the `timeout` of a class derived from `PatternHook`",
        "does not count",
        "counts",
        "the document: hooks shall have timeouts",
    ),
    # ---- what hooks are told
    "session": Difference(
        "no session id", "told as empty text", "one is made up", "a log must be able to tell runs apart"
    ),
    "context": Difference("the host's `context`", "`tool_output` is written into it", "left alone", "it is the host's"),
    # ---- answers
    "both-names": Difference(
        "a changed input",
        "in `modified_args`, as JSON text",
        "there, and in `updated_input`",
        "the document calls it updated_input",
    ),
    "bad-text": Difference(
        "`modified_args` that are not JSON",
        "handed to the tool",
        "the hook has failed; the input stays",
        "no tool takes half an object",
    ),
    "unknown-word": Difference(
        'a decision such as "block"', "allowed in silence", "allowed, and logged", "a lost decision is said"
    ),
    "allow-reason": Difference(
        "the reason of an allow", "only in `executed_hooks`", "in `reason` too", "no hook's words are lost"
    ),
    "early-inject": Difference(
        "`inject` before a tool ran", "taken", "logged; it has no effect", "there is no result to add it to"
    ),
    "text-result": Difference(
        "a function that returns text",
        "ignored",
        "JSON is its answer, other text has failed",
        "a function and a program say the same in the same words",
    ),
    # ---- several hooks
    "strategies": Difference(
        "injections with different strategies",
        "one text, with the last one's strategy",
        "that in `inject`; each with its own in `injections`",
        "the document gives each injection a strategy",
    ),
    "trace": Difference(
        "hooks that ran before a deny",
        "forgotten, with what they changed and injected",
        "in `executed_hooks`, `injections` and `outcome`",
        "what ran is told",
    ),
    "first-reason": Difference(
        "two hooks that ask", "the last one's reason", "the first one's reason", "as everywhere in this project"
    ),
    "no-reason": Difference(
        "a deny without a reason",
        '"Denied by hook NAME"',
        '"Blocked by hook"',
        "one text for a deny that gives no reason; `executed_hooks` has the name",
    ),
    # ---- failures
    "import": Difference(
        "a function that cannot be imported",
        "denied; `hook_errors` is empty",
        "denied; `hook_errors` says why",
        "a failure is a failure, whatever it leads to",
    ),
}


def table(rows: dict[str, Difference], program: str) -> str:
    head = [f"| What | {program} | Here | Why |", "| --- | --- | --- | --- |"]
    return "\n".join([*head, *(f"| {' | '.join(one)} |" for one in rows.values())])


TABLES = {"amcp": table(AMCP, "AMCP 0.13.0"), "massgen": table(MASSGEN, "MassGen 0.1.97")}

if __name__ == "__main__":
    print(TABLES[sys.argv[1]])
