"""Keep secrets out of files, commands, MCP calls and prompts.

The hook looks for keys and tokens of known shapes, passwords in addresses, and values that are named as a secret and
look like one. It never repeats the secret: it shows the first characters and the length. An edit is not refused for a
secret that was in the file before. Environment files and lock files may hold secrets.

Options:
    writes: what to do about a secret that a tool would write: deny, ask, warn or allow
    commands: the same for a secret in a shell command
    sent: the same for a secret in the input of an MCP tool or of an unknown tool
    prompts: the same for a secret in the user's own prompt; an agent that cannot ask there refuses instead
    not_secret: globs in the project of files whose values only look like secrets

What it cannot stop:
- Secrets that do not look like one: a password that is a plain word, a key that is cut in two, encoded or put together
  later.
- What a program writes or sends: a command that prints the environment into a file has no secret in it.
- What the model has read already: a secret in a file that a tool read is in the conversation.
- A prompt in an agent that lets no hook refuse one, or does not show its hooks prompts: at most, the user is told.
"""

from __future__ import annotations

from tenterhook import hook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.author import Answer, Event

UNKNOWN = ("mcp", "other", "fetch", "web_search")


@hook("tool.before", "prompt.submit")
def secrets(
    event: Event,
    writes: str = "deny",
    commands: str = "ask",
    sent: str = "deny",
    prompts: str = "deny",
    not_secret: tuple[str, ...] = (),
) -> Answer | None:
    from tenterhook.library.parts.decisions import answer, one_of

    given = {"writes": writes, "commands": commands, "sent": sent, "prompts": prompts}
    words = {name: one_of(name, word) for name, word in given.items()}
    if event.kind == "tool.before" and not (event.command or event.is_write or event.tool in UNKNOWN):
        return None
    what, lines = find_event_secrets(event, not_secret)
    return answer(words[what], "\n".join(("secrets found this:", *lines))) if lines else None


def find_event_secrets(event: Event, not_secret: tuple[str, ...]) -> tuple[str, list[str]]:
    """The option that applies, and a line for each secret."""
    from tenterhook.library.guard import look, secret

    if event.kind == "prompt.submit":
        return "prompts", [f"- the prompt, {line}" for line in secret.describe_new_secrets(event.prompt)]
    lines = [f"- {one.text}" for one in look.secrets_of_command(event.command, "ask")] if event.command else []
    if lines or (event.command and event.tool not in UNKNOWN):
        return "commands", lines
    if event.tool in UNKNOWN:
        texts = strings(event.input)
        return "sent", [f"- {one.text}" for one in look.secrets_of_texts(texts, f"input of {event.tool_name}", "deny")]
    return "writes", in_files(event, not_secret)


def in_files(event: Event, not_secret: tuple[str, ...]) -> list[str]:
    from tenterhook.author.inputs import old_texts
    from tenterhook.library.guard import look, secret
    from tenterhook.library.parts import guarding

    place = guarding.place(event, {}, not_secret=not_secret)
    if event.paths and all(look.may_hold_secrets(path, place) for path in event.paths):
        return []
    name = ", ".join(place.shown(path) for path in event.paths)
    if not name or list(secret.describe_new_secrets(name)):  # a name may hold one, too
        name = "the text"
    before = "\n".join(old_texts(event.input))
    texts = event.texts or strings(event.input)  # for a tool whose text field has an unknown name
    return [f"- {one.text}" for one in look.secrets_of_texts(texts, name, "deny", before)]


def strings(value: object, deep: int = 8) -> list[str]:
    """Every text in a value, keys included: servers get both."""
    if isinstance(value, str):
        return [value]
    if not deep or not isinstance(value, dict | list):
        return []
    inner = [*value.keys(), *value.values()] if isinstance(value, dict) else value
    return [text for one in inner for text in strings(one, deep - 1)]
