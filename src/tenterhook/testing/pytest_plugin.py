"""Fixtures for pytest, which finds this module by its entry point. Other modules load when a test needs a fixture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tenterhook.testing import Fired


@pytest.fixture
def fire(tmp_path: Path) -> Callable[..., Fired]:
    """`tenterhook.testing.fire`, in a project of the test's own."""
    from functools import partial

    from tenterhook.testing import fire

    return partial(fire, project=tmp_path)


@pytest.fixture
def agents() -> list[str]:
    """All dialects."""
    from tenterhook.testing import agents

    return agents()


def pytest_generate_tests(metafunc: Any) -> None:
    """A test with a parameter `each_agent` runs once for each dialect."""
    if "each_agent" in metafunc.fixturenames:
        from tenterhook.testing import agents

        metafunc.parametrize("each_agent", agents())
