"""The main program of a warm interpreter: `python [options] program.py CONTROL CHANNEL NOTES HELLO`, started by a
spawner.
"""

NAMES = tuple(globals())

import sys  # noqa: E402

BARE = tuple(sys.modules)


def main():
    # type: () -> int
    """Serve; in a fork that is to run a script, leave the server and run the script."""
    import os

    control, channel, notes = map(int, sys.argv[1:4])
    hello = bytes.fromhex(sys.argv[4])
    here = os.path.dirname(os.path.abspath(__file__))
    if sys.path[:1] == [here]:
        del sys.path[0]
    # Only our own copy: another version of tenterhook may be installed for this interpreter.
    folder = os.path.dirname(os.path.dirname(here))
    package = sys.modules[os.path.basename(folder)] = type(sys)(os.path.basename(folder))
    package.__path__ = [folder]

    from tenterhook.runtime.supervisor import system
    from tenterhook.runtime.supervisor.wire import wire
    from tenterhook.runtime.warm import child, run_script
    from tenterhook.runtime.warm.forks import BecomeChild
    from tenterhook.runtime.warm.server import WarmServer

    for fd in (control, channel, notes):
        os.set_inheritable(fd, False)
    start = child.StartState(NAMES)
    if len(os.listdir("/proc/self/task")) > 1 or sys.gettrace() or sys.getprofile():
        return 1
    system.adopt_orphans()
    system.keep_out()  # including what we have just read
    warm, born = WarmServer(wire(control), hello, wire(channel), notes, BARE), None
    try:
        warm.serve()
        system.wake_parent()
    except BecomeChild as exc:
        born = exc.connection, exc.shared, exc.file
    if born is None:
        return 0
    warm.leave()
    known = set(sys.modules)
    connection, shared, file = born
    script = child.become_script(connection, start, warm.scripts, file)
    own = os.getpid()
    return run_script.finish(run_script.ran(script), script, known, shared, own)


if __name__ == "__main__" and sys.version_info >= (3, 9) and sys.implementation.name == "cpython":
    sys.exit(main())
