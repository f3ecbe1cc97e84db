"""The wrapper scripts, run by real shells in folders with awkward names."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tenterhook.dialects.schema.dialect import Wrapper
from tenterhook.library.actions.wrapper_script import program, text

from .conftest import SYSTEM, Fake, fake

SHELLS = [shell for shell in ("sh", "dash", "bash", "busybox", "zsh", "mksh") if shutil.which(shell)]
ODD = ["my project", 'it\'s "quoted"', "$(touch pwned)", "`touch pwned`", "new\nline", "back\\slash", "*", "-n", "é"]
PRE_TOOL = Wrapper("handle-pre-tool.sh", "pre-tool", "PreToolUse", 5)
AGENT = Wrapper("handle-agent-hook.sh", "agent")


def put(folder: Path, wrapper: Wrapper, place: str = "") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / wrapper.script
    path.write_text(text(wrapper, "moai", place))
    path.chmod(0o755)
    return path


def interpreter(shell: str) -> list[str]:
    return ["busybox", "sh"] if shell == "busybox" else [shell] if shell else []


def run(
    script: Path, *words: str, shell: str = "", path: str = SYSTEM, home: str | None = None, given: bytes = b"{}"
) -> subprocess.CompletedProcess[bytes]:
    environ = {"PATH": path, "TMPDIR": str(script.parent / "tmp")} | ({} if home is None else {"HOME": home})
    (script.parent / "tmp").mkdir(exist_ok=True)
    done = subprocess.run(
        [*interpreter(shell), str(script), *words],
        input=given,
        capture_output=True,
        env=environ,
        cwd=script.parent,
        timeout=60,
        check=False,
    )
    assert not list((script.parent / "tmp").iterdir())
    assert not (script.parent / "pwned").exists()
    return done


def passed_through(tenter: Fake, done: subprocess.CompletedProcess[bytes], given: bytes = b"{}") -> None:
    assert tenter.args == ["hook", "pre-tool", "--dialect", "moai"]
    assert tenter.stdin == given
    assert (done.returncode, done.stdout, done.stderr) == (2, b"an answer", b"a word")


@pytest.mark.req("CC-WRAP-forward", "CC-WRAP-locate")
@pytest.mark.parametrize("shell", ["", *SHELLS])
@pytest.mark.parametrize("name", ODD)
def test_the_program_on_path_is_given_the_event_and_its_answer_and_exit_code_come_back(
    shell: str, name: str, tmp_path: Path
) -> None:
    tenter = fake(tmp_path / name / "bin", answer="an answer", code=2)
    other = fake(tmp_path / "other")
    script = put(tmp_path / name / "hooks", PRE_TOOL, str(other.folder / "tenter"))
    passed_through(tenter, run(script, shell=shell, path=f"{tenter.folder}:{SYSTEM}"))

    assert not other.called


@pytest.mark.req("CC-WRAP-locate")
@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("name", ODD)
def test_without_one_on_path_it_is_found_where_it_was_at_init(shell: str, name: str, tmp_path: Path) -> None:
    tenter = fake(tmp_path / name, answer="an answer", code=2)
    default = fake(tmp_path / "home/.local/bin")
    script = put(tmp_path / "hooks", PRE_TOOL, str(tenter.folder / "tenter"))
    passed_through(tenter, run(script, shell=shell, home=str(tmp_path / "home")))

    assert not default.called


@pytest.mark.req("CC-WRAP-locate")
@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("gone", ["", "/no/such/tenter"])
def test_without_that_it_is_found_at_the_default_place(shell: str, name: str, gone: str, tmp_path: Path) -> None:
    tenter = fake(tmp_path / name / ".local/bin", answer="an answer", code=2)
    script = put(tmp_path / "hooks", PRE_TOOL, gone)

    passed_through(tenter, run(script, shell=shell, home=str(tmp_path / name)))


@pytest.mark.req("CC-WRAP-locate")
@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("has_home", [True, False])
def test_where_it_is_nowhere_stdin_is_read_to_its_end_and_nothing_happens(
    shell: str, has_home: bool, tmp_path: Path
) -> None:
    script = put(tmp_path / "hooks", PRE_TOOL, str(tmp_path / "gone/tenter"))
    home = str(tmp_path) if has_home else None
    done = run(script, shell=shell, home=home, given=b"x" * (1 << 20))

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_folder_and_a_file_without_the_run_bit_are_not_the_program(tmp_path: Path) -> None:
    (tmp_path / "home/.local/bin/tenter").mkdir(parents=True)
    (tmp_path / "tenter").write_text("#!/bin/sh\nexit 3\n")
    script = put(tmp_path / "hooks", PRE_TOOL, str(tmp_path / "tenter"))

    assert run(script, home=str(tmp_path / "home")).returncode == 0


@pytest.mark.req("CC-WRAP-forward")
@pytest.mark.parametrize("shell", SHELLS)
def test_a_large_event_arrives_byte_for_byte(shell: str, tmp_path: Path) -> None:
    given = bytes(range(256)) * 4096
    tenter = fake(tmp_path / "bin", answer="an answer", code=2)
    script = put(tmp_path / "hooks", PRE_TOOL)

    passed_through(tenter, run(script, shell=shell, path=f"{tenter.folder}:{SYSTEM}", given=given), given)


@pytest.mark.req("CC-WRAP-forward")
@pytest.mark.parametrize("shell", SHELLS)
def test_nothing_is_held_back_the_program_reads_while_the_agent_still_writes(shell: str, tmp_path: Path) -> None:
    script = put(tmp_path / "hooks", PRE_TOOL)
    (tmp_path / "tenter").write_text('#!/bin/sh\nread line\necho "got $line"\ncat\n')
    (tmp_path / "tenter").chmod(0o755)
    child = subprocess.Popen(
        [*interpreter(shell), str(script)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={"PATH": f"{tmp_path}:{os.environ['PATH']}"},
    )
    assert child.stdin
    assert child.stdout
    child.stdin.write(b"first\n")
    child.stdin.flush()
    early = child.stdout.readline()
    rest, _ = child.communicate(b"second\n", timeout=30)

    assert (early, rest, child.returncode) == (b"got first\n", b"second\n", 0)


@pytest.mark.req("CC-WRAP-forward")
@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("action", ["ddd-pre-transformation", "two words", "$(touch pwned)"])
def test_the_agents_wrapper_hands_its_action_on(shell: str, action: str, tmp_path: Path) -> None:
    tenter = fake(tmp_path / "bin", answer="an answer", code=2)
    script = put(tmp_path / "hooks", AGENT)
    done = run(script, action, shell=shell, path=f"{tenter.folder}:{SYSTEM}")

    assert tenter.args == ["hook", "agent", action, "--dialect", "moai"]
    assert (tenter.stdin, done.returncode, done.stdout) == (b"{}", 2, b"an answer")


@pytest.mark.parametrize("shell", SHELLS)
def test_the_agents_wrapper_without_an_action_says_so(shell: str, tmp_path: Path) -> None:
    tenter = fake(tmp_path / "bin")
    done = run(put(tmp_path / "hooks", AGENT), shell=shell, path=f"{tenter.folder}:{SYSTEM}")

    assert done.returncode == 1
    assert done.stderr == b"handle-agent-hook.sh: which action? usage: handle-agent-hook.sh ACTION\n"
    assert not tenter.called


def test_a_wrapper_says_who_wrote_it_and_how_to_take_it_away() -> None:
    first, second, third = text(PRE_TOOL, "moai", "").splitlines()[:3]

    assert first == "#!/bin/sh"
    assert "tenter init --dialect moai --undo" in second
    assert "tenter hook pre-tool --dialect moai" in third


def test_the_place_of_the_program_is_the_one_that_was_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tenter = fake(tmp_path / "here").folder / "tenter"
    link = tmp_path / "tenter"
    link.symlink_to(tenter)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["./tenter", "init"])

    assert program() == str(link)


def test_called_as_a_module_the_place_is_beside_python_or_on_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["__main__.py", "init"])
    monkeypatch.setattr("sys.executable", str(tmp_path / "venv/bin/python"))
    monkeypatch.setenv("PATH", str(tmp_path / "path"))

    assert program() == ""
    fake(tmp_path / "path")
    assert program() == str(tmp_path / "path/tenter")
    fake(tmp_path / "venv/bin")
    assert program() == str(tmp_path / "venv/bin/tenter")
