"""`tenter schema`: print the JSON Schemas, for editors and for programs that read outcomes."""

from __future__ import annotations

import sys

from tenterhook.cli.options import CommandUsage

USAGE = CommandUsage(
    "schema",
    "Print a JSON Schema (2020-12): `config` of our own config file (default), `outcome` of what tenter fire prints,\n"
    "or an agent's name, such as claude, of its hook files.",
    ("[NAME]",),
    (),
    "tenter schema claude > .vscode/claude-hooks.schema.json",
    "exit codes: 0, or 1 if the schema does not exist",
)


def run(argv: list[str]) -> int:
    options = USAGE.parse(argv)
    if options is None:
        return 0
    from tenterhook.tools.describe.agent_schema import schema_text

    sys.stdout.write(schema_text(options.get("NAME", "config")))
    return 0
