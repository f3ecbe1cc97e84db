"""Which MCP servers the files name, and how each is started or reached."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from tenterhook.errors import ConfigError, TenterhookError, nearest
from tenterhook.support.readers import Document, read

# Where files name their servers.
KEYS = ("mcpServers", "mcp_servers")
TYPES = {"stdio": "stdio", "http": "http", "streamable-http": "http", "sse": "sse"}
VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")


class ServerError(TenterhookError):
    """A server could not be started, or a tool of it failed. Its text is for the model, too."""


class McpServer(Struct, frozen=True):
    """A server as a file names it; its variables are expanded when it is started."""

    name: str
    source: str = ""
    type: str = "stdio"
    command: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}
    cwd: str = ""
    url: str = ""
    headers: dict[str, str] = {}


def read_servers(files: Iterable[str]) -> list[McpServer]:
    """The servers of all files; if two files name the same one, the earlier file counts."""
    found: dict[str, McpServer] = {}
    for file in files:
        document = read(str(file), "toml" if str(file).endswith(".toml") else "jsonc")
        for server in parse_server_entries(document) if document else ():
            found.setdefault(server.name, server)
    return list(found.values())


def parse_server_entries(document: Document) -> list[McpServer]:
    key = next((key for key in KEYS if key in document.data), KEYS[0])
    every = document.data.get(key, {})
    if not isinstance(every, dict):
        raise wrong(document, (key,), "must be an object of servers by name")
    return [server(document, (key, name), entry) for name, entry in every.items() if not is_off(entry)]


def is_off(entry: Any) -> bool:
    return isinstance(entry, dict) and (entry.get("disabled") is True or entry.get("enabled") is False)


def server(document: Document, path: tuple[str, str], entry: Any) -> McpServer:
    """One entry. Keys of other agents are ignored."""
    name = path[1]
    if not isinstance(entry, dict):
        raise wrong(document, path, "must be an object with a command or a url")
    address = "httpUrl" if "httpUrl" in entry and "url" not in entry else "url"
    for key in ("command", address, "cwd"):
        if not isinstance(entry.get(key, ""), str):
            raise wrong(document, (*path, key), "must be text")
    args = entry.get("args", [])
    if not isinstance(args, list) or not all(isinstance(one, str) for one in args):
        raise wrong(document, (*path, "args"), "must be a list of texts")
    return McpServer(
        name=name,
        source=document.file,
        type=transport(document, path, entry, bool(entry.get(address))),
        command=entry.get("command", ""),
        args=tuple(args),
        env=texts(document, (*path, "env"), entry.get("env", {})),
        cwd=entry.get("cwd", ""),
        url=entry.get(address, ""),
        headers=texts(document, (*path, "headers"), entry.get("headers", {})),
    )


def transport(document: Document, path: tuple[str, ...], entry: dict[str, Any], remote: bool) -> str:
    """stdio, http or sse; if the entry does not say, its other keys decide."""
    if bool(entry.get("command")) == remote:
        raise wrong(document, path, "needs a command or a url" + (", not both" if remote else ""))
    named = entry.get("type")
    if named is None:
        return "http" if remote else "stdio"
    if not isinstance(named, str) or named not in TYPES:
        raise wrong(
            document, (*path, "type"), f"is {named!r}{nearest(str(named), TYPES)}; it may be: {', '.join(TYPES)}"
        )
    if (TYPES[named] == "stdio") == remote:
        raise wrong(
            document, (*path, "type"), f"is {named!r}, which does not go with a {'url' if remote else 'command'}"
        )
    return TYPES[named]


def texts(document: Document, path: tuple[str, ...], value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        raise wrong(document, path, "must be an object of texts by name")
    for key, text in value.items():
        if not isinstance(text, str):
            raise wrong(document, (*path, key), "must be text, in quotes")
    return value


def wrong(document: Document, path: tuple[str, ...], message: str) -> ConfigError:
    line, column = document.where(path)
    return ConfigError(f"{'.'.join(path)} {message}", file=document.file, line=line, column=column)


def expand_server_variables(server: McpServer, environ: Mapping[str, str]) -> McpServer:
    """Replace `${NAME}` and `${NAME:-default}` in every text of it by values of the environment."""

    def value(found: re.Match[str]) -> str:
        name, default = found.groups()
        if default is not None:
            return environ.get(name) or str(default)
        if name not in environ:
            raise ServerError(f"the variable {name} is not set in the environment; set it, or write ${{{name}:-...}}")
        return environ[name]

    def text(given: str) -> str:
        return VARIABLE.sub(value, given)

    return replace(
        server,
        command=text(server.command),
        args=tuple(text(one) for one in server.args),
        env={key: text(one) for key, one in server.env.items()},
        cwd=text(server.cwd),
        url=text(server.url),
        headers={key: text(one) for key, one in server.headers.items()},
    )
