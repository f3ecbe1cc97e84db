"""Any YAML file, and the Kubernetes manifests in it: what they are, in which version, and their names."""

from __future__ import annotations

import os

from tenterhook.library.project.syntax.tree import List, Map, Opaque, Tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Kinds that are objects of a cluster; what has these versions and is none of them (a kubeconfig) has no name.
GROUPS = (
    *("apps", "batch", "autoscaling", "policy", "networking.k8s.io", "rbac.authorization.k8s.io", "storage.k8s.io"),
    *("apiextensions.k8s.io", "scheduling.k8s.io", "admissionregistration.k8s.io"),
)
# What stands in the spec of the usual ones.
CONTENTS = frozenset("template containers selector ports replicas rules jobTemplate volumeName".split())
# What stands beside the metadata of those that have no spec.
PARTS = frozenset("metadata data stringData binaryData type immutable rules subjects roleRef".split())
NAMELESS = ("Config", "List", "Policy", "Status")


def problems(path: str, text: str) -> list[str]:
    if is_yaml_template(path, text):
        return []
    tree = Tree(text)
    return [*tree.problems, *(one for document in tree.documents for one in manifest(document))]


def is_yaml_template(path: str, text: str) -> bool:
    """Whether it only becomes YAML when a template engine has been over it."""
    if "{{" not in text and "{%" not in text:
        return False
    folder = os.path.dirname(path)
    while os.path.basename(folder) and os.path.basename(folder) != "templates":
        folder = os.path.dirname(folder)
    if os.path.exists(os.path.join(os.path.dirname(folder), "Chart.yaml")):
        return True
    return any(line.lstrip().startswith(("{{", "{%")) for line in text.splitlines())


def in_json(text: str) -> list[str]:
    """Of a text that is sound JSON. Other programs have kinds and metadata too: an object of a cluster has a name."""
    if '"metadata"' not in text or ('"kind"' not in text and '"apiVersion"' not in text):
        return []
    return [
        problem
        for document in Tree(text).documents
        if isinstance(document, Map) and ("items" in document or "name" in (document.get("metadata") or ()))
        for problem in manifest(document)
    ]


def manifest(document: object) -> Iterator[str]:
    if not isinstance(document, Map):
        return
    kind, version = document.get("kind"), document.get("apiVersion")
    if not isinstance(document.get("metadata"), Map | None):
        if kind and version:
            yield document.at("metadata", f"the `metadata` of the {kind} is no mapping")
        return
    if is_object(document):
        for key, value in (("apiVersion", version), ("kind", kind)):
            if not isinstance(value, str) or not (isinstance(value, Opaque) or value[:1].isalpha()):
                yield document.at(key, f"the manifest has no `{key}`")
    if not isinstance(kind, str) or not isinstance(version, str):
        return
    items = document.get("items")
    if kind.endswith("List") and isinstance(items, list):
        implied = kind != "List"  # the items of a ConfigMapList are ConfigMaps
        said = [one for one in items if not (implied and isinstance(one, Map) and is_nameless(one))]
        yield from (problem for item in said for problem in manifest(item))
    group, slash, _ = version.rpartition("/")
    if (slash and group not in GROUPS) or (not slash and version != "v1") or kind.endswith("List") or kind in NAMELESS:
        return
    named = document.get("metadata") or {}
    if not named.get("name") and not named.get("generateName"):
        yield document.at("metadata", f"the {kind} has no `metadata.name`")


def is_nameless(document: Map) -> bool:
    return "kind" not in document and "apiVersion" not in document


def is_object(document: Map) -> bool:
    """Whether it is meant to be an object of a cluster: by one of the two keys beside metadata, or by its content."""
    spec, metadata = document.get("spec"), document.get("metadata")
    if not isinstance(metadata, Map):
        content = isinstance(spec, Map) or isinstance(document.get("items"), List)
        return ("kind" in document) != ("apiVersion" in document) and content
    has_content = isinstance(spec, Map) and not CONTENTS.isdisjoint(spec)
    has_parts = len(document) > 1 and PARTS.issuperset(document)
    return "kind" in document or "apiVersion" in document or ("name" in metadata and (has_content or has_parts))
