"""GitHub workflows: events, jobs, steps, what jobs need, and expressions that end."""

from __future__ import annotations

from tenterhook.errors import nearest
from tenterhook.library.project.syntax.place import at, mistaken
from tenterhook.library.project.syntax.tree import Map, Tree, every_text, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from tenterhook.library.project.syntax.tree import Text


def problems(path: str, text: str) -> list[str]:
    tree = Tree(text)
    if tree.problems:
        return tree.problems
    top = tree.documents[0] if tree.documents else None
    if not isinstance(top, Map):
        return [at(1, 1, "a workflow is a mapping with `on` and `jobs`")]
    found = [*check_required_keys(top), *(one for text in every_text(top) for one in expressions(text))]
    jobs = top.get("jobs")
    if isinstance(jobs, Map):
        for name, job in jobs.items():
            found += job_problems(jobs, name, job)
        found += cycles(jobs)
    return found


def check_required_keys(top: Map) -> Iterator[str]:
    if not top.get("on"):
        yield top.at("on", f"`on` is missing: nothing starts this workflow{mistaken('on', top)}")
    jobs = top.get("jobs")
    if not isinstance(jobs, Map) or not jobs:
        yield top.at("jobs", "`jobs` must be a mapping with at least one job")


def job_problems(jobs: Map, name: str, job: Any) -> Iterator[str]:
    if not good_name(name):
        yield jobs.at(name, f"the job {name!r} needs a name of letters, digits, - and _ that starts with a letter or _")
    if not isinstance(job, Map):
        yield jobs.at(name, f"the job {name!r} must be a mapping")
        return
    for other in words(job.get("needs")):
        if other not in jobs and "${{" not in other:
            yield at(*other.place, f"the job {name!r} needs {other!r}, which is no job{nearest(other, jobs)}")
    if "uses" in job:
        if "steps" in job:
            yield job.at("steps", f"the job {name!r} calls a workflow with `uses` and can have no steps of its own")
        return
    if not job.get("runs-on"):
        yield jobs.at(name, f"the job {name!r} has neither `runs-on` nor `uses`{mistaken('runs-on', job)}")
    yield from steps(jobs, name, job)


def good_name(name: str) -> bool:
    return name.replace("-", "_").isidentifier() and not name.startswith("-") and name.isascii()


def steps(jobs: Map, name: str, job: Map) -> Iterator[str]:
    given = job.get("steps")
    if not isinstance(given, list) or not given:
        yield (job if "steps" in job else jobs).at(
            "steps" if "steps" in job else name, f"the job {name!r} needs `steps`, a list of at least one step"
        )
        return
    for number, step in enumerate(given, 1):
        if not isinstance(step, Map):
            line, column = getattr(step, "place", job.place)
            yield at(line, column, f"step {number} of {name!r} must be a mapping")
        elif "run" in step and "uses" in step:
            yield step.at("uses", f"step {number} of {name!r} has both `run` and `uses`: write two steps")
        elif not step.get("run") and not step.get("uses"):
            yield at(*step.place, f"step {number} of {name!r} has neither `run` nor `uses`{mistaken('uses', step)}")


def cycles(jobs: Map) -> Iterator[str]:
    """Jobs that wait for each other, told once at the job where the circle was entered."""
    needs = {name: words(job.get("needs")) if isinstance(job, Map) else [] for name, job in jobs.items()}
    done: set[str] = set()
    for name in needs:
        circle = circle_from(name, needs, done)
        if circle:
            yield jobs.at(circle[0], f"jobs wait for each other: {' -> '.join(circle)}")
            return


def circle_from(start: str, needs: dict[str, list[Text]], done: set[str]) -> list[str]:
    """A walk in depth without recursion: a circle is a job that stands on the way already."""
    way = [(str(start), iter(needs[start]))] if start not in done else []
    while way:
        after = next((str(one) for one in way[-1][1] if one in needs), None)
        if after is None:
            done.add(way.pop()[0])
            continue
        names = [name for name, _ in way]
        if after in names:
            return [*names[names.index(after) :], after]
        if after not in done:
            way.append((after, iter(needs[after])))
    return []


def expressions(text: Text) -> Iterator[str]:
    """Every `${{` has its `}}`; what stands in quotes between them is passed over."""
    start = text.find("${{")
    while start >= 0:
        end = closing(text, start + 3)
        if end < 0:
            shown = text[start : start + 40].partition("\n")[0]
            yield at(*text.place, f"the expression `{shown}` is not closed; write }}}}")
            return
        start = text.find("${{", end)


def closing(text: str, start: int) -> int:
    quoted = False
    for index in range(start, len(text)):
        if text[index] == "'":
            quoted = not quoted
        elif not quoted and text.startswith("}}", index):
            return index + 2
        elif not quoted and text.startswith("${{", index):
            return -1
    return -1
