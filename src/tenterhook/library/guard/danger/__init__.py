"""Rules about commands, by name. Each subject is a file, imported only if a program that it is about is called."""

from __future__ import annotations

from tenterhook.library.guard import own
from tenterhook.library.guard.danger import always
from tenterhook.library.guard.finding import Finding, Rule
from tenterhook.library.guard.secret import mask_secret, mask_secrets_in_text
from tenterhook.support.shell.calls import Call, calls
from tenterhook.support.shell.writes import symlink_targets, through, written_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tenterhook.library.guard.paths import Place

# The programs that each file's rules are about.
ABOUT = {
    "files": (
        "rm unlink find mv rsync chmod chown chgrp dd mkfs fdisk sfdisk sgdisk gdisk wipefs parted shred blkdiscard "
        "mkswap cryptsetup zpool zfs lvremove vgremove pvremove diskutil hdparm nvme"
    ),
    "git": "git pre-commit",
    "system": (
        "shutdown reboot halt poweroff init telinit systemctl kill killall pkill crontab iptables ip6tables nft ufw "
        "history unset export journalctl"
    ),
    "network": (
        "sh bash dash zsh ksh ash mksh fish rbash csh tcsh pwsh eval source . python perl ruby node deno bun php lua "
        "osascript make gmake "
        "curl wget nc ncat netcat socat scp rsync sftp ftp http https telnet mail sendmail aws gsutil rclone gh dig "
        "nslookup host ping cat less more head tail bat "
        "strings base64 xxd grep egrep fgrep rg tac nl od hexdump awk gawk sed cut sort dd jq cp tar zip mapfile "
        "readarray"
    ),
    "addresses": "deno pip pipx uv npm pnpm yarn bun python",
    "services": (
        "npm yarn pnpm bun twine cargo poetry uv flit hatch gem gh dotnet mvn python docker podman kubectl oc helm "
        "terraform tofu pulumi terragrunt aws gcloud psql mysql mariadb sqlite mongosh mongo redis-cli dropdb"
    ),
}
SUBJECTS = {subject: frozenset(programs.split()) for subject, programs in ABOUT.items()}
UNPARSABLE = Finding(
    "unparsable", "ask", "the command cannot be read as a shell would read it ({}); write it in a simpler way"
)
TOO_MANY = "it writes more files than can be looked at"
# The most findings for one command; more would not be read.
MOST = 20
# Each path is resolved on the disk, which takes time.
MOST_PATHS = 1000


def findings(
    text: str,
    place: Place,
    folder: str,
    secrets: tuple[str, ...] = (),
    *,
    programs: bool = True,
    paths: bool = True,
) -> list[Finding]:
    """All findings about a shell text: about the programs, and about the paths that they write.

    Each rule reports its first finding. Secrets are masked.
    """
    found: dict[str, Finding] = {}
    called, problem = calls(text, folder=folder, home=place.home)
    if problem:
        add(found, place, UNPARSABLE.rule, UNPARSABLE.decision, UNPARSABLE.text.format(problem))
    seen: set[str] = set()
    links: dict[str, str] = {}
    for call in called:
        hit = [rule for rule in rules_for(call) if rule.test(call, place)] if programs else []
        for rule in hit:
            if rule.name not in found:
                add(found, place, rule.name, rule.decision, f"{format_call(call, secrets)}: {rule.says}")
        if not paths or any(rule.name in found and found[rule.name].decision == "deny" for rule in hit):
            continue
        named = [one for path in written_paths(call) for one in through(path, links)]
        links |= symlink_targets(call)
        new = list(dict.fromkeys(path for path in named if path not in seen))
        for path in new[: max(0, MOST_PATHS - len(seen))]:
            one = place.judged(path) or about_own(text, path, place)
            if one:
                found.setdefault(one.text, one)
        seen.update(new)
        if len(seen) > MOST_PATHS:
            add(found, place, UNPARSABLE.rule, UNPARSABLE.decision, UNPARSABLE.text.format(TOO_MANY))
        if len(found) >= MOST:
            break
    return list(found.values())


def about_own(text: str, path: str, place: Place) -> Finding | None:
    """A finding about a command that writes to a file that holds our settings among others."""
    if not path.rstrip("/").endswith(f"/{own.FILE}"):
        return None
    if own.NAME in text:
        return place.finding("agent-settings", f"tool.{own.NAME} in {place.shown(path)}")
    return place.finding("agent-config", place.shown(path)) if own.table(own.now(path)) else None


def add(found: dict[str, Finding], place: Place, rule: str, decision: str, text: str) -> None:
    decision = place.settings.rules.get(rule, decision)
    if decision != "allow":
        found.setdefault(rule, Finding(rule, decision, text))


def format_call(call: Call, secrets: tuple[str, ...]) -> str:
    """A call in one short line."""
    text = str(call)
    for one in secrets:
        text = text.replace(one, mask_secret(one))
    text = mask_secrets_in_text(text)  # in the command, quotes may have split them
    text = "".join(char if char.isprintable() else " " for char in text[:200])
    return text if len(text) <= 100 else text[:97] + "..."


def rules_for(call: Call) -> Iterator[Rule]:
    yield from always.RULES
    named = {call.program, stem(call.program)}
    for subject, programs in SUBJECTS.items():
        if not named.isdisjoint(programs):
            yield from (rule for rule in rules_of(subject) if not named.isdisjoint(rule.programs))


def stem(program: str) -> str:
    """A program without its version or kind: python3.12 is python, mkfs.ext4 is mkfs."""
    return "mkfs" if program.startswith("mkfs.") else program.rstrip("0123456789.")


def rules_of(subject: str) -> tuple[Rule, ...]:
    from importlib import import_module

    rules: tuple[Rule, ...] = import_module(f"{__name__}.{subject}").RULES
    return rules


def every() -> list[Rule]:
    """All rules about programs."""
    return [*always.RULES, *(rule for subject in SUBJECTS for rule in rules_of(subject))]


def names() -> list[str]:
    """The names of all rules about commands."""
    return [*(rule.name for rule in every()), UNPARSABLE.rule]
