"""Which commands are Python scripts, and by which interpreter."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from runtime.warm.conftest import Both
from tenterhook.runtime.warm.script import PythonScript

REAL = os.path.realpath(sys.executable)


@pytest.fixture
def folder(both: Both, tmp_path: Path) -> Both:
    """A folder of programs on PATH, of which some are no interpreters, and scripts."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("python", "python3", "python3.11", "pypy", "pythonw"):
        (programs / name).symlink_to(REAL)
    (programs / "python3.12").write_text('#!/bin/sh\nexec python3 "$@"\n')
    (programs / "python3.12").chmod(0o755)
    both.env = {**both.env, "PATH": f"{programs}:/usr/bin:/bin"}
    both.write("a.py", "pass")
    both.write("env", "#!/usr/bin/env python3\n")
    both.write("sh", "#!/bin/sh\n")
    both.write("options", "#!/usr/bin/env -S python3 -u -X dev\n")
    both.write("variable", "#!/usr/bin/env -S A=1 python3\n")
    both.write("words", "#!/usr/bin/env python3 -u\n")
    both.write("crlf", "#!/usr/bin/env python3\r\n")
    both.write("a.pyc", "")
    return both


GOOD = {
    ("python", "a.py"): ("python", ()),
    ("python3", "a.py", "-x"): ("python3", ()),
    ("python3", "-u", "-O", "./a.py"): ("python3", ("-u", "-O")),
    (REAL, "a.py"): (REAL, ()),
    ("./env", "x"): ("python3", ()),
}


@pytest.mark.parametrize("argv", GOOD, ids=" ".join)
def test_a_python_and_a_script(folder: Both, tmp_path: Path, argv: tuple[str, ...]) -> None:
    found = folder.recognised(*argv)

    assert isinstance(found, PythonScript)
    name, flags = GOOD[argv]
    assert (found.interpreter, found.flags) == (os.path.join(tmp_path, "bin", name), flags)
    assert os.path.samefile(found.path, folder.folder / ("env" if argv[0] == "./env" else "a.py"))


BAD = {
    ("python3", "-c", "pass"): "not a Python script",
    ("python3", "-m", "json"): "not a Python script",
    ("python3", "-"): "not a Python script",
    ("python3",): "not a Python script",
    ("python3", "-X", "dev", "a.py"): "options",
    ("python3", "-W", "error", "a.py"): "options",
    ("python3", "gone.py"): "is not a file",
    ("python3", "a.pyc"): "is not a file",
    ("python3", "."): "is not a file",
    ("python3.12", "a.py"): "is a script itself",
    ("python3.13x", "a.py"): "not a Python script",
    ("pypy", "a.py"): "not a Python script",
    ("../bin/python3", "a.py"): "counts from the working directory",
    ("./sh",): "not a Python script",
    ("./options",): "options",
    ("./variable",): "not a Python script",
    ("./words",): "not a Python script",
    ("./crlf",): "not a Python script",
    ("./a.py",): "not a Python script",
    ("nothing",): "not a Python script",
    ("/bin/sh", "-c", "python3 a.py"): "not a Python script",
    ("",): "not a Python script",
    (): "not a Python script",
}


@pytest.mark.parametrize("argv", BAD, ids=" ".join)
def test_what_needs_an_interpreter_of_its_own_says_why(folder: Both, argv: tuple[str, ...]) -> None:
    found = folder.recognised(*argv)

    assert isinstance(found, str)
    assert BAD[argv] in found


@pytest.mark.parametrize("name", ["PYTHONINSPECT", "PYTHONVERBOSE"])
def test_variables_that_make_an_interpreter_talk(folder: Both, name: str) -> None:
    folder.env[name] = "1"

    assert folder.recognised("python3", "a.py") == f"{name} is set"


def test_a_path_of_modules_that_counts_from_the_working_directory(folder: Both) -> None:
    folder.env["PYTHONPATH"] = "/tmp:lib"
    assert "working directory" in str(folder.recognised("python3", "a.py"))
    folder.env["PYTHONPATH"] = ""

    assert isinstance(folder.recognised("python3", "a.py"), PythonScript)
