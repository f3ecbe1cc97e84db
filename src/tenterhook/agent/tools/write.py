"""Write: write a whole file atomically."""

from __future__ import annotations

from tenterhook.clients.tool_definition import Definition
from tenterhook.clients.workspace.workspace import Workspace, WorkspaceError
from tenterhook.support.terminal.text import pluralise_count

ABOUT = """Write a whole file. It is made if it is not there, and so are its folders; what it held before is gone."""


def definition(workspace: Workspace) -> Definition:
    def write(file_path: str, content: str) -> str:
        try:
            data = content.encode()
        except UnicodeEncodeError:
            raise WorkspaceError("the content holds half a character, which no file can be given") from None
        new = workspace.write(file_path, data)
        lines = content.count("\n") + (content[-1:] not in ("", "\n"))
        size = f"{pluralise_count(lines, 'line')}, {pluralise_count(len(data), 'byte')}"
        return f"{'Made' if new else 'Replaced'} {workspace.display_path(file_path)}: {size}."

    return Definition(
        name="Write",
        about=ABOUT,
        inputs={
            "file_path": {"type": "string", "description": "The file; a relative path counts from the project."},
            "content": {"type": "string", "description": "All that the file is to hold."},
        },
        function=write,
        required=("file_path", "content"),
        asks=True,
    )
