"""Where paths lead, what is inside, and a confined workspace that nothing leads out of."""

import contextlib
import os
import socket
import stat
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tenterhook.agent.tools import built_in
from tenterhook.clients.workspace.workspace import Workspace, WorkspaceError

NOBODY = 65534


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with a blank in its name, and a secret beside it."""
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "my project-2").mkdir()
    (tmp_path / "my project-2" / "near.txt").write_text("secret")
    made = tmp_path / "my project"
    made.mkdir()
    (made / "a file.txt").write_text("inside")
    return made


@pytest.fixture(params=[False, True], ids=["open", "confined"])
def workspace(request: pytest.FixtureRequest, root: Path) -> Workspace:
    return Workspace(root, confined=request.param)


@pytest.fixture
def confined(root: Path) -> Workspace:
    return Workspace(root, confined=True)


@pytest.fixture
def stranger() -> Iterator[Path]:
    """A folder in which the tests are an ordinary user, who may not do everything."""
    with tempfile.TemporaryDirectory() as folder:
        if os.geteuid() != 0:
            yield Path(folder)
            return
        os.chown(folder, NOBODY, NOBODY)
        os.seteuid(NOBODY)
        try:
            yield Path(folder)
        finally:
            os.seteuid(0)


def read(workspace: Workspace, path: str) -> str:
    return workspace.read(path, 1 << 20).decode()


def open_files() -> int:
    return len(os.listdir("/dev/fd"))


# ---- where a path leads


def test_a_relative_path_counts_from_the_project_and_a_whole_one_from_the_top(workspace: Workspace, root: Path) -> None:
    assert read(workspace, "a file.txt") == read(workspace, str(root / "a file.txt")) == "inside"
    assert read(workspace, "././a file.txt") == "inside"


def test_a_tilde_is_the_home_that_the_environment_names(root: Path) -> None:
    inside = Workspace(root, environ={"HOME": str(root)})
    outside = Workspace(root, environ={"HOME": str(root.parent)})

    assert read(inside, "~/a file.txt") == "inside"
    assert (inside.asks("~/a file.txt"), outside.asks("~/secret.txt"), outside.asks("~")) == (False, True, True)


def test_a_file_whose_name_begins_with_a_tilde_is_no_home(workspace: Workspace, root: Path) -> None:
    (root / "~backup").write_text("old")

    assert read(workspace, "~backup") == "old"


@pytest.mark.parametrize(
    ("path", "inside"),
    [
        (".", True),
        ("a file.txt", True),
        ("new/folder/file", True),
        ("x/../a file.txt", True),
        ("..", False),
        ("../secret.txt", False),
        ("../my project-2/near.txt", False),
        ("/", False),
        ("link/secret.txt", False),
        ("link/new", False),
        ("", False),
        ("a\0b", False),
    ],
)
def test_what_is_inside_is_said_when_links_are_followed(root: Path, path: str, inside: bool) -> None:
    (root / "link").symlink_to(root.parent)
    workspace = Workspace(root)

    assert workspace.inside(path) is inside
    assert workspace.asks(path) is not inside


def test_a_project_that_is_named_by_a_link_is_the_same_project(root: Path) -> None:
    alias = root.parent / "alias"
    alias.symlink_to(root)
    for confined in (False, True):
        workspace = Workspace(alias, confined=confined)

        assert read(workspace, str(alias / "a file.txt")) == read(workspace, str(root / "a file.txt")) == "inside"
        assert workspace.inside(str(alias / "a file.txt"))


def test_paths_are_shown_from_the_project_on(workspace: Workspace, root: Path) -> None:
    shown = [workspace.display_path(path) for path in ("./a", str(root / "b" / "c"), ".", "/etc/hosts")]

    assert shown == ["a", "b/c", ".", "/etc/hosts"]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("", "a path is needed"),
        ("a\0b", "holds a NUL character"),
        ("\ud800", "half a character"),
        ("absent", "absent: no such file"),
        ("absent/file", "no such file"),
        ("a file.txt/below", "is a file, not a folder"),
        ("a file.txt/", "is a file, not a folder"),
        (".", "this is a folder"),
        ("x" * 300, "too long"),
    ],
)
def test_what_cannot_be_read_is_told_in_plain_words(workspace: Workspace, path: str, words: str) -> None:
    with pytest.raises(WorkspaceError, match=words):
        workspace.read(path, 100)


# ---- links


def test_links_within_the_project_are_followed(workspace: Workspace, root: Path) -> None:
    (root / "deep" / "er").mkdir(parents=True)
    (root / "deep" / "er" / "up").symlink_to("../../a file.txt")
    (root / "to").symlink_to("deep/er")
    (root / "whole").symlink_to(root / "to" / "up")
    (root / "back").symlink_to("deep/../a file.txt")

    assert [read(workspace, path) for path in ("to/up", "whole", "back", "to/../er/up")] == ["inside"] * 4


def test_links_in_a_circle_are_an_error_and_not_a_long_wait(workspace: Workspace, root: Path) -> None:
    (root / "one").symlink_to("two")
    (root / "two").symlink_to("one")
    (root / "self").symlink_to("self/self")

    for path in ("one", "self", "one/below"):
        with pytest.raises(WorkspaceError, match="in a circle"):
            workspace.read(path, 100)


ESCAPES = {
    "dots": lambda root: "../secret.txt",
    "dots in the middle": lambda root: "folder/../../secret.txt",
    "a whole path": lambda root: str(root.parent / "secret.txt"),
    "a whole path with dots": lambda root: f"{root}/../secret.txt",
    "a name that begins alike": lambda root: f"{root}-2/near.txt",
    "the folder above": lambda root: "..",
    "the top": lambda root: "/",
    "home": lambda root: "~/secret.txt",
    "a link": lambda root: linked(root, "link", "../secret.txt"),
    "a whole link": lambda root: linked(root, "link", str(root.parent / "secret.txt")),
    "a link to the folder above": lambda root: linked(root, "link", "..") + "/secret.txt",
    "a link to the top": lambda root: linked(root, "link", "/") + str(root.parent / "secret.txt"),
    "a link with dots through a folder": lambda root: linked(root, "link", "folder/../../secret.txt"),
    "a link to a link": lambda root: linked(root, "first", linked(root, "second", "../secret.txt")),
    "a link that begins alike": lambda root: linked(root, "link", f"{root}-2/near.txt"),
    "a link with dots after the root": lambda root: linked(root, "link", f"{root}/../secret.txt"),
    "through proc": lambda root: linked(root, "link", "/proc/self/root") + str(root.parent / "secret.txt"),
}


def linked(root: Path, name: str, target: str) -> str:
    (root / name).symlink_to(target)
    return name


@pytest.mark.parametrize("escape", ESCAPES.values(), ids=ESCAPES)
def test_nothing_leads_out_of_a_confined_workspace(root: Path, escape: Callable[[Path], str]) -> None:
    (root / "folder").mkdir()
    workspace = Workspace(root, confined=True, environ={"HOME": str(root.parent)})
    path = escape(root)

    for attempt in (workspace.read, lambda path, most: workspace.write(path, b"overwritten")):
        with pytest.raises(WorkspaceError, match="outside of the project"):
            attempt(path, 100)
    with pytest.raises(WorkspaceError, match="outside of the project"):
        list(workspace.walk(path))
    assert (root.parent / "secret.txt").read_text() == "secret"
    assert not workspace.asks(path)


def test_a_link_that_is_swapped_in_while_we_read_leads_nowhere(root: Path) -> None:
    """A folder of the project is exchanged for a link to the outside and back, all the time."""
    outside = beside(root)
    (root / "place").mkdir()
    (root / "place" / "file").write_text("inside")
    workspace, texts = Workspace(root, confined=True), set()

    def swap() -> None:
        os.rename(root / "place", root / "aside")
        os.symlink(outside, root / "place")
        os.unlink(root / "place")
        os.rename(root / "aside", root / "place")

    with again_and_again(swap):
        for _ in range(6000):
            with contextlib.suppress(WorkspaceError):
                texts.add(read(workspace, "place/file"))

    assert texts <= {"inside"}
    assert read(workspace, "place/file") == "inside"


def test_a_link_that_is_swapped_in_while_we_write_leads_nowhere(root: Path) -> None:
    """The name is a link all the time, now to a folder of the project and now to one outside."""
    outside = beside(root)
    (root / "real").mkdir()
    (root / "place").symlink_to("real")
    workspace = Workspace(root, confined=True)

    def swap() -> None:
        for target in (outside, root / "real"):
            os.symlink(target, root / "next")
            os.replace(root / "next", root / "place")

    with again_and_again(swap):
        for _ in range(3000):
            with contextlib.suppress(WorkspaceError):
                workspace.write("place/file", b"written")

    assert (outside / "file").read_text() == "secret"
    workspace.write("place/file", b"and written again")
    assert (root / "real" / "file").read_text() == "and written again"


def beside(root: Path) -> Path:
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "file").write_text("secret")
    return outside


@contextlib.contextmanager
def again_and_again(function: Callable[[], None]) -> Iterator[None]:
    over = threading.Event()

    def run() -> None:
        while not over.is_set():
            function()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def test_no_descriptor_stays_open_whatever_happens(workspace: Workspace, root: Path) -> None:
    (root / "loop").symlink_to("loop")
    before = open_files()
    for path in ("a file.txt", "absent", "loop", "..", "a file.txt/x", "/etc", "new/file"):
        with contextlib.suppress(WorkspaceError):
            workspace.read(path, 3)
        with contextlib.suppress(WorkspaceError):
            list(workspace.walk(path) if path != "/etc" else ())
    workspace.write("new/other", b"x")

    assert open_files() == before


# ---- reading


def test_a_file_that_is_too_large_is_refused_before_it_fills_the_memory(workspace: Workspace, root: Path) -> None:
    with open(root / "huge", "wb") as file:
        file.truncate(1 << 40)

    with pytest.raises(WorkspaceError, match="huge is larger than 1,000 bytes"):
        workspace.read("huge", 1000)


def test_a_pipe_and_a_socket_are_refused_without_waiting(workspace: Workspace, root: Path) -> None:
    os.mkfifo(root / "pipe")
    with socket.socket(socket.AF_UNIX) as one, contextlib.chdir(root):
        one.bind("socket")

        with pytest.raises(WorkspaceError, match="not a file"):
            workspace.read("pipe", 100)
        with pytest.raises(WorkspaceError, match="socket"):
            workspace.read("socket", 100)


def test_what_may_not_be_read_is_said(stranger: Path) -> None:
    (stranger / "closed").write_text("x")
    (stranger / "closed").chmod(0)

    with pytest.raises(WorkspaceError, match="closed: permission denied"):
        Workspace(stranger).read("closed", 100)


def test_a_folder_that_may_only_be_passed_through_is_passed_through(stranger: Path) -> None:
    (stranger / "dim").mkdir()
    (stranger / "dim" / "file").write_text("known by name")
    (stranger / "dim").chmod(0o311)

    assert read(Workspace(stranger), "dim/file") == "known by name"
    (stranger / "dim").chmod(0o755)


def test_a_walk_tells_of_every_file_and_follows_no_link(workspace: Workspace, root: Path) -> None:
    for name in ("b/2", "b/1", "a/3", ".git/config", "b/node_modules/x", ".hidden/4"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("")
    (root / "b" / "out").symlink_to(root.parent)
    (root / "round").symlink_to(".")

    found = [workspace.display_path(entry.path) for entry in workspace.walk(".")]

    assert found == ["a file.txt", "round", ".hidden/4", "a/3", "b/1", "b/2", "b/out"]
    assert [workspace.display_path(entry.path) for entry in workspace.walk(".git")] == [".git/config"]


def test_a_walk_passes_by_what_it_may_not_enter(stranger: Path) -> None:
    for name in ("closed", "open"):
        (stranger / name).mkdir()
        (stranger / name / "file").write_text("")
    (stranger / "closed").chmod(0)

    assert [entry.path for entry in Workspace(stranger).walk(".")] == ["./open/file"]
    (stranger / "closed").chmod(0o755)


def test_a_walk_of_a_tree_deeper_than_python_can_recurse_ends(root: Path) -> None:
    here = os.open(root, os.O_RDONLY)
    for _ in range(1100):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)

    found = [entry.path for entry in Workspace(root).walk(".")]

    subprocess.run(["rm", "-rf", str(root / "d")], check=True)  # Python's own rmtree cannot
    assert found == ["./a file.txt"]


# ---- writing


def test_a_file_is_replaced_as_a_whole_and_keeps_its_mode(workspace: Workspace, root: Path) -> None:
    (root / "run").write_text("old")
    (root / "run").chmod(0o751)
    with open(root / "run") as reader:
        new = workspace.write("run", b"new")

        assert reader.read() == "old"
    assert ((root / "run").read_text(), new) == ("new", False)
    assert stat.S_IMODE((root / "run").stat().st_mode) == 0o751
    assert sorted(os.listdir(root)) == ["a file.txt", "run"]


def test_a_new_file_has_the_mode_that_files_have_here(workspace: Workspace, root: Path) -> None:
    (root / "usual").write_text("")

    assert workspace.write("deep/er/new", b"x") is True
    assert (root / "deep/er/new").stat().st_mode == (root / "usual").stat().st_mode


def test_a_link_stays_a_link_and_what_it_points_to_is_written(workspace: Workspace, root: Path) -> None:
    (root / "link").symlink_to("a file.txt")
    (root / "dangling").symlink_to("made/later")
    workspace.write("link", b"through")
    workspace.write("dangling", b"through")

    assert (root / "link").is_symlink()
    assert (root / "dangling").is_symlink()
    assert ((root / "a file.txt").read_text(), (root / "made" / "later").read_text()) == ("through", "through")


@pytest.mark.parametrize("path", [".", "folder", "folder/", "a file.txt/below", "pipe"])
def test_what_is_no_file_is_not_written_to(workspace: Workspace, root: Path, path: str) -> None:
    (root / "folder").mkdir()
    os.mkfifo(root / "pipe")

    with pytest.raises(WorkspaceError, match=r"not a (file|folder)"):
        workspace.write(path, b"x")
    assert sorted(os.listdir(root)) == ["a file.txt", "folder", "pipe"]


def test_a_file_that_may_not_be_written_stays(stranger: Path) -> None:
    (stranger / "kept").write_text("kept")
    (stranger / "kept").chmod(0o444)
    (stranger / "folder").mkdir(mode=0o555)

    for path in ("kept", "folder/new", "folder/new/er"):
        with pytest.raises(WorkspaceError, match="permission denied"):
            Workspace(stranger).write(path, b"x")
    assert (stranger / "kept").read_text() == "kept"


def test_a_disk_that_is_full_leaves_the_old_file_and_no_other(workspace: Workspace, root: Path) -> None:
    import resource
    import signal

    (root / "big").write_text("old")
    before, usual = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(WorkspaceError, match="big: "):
            workspace.write("big", b"x" * 5000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, usual)
    assert (root / "big").read_text() == "old"
    assert sorted(os.listdir(root)) == ["a file.txt", "big"]


# ---- what a workspace allows


def test_a_read_only_workspace_writes_nothing_and_has_no_tool_that_would(root: Path) -> None:
    workspace = Workspace(root, read_only=True)

    with pytest.raises(WorkspaceError, match="read-only"):
        workspace.write("new", b"x")
    assert [tool.name for tool in built_in(workspace)] == ["Read", "Grep", "Glob"]


def test_a_confined_workspace_has_no_shell(root: Path, confined: Workspace) -> None:
    assert [tool.name for tool in built_in(Workspace(root))] == ["Bash", "Read", "Write", "Edit", "Grep", "Glob"]
    assert [tool.name for tool in built_in(confined)] == ["Read", "Write", "Edit", "Grep", "Glob"]


def test_writing_tools_always_ask_and_reading_ones_only_outside(root: Path) -> None:
    tools = {tool.name: tool.asks for tool in built_in(Workspace(root))}
    (root / "out").symlink_to(root.parent)

    assert [tools[name] for name in ("Bash", "Write", "Edit")] == [True, True, True]
    assert asked(tools["Read"], file_path="a file.txt") == asked(tools["Grep"], pattern="x") == (False,)
    assert asked(tools["Read"], file_path="out/secret.txt") == asked(tools["Grep"], pattern="x", path="..") == (True,)
    patterns = {"**/*.py": False, "out/*": True, "../*": True, "/etc/*": True, "a file.txt": False}
    assert {one: asked(tools["Glob"], pattern=one)[0] for one in patterns} == patterns
    assert asked(tools["Glob"], pattern="*", path="out") == (True,)


def asked(asks: bool | Callable[[dict[str, object]], bool], **input: object) -> tuple[bool]:
    assert callable(asks)
    return (asks(input),)
