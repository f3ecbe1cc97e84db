"""What the tests of the journal share."""

import pytest

from conftest import Project

from .journals import Kept


@pytest.fixture
def kept(project: Project) -> Kept:
    return Kept(project)
