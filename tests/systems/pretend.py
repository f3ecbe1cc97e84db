"""Runs `tenter`, or a hook file, as on another system: without the modules and functions that it lacks.

    python pretend.py windows WORD...     tenter WORD...; a first word that ends in .py is a file to run instead
    python pretend.py macos WORD...

What it cannot show: other paths, other shells, files that cannot be replaced while they are open.
"""

import asyncio
import concurrent.futures.thread
import json
import logging
import multiprocessing
import os
import pathlib
import runpy
import select
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import sysconfig
import tempfile
import types
import urllib.request

# They are loaded as on this system; what is loaded from now on is not.
sysconfig.get_config_vars()
LOADED = (asyncio, concurrent.futures, json, logging, multiprocessing, pathlib, shutil, ssl, tempfile, urllib.request)

NOT_ON_WINDOWS = {
    "os": """
        fork forkpty geteuid getuid getgid getegid getgroups getpgid getpgrp setpgid getsid setsid setuid setgid killpg
        O_NOFOLLOW O_DIRECTORY O_CLOEXEC O_NONBLOCK O_PATH O_SYNC O_DSYNC O_TMPFILE O_NOATIME O_NOCTTY uname pread
        pwrite preadv pwritev mkfifo mknod fchmod fchown chown lchown fchdir chroot waitid wait wait3 wait4 WNOHANG
        WEXITED WNOWAIT P_PID P_PIDFD P_ALL WIFSIGNALED WIFEXITED WEXITSTATUS WTERMSIG sched_yield sched_getaffinity
        sched_setaffinity sched_getscheduler sched_setscheduler getpriority setpriority nice statvfs fstatvfs
        register_at_fork pidfd_open memfd_create posix_spawn posix_spawnp sendfile set_blocking get_blocking splice
        getloadavg ctermid ttyname openpty sync fdatasync posix_fadvise posix_fallocate getresuid getresgid setresuid
        setresgid pipe2 eventfd eventfd_read eventfd_write copy_file_range getxattr setxattr listxattr removexattr
        initgroups getlogin_r confstr sysconf pathconf unshare setns lockf readv writev major minor makedev
        tcgetpgrp tcsetpgrp SCHED_OTHER SCHED_BATCH PRIO_PROCESS EX_OK
    """,
    "signal": """
        SIGHUP SIGKILL SIGPIPE SIGALRM SIGUSR1 SIGUSR2 SIGCHLD SIGCLD SIGCONT SIGSTOP SIGTSTP SIGTTIN SIGTTOU SIGQUIT
        SIGWINCH SIGBUS SIGTRAP SIGXCPU SIGXFSZ SIGPROF SIGVTALRM SIGIO SIGURG SIGSYS SIGPWR SIGSTKFLT SIGPOLL
        pthread_sigmask pthread_kill setitimer getitimer alarm pause sigwait sigwaitinfo sigtimedwait sigpending
        siginterrupt SIG_BLOCK SIG_UNBLOCK SIG_SETMASK
    """,
    "socket": "AF_UNIX SO_PEERCRED SCM_RIGHTS CMSG_LEN CMSG_SPACE AF_NETLINK AF_PACKET SOCK_CLOEXEC SOCK_NONBLOCK "
    "socketpair_unix send_fds recv_fds MSG_DONTWAIT MSG_NOSIGNAL",
    "select": "poll epoll kqueue POLLIN POLLOUT POLLHUP POLLERR POLLPRI POLLNVAL",
    "modules": "fcntl pwd grp resource termios tty pty posix syslog spwd readline crypt _posixsubprocess",
}
NOT_ON_MACOS = {
    "os": """
        O_PATH O_TMPFILE O_NOATIME pidfd_open memfd_create splice eventfd eventfd_read eventfd_write copy_file_range
        getxattr setxattr listxattr removexattr unshare setns pipe2 sched_getaffinity sched_setaffinity
        sched_getscheduler sched_setscheduler posix_fadvise posix_fallocate getresuid getresgid setresuid setresgid
        P_PIDFD waitid fdatasync
    """,
    "signal": "SIGCLD SIGPWR SIGSTKFLT SIGPOLL sigwaitinfo sigtimedwait",
    "socket": "SO_PEERCRED AF_NETLINK AF_PACKET SOCK_CLOEXEC SOCK_NONBLOCK",
    "select": "epoll",
    "modules": "spwd",
}
SYSTEMS = {"windows": ("win32", NOT_ON_WINDOWS), "macos": ("darwin", NOT_ON_MACOS)}
ONLY_LINUX = ("/proc", "/sys")


def pretend(system: str) -> None:
    platform, missing = SYSTEMS[system]
    subprocess.os, subprocess.signal = copied(os), copied(signal)  # it stands for the system's own, which works
    for module in (os, signal, socket, select):
        for name in missing[module.__name__].split():
            if hasattr(module, name):
                delattr(module, name)
    _signal = sys.modules["_signal"]
    for name in missing["signal"].split():
        if hasattr(_signal, name):
            delattr(_signal, name)
    for name in missing["modules"].split():
        sys.modules[name] = None  # type: ignore[assignment]  # importing it raises ImportError
    if system == "windows":
        os.supports_dir_fd, os.supports_fd = set(), {os.stat, os.truncate}
        os.O_BINARY = 0  # type: ignore[attr-defined]
        os.environ["USERPROFILE"] = os.environ.get("HOME", "")
        shutil._use_fd_functions = False  # type: ignore[attr-defined]
        subprocess.CREATE_NEW_PROCESS_GROUP = 0  # type: ignore[attr-defined]
    watch(system)
    sys.platform = platform


def copied(module: types.ModuleType) -> types.ModuleType:
    made = types.ModuleType(module.__name__)
    vars(made).update(vars(module))
    return made


def watch(system: str) -> None:
    """Refuse what the other system would refuse."""
    windows = system == "windows"

    def hook(event: str, args: tuple[object, ...]) -> None:
        if event == "open":
            path = os.fsdecode(args[0]) if isinstance(args[0], (str, bytes)) else ""
            if path.startswith(ONLY_LINUX):
                raise FileNotFoundError(2, "there is no such file on this system", path)
            if windows and os.path.isdir(path):
                raise PermissionError(13, "a folder cannot be opened on this system", path)
        if event in ("os.fork", "os.posix_spawn") and windows:
            raise OSError(38, "there is no fork on this system")

    sys.addaudithook(hook)


if __name__ == "__main__":
    pretend(sys.argv[1])
    words = sys.argv[2:]
    if words[0].endswith(".py"):
        sys.argv = words
        sys.path[0] = os.path.dirname(os.path.abspath(words[0]))
        runpy.run_path(words[0], run_name="__main__")
    else:
        from tenterhook.cli.main import main

        sys.argv = ["tenter", *words]
        sys.exit(main())
