"""`tenter schema`: print the JSON Schemas, for editors and for programs that read outcomes."""

from __future__ import annotations

import sys

from tenterhook.cli.options import CommandUsage
from tenterhook.errors import UsageError, nearest
from tenterhook.tools.describe.schema import SCHEMAS, read_schema_file

USAGE = CommandUsage(
    "schema",
    "Print a JSON Schema (2020-12): `config` of our own config file (default), `outcome` of what tenter fire prints.",
    ("[config|outcome]",),
    (),
    "tenter schema config > .vscode/tenterhook.schema.json",
    "exit codes: 0, or 1 if the schema does not exist",
)


def run(argv: list[str]) -> int:
    options = USAGE.parse(argv)
    if options is None:
        return 0
    name = next(iter(options.values()), "config")
    if name not in SCHEMAS:
        raise UsageError(f"no schema {name!r}{nearest(name, SCHEMAS)}; there are: {', '.join(SCHEMAS)}")
    sys.stdout.write(read_schema_file(name))
    return 0
