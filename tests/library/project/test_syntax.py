"""Config files that are sound, and what is said of those that are not."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tenterhook.library.project import syntax

ROOT = Path(__file__).parents[3]

WORKFLOW = """\
name: CI
on:
  push:
    branches: [main]
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - name: test
        if: ${{ github.ref == 'refs/heads/}}' }}
        run: |
          # not an expression: $ { {
          make test
  call:
    needs: [build]
    uses: ./.github/workflows/other.yml
"""
GITLAB = """\
stages: [build, test]
include_nothing: &base
  script: [echo]
.hidden:
  image: alpine
compile:
  stage: build
  extends: .hidden
  script: make
check:
  <<: *base
  stage: test
  needs: ["compile", {job: compile, artifacts: true}, {project: a/b, job: far, ref: main}]
  script:
    - !reference [.hidden, script]
late:
  stage: test
  script: echo
  needs: [!reference [.hidden, needs], {job: absent, optional: true}]
"""
COMPOSE = """\
services:
  web:
    build: .
    depends_on: [db]
    volumes: ["./here:/there", "data:/data", "${X}:/y"]
  db:
    image: postgres:17
    depends_on:
      cache: {condition: service_started}
      absent: {condition: service_started, required: false}
  cache:
    image: redis
volumes:
  data:
"""
MANIFEST = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec: {}
---
apiVersion: v1
kind: Service
metadata: {name: web}
"""
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
    ".github/workflows/ci.yml": WORKFLOW,
    ".gitlab-ci.yml": GITLAB,
    "docker-compose.yml": COMPOSE,
    "docker-compose.override.yml": "services:\n  web:\n    environment: {A: b}\n",
    "k8s/web.yaml": MANIFEST,
    "kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [a.yaml]\n",
    "kubeconfig.yaml": "apiVersion: v1\nkind: Config\nclusters: []\n",
    "chart.yaml": "{{- if .Values.on }}\na: b\n{{- end }}\n",
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
    "dup.yaml": ("a: 1\nb: 2\na: 3\n", "3:1: the key 'a' stands here again, after line 1"),
    "tab.yaml": ("a:\n\tb: 1\n", "2:1: "),
    "second.yaml": ("a: 1\n---\nb: [1\n", "4:1: while parsing a flow sequence"),
    "alias.yaml": ("a: *nowhere\n", "1:4: found undefined alias"),
    "loop.yaml": ("a: &a [*a]\n", "an alias stands inside"),
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
    "k.yaml": ("apiVersion: v1\nkind: Service\nspec: {}\n", "1:1: the Service has no `metadata.name`"),
    "n.yaml": ("apiVersion: v1\nkind: Pod\nmetadata: {labels: {}}\n", "3:1: the Pod has no `metadata.name`"),
    "v.yaml": ("kind: Pod\nmetadata: {name: x}\nspec: {}\n", "1:1: the manifest has no `apiVersion`"),
    "t.yaml": ("apiVersion: v1\nmetadata: {name: x}\nspec: {}\n", "1:1: the manifest has no `kind`"),
}
JOB = "on: push\njobs:\n  a:\n    runs-on: x\n    steps: [{run: a}]\n"
WRONG_WORKFLOWS = {
    "- a": "a workflow is a mapping",
    "jobs:\n  a:\n    runs-on: x\n    steps: [{run: a}]\n": "`on` is missing",
    "on: push\n": "`jobs` must be a mapping",
    "on: push\njobs: {}\n": "2:1: `jobs` must be a mapping",
    "on: push\njobs:\n  a: 1\n": "3:3: the job 'a' must be a mapping",
    "on: push\njobs:\n  a:\n    runs_on: x\n    steps: [{run: a}]\n": "(is 'runs_on' meant to be 'runs-on'?)",
    "on: push\njobs:\n  a:\n    runs-on: x\n": "3:3: the job 'a' needs `steps`",
    "on: push\njobs:\n  a:\n    runs-on: x\n    steps: {}\n": "5:5: the job 'a' needs `steps`",
    "on: push\njobs:\n  a:\n    runs-on: x\n    steps: [b]\n": "5:13: step 1 of 'a' must be a mapping",
    "on: push\njobs:\n  a:\n    runs-on: x\n    steps: [{name: b}]\n": "5:13: step 1 of 'a' has neither",
    "on: push\njobs:\n  a:\n    runs-on: x\n    steps: [{run: b, uses: c}]\n": "both `run` and `uses`",
    "on: push\njobs:\n  a:\n    uses: x\n    steps: []\n": "can have no steps of its own",
    f"{JOB}    needs: bb\n  b:\n    uses: x\n": "6:12: the job 'a' needs 'bb', which is no job",
    f"{JOB}    needs: b\n  b:\n    uses: x\n    needs: [a]\n": "jobs wait for each other: a -> b -> a",
    f"{JOB}    needs: a\n": "jobs wait for each other: a -> a",
    f"{JOB}    if: ${{{{ github.ref\n": "6:9: the expression `${{ github.ref` is not closed",
    f"{JOB}    if: ${{{{ a ${{{{ b }}}}\n": "is not closed",
    f"{JOB}  3x:\n    uses: x\n": "the job '3x' needs a name",
    "on: push\non: push\njobs: {}\n": "2:1: the key 'on' stands here again",
}
WRONG_GITLAB = {
    "a: 1\n": "1:1: the job 'a' must be a mapping",
    "a:\n  image: x\n": "1:1: the job 'a' has no `script`",
    "a:\n  scripts: x\n": "(is 'scripts' meant to be 'script'?)",
    "stages: build\na: {script: x}\n": "1:1: `stages` must be a list",
    "a:\n  stage: biuld\n  script: x\n": "2:10: the stage 'biuld' of 'a' is not in `stages` (did you mean 'build'?)",
    "stages: [one]\na:\n  stage: test\n  script: x\n": "the stage 'test' of 'a' is not in `stages`",
    "a:\n  extends: .b\n": "2:12: extends of 'a' names '.b', which is no job",
    "a:\n  script: x\n  needs: [{job: b}]\n": "needs of 'a' names 'b', which is no job",
    ".a: {script: x}\n": "there is no job",
    "- a\n": "a pipeline is a mapping",
}
WRONG_COMPOSE = {
    "- a\n": "a compose file is a mapping",
    "service:\n  a: {image: x}\n": "(is 'service' meant to be 'services'?)",
    "services: []\n": "1:1: `services` must be a mapping",
    "services:\n  a:\n": "2:3: the service 'a' must be a mapping",
    "services:\n  a: {ports: []}\n": "2:3: the service 'a' has neither `image` nor `build`",
    "services:\n  a: {image: x, depends_on: [b]}\n": "2:30: 'a' depends on 'b', which is no service",
    "services:\n  a:\n    image: x\n    depends_on:\n      b: {}\n": "5:7: 'a' depends on 'b', which is no service",
    "services:\n  a: {image: x, volumes: ['d:/d', 'data:/x']}\n": "mounts the volume 'data'",
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


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        *((".github/workflows/ci.yml", *one) for one in WRONG_WORKFLOWS.items()),
        *((".gitlab-ci.yml", *one) for one in WRONG_GITLAB.items()),
        *(("compose.yaml", *one) for one in WRONG_COMPOSE.items()),
    ],
)
def test_what_is_wrong_with_a_pipeline_is_said(name: str, text: str, expected: str) -> None:
    found = syntax.problems(f"/nowhere/{name}", text)

    assert any(expected in one for one in found), found


def test_what_an_included_file_may_bring_along_is_not_missed() -> None:
    gitlab = "include: other.yml\na:\n  stage: far\n  extends: .b\n  needs: [c]\nb:\n  image: x\n"

    assert not syntax.problems(".gitlab-ci.yml", gitlab)
    assert not syntax.problems("compose.yaml", "include: [a.yaml]\nservices:\n  a: {depends_on: [b]}\n")


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


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("Dockerfile", "dockerfile"),
        ("app.Dockerfile", "dockerfile"),
        ("Dockerfile.dev", "dockerfile"),
        ("Containerfile", "dockerfile"),
        ("Dockerfile.md", ""),
        (".github/workflows/a.yaml", "workflow"),
        ("docker-compose.prod.yml", "compose"),
        ("composer.yml", "kubernetes"),
        ("Cargo.lock", "toml"),
        ("GNUmakefile", "makefile"),
        ("main.py", ""),
    ],
)
def test_a_file_s_kind_follows_from_its_name(path: str, kind: str) -> None:
    assert kind == syntax.kind(path)


@pytest.mark.parametrize("path", [ROOT / "pyproject.toml", ROOT / "Makefile"], ids=lambda path: path.name)
def test_this_project_s_own_files_are_sound(path: Path) -> None:
    assert not syntax.problems(str(path), path.read_text())


NAMES = [
    "a.yaml",
    "a.json",
    "tsconfig.json",
    "a.toml",
    "Dockerfile",
    ".github/workflows/a.yml",
    "compose.yml",
    "Makefile",
]
PIECES = [
    "(",
    "$(",
    "\n ",
    "${{",
    "}}",
    "on:",
    "jobs:\n  a:\n",
    "- ",
    "[",
    "{",
    '"',
    "'",
    "\n",
    "\t",
    ":",
    "&a ",
    "*a",
    "<<",
    "FROM x\n",
    "\\\n",
]


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(NAMES), st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=4)), max_size=30))
def test_no_text_breaks_a_checker(name: str, pieces: list[str]) -> None:
    found = syntax.problems(f"/nowhere/{name}", "".join(pieces))

    assert all(isinstance(one, str) and one.partition(":")[0].isdecimal() for one in found)


@pytest.mark.parametrize(
    "piece", ["${{ a", "- a: &a [*a, *a]\n", "a" * 80 + "\n", "[", "a: b\n", "RUN <<A\n", "'", " "]
)
@pytest.mark.parametrize("name", NAMES)
def test_a_large_file_of_anything_takes_no_time_to_speak_of(name: str, piece: str) -> None:
    text = piece * ((1 << 18) // len(piece))
    began = time.process_time()

    syntax.problems(f"/nowhere/{name}", text)

    assert time.process_time() - began < 5
