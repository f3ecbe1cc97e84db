"""At the end of a quality check: its report exists and is complete; what is red of this session is named too."""

from __future__ import annotations

from tenterhook.library.actions.said import deny, fine
from tenterhook.library.project.report import Standing, is_repeated
from tenterhook.library.project.wording import count_with_noun, format_name_list, plain, truncate_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.library.actions.happened import Happened
    from tenterhook.library.actions.said import Said
    from tenterhook.library.actions.settings import Settings

PLACES = [".moai/reports/*quality*.md", ".moai/reports/*quality*/**/*.md", "docs/quality*.md", "QUALITY*.md"]


def run(event: Happened, settings: Settings) -> Said:
    reports, lacks = looked_at(event, settings)
    found = [plain(one) for one in lacks]
    standing = Standing(event)
    red = standing.of("fail")
    state = f"red: {'; '.join(red)}" if red else standing.calm()
    note = (
        f"quality report: {format_name_list(reports, 3) or 'none'}, {count_with_noun(len(found), 'problem')}; {state}"
    )
    if not found or is_repeated(event):
        return fine(note, message=truncate_lines([note, *found]))
    if not reports:
        where = settings.documents.get("quality") or [".moai/reports/quality.md", "docs/quality.md"]
        head = f"There is no quality report. Write what was checked and what came of it to {' or '.join(where)}."
        return deny(truncate_lines([head, *([state] if red else [])]), note=note)
    count = count_with_noun(len(found), "problem")
    head = f"The quality report is not complete ({count}; code in backticks is not looked at):"
    return deny(truncate_lines([head, *(f"  {one}" for one in found), *([state] if red else [])]), note=note)


def looked_at(event: Happened, settings: Settings) -> tuple[list[str], list[str]]:
    """The reports, and what they lack: all that the settings name, else the newest of the usual places."""
    from tenterhook.library.project.pages.completeness import complete, lacking, matching, newest

    given, headings = settings.documents.get("quality"), settings.headings.get("quality", [])
    names = [name for one in given or PLACES for name in matching(event.project, one)]
    if given:
        return names, complete(event.project, given, headings)
    last = newest(event.project, names)
    return ([last], lacking(event.project, [last], headings)) if last else ([], ["there is no quality report"])
