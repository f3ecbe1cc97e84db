"""`tenter mcp`: a relay between an MCP client and an MCP server, with hooks on what passes."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from tenterhook.cli.options import CONFIG, PROJECT, CommandUsage, Option
from tenterhook.cli.project import TRUST, engine_for, warn
from tenterhook.errors import UsageError

if TYPE_CHECKING:
    from tenterhook.adapters.mcp.relay import McpRelay
    from tenterhook.engine.engine import Engine

USAGE = CommandUsage(
    "mcp",
    "Stand between an MCP client and a server: hooks see each tool call, list of tools, resource, prompt, sampling\n"
    "request and elicitation. All else passes as it is. The client speaks to our stdin and stdout. Behind -- stands\n"
    "the command that starts the server; --url is for a server that is there already.",
    (),
    (
        Option("url", "the server's address, for streamable HTTP", "URL"),
        Option("header", "send this to the URL, 'Name: value' with ${VARIABLE}; may stand several times", "HEADER"),
        Option("name", "the server's name in hooks: a tool is mcp__NAME__TOOL (default: from the command)", "NAME"),
        PROJECT,
        CONFIG,
        TRUST,
    ),
    "tenter mcp --name github -- npx -y @modelcontextprotocol/server-github",
    "usage with a command: tenter mcp [OPTIONS] -- COMMAND [ARG...]\n"
    "exit codes: the server's own, 0 when the client has left, 1 could not run: bad call, bad config",
)
# Programs that start the program that an argument names.
LAUNCHERS = ("npx", "bunx", "uvx", "pipx", "uv", "node", "bun", "deno", "python", "python3", "docker", "podman", "env")
# Arguments of these that are not the server's name.
VERBS = ("run", "tool", "x", "exec")
NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]+")


def run(argv: list[str]) -> int:
    words, command = (argv[: argv.index("--")], argv[argv.index("--") + 1 :]) if "--" in argv else (argv, [])
    words, headers = take_headers(words)
    options = USAGE.parse(words)
    if options is None:
        return 0
    url = options.get("url", "")
    if bool(url) == bool(command):
        raise USAGE.error(
            "a server is needed: behind -- the command that starts it, or --url" + ", not both" * bool(url)
        )
    if headers and not url:
        raise USAGE.error("--header goes with --url")
    name = checked_name(options["name"]) if "name" in options else name_of(url, command)
    with engine_for(options) as engine:  # a broken config ends us before a server runs unguarded
        warn(list(engine.warnings))
        return run_over_http(engine, name, url, headers) if url else run_child(engine, name, command)


def take_headers(words: list[str]) -> tuple[list[str], list[str]]:
    """The values of --header, which may stand several times, and the other words."""
    left: list[str] = []
    headers: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--header":
            headers.append(next(rest, ""))
        elif word.startswith("--header="):
            headers.append(word.removeprefix("--header="))
        else:
            left.append(word)
    return left, headers


def run_child(engine: Engine, name: str, command: list[str]) -> int:
    from tenterhook.adapters.mcp.stdio import ChildServer, write_client

    relay = make_relay(engine, name)
    server = ChildServer(command)
    relay.connect(write_client, server.send)
    return server.serve(relay, 0)


def run_over_http(engine: Engine, name: str, url: str, headers: list[str]) -> int:
    from tenterhook.adapters.mcp.http import HttpServer
    from tenterhook.adapters.mcp.stdio import write_client

    relay = make_relay(engine, name)
    server = HttpServer(url, fill_headers(headers), relay)
    relay.connect(write_client, server.send)
    return server.serve(0)


def make_relay(engine: Engine, name: str) -> McpRelay:
    from tenterhook.adapters.mcp.relay import McpRelay

    return McpRelay(engine, name, lambda text: warn([text]))


def fill_headers(given: list[str]) -> dict[str, str]:
    """`Name: value` by name, with variables of the environment, so that no secret stands in a command line."""
    from tenterhook.clients.mcp.config import McpServer, ServerError, expand_server_variables

    found = {}
    for text in given:
        name, colon, value = text.partition(":")
        if not colon or not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name.strip()):
            raise UsageError(f"--header is 'Name: value', not {text!r}")
        found[name.strip()] = value.strip()
    try:
        filled = expand_server_variables(McpServer("", headers=found), os.environ).headers
    except ServerError as exc:
        raise UsageError(f"--header: {exc}") from None
    for name, value in filled.items():
        if not value.isprintable() or not value.isascii():
            raise UsageError(f"--header {name}: its value holds a character that no header may hold")
    return filled


def checked_name(name: str) -> str:
    if not name or NOT_IN_NAMES.search(name):
        raise USAGE.error(f"--name may hold letters, digits, _ and -, not {name!r}")
    return name


def name_of(url: str, command: list[str]) -> str:
    """A name for the server where --name gives none: never one that the server gives itself."""
    if url:
        return (
            NOT_IN_NAMES.sub("_", url.partition("://")[2].partition("/")[0].rpartition("@")[2]).strip("_") or "server"
        )
    words = [word for word in command if not word.startswith("-")]
    while len(words) > 1 and (os.path.basename(words[0]).rstrip("0123456789.") in LAUNCHERS or words[0] in VERBS):
        words.pop(0)
    last = os.path.basename(words[0] if words else command[0])
    bare = re.sub(r"(?<=.)@.*$", "", last)
    return NOT_IN_NAMES.sub("_", re.sub(r"\.(py|js|mjs|cjs|ts|sh|exe)$", "", bare)).strip("_") or "server"
