"""The event that a hook is called for, in words that are the same for every agent."""

from __future__ import annotations

import os

from tenterhook.author import inputs
from tenterhook.author.answers import NOTHING
from tenterhook.support import tool_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from tenterhook.author.answers import Answer

# What an engine's event finds out when it is asked.
LATER = ("agent", "between", "caller_event", "data", "served", "takes", "target")
# The subject that `hook.rewrite` changes, by the kind of the event.
SUBJECTS = {
    "tool.before": "tool_input",
    "permission.ask": "tool_input",
    "tool.after": "tool_output",
    "prompt.submit": "prompt",
    "prompt.transform": "transformed_prompt",
    "agent.stop": "prompt_response",
    "model.before": "llm_request",
    "model.after": "llm_response",
    "tools.select": "tool_config",
}


class Event(dict):  # type: ignore[type-arg]
    """One event: the payload as the agent wrote it, a dictionary, with attributes that are the same for every agent.

    `data` holds everything in our words. Texts and lists are empty if the event has no such thing; only `mcp` may be
    None. Other fields of the payload are attributes too.
    """

    __slots__ = (
        *("agent", "between", "caller_event", "data", "environ", "forms", "kind", "name"),
        *("served", "takes", "target"),
    )
    forms: str
    environ: Mapping[str, str]

    def __init__(
        self,
        kind: str,
        data: dict[str, Any],
        *,
        raw: dict[str, Any],
        name: str = "",
        agent: str = "",
        target: str = "",
        between: str = "",
        served: bool = False,
        takes: Mapping[str, Iterable[str]] | None = None,
    ) -> None:
        """`target` is the field that a match is compared with, `between` separates server and tool in this agent's
        names.

        `served`: the event is only for tools of MCP servers, whatever its name says. `takes`: the fields of this
        agent's tools, by tool name.
        """
        super().__init__(raw)
        self.kind, self.data, self.name, self.caller_event = kind, data, name or kind, ""
        self.agent, self.target, self.between = agent, target, between
        self.served, self.takes = served, takes or {}

    @classmethod
    def of_engine(cls, kind: str, name: str, forms: str, environ: Mapping[str, str]) -> Event:
        """An event that an engine fires for a function; the engine fills in the payload.

        The rest is found out when the function asks for it. `forms` is the name of the engine's dialect.
        """
        event = cls.__new__(cls)
        event.kind, event.name, event.forms, event.environ = kind, name, forms, environ
        return event

    def __getattr__(self, name: str) -> Any:
        """Fill in what `of_engine` left out; else a field of the payload."""
        if name in LATER:
            from tenterhook.author import callers

            full = callers.event_in(self, callers.load(self.forms), self.name, self.environ)
            for one in LATER:
                setattr(self, one, getattr(full, one))
            return getattr(self, name)
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"this event has no {name!r}") from None

    @property
    def raw(self) -> dict[str, Any]:
        """The payload as the agent wrote it."""
        return self

    def text_of(self, name: str) -> str:
        found = self.data.get(name)
        return found if isinstance(found, str) else ""

    # ---- the tool

    @property
    def tool_name(self) -> str:
        """The tool's name in the agent's words."""
        return self.text_of("tool_name")

    @property
    def tool(self) -> str:
        """The tool in our words: one of support/tool_names.py, or `other`."""
        if self.mcp:
            return tool_names.MCP
        found = tool_names.kind(self.tool_name)
        return "read" if found == "edit" and self.input.get("command") == "view" else found

    @property
    def input(self) -> dict[str, Any]:
        """The tool's input, by the agent's own names; a tool whose input is a text has it as `input`."""
        found = self.data.get("tool_input")
        if isinstance(found, str) and found:
            return {inputs.TEXT: found}
        return found if isinstance(found, dict) else {}

    @property
    def has_text_input(self) -> bool:
        """Whether a hook would change an input that is one text, which agents may not accept."""
        return SUBJECTS.get(self.kind) == "tool_input" and isinstance(self.data.get("tool_input"), str)

    @property
    def command(self) -> str:
        """The command of a shell tool; empty for every other tool."""
        if self.tool not in ("shell", tool_names.OTHER, tool_names.MCP):
            return ""
        return (self.tool == "shell" and self.text_of("tool_input")) or inputs.command(self.input)

    @property
    def folder(self) -> str:
        """The folder in which a shell tool runs its command."""
        given = next((self.input[name] for name in inputs.FOLDERS if isinstance(self.input.get(name), str)), "")
        return os.path.abspath(os.path.join(self.cwd, given))

    @property
    def paths(self) -> tuple[str, ...]:
        """All files and folders that the tool's input names, as absolute paths; none for a shell's command."""
        return inputs.paths(self.input, self.cwd) if self.tool != "shell" else ()

    @property
    def path(self) -> str:
        """The first of `paths`: the file that most tools work on."""
        return next(iter(self.paths), "")

    @property
    def is_write(self) -> bool:
        """Whether the tool changes files. What a shell changes is not known from its name."""
        return self.tool in tool_names.WRITING

    @property
    def texts(self) -> tuple[str, ...]:
        """The text that the tool is about to write, or wrote."""
        return inputs.texts(self.input) if self.tool not in ("shell", "read") else ()

    @property
    def text(self) -> str:
        return "\n".join(self.texts)

    @property
    def mcp(self) -> Served | None:
        """Server and tool of an MCP tool; the server is empty if the agent does not name it."""
        found, server = tool_names.of_server(self.tool_name, self.between), self.server
        if server:
            return Served(server, self.tool_name.rpartition(f"{server}_")[2].lstrip("_"))
        if found:
            return Served(*found)
        return Served("", self.tool_name) if self.served else None

    @property
    def server(self) -> str:
        """The MCP server that the payload names beside the tool."""
        for name in ("mcp_context", "mcp_server", "mcp_server_name", "server_name"):
            found = self.data.get(name)
            found = found.get("server_name") or found.get("name") if isinstance(found, dict) else found
            if isinstance(found, str) and found:
                return found
        return ""

    @property
    def output(self) -> str:
        """The tool's output as text; data['tool_output'] has it in the agent's form."""
        return inputs.output_text(self.data.get("tool_output"))

    @property
    def error(self) -> str:
        found = self.data.get("error")
        found = found.get("message") if isinstance(found, dict) else found
        return found if isinstance(found, str) else ""

    # ---- the rest

    @property
    def prompt(self) -> str:
        return self.text_of("prompt")

    @property
    def session(self) -> str:
        return self.text_of("session")

    @property
    def cwd(self) -> str:
        return self.text_of("cwd") or os.getcwd()

    @property
    def project(self) -> str:
        """The project's folder if the agent names it, the first of several; else the working folder."""
        found = self.data.get("project")
        found = found[0] if isinstance(found, list) and found else found
        return found if isinstance(found, str) and found else self.cwd

    @property
    def stop_active(self) -> bool:
        """Whether a hook already kept the agent from stopping: if hooks deny again and again, it never ends."""
        count = self.data.get("stop_count")
        return self.data.get("stop_hook_active") is True or (isinstance(count, int | float) and count > 0)

    def names(self) -> tuple[str, ...]:
        """The names that a hook's `match` is compared with."""
        if self.tool_name or self.served:
            served = self.mcp
            return tool_names.names(self.tool_name, (served.server, served.tool) if served else None)
        found = self.data.get(self.target)
        return (found,) if isinstance(found, str) and found else ()

    @property
    def subject(self) -> Any:
        """The value that a hook can change: the tool's input or output, the prompt, the request or the response."""
        return self.data.get(SUBJECTS.get(self.kind, ""))

    def after(self, answer: Answer) -> Event:
        """The event with a hook's change, for the hooks after it."""
        subject = SUBJECTS.get(self.kind, "")
        if not answer.changes or not subject:
            return self
        before = self.data.get(subject)
        value = before if answer.change is NOTHING else answer.change
        if subject == "tool_input":
            value = self.changed_input(before, value, answer.edits)
        elif answer.edits:
            value = inputs.apply_field_edits(value if isinstance(value, dict) else {}, answer.edits)
        elif subject == "tool_output":
            value = inputs.output_like(value, before)
        changed = Event(
            self.kind,
            {**self.data, subject: value},
            raw=self.raw,
            name=self.name,
            agent=self.agent,
            target=self.target,
            between=self.between,
            served=self.served,
            takes=self.takes,
        )
        changed.caller_event = self.caller_event
        return changed

    def changed_input(self, before: Any, value: Any, edits: dict[str, Any]) -> Any:
        """The tool's input with a change; raises if the agent would not carry the change out."""
        if isinstance(value, str) != isinstance(before, str):
            wanted = "one text" if isinstance(before, str) else "fields, hook.rewrite(name=value)"
            raise inputs.Misplaced(f"hook.rewrite has a wrong form: the input of {self.tool_name} is {wanted}")
        takes = self.takes.get(self.tool_name, self.takes.get(inputs.any_of(self.tool)))
        return inputs.edited_input(value, edits, self.tool_name, takes) if edits else value

    def __repr__(self) -> str:
        return f"Event({self.kind!r}, {self.data!r})"


class Served:
    """A tool of an MCP server."""

    __slots__ = ("server", "tool")

    def __init__(self, server: str, tool: str) -> None:
        self.server, self.tool = server, tool

    def __repr__(self) -> str:
        return f"Served({self.server!r}, {self.tool!r})"
