"""Config files that are sound, and what is said of those that are not."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tenterhook.library.project.config_files import syntax

ROOT = Path(__file__).parents[3]

MAKEFILE = """\
CC ?= cc
ifeq ($(CC),cc)
  FLAGS = -O2
  extra: build
endif
define TEXT
 anything goes here
endef
include other.mk
$(eval $(TEXT))
build: main.o \\
       other.o
\t$(CC) $(FLAGS) -o $@ $^
    # a comment
  NAME := value
.PHONY: build
"""
SOUND = {
    "a.yaml": "a: 1\nb: [x, y]\n---\nc: !Ref thing\nd: 2024-99-99\non: yes\n",
    "empty.yml": "",
    "tagged.yml": "Resources: !Sub '${A}'\nkey: !!python/name:x.y ''\n",
    "merge.yml": "a: &a {x: 1}\nb:\n  <<: *a\n  x: 2\n",
    "a.json": '{"a": [1, 2, {"b": null}]}',
    "tsconfig.json": '{\n  // why\n  "a": ["x, }", 1,],\n}',
    ".eslintrc.json": '{"rules": {}, // none\n}',
    ".vscode/settings.json": '{"a": 1, /* b */}',
    "a.toml": "[a]\nb = 1\n",
    "when.yaml": "{{- if .Values.on }}\na: b\n{{- end }}\n",
    "Makefile": MAKEFILE,
    "hard.mk": "ifeq ($(A),b)\nA+=1\nelse ifdef X\nendif\n-include x.mk\n(archive): a.o\n%.o: %.c ; @echo\nexport\n",
    "prefix.mk": ".RECIPEPREFIX = >\nall:\n> echo\n",
    "ok.sh": "#!/bin/sh\nif true; then\n  echo ok\nfi\n",
    "ok.bash": "a=(1 2)\necho ${a[0]}\n",
    "odd.sh": "#!/usr/bin/env -S fish\nif true\nend\n",
    "notes.txt": "a: b: c",
    "dockerfile.py": "import os\n",
}
WRONG = {
    "dup.yaml": ("a: 1\nb: 2\na: 3\n", "3:1: the key 'a' stands here again"),
    "tab.yaml": ("a:\n\tb: 1\n", "2:1: "),
    "second.yaml": ("a: 1\n---\nb: [1\n", "4:1: while parsing a flow sequence"),
    "alias.yaml": ("a: *nowhere\n", "1:4: found undefined alias"),
    "loop.yaml": ("a: &a [*a]\n", "an alias is inside"),
    "nul.yaml": ("a: \0", "1:4: a NUL character"),
    "a.json": ('{"a": 1,}', "1:8: there is a comma before '}'"),
    "twice.json": ('{"a": 1,\n "a": 2}', "2:2: the key 'a' stands here again"),
    "empty.json": ("", "1:1: the file is empty"),
    "tsconfig.json": ('{"a": }', "1:7: "),
    "a.toml": ("a = 1\na = 2\n", "2:"),
    "Makefile": ("all: x\n    echo hi\n", "2:1: blanks where make needs a tab"),
    "ports.mk": ("up:\n    docker run -p 80:80 x\n", "2:1: blanks where make needs a tab"),
    "words.mk": ("all:\n\techo\nwhat is this\n", "3:1: neither a rule nor an assignment"),
    "open.sh": ("#!/bin/sh\nif true; then\n  echo\n", "syntax error"),
}


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_file_has_no_problems(name: str) -> None:
    assert not syntax.problems(f"/nowhere/{name}", SOUND[name])


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said_with_its_place(name: str) -> None:
    text, expected = WRONG[name]

    found = syntax.problems(f"/nowhere/{name}", text)

    assert any(expected.lower() in one.lower() for one in found), found
    assert all(one.split(":")[0].isdecimal() and one.split(":")[1].isdecimal() for one in found)


def test_a_chart_s_templates_are_no_yaml_before_they_are_filled_in(tmp_path: Path) -> None:
    (tmp_path / "Chart.yaml").write_text("name: x\n")

    assert not syntax.problems(str(tmp_path / "templates" / "deep" / "a.yaml"), 'a: {{ .Values.x }}b: "\n')
    assert syntax.problems(str(tmp_path / "values.yaml"), 'a: {{ .Values.x }}b: "\n')


@pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed")
def test_a_script_is_read_and_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is the file that BASH_ENV names."""
    mark, start = tmp_path / "mark", tmp_path / "start"
    start.write_text(f"touch {mark}\n")
    monkeypatch.setenv("BASH_ENV", str(start))

    assert not syntax.problems("a.bash", f"touch {mark}\n$(touch {mark})\n")
    assert syntax.problems("a.bash", f"touch {mark}\n((\n")
    assert not mark.exists()


@pytest.mark.skipif(not shutil.which("make"), reason="make is not installed")
@pytest.mark.parametrize(
    ("text", "separated"),
    [
        ("all:\n\techo\n", True),
        ("all:\n    echo hi\n", False),
        ("all:\n\techo\nwhat is this\n", False),
        ("A+=1\nall: ; @echo\n  B := 2\n", True),
        ("ifeq ($(A),b)\n  all: x\nelse ifdef X\nendif\n(a): b\nx: ; @echo\nexport\n", True),
        ("define X\nwhat is this\nendef\nall:\n\techo\n", True),
        ("all:\n\techo a \\\n  b\n", True),
    ],
)
def test_make_sees_it_the_same_way(tmp_path: Path, text: str, separated: bool) -> None:
    (tmp_path / "Makefile").write_text(text)

    done = subprocess.run(["make", "-n"], cwd=tmp_path, capture_output=True, text=True, timeout=30)

    assert separated is ("missing separator" not in done.stderr), done.stderr
    assert separated is not bool(syntax.problems(str(tmp_path / "Makefile"), text))


def test_a_shell_that_has_no_time_is_not_asked() -> None:
    assert not syntax.problems("a.sh", "if\n", seconds=0)


def test_a_large_file_is_left_alone() -> None:
    assert not syntax.problems("a.json", "{" * (syntax.LARGEST + 1))


def test_a_file_s_format_follows_from_its_name() -> None:
    names = {"Cargo.lock": "toml", "GNUmakefile": "makefile", "a.yml": "yaml", ".eslintrc": "json", "Dockerfile": ""}

    assert names == {name: syntax.kind(name) for name in names}


@pytest.mark.parametrize("path", [ROOT / "pyproject.toml", ROOT / "Makefile"], ids=lambda path: path.name)
def test_this_project_s_own_files_are_sound(path: Path) -> None:
    assert not syntax.problems(str(path), path.read_text())


NAMES = ["a.yaml", "a.json", "tsconfig.json", "a.toml", "Makefile", "a.py"]
PIECES = ["(", "$(", "\n ", "}}", "on:", "- ", "[", "{", '"', "'", "\n", "\t", ":", "&a ", "*a", "<<", "\\\n", "{{ a"]


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(NAMES), st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=4)), max_size=30))
def test_no_text_breaks_a_checker(name: str, pieces: list[str]) -> None:
    found = syntax.problems(f"/nowhere/{name}", "".join(pieces))

    assert all(isinstance(one, str) and one.partition(":")[0].isdecimal() for one in found)


@pytest.mark.parametrize("name", NAMES)
def test_a_large_file_of_anything_takes_no_time_to_speak_of(name: str) -> None:
    began = time.process_time()

    for piece in ("{{ a", "- a: &a [*a, *a]\n", "a" * 80 + "\n", "[", "a: b\n", "'", " "):
        syntax.problems(f"/nowhere/{name}", piece * ((1 << 18) // len(piece)))

    assert time.process_time() - began < 20
