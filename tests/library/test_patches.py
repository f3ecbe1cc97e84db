"""protected-paths and secrets in every agent that writes by a patch: renames, deletions, several files, odd blanks."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import Fire

BEGIN, END = "*** Begin Patch\n", "*** End Patch\n"
SECRET = "AKIA" + "IOSFODNN7EXAMPLQ"
# How each agent's hooks are told of a patch. GitHub Copilot CLI and Codex were seen to do so.
TELLING: dict[str, dict[str, Any]] = {
    "codex": {"agent": "codex", "event": "PreToolUse", "tool": "apply_patch", "field": "command"},
    "copilot": {"agent": "copilot", "event": "preToolUse", "tool": "apply_patch", "field": ""},
    "copilot, Pascal": {"agent": "copilot", "event": "PreToolUse", "tool": "apply_patch", "field": ""},
    "amcp": {"agent": "amcp", "event": "PreToolUse", "tool": "apply_patch", "field": "patch"},
    "cursor": {"agent": "cursor", "event": "preToolUse", "tool": "ApplyPatch", "field": "patch"},
}
PROTECTED = {
    "an added file": "*** Add File: .git/hooks/pre-commit\n+x\n",
    "an update": "*** Update File: .git/config\n@@\n-a\n+b\n",
    "a deletion": "*** Delete File: .git/config\n",
    "a rename to it": "*** Update File: a.txt\n*** Move to: .git/config\n@@\n-a\n+b\n",
    "a rename of it": "*** Update File: .git/config\n*** Move to: a.txt\n@@\n-a\n+b\n",
    "the last of several": "*** Add File: a.txt\n+x\n*** Delete File: b.txt\n*** Add File: .git/config\n+x\n",
    "blanks before the header": "  \t*** Add File: .git/config\n+x\n",
    "blanks around the name": "*** Add File:    .git/config \t\n+x\n",
    "a header in another spelling": "***add  file: .git/config\n+x\n",
    "returns": "*** Add File: .git/config\r\n+x\r\n",
    "a lone return for a line's end": "*** Add File: a.txt\r+x\r*** Add File: .git/config\r+x\n",
    "a tab and a return in the name": "*** Add File: .gi\tt/con\rfig\n+x\n",
    "a name outside of the project": "*** Add File: /etc/passwd\n+x\n",
}
SECRETS = {
    "an added file": f"*** Add File: a.py\n+key = '{SECRET}'\n",
    "a line of an update": f"*** Update File: a.py\n@@\n-a\n+key = '{SECRET}'\n",
    "the last of several": f"*** Delete File: b.py\n*** Add File: .env\n+x\n*** Add File: a.py\n+key = '{SECRET}'\n",
    "a line that begins like the head of a diff": f"*** Add File: a.py\n+++ {SECRET}\n",
    "behind a separator of lines that ends none": f"*** Add File: a.py\n+a\u2028-key = '{SECRET}'\n",
    "a lone return for a line's end": f"*** Add File: a.py\r+key = '{SECRET}'\n",
}


@pytest.fixture(params=TELLING.values(), ids=TELLING)
def told(request: pytest.FixtureRequest, fire: Fire) -> Any:
    way = request.param

    def told(name: str, hunks: str) -> Any:
        patch = f"{BEGIN}{hunks}{END}"
        given = {way["field"]: patch} if way["field"] else patch
        return fire(name, way["event"], agent=way["agent"], tool_name=way["tool"], tool_input=given)

    return told


@pytest.mark.parametrize("hunks", PROTECTED.values(), ids=PROTECTED)
def test_a_patch_does_not_touch_what_is_protected(told: Any, hunks: str) -> None:
    assert told("protected-paths", hunks).denied


@pytest.mark.parametrize("hunks", SECRETS.values(), ids=SECRETS)
def test_a_patch_does_not_write_a_secret(told: Any, hunks: str) -> None:
    fired = told("secrets", hunks)

    assert fired.denied
    assert SECRET not in fired.everything


def test_any_other_patch_is_applied(told: Any) -> None:
    hunks = "*** Add File: a.txt\n+x\n*** Update File: b.txt\n*** Move to: src/c.txt\n@@\n-a\n+b\n"

    assert told("protected-paths", hunks).ran
    assert told("secrets", hunks).ran
