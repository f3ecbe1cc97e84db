"""Files of a project in one call."""

from collections.abc import Callable
from pathlib import Path

import pytest

Put = Callable[..., Path]


@pytest.fixture
def put(tmp_path: Path) -> Put:
    """`put({"src/app.py": "..."})` writes them and gives the project's folder; one that begins with #! can be run."""

    def write(files: dict[str, str], root: Path = tmp_path) -> Path:
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            if text.startswith("#!"):
                path.chmod(0o755)
        return root

    return write
