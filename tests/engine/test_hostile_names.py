"""Folders and sessions whose names are commands: a hook gets them as they are, and no shell obeys them."""

import shutil

import pytest

from tenterhook import Engine

HOSTILE = [
    "$(touch pwned)",
    "`touch pwned`",
    "'; touch pwned; '",
    '"; touch pwned; "',
    "a b",
    "*",
    "-rf",
    "\ntouch pwned\n",
]
FORMS = ['printf %s "${0}"', 'printf %s "${{{0}}}"', 'v=${0}; printf %s "$v"']


@pytest.mark.parametrize("shell", ["sh", "bash"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_is_given_and_never_obeyed(tmp_path, name, form, shell):
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    project = tmp_path / name
    project.mkdir()
    text = f"({form.format('TENTERHOOK_PROJECT')}; echo; {form.format('TENTERHOOK_SESSION')}) > out"
    words = [shell, "-c", text]
    (project / "tenterhook.toml").write_text(f'[[hook]]\non = "tool.before"\ncommand = {words!r}\n')

    with Engine(project, trust="all", home=tmp_path, session=name) as engine:
        outcome = engine.fire("tool.before", tool_name="Bash")

    assert outcome.success
    assert (project / "out").read_text() == f"{project}\n{name}"
    assert not [path for path in tmp_path.rglob("*") if path.name == "pwned"]
