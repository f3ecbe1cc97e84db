"""Recognise a tool under any agent's name for it, and test a hook's `match` against it.

A tool is known by all its names: the agent's own, ours (shell, read, write, edit, search, glob, fetch, web_search, mcp,
subagent, ask, todo), and those that other agents have for the same tool. A `match` of letters, digits, `_`, `-` and
spaces, with `|` or a comma between, is a list of names: it fits if one of them is a whole name of the tool.
Anything else is a regular expression: it fits if it is found in one of the tool's names. Nothing and `*` fit always.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# Names as agents write them. A tool that does two things is listed twice; the first place is its kind.
TOOLS = {
    "shell": (
        *("Bash", "bash", "Shell", "shell", "run_shell_command", "execute_command", "local_shell", "exec_command"),
        *("shell_command", "run_in_terminal", "execute_bash", "powershell", "PowerShell", "run_command", "Execute"),
        *("launch-process", "Monitor", "monitor"),
    ),
    "read": (
        *("Read", "read", "read_file", "read_many_files", "view", "fs_read", "view_image", "NotebookRead"),
        *("readFile", "view_file"),
    ),
    "edit": (
        *("Edit", "edit", "MultiEdit", "multiedit", "replace", "apply_patch", "patch", "str_replace", "NotebookEdit"),
        *("str_replace_editor", "str_replace_based_edit_tool", "edit_file", "replace_in_file", "search_replace"),
        *("replace_string_in_file", "multi_replace_string_in_file", "insert_edit_into_file", "edit_notebook_file"),
        *("notebook_edit", "edit_notebook", "str-replace-editor", "ApplyPatch", "StrReplace"),
    ),
    "write": (
        *("Write", "write", "write_file", "create", "Create", "create_file", "write_to_file", "fs_write", "save-file"),
        *("Delete", "delete_file", "remove-files", "move_file", "rename_file"),
        *("apply_patch", "patch", "str_replace_editor", "str_replace_based_edit_tool", "ApplyPatch"),
    ),
    "search": (
        *("Grep", "grep", "rg", "grep_search", "search_file_content", "search_files", "codebase_search"),
        *("semantic_search", "codebase-retrieval", "SemanticSearch"),
    ),
    "glob": (
        *("Glob", "glob", "LS", "list", "list_directory", "list_dir", "list_files", "file_search", "glob_file_search"),
    ),
    "fetch": ("WebFetch", "webfetch", "web_fetch", "fetch_webpage", "FetchUrl", "web-fetch"),
    "web_search": ("WebSearch", "websearch", "web_search", "google_web_search", "web-search"),
    "subagent": (
        "Task",
        "task",
        "Agent",
        "agent",
        "spawn_agent",
        "delegate_to_agent",
        "runSubagent",
        "new_task",
        "invoke_agent",
    ),
    "ask": (
        *("AskUserQuestion", "ask_user", "ask_user_question", "ask_followup_question", "request_user_input"),
        *("question", "AskQuestion"),
    ),
    "todo": (
        *("TodoWrite", "todowrite", "todo_write", "write_todos", "update_plan", "update_todo", "manage_todo_list"),
        *("TodoRead", "todoread", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet"),
    ),
}
WRITING = ("write", "edit")
OTHER, MCP = "other", "mcp"
# The prefixes of the names of MCP tools, and the separators of server and tool.
MARKS = (("mcp__", "__"), ("mcp.", "."), ("mcp_", "_"), ("MCP:", ":"), ("@", "/"))
IN_NAMES = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-|, ")


def kind(name: str) -> str:
    """Our word for a tool: `mcp` for one of a server, `other` for an unknown one, empty without a name."""
    for ours, names in TOOLS.items():
        if name in names:
            return ours
    if not name:
        return ""
    return MCP if name.startswith(tuple(mark for mark, _ in MARKS)) else OTHER


def names(name: str, served: tuple[str, str] | None = None) -> tuple[str, ...]:
    """All names of a tool, its own first; `served` is server and tool of an MCP tool."""
    known = [name]
    for ours, same in TOOLS.items():
        if name in same:
            known += (ours, *same)
    if served:
        known += (MCP, f"mcp__{served[0]}__{served[1]}")
    return tuple(known) if len(known) > 1 else (name, OTHER)


def of_server(name: str, between: str = "") -> tuple[str, str] | None:
    """Server and tool in the name of an MCP tool; an agent that does not name the server leaves it empty.

    `between` is for an agent whose MCP tools have no prefix: a separator that its own tool names do not contain.
    """
    for mark, usual in MARKS:
        if name.startswith(mark):
            server, found, tool = name[len(mark) :].partition(usual)
            return (server, tool) if found else ("", server)
    if between and between in name and kind(name) == OTHER:
        server, _, tool = name.rpartition(between)
        return server, tool
    return None


def is_list(match: str) -> bool:
    """Whether a `match` is a list of names, not a regular expression."""
    return match in ("", "*") or IN_NAMES.issuperset(match)


def fits(match: str, known: Iterable[str]) -> bool:
    """Whether a hook's `match` fits something that has these names."""
    if match in ("", "*"):
        return True
    if is_list(match):
        wanted = {one.strip() for one in match.replace(",", "|").split("|")}
        return not wanted.isdisjoint(known)
    import re

    return any(re.search(match, one) for one in known)
