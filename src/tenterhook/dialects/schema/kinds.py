"""The kinds of events: our own names for what can happen in an agent, the same in every dialect.

A dialect of another package may have kinds of its own; those of ours are all here.
"""

# The kinds that an agent is connected for, whether or not a hook is for them now: a hook that comes later needs no
# install.
# Kinds that come many times in a second, and those at which an agent waits for a hook's own work, are not among them.
CONNECTED = (
    *("session.start", "session.end", "prompt.submit", "tool.before", "permission.ask", "tool.after", "tool.failed"),
    *("agent.start", "agent.stop", "turn.stop", "compact.before", "notify"),
)
# The kind of a session's first event.
START = "session.start"
KINDS = {
    "prompt.submit": "the user submitted a prompt",
    "prompt.expand": "a slash command becomes a prompt",
    "prompt.transform": "a prompt was made ready for the model",
    "session.start": "a session begins or is taken up again",
    "session.end": "a session ends",
    "session.setup": "a project is set up or maintained",
    "session.delete": "a session was deleted",
    "turn.stop": "the agent wants to end its turn",
    "turn.failed": "a turn ended in an error",
    "turn.interrupted": "the user interrupted the agent",
    "tool.before": "a tool is about to run",
    "tool.after": "a tool ran",
    "tool.failed": "a tool failed",
    "tool.batch": "all tools that the model called at once are done",
    "tools.select": "the model is about to choose among tools",
    "mcp.before": "a tool of an MCP server is about to be called",
    "permission.ask": "the user is about to be asked for permission",
    "permission.denied": "permission was refused",
    "model.before": "a request is about to go to the model",
    "model.after": "the model answered",
    "model.thought": "the model has thought",
    "message.display": "a text of the model is about to be shown",
    "switch.before": "another model is about to be used",
    "switch.after": "another model is used from now on",
    "agent.start": "a subagent is about to start",
    "agent.stop": "a subagent wants to stop",
    "teammate.idle": "a teammate is about to go idle",
    "task.created": "a task was written down",
    "task.done": "a task is being marked done",
    "compact.before": "the context is about to be compacted",
    "compact.after": "the context was compacted",
    "resource.before": "a resource of an MCP server is about to be read",
    "resource.after": "a resource of an MCP server was read",
    "elicit.before": "an MCP server asks the user for something",
    "elicit.after": "the user answered an MCP server",
    "notify": "the user is being notified",
    "config.change": "a settings file or a skill changed",
    "instructions.load": "a file of instructions was read",
    "cwd.changed": "the working directory changed",
    "file.changed": "a watched file changed",
    "folder.added": "another folder belongs to the session",
    "workspace.open": "a workspace was opened",
    "worktree.create": "a worktree is wanted",
    "worktree.remove": "a worktree is to be removed",
    "tab.before": "a file is about to be read for a completion",
    "tab.after": "a completion was written",
}
