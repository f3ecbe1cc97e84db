"""GitLab's CI file: stages, and jobs that do something, in stages and after jobs that exist."""

from __future__ import annotations

from tenterhook.errors import nearest
from tenterhook.library.project.syntax.place import at, mistaken
from tenterhook.library.project.syntax.tree import Map, Text, Tree, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

GLOBAL = (
    *("stages", "variables", "image", "services", "before_script", "after_script", "cache", "include", "default"),
    *("workflow", "spec", "types"),
)
STAGES = ("build", "test", "deploy")
WORK = ("script", "extends", "trigger", "run")


def problems(path: str, text: str) -> list[str]:
    tree = Tree(text)
    if tree.problems:
        return tree.problems
    top = tree.documents[-1] if tree.documents else None
    if not isinstance(top, Map):
        return [at(1, 1, "a pipeline is a mapping of jobs")]
    jobs = Map({name: job for name, job in top.items() if name not in GLOBAL})
    jobs.place, jobs.keys_at = top.place, top.keys_at
    stages = top.get("stages")
    if isinstance(stages, Text | Map):
        return [top.at("stages", "`stages` must be a list of names")]
    found = [] if any(not name.startswith(".") for name in jobs) or "include" in top else [at(1, 1, "there is no job")]
    whole = "include" not in top  # what an included file brings along cannot be seen from here
    for name, job in jobs.items():
        found += job_problems(jobs, name, job, known_stages(stages) if whole else (), whole)
    return found


def known_stages(stages: Any) -> tuple[str, ...]:
    """None of them where some come from elsewhere in the file."""
    if stages is not None and len(words(stages)) < len(stages):
        return ()
    return (".pre", *(words(stages) if stages is not None else STAGES), ".post")


def job_problems(jobs: Map, name: str, job: Any, stages: tuple[str, ...], whole: bool) -> Iterator[str]:
    hidden = name.startswith(".")
    if not isinstance(job, Map):
        if not hidden:
            yield jobs.at(name, f"the job {name!r} must be a mapping{nearest(name, GLOBAL)}")
        return
    if whole and not hidden and not any(word in job for word in WORK):
        yield jobs.at(name, f"the job {name!r} has no `script`, `extends` or `trigger`{mistaken('script', job)}")
    stage = job.get("stage")
    if isinstance(stage, Text) and stages and stage not in stages and "$" not in stage:
        yield at(*stage.place, f"the stage {stage!r} of {name!r} is not in `stages`{nearest(stage, stages)}")
    if whole:
        yield from references(jobs, name, job)


def references(jobs: Map, name: str, job: Map) -> Iterator[str]:
    needs = job.get("needs")
    own = [one.get("job") for one in needs if isinstance(one, Map) and not away(one)] if isinstance(needs, list) else []
    wanted = {"extends": words(job.get("extends")), "needs": [*words(needs), *words(own)]}
    for key, others in wanted.items():
        for other in others:
            if other not in jobs and "$" not in other:
                yield at(*other.place, f"{key} of {name!r} names {other!r}, which is no job{nearest(other, jobs)}")


def away(need: Map) -> bool:
    """Whether it is a job of another project or pipeline, or one that may be missing."""
    return "project" in need or "pipeline" in need or need.get("optional") == "true"
