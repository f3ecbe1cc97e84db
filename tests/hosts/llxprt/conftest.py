from collections.abc import Callable, Iterator
from typing import Any

import pytest

from conftest import Project
from requirements.llxprt import group
from tenterhook.hosts.llxprt import Config

Make = Callable[..., Config]


@pytest.fixture
def make(project: Project) -> Iterator[Make]:
    """A config for this project: `make(BeforeTool=["exit 2"])`. Keys in capitals are events, the others its options."""
    configs: list[Config] = []

    def make(**given: Any) -> Config:
        events = {name: given.pop(name) for name in list(given) if name[0].isupper()}
        keys = {name: given.pop(name) for name in ("matcher", "sequential") if name in given}
        hooks = {name: [group(*commands, **keys)] for name, commands in events.items()}
        usual = {"enable_hooks": True, "environ": project.environ(), "home": project.home_folder}
        config = Config(project.root, **{**usual, "hooks": hooks or None, **given})
        configs.append(config)
        return config

    yield make
    for config in configs:
        config.close()
