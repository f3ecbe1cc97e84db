"""At the end of work on a SPEC: its documents exist and are complete."""

from __future__ import annotations

import os

from tenterhook.library.actions.said import deny, fine
from tenterhook.library.project.report import is_repeated
from tenterhook.library.project.wording import count_with_noun, plain, truncate_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.library.actions.happened import Happened
    from tenterhook.library.actions.said import Said
    from tenterhook.library.actions.settings import Settings


def run(event: Happened, settings: Settings) -> Said:
    what, lacks = looked_at(event, settings)
    found = [plain(one) for one in lacks]
    what = plain(what)
    note = f"{what}: {count_with_noun(len(found), 'problem') if found else 'complete'}"
    if not found or is_repeated(event):
        return fine(note, message=truncate_lines([note, *found]))
    head = f"{what} is not complete ({count_with_noun(len(found), 'problem')}; code in backticks is not looked at):"
    return deny(truncate_lines([head, *(f"  {one}" for one in found)]), note=note)


def looked_at(event: Happened, settings: Settings) -> tuple[str, list[str]]:
    """What was looked at, and what it lacks: the settings' documents, a SPEC's folder, or other specifications."""
    from tenterhook.library.project import specs
    from tenterhook.library.project.pages import completeness

    headings = settings.headings.get("spec", [])
    if "spec" in settings.documents:
        globs = settings.documents["spec"]
        return f"the specification ({', '.join(globs)})", completeness.complete(event.project, globs, headings)
    folder = specs.folder_of(event)
    if folder:
        return folder, specs.problems_of(event.project, folder, headings)
    names = specs.others(event.project)
    if not names:
        files = [os.path.join(".moai/specs/SPEC-NAME-001", name) for name in specs.DOCUMENTS]
        return "the specification", [f"{name}: there is no such document; write it" for name in files]
    return os.path.dirname(names[0]), completeness.lacking(event.project, names, headings)
