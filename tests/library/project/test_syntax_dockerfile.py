"""Dockerfiles: their lines, their instructions, and the files that they copy."""

from __future__ import annotations

from pathlib import Path

import pytest

from tenterhook.library.project import syntax

SOUND = {
    "the usual": 'FROM python:3.13 AS build\nWORKDIR /app\nCOPY . .\nRUN make\nCMD ["python", "-m", "app"]\n',
    "arguments first": "# syntax=docker/dockerfile:1\nARG V=1\nFROM x:${V}\n",
    "continued lines": "FROM x\nRUN a && \\\n    # why\n\n    b && \\\n    c\n",
    "a backtick continues": "# escape=`\nFROM x\nRUN a `\n  b\nCOPY . C:\\\\\n",
    "a here-document": "FROM x\nRUN <<EOF\nWHATEVER stands here\nEOF\nCOPY <<'A' <<-B /x\none\nA\n\ttwo\n\tB\nUSER a\n",
    "a shift is none": "FROM x\nRUN echo $((1 << 2)) && echo 'a <<b'\n",
    "a here-string": "FROM x\nRUN cat <<< word && cat <<<'x y'\n",
    "a test in a shell": 'FROM x\nRUN [ "$A" = "b" ] && echo [c]\n',
    "a health check": "FROM x\nHEALTHCHECK --interval=5m CMD curl -f x || exit 1\nHEALTHCHECK NONE\n",
    "later": 'FROM x\nONBUILD RUN ["a", "b"]\nONBUILD COPY . /x\n',
    "small letters": "from x as y\nrun a\n",
    "stages": "FROM x AS a\nFROM y\nCOPY --from=a /x /y\nCOPY --from=0 /x /y\nCOPY --from=img:1 /x /y\n",
    "ports": "FROM x\nEXPOSE 80 443/tcp 5000-5010/udp $PORT\nENV A=1 B=2\nENV C d e\nLABEL a.b='c d'\n",
    "sources of elsewhere": "FROM x\nADD https://a.b/c.txt /c\nCOPY dist/app.js $X/y.txt *.toml target/a.jar /x/\n",
}
WRONG = {
    "": "1:1: there is no instruction",
    "ARG A\n": "1:1: there is no FROM",
    "RUN a\nFROM x\n": "1:1: RUN before the first FROM",
    "FROM x\nRUNN a\n": "2:1: unknown instruction 'RUNN' (did you mean 'RUN'?)",
    "FROM x y\n": "1:1: FROM takes an image",
    "FROM x\nCMD ['a', 'b']\n": "2:1: the list behind CMD is no JSON",
    'FROM x\nENTRYPOINT ["a", "b"\n': "2:1: the list behind ENTRYPOINT is no JSON",
    'FROM x\nRUN --mount=type=cache ["a" "b"]\n': "the list behind RUN is no JSON",
    "FROM x\nSHELL bash -c\n": "2:1: SHELL takes a JSON list",
    "FROM x\nCOPY here\n": "2:1: COPY takes at least one source and a destination",
    'FROM x\nADD ["a"]\n': "2:1: ADD takes at least one source and a destination",
    "FROM x\nCOPY --from=1 a b\n": "2:1: --from=1: there is no such stage",
    "FROM x\nHEALTHCHECK curl x\n": "2:1: HEALTHCHECK takes NONE",
    "FROM x\nONBUILD FROM y\n": "2:1: ONBUILD cannot hold FROM",
    "FROM x\nONBUILD COPPY a b\n": "behind ONBUILD (did you mean 'COPY'?)",
    "FROM x\nONBUILD COPY a\n": "COPY takes at least one source",
    "FROM x\nWORKDIR\n": "2:1: WORKDIR without anything behind it",
    "FROM x\nENV A\n": "2:1: ENV takes `name=value`",
    "FROM x\nENV =b\n": "2:1: ENV has a value without a name",
    "FROM x\nEXPOSE http\n": "2:1: EXPOSE takes ports",
    "FROM x\nRUN <<EOF\necho\n": "2:1: the here-document <<EOF has no line EOF",
    "# escape=x\nFROM x\n": "1:1: `escape` can be",
    "FROM x\nRUN a \\\n\n  b\nEXPOS 1\n": "5:1: unknown instruction 'EXPOS'",
}


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_dockerfile_has_no_problems(name: str, tmp_path: Path) -> None:
    assert not syntax.problems(str(tmp_path / "Dockerfile"), SOUND[name])


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_is_said_with_its_line(text: str, tmp_path: Path) -> None:
    found = syntax.problems(str(tmp_path / "Dockerfile"), text)

    assert any(WRONG[text] in one for one in found), found


def test_a_file_that_is_plainly_absent_cannot_be_copied(tmp_path: Path) -> None:
    """A name close to it is told; what some build may make first, and a name without an ending, is left alone."""
    (tmp_path / "requirements.txt").touch()
    (tmp_path / "source").mkdir()
    text = "FROM x\nCOPY requirement.txt sorce notes.txt server dist/a.js .\n"

    found = syntax.problems(str(tmp_path / "Dockerfile"), text)

    assert found == [
        "2:1: there is no 'requirement.txt' to be copied (did you mean 'requirements.txt'?)",
        "2:1: there is no 'sorce' to be copied (did you mean 'source'?)",
        "2:1: there is no 'notes.txt' to be copied",
    ]


def test_a_build_may_start_from_any_folder_of_the_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "go.mod").touch()
    text = "FROM x\nCOPY go.mod .\n"

    assert not syntax.problems(str(tmp_path / "docker" / "app" / "Dockerfile"), text)
    assert syntax.problems(str(tmp_path.parent / "Dockerfile"), text)
