"""No agent that we know is left out of what is closed."""

from __future__ import annotations

import os

import pytest

from conftest import Project
from tenterhook import Engine, dialects
from tenterhook.config.locations import resolve_config_path
from tenterhook.engine.confinement import Confinement
from tenterhook.support.paths import within
from tenterhook.types import Sandbox


@pytest.mark.parametrize("name", dialects.names())
def test_every_config_file_of_a_dialect_is_closed(project: Project, name: str) -> None:
    """Also the user's, where a hook may write in the user's home."""
    dialect = dialects.get(name)
    project.write("pyproject.toml", "[tool.tenterhook]\n")
    with Engine(project.root, dialect=name, home=project.home_folder, environ={}) as engine:
        found = Confinement(engine.hookset).profile(Sandbox(write=("~", "/etc")))
    paths = [file.path for file in dialect.config.files] + list(dialect.tools.mcp_files)
    expanded = [
        resolve_config_path(path.partition("*")[0], str(project.root), str(project.home_folder), {}) for path in paths
    ]
    expanded = [path for path in expanded if os.path.exists("/Library") or not path.startswith("/Library/")]

    open_to_it = [path.rstrip("/") for path in expanded if any(within(path, one) for one in found.write)]

    assert len(open_to_it) > 1
    assert [path for path in open_to_it if not any(within(path, one) for one in found.closed)] == []


@pytest.mark.parametrize("name", dialects.names())
def test_what_setup_writes_for_an_agent_is_closed(project: Project, name: str) -> None:
    setup = dialects.get(name).setup
    if setup is None:
        pytest.skip("nothing is set up for this dialect")
    with Engine(project.root, dialect=name, home=project.home_folder, environ={}) as engine:
        found = Confinement(engine.hookset).profile(Sandbox()).closed
    paths = [os.path.join(project.root, file) for file in setup.files if not file.startswith(("~", "@"))]

    assert [path for path in paths if not any(within(path, one) for one in found)] == []
