"""Compose files: services that can be started, and what they depend on."""

from __future__ import annotations

import os

from tenterhook.errors import nearest
from tenterhook.library.project.syntax.place import at, mistaken
from tenterhook.library.project.syntax.tree import Map, Text, Tree, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

WHOLE = ("compose.yml", "compose.yaml", "docker-compose.yml", "docker-compose.yaml")
STARTS = ("image", "build", "extends", "provider")
PARTS = ("include", "volumes", "networks", "configs", "secrets", "name", "version", "x-")


def problems(path: str, text: str) -> list[str]:
    tree = Tree(text)
    if tree.problems:
        return tree.problems
    top = tree.documents[0] if tree.documents else None
    if not isinstance(top, Map):
        return [at(1, 1, "a compose file is a mapping with `services`")]
    services = top.get("services")
    if services is None and any(key.startswith(PARTS) for key in top):
        return []
    if not isinstance(services, Map):
        return [top.at("services", f"`services` must be a mapping of services{mistaken('services', top)}")]
    # Any other file is laid over one of these, or includes some: it need not be whole by itself.
    whole = os.path.basename(path).lower() in WHOLE and "include" not in top
    return [one for name, service in services.items() for one in service_problems(top, services, name, service, whole)]


def service_problems(top: Map, services: Map, name: str, service: Any, whole: bool) -> Iterator[str]:
    if not isinstance(service, Map):
        if whole or service is not None:
            yield services.at(name, f"the service {name!r} must be a mapping")
        return
    if not whole:
        return
    if not any(word in service for word in STARTS):
        yield services.at(name, f"the service {name!r} has neither `image` nor `build`{mistaken('image', service)}")
    for other, (line, column) in service_dependencies(service.get("depends_on")).items():
        if other not in services and "$" not in other:
            what = f"{name!r} depends on {other!r}, which is no service{nearest(other, services)}"
            yield at(line, column, what)
    for volume in words(service.get("volumes")):
        named = volume_name(volume)
        if named and named not in (top.get("volumes") or ()):
            yield at(*volume.place, f"{name!r} mounts the volume {named!r}, which is not in the top-level `volumes`")


def service_dependencies(found: Any) -> dict[str, tuple[int, int]]:
    """The services that one depends on, written as a list or as a mapping, and where they stand."""
    if not isinstance(found, Map):
        return {str(one): one.place for one in words(found)}
    optional = [name for name, how in found.items() if isinstance(how, Map) and how.get("required") == "false"]
    return {name: place for name, place in found.keys_at.items() if name not in optional}


def volume_name(volume: Text) -> str:
    """The named volume of `name:/path`; empty for a folder, and for what only the environment knows."""
    name, colon, _ = volume.partition(":")
    plain = name[:1].isalnum() and "/" not in name and "\\" not in name and "$" not in name
    return name if colon and plain and len(name) > 1 else ""  # one letter is a drive
