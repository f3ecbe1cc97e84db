from collections.abc import Iterator

import pytest

from .loopback import Loopback, loopback


@pytest.fixture
def api() -> Iterator[Loopback]:
    with loopback() as made:
        yield made
