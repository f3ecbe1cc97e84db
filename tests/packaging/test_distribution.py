"""What others install us with: the Action, pre-commit, GitLab, Docker, Homebrew."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tenterhook.cli.main import main
from tenterhook.cli.usages import usages
from tenterhook.version import __version__

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
STEPS = {step.get("name", ""): step for step in ACTION["runs"]["steps"]}
PRE_COMMIT = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
GITLAB = ROOT / "packaging" / "gitlab" / "tenterhook.gitlab-ci.yml"
DOCKERFILE = ROOT / "packaging" / "docker" / "Dockerfile"
OPTIONS = {f"--{option.name}" for usage in usages().values() for option in usage.options}
needs_check = pytest.mark.skipif(
    not {"--format", "--if-any"} <= OPTIONS, reason="tenter check has no --format and no --if-any here"
)
CHECKED = {
    "vendor.github-workflows": [*sorted((ROOT / ".github" / "workflows").glob("*.yml"))],
    "vendor.github-actions": [ROOT / "action.yml"],
    "vendor.gitlab-ci": [GITLAB],
}


@pytest.mark.parametrize("schema", CHECKED)
def test_files_are_what_their_readers_expect(schema):
    line = [BIN / "check-jsonschema", "--builtin-schema", schema, *CHECKED[schema]]

    assert subprocess.run(line, capture_output=True, text=True).stdout.startswith("ok")


def test_the_dockerfile_is_without_a_finding():
    done = subprocess.run([BIN / "hadolint", DOCKERFILE], capture_output=True, text=True)

    assert (done.returncode, done.stdout) == (0, "")


def test_templates_install_this_version():
    assert f"ARG VERSION={__version__}\n" in DOCKERFILE.read_text()
    assert GITLAB.read_text().count(__version__) == 2


@needs_check
def test_only_options_that_exist_are_used():
    action = "".join(one.get("run", "") for one in STEPS.values()).replace("--quiet --disable-pip-version-check", "")
    others = [*(hook["entry"] for hook in PRE_COMMIT), *GITLAB.read_text().splitlines(), DOCKERFILE.read_text()[-40:]]
    text = "\n".join([action, *(line for line in others if "tenter check" in line or "CMD" in line)])

    assert {"--if-any", "--strict", "--format"} <= set(re.findall(r"--[a-z-]+", text)) <= OPTIONS


# ---- the Action


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A project with a hook, in a folder with a blank."""
    folder = tmp_path / "my project"
    shutil.copytree(ROOT / "examples" / "claude", folder)
    monkeypatch.setenv("HOME", str(tmp_path))
    return folder


def step(name: str, folder: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run a step of the Action as a runner does: bash, which stops at the first failure."""
    variables = {"PATH": f"{BIN}:{os.environ['PATH']}", "HOME": os.environ["HOME"], "RUNNER_TEMP": str(folder.parent)}
    script = folder.parent / "step.sh"
    script.write_text(STEPS[name]["run"])
    assert set(STEPS[name]["env"]) == set(environ)
    line = ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)]
    return subprocess.run(line, cwd=folder.parent, env=variables | environ, capture_output=True, text=True)


@needs_check
def test_the_action_checks_and_writes_findings(repository):
    good = step("check", repository, PROJECT="my project", STRICT="true", SARIF="true")
    (repository / ".claude" / "settings.json").write_text('{"hooks": {"PreToolUze": []}}')
    bad = step("check", repository, PROJECT="my project", STRICT="true", SARIF="true")

    assert (good.returncode, bad.returncode) == (0, 2), (good, bad)
    assert "::" in bad.stdout
    assert json.loads((repository.parent / "tenterhook.sarif").read_text())["version"] == "2.1.0"


def test_the_action_audits_where_there_is_a_lockfile(repository):
    without = step("audit", repository, PROJECT="my project", AUDIT="auto")
    asked = step("audit", repository, PROJECT="my project", AUDIT="always")
    main(["lock", "--project", str(repository)])
    same = step("audit", repository, PROJECT="my project", AUDIT="auto")
    script = repository / ".claude" / "hooks" / "no-push-to-main.sh"
    script.write_text(script.read_text() + "# changed\n")
    changed = step("audit", repository, PROJECT="my project", AUDIT="auto")

    assert [one.returncode for one in (without, asked, same, changed)] == [0, 2, 0, 1]


# ---- pre-commit


@pytest.mark.parametrize(
    ("path", "looked_at"),
    [
        (".claude/settings.json", True),
        ("sub/.codex/hooks.json", True),
        (".github/hooks/guard.json", True),
        ("massgen.yaml", True),
        ("tenterhook.lock", True),
        ("src/claude/settings.py", False),
        (".github/workflows/ci.yml", False),
    ],
)
def test_pre_commit_looks_at_the_files_that_hold_hooks(path, looked_at):
    assert {re.search(hook["files"], path) is not None for hook in PRE_COMMIT} == {looked_at}


# ---- Homebrew


def test_the_formula_has_every_package_with_its_bytes(tmp_path):
    for name, version in (("tenterhook", "0.2.0"), ("msgspec", "0.22.0")):
        urls = [
            {"packagetype": "bdist_wheel", "url": "https://x.test/w", "digests": {"sha256": "0" * 64}},
            {"packagetype": "sdist", "url": f"https://x.test/{name}.tar.gz", "digests": {"sha256": name[0] * 64}},
        ]
        place = tmp_path / "index" / name / version
        place.mkdir(parents=True)
        (place / "json").write_text(json.dumps({"urls": urls}))
    (tmp_path / "installed.txt").write_text("msgspec==0.22.0\ntenterhook==0.2.0\n")
    script = ROOT / "packaging" / "homebrew" / "formula.py"
    line = [sys.executable, script, tmp_path / "installed.txt", (tmp_path / "index").as_uri()]

    shown = subprocess.run(line, capture_output=True, text=True).stdout

    assert shown.count("sha256") == 2
    assert f'url "https://x.test/tenterhook.tar.gz"\n  sha256 "{"t" * 64}"' in shown
    assert f'resource "msgspec" do\n    url "https://x.test/msgspec.tar.gz"\n    sha256 "{"m" * 64}"' in shown
