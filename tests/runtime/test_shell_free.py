"""A command text that needs no shell runs without one, and nobody can tell but by the time it takes."""

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from processes import chosen
from tenterhook.runtime.process import Completed, Program, run
from tenterhook.runtime.process_tree import TAG
from tenterhook.runtime.shell_free import direct, kind_of

PRINT = shutil.which("printf") or "printf"
SHELLS = [path for path in map(shutil.which, ("dash", "bash")) if path]
VALUES = {
    "PLAIN": "src/main.py",
    "SPACED": "two words",
    "HOSTILE": 'it\'s "a" $(touch pwned) `touch pwned` ; touch pwned',
    "STAR": "*",
    "QUESTION": "f?le",
    "BACKSLASH": "a\\b",
    "TAB": "a\tb",
    "LINES": "a\nb",
    "EMPTY": "",
    "ACCENT": "Ä É\udc81\udc88 x",
    "TILDE": "~/x",
    "ASSIGN": "A=b",
    "NAME_1": "one",
}

# Run without the shell; p stands for printf, which is a builtin by its name alone.
DIRECT = """
p '[%s]' a b c
p '[%s]'    a	b   \\ \\ c
p '[%s]' 'a b' "c d" e\\ f
p '[%s]' '' "" ''""
p '[%s]' a''b"c"d\\e
p '[%s]' 'it'"'"'s' "it's"
p '[%s]' "a\\b\\n\\"\\\\\\$\\`"
p '[%s]' '\\n$PLAIN`x`' '"'
p '[%s]' \\$PLAIN \\' \\" \\\\ \\; \\& \\| \\* \\~ \\# \\!
p '[%s]' "a;b|c&d>e<f(g)h" '*' "?" "[x]" "{a,b}" "~" "#" "!"
p '[%s]' "$PLAIN" "${PLAIN}" $PLAIN ${PLAIN} x$PLAIN ${PLAIN}y $PLAIN/$PLAIN
p '[%s]' "$SPACED" "a${SPACED}b" "$SPACED$SPACED" "$SPACED"x'y'"$PLAIN"
p '[%s]' "$HOSTILE"
p '[%s]' "$STAR" "$QUESTION" "$BACKSLASH" "$TAB" "$LINES" "$EMPTY" "$TILDE"
p '[%s]' "$ACCENT"
p '[%s]' "$EMPTY$EMPTY" ''"$EMPTY"
p '[%s]' $NAME_1 ${NAME_1}2 "$NAME_1-x" $NAME_1/x $NAME_1.y
p '[%s]' ~/x ~/"a b" ~/$PLAIN
p '[%s]' --file=a a=b -x +y @z %1 a,b a:b 100%
p '[%s]' "$PWD" "$HOME"
p '%b' 'a\\0b'
"p" '[%s]' quoted name
'p' '[%s]' x
cat
cat /proc/self/cmdline
cat missing file
"$PWD/my tool" 'a b' c
./my\\ tool
'./my tool' x
./exit 0
./exit 1
./exit 2
./exit 126
./exit 127
./exit 255
./die KILL
./die TERM
./die HUP
./die INT
./die USR1
./die PIPE
./die ALRM
./die ABRT
./says
sh -c 'exit 3'
sh ./text
env -i A=b env
ls -d .
sleep 0
head -c 3
wc -c
../here/says
folder/../says
python_x
$TOOL x
"$TOOL" x
${TOOL}
"""

# Left to the shell.
SHELL = """
true
false
:
echo a
printf '[%s]' a
pwd
test -d .
[ -d . ]
cd /
kill -l HUP
exit 3
exec cat
command cat
eval cat
time cat
if
while
{ cat; }
! cat
cat | cat
cat; cat
cat & wait
cat && cat
cat || cat
cat < /dev/null
cat > /dev/null
cat 2>&1
(cat)
p $(cat)
p `cat`
p "$(cat)"
p "`cat`"
p *
p f?le
p [ab]
p {a,b}
p a #comment
p '[%s]' a#b
p '[%s]' ~
p '[%s]' ~root/x
p '[%s]' a=~/x
p '[%s]' \\ ~/x a\\ ~/x
p '[%s]' $SPACED
p '[%s]' $STAR $QUESTION
p '[%s]' $EMPTY x
p '[%s]' $TAB $LINES
p '[%s]' $BACKSLASH
p '[%s]' $ACCENT
p '[%s]' $NOT_SET_AT_ALL x
p '[%s]' "$NOT_SET_AT_ALL" x
p '[%s]' ${PLAIN:-x} ${#PLAIN} ${PLAIN%.py} ${PLAIN}
p '[%s]' $? $# $@ $* $- $0 $1
p '[%s]' "$?" "$@" "$1"
p '[%s]' $ "$" a$
p '[%s]' $'a'
p '[%s]' "$SHLVL"
p '[%s]' Ä
A=b env -u PWD
A=b
$ASSIGN
a=b/p x
p\\  x
p 'open
p "open
p \\
not_there_at_all
./not-there
./folder
folder
./not-executable
not_executable
./no-shebang a
no_shebang
./bad-interpreter
./crlf
./empty
./loose-interpreter
""
''
$EMPTY
-x
~
"""


@pytest.fixture(params=SHELLS, ids=os.path.basename)
def shell(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Called sh, as the system's own is, whichever it is."""
    (tmp_path / "shells").mkdir()
    made = tmp_path / "shells" / "sh"
    made.symlink_to(request.param)
    return str(made)


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """And a folder of programs of every sort."""
    here, tools = tmp_path / "here", tmp_path / "tools"
    (here / "folder").mkdir(parents=True)
    tools.mkdir()
    (tools / "p").symlink_to(PRINT)
    (tools / "folder").mkdir()
    for name, text, mode in (
        (here / "my tool", '#!/bin/sh\nprintf "<%s>" "$0" "$@"\n', 0o755),
        (here / "exit", '#!/bin/sh\nexit "$1"\n', 0o755),
        (here / "die", '#!/bin/sh\nulimit -c 0\necho before >&2\nkill -"$1" $$\nsleep 5\n', 0o755),
        (here / "says", "#! /bin/sh -e\necho out; echo err >&2; exit 2\n", 0o755),
        (here / "text", "echo interpreted\n", 0o644),
        (here / "not-executable", "#!/bin/sh\n", 0o644),
        (here / "no-shebang", 'echo no shebang "$1"\n', 0o755),
        (here / "bad-interpreter", "#!/no/such/interpreter\n", 0o755),
        (here / "crlf", "#!/bin/sh\r\nexit 0\r\n", 0o755),
        (here / "empty", "", 0o755),
        (here / "loose-interpreter", "#!sh\n", 0o755),
        (tools / "not_executable", "#!/bin/sh\n", 0o644),
        (tools / "no_shebang", "echo no shebang\n", 0o755),
        (tools / "python_x", "#!/usr/bin/env sh\necho $0\n", 0o755),
    ):
        name.write_text(text)
        name.chmod(mode)
    path = f"{tools}:/usr/bin:/bin"
    return {"PATH": path, "HOME": str(tmp_path / "my home"), "PWD": str(here), "TOOL": str(tools / "p"), **VALUES}


def by_shell(text: str, shell: str, env: dict[str, str], cwd: str) -> Completed:
    return ran(Program((shell, "-c", text), b"given", env, cwd, 30.0))


def without(text: str, shell: str, env: dict[str, str], cwd: str) -> Completed | None:
    """None where it is left to the shell."""
    plain = direct(text, env, cwd, shell)
    if plain is None:
        return None
    return ran(Program(plain.argv, b"given", plain.env, cwd, 30.0, instead=(shell, "-c", text)))


def ran(program: Program) -> Completed:
    return run(program, chosen())


def told(done: Completed | None) -> tuple[Any, ...]:
    return (done.exit_code, done.signal, done.error, done.stdout, done.stderr) if done else ()


def variables(done: Completed | None) -> dict[bytes, bytes]:
    """What `env -0` said, but for our own mark, in which every process has another number."""
    assert done is not None
    pairs = (one.split(b"=", 1) for one in done.stdout.split(b"\0") if one)
    return {name: value for name, value in pairs if name != TAG.encode()}


def test_a_plain_text_does_the_same_without_the_shell(
    shell: str, env: dict[str, str], tmp_path: Path, both_ways: str
) -> None:
    here = str(tmp_path / "here")
    texts = [text for text in DIRECT.splitlines() if text]

    different = {
        text: (told(ours), told(theirs))
        for text in texts
        if told(ours := without(text, shell, env, here)) != told(theirs := by_shell(text, shell, env, here))
    }

    assert not different
    assert len(texts) > 50
    assert not (tmp_path / "here" / "pwned").exists()


def test_what_is_not_plain_is_left_to_the_shell(shell: str, env: dict[str, str], tmp_path: Path) -> None:
    here = str(tmp_path / "here")

    assert [text for text in SHELL.splitlines() if direct(text, env, here, shell)] == []
    assert len(SHELL.splitlines()) > 70
    assert direct("p a\nb", env, here, shell) is None
    assert direct("p '" + "x" * (1 << 17) + "'", env, here, shell) is None


ENVIRONMENTS: dict[str, dict[str, str | None]] = {
    "as it is": {},
    "no PWD": {"PWD": None},
    "another PWD": {"PWD": "/"},
    "a PWD that is not there": {"PWD": "/not/there"},
    "a PWD that is a file": {"PWD": "/bin/sh"},
    "another name for it": {"PWD": "{link}"},
    "a level": {"SHLVL": "3", "_": "/bin/something", "OLDPWD": "/"},
    "an odd level": {"SHLVL": "07"},
    "an old folder that is gone": {"OLDPWD": "/not/there"},
    "names that are none": {"a-b": "1", "a b": "2", "1a": "3", "é": "4"},
    "everyday ones": {
        "MAIL": "/var/mail",
        "TERM": "xterm",
        "SHELL": "/bin/zsh",
        "HOSTNAME": "x",
        "LANG": "en_XX.UTF-8",
    },
    "more of them": {"CDPATH": "/", "COLUMNS": "3", "TMOUT": "9", "HISTFILE": "x", "PROMPT_COMMAND": "x", "PS3": "x"},
    "no HOME": {"HOME": None},
    "odd bytes": {"ODD": "\udcff\udc81=\n="},
}


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_a_program_gets_the_environment_that_the_shell_would_have_left_it(
    name: str, shell: str, env: dict[str, str], tmp_path: Path
) -> None:
    link, here = tmp_path / "link", tmp_path / "here"
    link.symlink_to(here)
    changed = {key: value and value.format(link=link) for key, value in ENVIRONMENTS[name].items()}
    given = {key: value for key, value in {**env, **changed}.items() if value is not None}
    asks = 'p "[%s]" "$PWD"'

    for cwd in (str(here), str(link)):
        assert variables(without("env -0", shell, given, cwd)) == variables(by_shell("env -0", shell, given, cwd))
        assert told(without(asks, shell, given, cwd)) == told(by_shell(asks, shell, given, cwd))


@pytest.mark.parametrize(
    "odd",
    [
        *(
            {name: "x"}
            for name in ("IFS", "ENV", "BASH_ENV", "OPTIND", "PPID", "LINENO", "SHELLOPTS", "POSIXLY_CORRECT")
        ),
        *(
            {"PATH": path}
            for path in ("", "relative:/usr/bin:/bin", "/usr/bin::/bin", ":/usr/bin:/bin", "/usr/bin/:/bin")
        ),
        {"PWD": "{here}/."},
        {"HOME": ""},
    ],
    ids=str,
)
def test_an_odd_environment_is_left_to_the_shell(
    odd: dict[str, str], shell: str, env: dict[str, str], tmp_path: Path
) -> None:
    if kind_of(shell) == "dash" and "BASH_ENV" in odd:
        pytest.skip("dash does not know it")
    here = str(tmp_path / "here")

    assert direct("cat", {**env, **{key: value.format(here=here) for key, value in odd.items()}}, here, shell) is None


def test_functions_and_locales_that_bash_would_take_up_are_left_to_it(env: dict[str, str], tmp_path: Path) -> None:
    bash, here = shutil.which("bash"), str(tmp_path / "here")
    if not bash:
        pytest.skip("no bash here")

    assert direct("cat", {**env, "BASH_FUNC_cat%%": "() { echo mine; }"}, here, bash) is None
    assert direct("cat", {**env, "LC_ALL": "xx_XX.UTF-8"}, here, bash) is None
    assert direct("cat", {key: value for key, value in env.items() if key != "PATH"}, here, bash) is None


def test_a_shell_that_is_neither_dash_nor_bash_is_always_asked(env: dict[str, str], tmp_path: Path) -> None:
    assert direct("cat", env, str(tmp_path / "here"), shutil.which("env") or "env") is None


CHANGED = {
    "gone": lambda tool: tool.unlink(),
    "not executable": lambda tool: tool.chmod(0o644),
    "no binary": lambda tool: tool.write_text("echo interpreted\n"),
    "its interpreter gone": lambda tool: tool.write_text("#!/no/such/interpreter\n"),
}


@pytest.mark.parametrize("change", CHANGED)
def test_what_cannot_be_started_after_all_is_told_in_the_shells_own_words(
    change: str, shell: str, env: dict[str, str], tmp_path: Path, both_ways: str
) -> None:
    here, tool = str(tmp_path / "here"), tmp_path / "here" / "tool"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    plain = direct("./tool x", env, here, shell)
    assert plain is not None

    CHANGED[change](tool)
    ours = ran(Program(plain.argv, b"", plain.env, here, 30.0, instead=(shell, "-c", "./tool x")))

    assert told(ours) == told(by_shell("./tool x", shell, env, here))
    assert direct("./tool x", env, here, shell) is None


def test_arguments_that_are_too_long_are_the_shells_too(
    shell: str, env: dict[str, str], tmp_path: Path, both_ways: str
) -> None:
    here = str(tmp_path / "here")
    env["LONG"] = "x" * 100_000
    text = "p %s " + '"$LONG$LONG"'

    assert told(without(text, shell, env, here)) == told(by_shell(text, shell, env, here))


def test_an_earlier_file_of_that_name_that_cannot_run_is_the_shells_to_judge(
    shell: str, env: dict[str, str], tmp_path: Path
) -> None:
    here, first = str(tmp_path / "here"), tmp_path / "first"
    first.mkdir()
    (first / "cat").write_text("")
    given = {**env, "PATH": f"{first}:/not/there:{env['PATH']}"}
    assert direct("cat", given, here, shell) is None
    (first / "cat").unlink()
    (first / "cat").symlink_to("/not/there/either")

    assert told(without("cat", shell, given, here)) == told(by_shell("cat", shell, given, here))


def test_a_plain_hook_is_a_child_without_a_shell_between(shell: str, env: dict[str, str], tmp_path: Path) -> None:
    text = f"{shlex.quote(sys.executable)} -c 'import os; print(os.getppid())'"
    done = without(text, shell, env, str(tmp_path / "here"))

    assert done is not None
    assert int(done.stdout) == os.getpid()
