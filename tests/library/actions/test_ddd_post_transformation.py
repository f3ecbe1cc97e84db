"""ddd-post-transformation: the behaviour is the same after a change."""

from pathlib import Path

from . import samples
from .conftest import Act

ACTION = "ddd-post-transformation"


def test_nothing_is_written_into_the_project(act: Act, tmp_path: Path) -> None:
    root = samples.python(tmp_path)
    before = sorted(root.rglob("*"))

    act(ACTION, project=root, **samples.changed(root, "src/app.py", samples.BAD))

    assert before == sorted(root.rglob("*"))


def test_a_file_outside_of_the_project_is_not_tested(act: Act, tmp_path: Path) -> None:
    root = samples.python(tmp_path)
    outside = samples.put(tmp_path / "other", {"app.py": samples.BAD})

    said = act(ACTION, project=root, **samples.write(outside, "app.py"))

    assert "is outside of the project" in said.note


def test_a_link_that_leads_out_of_the_project_is_outside(act: Act, tmp_path: Path) -> None:
    root = samples.python(tmp_path)
    samples.put(tmp_path / "other", {"app.py": samples.BAD})
    (root / "linked").symlink_to(tmp_path / "other")

    said = act(ACTION, project=root, **samples.write(root, "linked/app.py"))

    assert "is outside of the project" in said.note
