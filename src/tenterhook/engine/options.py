"""The options of an engine: one record. `docs/embed/library.md` says what each option is for."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Concatenate, ParamSpec, TypeVar

from msgspec import Struct

from tenterhook import dialects
from tenterhook.config.settings import CHOICES as SETTINGS
from tenterhook.config.settings import SYSTEM
from tenterhook.dialects.schema.dialect import Dialect
from tenterhook.errors import check_choice
from tenterhook.pipeline.failure_policy import MODES
from tenterhook.trust import CHOICES

# How hook processes are started: by a helper program, by a helper that is forked from us, or by us.
SUPERVISORS = ("auto", "fork", "off")

Words = ParamSpec("Words")
Record = TypeVar("Record")
Self = TypeVar("Self")


class Location(Struct, frozen=True):
    """The one option that needs no name."""

    project: str | os.PathLike[str] = "."


class EngineOptions(Location, frozen=True, kw_only=True):
    """The options as the host gave them. If `mode`, `sandbox` or `secrets` is empty, the dialect or the settings
    decide.
    """

    dialect: str | Dialect = dialects.DEFAULT
    config: str | os.PathLike[str] | None = None
    files: bool = True
    agent: str = ""
    session: str = ""
    mode: str = ""
    trust: str = "ask"
    home: str | os.PathLike[str] | None = None
    environ: Mapping[str, str] | None = None
    parallel: int = 64
    grace: float = 5.0
    on_config_error: str = "raise"
    sandbox: str = ""
    secrets: str = ""
    journal: bool | str | os.PathLike[str] | None = None
    supervisor: str = "auto"
    warm: bool = True
    system: str = SYSTEM
    attended: bool | None = None
    log: bool = True

    def __post_init__(self) -> None:
        if self.mode:
            check_choice("mode", self.mode, tuple(MODES))
        check_choice("trust", self.trust, CHOICES)
        check_choice("on_config_error", self.on_config_error, ("raise", "warn"))
        check_choice("supervisor", self.supervisor, SUPERVISORS)
        check_choice("sandbox", self.sandbox or "default", SETTINGS["sandbox"])
        check_choice("secrets", self.secrets or "strip", SETTINGS["secrets"])


def takes(
    record: Callable[Words, Record],
) -> Callable[[Callable[[Self, Record], None]], Callable[Concatenate[Self, Words], None]]:
    """Types an `__init__` that takes a record: callers pass the record's fields, and type checkers know them."""

    def decorate(init: Callable[[Self, Record], None]) -> Callable[Concatenate[Self, Words], None]:
        def build(self: Self, /, *args: Words.args, **options: Words.kwargs) -> None:
            init(self, record(*args, **options))

        return build

    return decorate
