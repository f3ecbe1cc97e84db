"""Any YAML file, and the Kubernetes manifests in it: what they are, in which version, and their names."""

from __future__ import annotations

import os

from tenterhook.project.syntax.tree import Map, Tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Kinds that are objects of a cluster; what has these versions and is none of them (a kubeconfig) has no name.
GROUPS = (
    *("apps", "batch", "autoscaling", "policy", "networking.k8s.io", "rbac.authorization.k8s.io", "storage.k8s.io"),
    *("apiextensions.k8s.io", "scheduling.k8s.io", "admissionregistration.k8s.io"),
)
NAMELESS = ("Config", "List", "Policy", "Status")


def problems(path: str, text: str) -> list[str]:
    if templated(path, text):
        return []
    tree = Tree(text)
    return [*tree.problems, *(one for document in tree.documents for one in manifest(document))]


def templated(path: str, text: str) -> bool:
    """Whether it only becomes YAML when a template engine has been over it."""
    if "{{" not in text and "{%" not in text:
        return False
    folder = os.path.dirname(path)
    while os.path.basename(folder) and os.path.basename(folder) != "templates":
        folder = os.path.dirname(folder)
    if os.path.exists(os.path.join(os.path.dirname(folder), "Chart.yaml")):
        return True
    return any(line.lstrip().startswith(("{{", "{%")) for line in text.splitlines())


def manifest(document: object) -> Iterator[str]:
    if not isinstance(document, Map) or not isinstance(document.get("metadata"), Map | None):
        return
    kind, version = document.get("kind"), document.get("apiVersion")
    if "metadata" in document and "spec" in document and ("kind" in document) != ("apiVersion" in document):
        missing = "apiVersion" if "kind" in document else "kind"
        yield document.at(missing, f"the manifest has no `{missing}`")
    if not isinstance(kind, str) or not isinstance(version, str):
        return
    group, slash, _ = version.rpartition("/")
    if (slash and group not in GROUPS) or (not slash and version != "v1") or kind.endswith("List") or kind in NAMELESS:
        return
    named = document.get("metadata") or {}
    if not named.get("name") and not named.get("generateName"):
        yield document.at("metadata", f"the {kind} has no `metadata.name`")
