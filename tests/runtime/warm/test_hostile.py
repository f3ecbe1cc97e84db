"""An interpreter that has been taken over by what is installed for it gains nothing by that."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from runtime.warm.conftest import STRANGE, Both
from tenterhook.runtime.sandbox import bubblewrap
from tenterhook.runtime.sandbox.profile import Profile

# Runs when the interpreter starts, and serves in our place where it would be a warm one.
TAKEN_OVER = """
import sys
if any(word.endswith("warm/program.py") for word in sys.orig_argv):
    import os, select, socket, struct
    head = struct.Struct("<cQq")
    control, first = (socket.socket(fileno=int(word)) for word in sys.orig_argv[-4:-2])
    first.send(head.pack(b"c", 0, 0))
    ears = [control, first]
    while True:
        for ear in select.select(ears, [], [])[0]:
            data, files, _, _ = socket.recv_fds(ear, 1 << 16, 4)
            if not data:
                os._exit(0)
            if ear is control:
                ears.append(socket.socket(fileno=files[0]))
                ears[-1].send(head.pack(KIND, 0, 99) + b"not confined")
            elif data[:1] == b"P":
                ear.send(head.pack(b"y", head.unpack_from(data)[1], 0))
"""


@pytest.mark.parametrize("kind", [b"u", b"r", b"c"])
def test_an_interpreter_cannot_talk_hooks_out_of_their_sandbox(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: bytes
) -> None:
    monkeypatch.setattr(bubblewrap, "find_working_bwrap", lambda: "")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    [packages] = (tmp_path / "venv" / "lib").glob("python3*/site-packages")
    both = Both(tmp_path / STRANGE, str(tmp_path / "venv" / "bin" / "python"))
    both.write("try.py", "try:\n    open('../outside', 'w')\nexcept OSError as exc:\n    print(type(exc).__name__)")
    try:
        profile = Profile("none", (str(both.folder),))
        cold = both.cold("try.py", profile=profile)
        if cold.sandbox in ("", "none"):
            pytest.skip(f"this machine cannot confine a process: {cold.notes}")
        (packages / "sitecustomize.py").write_text(TAKEN_OVER.replace("KIND", repr(kind)))
        both.prepare("try.py", profile=profile)
        done = both.warm("try.py", profile=profile)

        assert (done.stdout, done.error, done.sandbox) == (cold.stdout, None, cold.sandbox)
        assert not (tmp_path / "outside").exists()
    finally:
        both.close()
