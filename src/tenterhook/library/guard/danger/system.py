"""Rules about the machine: stopping it, its services and processes, its firewall, its records."""

from __future__ import annotations

from tenterhook.library.guard.finding import Rule
from tenterhook.library.guard.paths import Place
from tenterhook.support.shell.calls import Call
from tenterhook.support.shell.wrappers import operands

USERS = ("-u", "-U", "--user", "--euid", "--uid")
STOPS = ("stop", "disable", "mask", "kill", "poweroff", "reboot", "halt", "isolate", "rescue", "emergency", "kexec")


def first_word(call: Call) -> str:
    return next((word for word in call.words if not word.startswith("-")), "")


def stops(call: Call, place: Place) -> bool:
    program, words = call.program, call.words
    if program == "systemctl":
        return first_word(call) in STOPS and "--user" not in words
    if program in ("init", "telinit"):
        return words[:1] in (["0"], ["6"], ["1"])
    if program == "shutdown":
        return not {"-c", "--help", "--show"} & set(words)
    if program == "kill":
        return kills_all(words)
    if program in ("killall", "pkill"):  # all of a user's processes, if no process is named
        return any(word in USERS for word in words) and not operands(words, (*USERS, "-s", "--signal"))
    return not {"--help", "--version"} & set(words)


def kills_all(words: list[str]) -> bool:
    """Whether it kills every process, or process 1. A leading -1 is a signal if a process follows."""
    if words == ["-1"]:
        return True
    if words[:1] and words[0][:1] == "-" and words[0] != "--":
        words = words[2:] if words[0] in ("-s", "-n", "--signal") else words[1:]
    return any(word in ("-1", "1") for word in words)


def unschedules(call: Call, place: Place) -> bool:
    return any(word[:1] == "-" and word[1:2] != "-" and "r" in word for word in call.words)


def opens_firewall(call: Call, place: Place) -> bool:
    words = call.words
    if call.program == "ufw":
        return first_word(call) in ("disable", "reset")
    if call.program == "nft":
        return words[:1] == ["flush"]
    accepts = "ACCEPT" in words and any(word in ("-P", "--policy") for word in words)
    return accepts or any(word in ("-F", "--flush", "-X") for word in words)


def wipes_records(call: Call, place: Place) -> bool:
    program, words = call.program, call.words
    if program == "history":
        return any(word in ("-c", "-w", "-d", "-cw") or word.startswith("-c") for word in words)
    if program == "journalctl":
        return any(word.startswith("--vacuum") for word in words)
    if program == "unset":
        return "HISTFILE" in words
    emptied = ("HISTFILE=", "HISTFILE=/dev/null", "HISTSIZE=0", "HISTFILESIZE=0")
    return any(word in emptied for word in words)


RULES = (
    Rule(
        "system-control",
        "deny",
        "stops the machine, its services or its processes; leave that to the user",
        stops,
        "shutdown reboot halt poweroff init telinit systemctl kill killall pkill",
    ),
    Rule("crontab-remove", "deny", "removes all scheduled jobs; edit single ones", unschedules, "crontab"),
    Rule(
        "firewall-off",
        "deny",
        "opens the machine's firewall; leave it as it is",
        opens_firewall,
        "iptables ip6tables nft ufw",
    ),
    Rule(
        "wipe-records",
        "ask",
        "removes records of what was done; leave them",
        wipes_records,
        "history unset export journalctl",
    ),
)
