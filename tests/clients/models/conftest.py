"""A model's API on the loopback, with the protocol that it speaks."""

from collections.abc import Iterator

import pytest

from .provider_apis import CHAT, EVERY
from .provider_chosen import Chosen
from .provider_server import serving


@pytest.fixture(params=EVERY, ids=lambda protocol: protocol.name)
def chosen(request: pytest.FixtureRequest) -> Iterator[Chosen]:
    with serving() as api:
        yield Chosen(request.param, api)


@pytest.fixture
def chat() -> Iterator[Chosen]:
    with serving() as api:
        yield Chosen(CHAT, api)
