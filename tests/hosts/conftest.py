from collections.abc import Iterator

import pytest

from clients.formats.loopback import Loopback
from conftest import Project
from tenterhook import Engine

from .models.genai_host import serving


@pytest.fixture
def engine(project: Project) -> Engine:
    """Of our own dialect."""
    return project.engine("tenterhook")


@pytest.fixture(scope="module")
def server() -> Iterator[Loopback]:
    with serving() as api:
        yield api


@pytest.fixture
def api(server: Loopback) -> Loopback:
    server.requests.clear()
    server.replies.clear()
    return server
