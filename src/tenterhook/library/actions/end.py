"""At the end of a turn or of a subagent's work: what changed, what was tested, and whether something is unfinished."""

from __future__ import annotations

import os

from tenterhook.library.actions.answers import deny, fine
from tenterhook.library.project.wording import count_with_noun, format_name_list, plain, truncate_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.author.event import Event
    from tenterhook.library.actions.answers import ActionAnswer
    from tenterhook.library.actions.settings import ActionSettings
    from tenterhook.library.parts.timed import TimedEvent

QUALITY = [".moai/reports/*quality*.md", ".moai/reports/*quality*/**/*.md", "docs/quality*.md", "QUALITY*.md"]


def turn_stop(event: TimedEvent, settings: ActionSettings) -> ActionAnswer:
    """A report of what changed, what was tested, what is red; a gate if the settings say so."""
    from tenterhook.library.project.report import report

    return report(event, settings, "Where things stand", gate=settings.on_stop == "gate")


def quality_completion(event: TimedEvent, settings: ActionSettings) -> ActionAnswer:
    """The end of a quality check: its report exists and is complete; red checks of this session are listed too."""
    from tenterhook.library.project.report import Standing

    reports, lacks = read_quality_reports(event, settings)
    found = [plain(one) for one in lacks]
    standing = Standing(event)
    red = standing.of("fail")
    state = f"red: {'; '.join(red)}" if red else standing.calm()
    count = count_with_noun(len(found), "problem")
    note = f"quality report: {format_name_list(reports, 3) or 'none'}, {count}; {state}"
    if not found or event.stop_active:
        return fine(note, message=truncate_lines([note, *found]))
    if not reports:
        where = settings.documents.get("quality") or [".moai/reports/quality.md", "docs/quality.md"]
        head = f"There is no quality report. Write what was checked and what came of it to {' or '.join(where)}."
        return deny(truncate_lines([head, *([state] if red else [])]), note=note)
    head = f"The quality report is not complete ({count}; code in backticks is not looked at):"
    return deny(truncate_lines([head, *(f"  {one}" for one in found), *([state] if red else [])]), note=note)


def read_quality_reports(event: Event, settings: ActionSettings) -> tuple[list[str], list[str]]:
    """The reports, and what is missing in them: those in the settings, else the newest in the usual places."""
    from tenterhook.library.project.pages.completeness import complete, lacking, matching, newest

    given, headings = settings.documents.get("quality"), settings.headings.get("quality", [])
    names = [name for one in given or QUALITY for name in matching(event.project, one)]
    if given:
        return names, complete(event.project, given, headings)
    last = newest(event.project, names)
    return ([last], lacking(event.project, [last], headings)) if last else ([], ["there is no quality report"])


def spec_completion(event: Event, settings: ActionSettings) -> ActionAnswer:
    """The end of work on a SPEC: its documents exist and are complete."""
    what, lacks = read_spec(event, settings)
    found = [plain(one) for one in lacks]
    what = plain(what)
    note = f"{what}: {count_with_noun(len(found), 'problem') if found else 'complete'}"
    if not found or event.stop_active:
        return fine(note, message=truncate_lines([note, *found]))
    head = f"{what} is not complete ({count_with_noun(len(found), 'problem')}; code in backticks is not looked at):"
    return deny(truncate_lines([head, *(f"  {one}" for one in found)]), note=note)


def read_spec(event: Event, settings: ActionSettings) -> tuple[str, list[str]]:
    """The documents, and what is missing in them: those in the settings, a SPEC's folder, or other specifications."""
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
