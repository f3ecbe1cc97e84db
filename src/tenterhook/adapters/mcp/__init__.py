"""A relay between an MCP client and an MCP server, with hooks on what passes: `tenter mcp`.

messages   JSON-RPC as bytes: what a line says of itself, and how a changed one is written
relay      READ FIRST: which message concerns a hook; all others pass as the same bytes
exchange   one request that hooks work on, from its arrival to its answer
server_side  hooks on what the client wants of the server: tools, resources, prompts
client_side  hooks on what the server wants of the client: sampling, elicitation
results    a tool's result as hooks see it, and as they left it
stdio      a server that is a child process
http       a server at a URL, by streamable HTTP
"""
