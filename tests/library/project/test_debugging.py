"""Code that was only there to look for a fault."""

import pytest

from tenterhook.author import Event
from tenterhook.library.project.debugging import left_behind

LEFT = {
    "a.py": ["breakpoint()", "import pdb; pdb.set_trace()", "from ipdb import set_trace", "    import pudb"],
    "a.ts": ["debugger;", "  debugger", "console.debug(x)", "if (x) { debugger; }"],
    "a.rs": ["dbg!(x);"],
    "a.php": ["dd($x);", "var_dump($x);"],
    "a.rb": ["binding.pry"],
}
FINE = {
    "a.py": ["# breakpoint()", "set_breakpoint()", 'x = "breakpoint()"', "import pdbx", "obj.breakpoint(3)"],
    "a.ts": ["// debugger;", "const debuggerOn = 1", "console.error(x)", "import 'debugger'"],
    "a.rs": ["let dbg = 1;"],
    "a.php": ["$this->dd($x);", "add($x);"],
    "a.md": ["breakpoint()"],
}


def written(path: str, text: str) -> Event:
    return Event("", {"tool_input": {"file_path": path, "content": text}}, raw={})


@pytest.mark.parametrize(("path", "line"), [(path, line) for path, lines in LEFT.items() for line in lines])
def test_a_line_that_should_not_stay(path: str, line: str) -> None:
    assert left_behind(written(path, f"one\n{line}\n")) == [f"left behind: {line.strip()}"]


@pytest.mark.parametrize(("path", "line"), [(path, line) for path, lines in FINE.items() for line in lines])
def test_a_line_that_may(path: str, line: str) -> None:
    assert not left_behind(written(path, f"one\n{line}\n"))


def test_of_several_edits_only_new_lines_count() -> None:
    edits = [
        {"old_string": "a\nbreakpoint()\n", "new_string": "b\nbreakpoint()\n"},
        {"old_string": "c", "new_string": "pdb.set_trace()"},
    ]
    event = Event("", {"tool_input": {"file_path": "a.py", "edits": edits}}, raw={})

    assert left_behind(event) == ["left behind: pdb.set_trace()"]
