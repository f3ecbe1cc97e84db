"""The table of rules about commands: what each rule says, and which calls it is about.

A row is about programs (python3.12 counts as python), and names a function in this package or says itself what to look
for: the words that the call begins with (alternatives between commas, * for anything), signs of which each group
between & needs one, and signs that make the call harmless.

    -f        the letter of an option, alone or among others
    --force   a long option, or the beginning of one
    +*        an operand behind the first two that begins so
    word      the word itself
"""

from __future__ import annotations

from functools import cache

from tenterhook.library.guard.paths import same
from tenterhook.support.shell.wrappers import SHELLS, after_options, has_option, operands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tenterhook.library.guard.paths import Territory
    from tenterhook.support.shell.calls import ProgramCall

# The rules: the decision, what is wrong and what to do instead.
RULES = {
    "unknown-program": ("ask", "only the shell knows which program this runs; write the program's name"),
    "unparsable": ("ask", "cannot be read as a shell would read it; write it in a simpler way"),
    "privileged": ("ask", "runs with the rights of another user; do it without, or have the user run it"),
    "delete-root": ("deny", "deletes or moves the system, a home or the whole project; name the files that should go"),
    "delete-unknown": ("ask", "may delete far more than is meant: only the shell knows what; write the path out"),
    "disk-write": ("deny", "overwrites a disk or its tables; work with files"),
    "open-permissions": ("deny", "lets every user write all that is below; change single files"),
    "permissions-of-roots": (
        "deny",
        "changes owner or rights of the system, a home or foreign files; name single files",
    ),
    "fork-bomb": ("deny", "a function that starts itself without end; leave it out"),
    "agent-settings": ("deny", "changes the settings and hooks that guard agents; tell the user what should change"),
    "force-push": ("deny", "overwrites others' commits; push without force, or with --force-with-lease"),
    "git-discard": ("ask", "throws away work or history for good; commit or stash it first, or leave it to the user"),
    "skip-hooks": ("ask", "switches hooks off or goes around them; run it with them and mend what they find"),
    "system-control": ("deny", "stops the machine, its services or its processes; leave that to the user"),
    "crontab-remove": ("deny", "removes all scheduled jobs; edit single ones"),
    "firewall-off": ("deny", "opens the machine's firewall; leave it as it is"),
    "wipe-records": ("ask", "removes records of what was done; leave them"),
    "download-run": ("deny", "runs code from the network unread; load it into a file, read it, then run it"),
    "download-install": ("ask", "installs what an address has at the moment; name a package and its version"),
    "decoded-run": ("ask", "runs code that is hidden by an encoding; write it out"),
    "loaded-first": (
        "ask",
        "has other code run before or around the program, by a variable or an option; run that code by its own name",
    ),
    "send-credentials": ("deny", "sends credentials to another machine; leave them where they are"),
    "send-environment": ("deny", "sends the environment, with its secrets, to another machine; send single values"),
    "read-credentials": ("ask", "shows credentials to the model; name what you need to know"),
    "publish": ("ask", "publishes for all and cannot be taken back; have the user decide"),
    "container-rights": ("deny", "gives a container the whole machine; mount single folders"),
    "container-prune": ("ask", "deletes images and data of other projects; name what should go"),
    "cluster-delete": ("deny", "deletes much of a cluster; name single objects"),
    "infrastructure-destroy": ("deny", "destroys infrastructure; show the plan and have the user run it"),
    "cloud-delete": ("ask", "deletes in the cloud; have the user decide"),
    "database-drop": ("ask", "deletes tables or a database; make a backup and have the user decide"),
}

RUNS = f"{' '.join(SHELLS)} eval source . python perl ruby node deno bun php lua osascript make gmake"
SOCKETS = "nc ncat netcat socat"
SENDS = (
    f"{SOCKETS} curl wget scp rsync sftp ftp http https telnet mail sendmail aws gsutil rclone gh dig nslookup host "
    "ping"
)
PRINTS = (
    "cat less more head tail bat strings base64 xxd grep egrep fgrep rg tac nl od hexdump awk gawk sed cut sort dd jq "
    "cp tar zip mapfile readarray"
)
# Rules about every call.
ALWAYS = (
    ("unknown-program", "always.unknown"),
    ("privileged", "always.is_privileged_call"),
    ("download-run", "always.runs_loaded"),
    ("loaded-first", "always.loads_first"),
    ("disk-write", "always.writes_into_disk"),
    ("fork-bomb", "always.forks"),
    ("skip-hooks", "always.switches_off"),
)
# A rule, programs, and a function, which is imported when one of the programs is called.
FUNCTIONS = (
    ("delete-root", "rm unlink shred find mv rsync", "files.deletes_root"),
    ("delete-unknown", "rm", "files.deletes_unknown"),
    ("git-discard", "rm mv", "files.deletes_history"),
    ("disk-write", "dd shred fdisk sfdisk parted", "files.writes_disk"),
    ("open-permissions", "chmod", "files.opens"),
    ("permissions-of-roots", "chmod chown chgrp", "files.takes_roots"),
    ("agent-settings", "git", "git.restores_settings"),
    ("skip-hooks", "git", "git.skips_hooks"),
    ("download-run", f"{RUNS} {SOCKETS}", "network.runs_download"),
    ("decoded-run", RUNS, "network.runs_decoded"),
    ("send-credentials", SENDS, "network.sends_credentials"),
    ("send-environment", SENDS, "network.sends_environment"),
    ("read-credentials", PRINTS, "network.prints_credentials"),
    ("download-run", "deno pipx", "addresses.runs_address"),
    ("download-install", "pip pipx uv npm pnpm yarn bun python", "addresses.installs_address"),
    ("container-rights", "docker podman", "services.frees_container"),
    ("cluster-delete", "kubectl oc", "services.deletes_cluster"),
    ("database-drop", "psql mysql mariadb sqlite mongosh mongo redis-cli", "services.drops"),
    ("system-control", "kill killall pkill", "services.kills"),
)
# A rule, programs, the words at the beginning, the signs that it needs, the signs that make it harmless.
ROWS = (
    ("disk-write", "mkfs blkdiscard lvremove vgremove pvremove mkswap", "*", "", ""),
    ("disk-write", "sgdisk gdisk", "", "-Z -o -z --zap --zap-all --clear", ""),
    ("disk-write", "cryptsetup", "", "luksFormat luksErase erase reencrypt", ""),
    ("disk-write", "zpool zfs", "", "destroy labelclear", ""),
    ("disk-write", "diskutil", "", "eraseDisk eraseVolume partitionDisk secureErase zeroDisk randomDisk", ""),
    ("disk-write", "hdparm", "", "--security-erase --security-erase-enhanced --trim-sector-ranges", ""),
    ("disk-write", "nvme", "", "format sanitize", ""),
    ("disk-write", "wipefs", "", "-a -o --all --offset", ""),
    ("force-push", "git", "push", "-f --force --mirror +*", "-n --dry-run"),
    ("git-discard", "git", "reset", "--hard --merge", ""),
    ("git-discard", "git", "clean", "-f --force", "-n --dry-run"),
    ("git-discard", "git", "checkout, switch", "-f --force --discard-changes . :/ *", ""),
    ("git-discard", "git", "restore", ". :/ *", "-S --staged"),
    ("git-discard", "git", "restore", ". :/ * & -W --worktree", ""),
    ("git-discard", "git", "rm", ". :/ * ./", "--cached"),
    ("git-discard", "git", "checkout-index", "-f --force", ""),
    ("git-discard", "git", "branch", "-D", ""),
    ("git-discard", "git", "branch", "-d --delete & -f --force", ""),
    ("git-discard", "git", "push", "-d --delete --prune :*", ""),
    ("git-discard", "git", "stash clear, stash drop, reflog expire, reflog delete", "", ""),
    ("git-discard", "git", "worktree remove", "-f --force", ""),
    ("git-discard", "git", "gc", "--prune=now --prune=all", ""),
    ("git-discard", "git", "filter-branch, filter-repo", "", ""),
    ("git-discard", "git", "update-ref", "-d --stdin", ""),
    ("skip-hooks", "pre-commit lefthook husky tenter", "uninstall", "", ""),
    ("skip-hooks", "tenter lefthook husky", "", "--undo", ""),
    ("system-control", "reboot halt poweroff", "", "", "--help --version"),
    ("system-control", "shutdown", "", "", "-c --help --show"),
    ("system-control", "init telinit", "0, 1, 6", "", ""),
    ("system-control", "systemctl", "stop, disable, mask, kill, isolate, kexec, rescue, emergency", "", "--user"),
    ("system-control", "systemctl", "poweroff, reboot, halt", "", "--user"),
    ("crontab-remove", "crontab", "", "-r", ""),
    ("firewall-off", "iptables ip6tables", "", "-F -X --flush", ""),
    ("firewall-off", "iptables ip6tables", "", "-P --policy & ACCEPT", ""),
    ("firewall-off", "nft", "flush", "", ""),
    ("firewall-off", "ufw", "disable, reset", "", ""),
    ("wipe-records", "history", "", "-c -d -w", ""),
    ("wipe-records", "journalctl", "", "--vacuum-files --vacuum-size --vacuum-time", ""),
    ("wipe-records", "unset", "", "HISTFILE", ""),
    ("wipe-records", "export", "", "HISTFILE= HISTFILE=/dev/null HISTSIZE=0 HISTFILESIZE=0", ""),
    ("publish", "npm pnpm bun poetry uv flit hatch", "publish", "", "--dry-run"),
    ("publish", "cargo", "publish", "", "-n --dry-run"),
    ("publish", "yarn", "publish, npm publish", "", "--dry-run"),
    ("publish", "twine", "upload", "", ""),
    ("publish", "python", "twine upload", "-m", ""),
    ("publish", "gem", "push", "", ""),
    ("publish", "gh", "release create, repo delete, repo edit", "", ""),
    ("publish", "dotnet", "nuget push", "", ""),
    ("publish", "mvn", "deploy", "", ""),
    ("container-prune", "docker podman", "volume prune, volume rm", "", ""),
    ("container-prune", "docker podman", "system prune, image prune", "-a --all --volumes", ""),
    ("cluster-delete", "helm", "uninstall, delete", "", ""),
    ("infrastructure-destroy", "terraform tofu pulumi terragrunt", "destroy, down, run-all destroy", "", ""),
    ("infrastructure-destroy", "terraform tofu pulumi terragrunt", "apply", "-destroy --destroy", ""),
    ("cloud-delete", "aws", "s3 rb, * delete-*, * terminate-*", "", ""),
    ("cloud-delete", "aws", "s3 rm", "--recursive", ""),
    ("cloud-delete", "gcloud", "", "delete", ""),
    ("database-drop", "dropdb", "", "", "--help"),
)
# Options with a value that may come before the subcommand.
GLOBAL = {
    "git": "-C -c --git-dir --work-tree --namespace --exec-path --config-env",
    "aws": "--profile --region --endpoint-url --output --query --color --ca-bundle",
    "gcloud": "--project --account --configuration --format",
    **dict.fromkeys(("docker", "podman"), "-c -H -l --context --host --config --log-level"),
    "helm": "-n --namespace --kube-context --kubeconfig",
    **dict.fromkeys(
        ("npm", "pnpm", "yarn", "bun"), "-C -w -F --prefix --dir --cwd --workspace --filter --registry --tag"
    ),
    **dict.fromkeys(("cargo", "poetry", "uv"), "-C -Z --color --config --directory --project"),
}
# A function's name, or the last three columns of a row.
Test = str | tuple[str, str, str]
BY_PROGRAM: dict[str, list[tuple[str, Test]]] = {}
for rule, programs, *test in (*FUNCTIONS, *ROWS):
    for program in programs.split():
        BY_PROGRAM.setdefault(program, []).append((rule, test[0] if len(test) == 1 else (test[0], test[1], test[2])))


def broken_rules(call: ProgramCall, place: Territory) -> Iterator[str]:
    """The names of the rules that a call breaks."""
    for rule, name in ALWAYS:
        if function(name)(call, place):
            yield rule
    tests = BY_PROGRAM.get(call.program) or BY_PROGRAM.get(stem(call.program), [])
    words = from_subcommand(call) if tests else []
    named = operands(words)
    for rule, test in tests:
        if function(test)(call, place) if isinstance(test, str) else matches(words, named, *test):
            yield rule


def stem(program: str) -> str:
    """A program without its version or kind: python3.12 is python, mkfs.ext4 is mkfs."""
    return "mkfs" if program.startswith("mkfs.") else program.rstrip("0123456789.")


@cache
def function(name: str) -> Callable[[ProgramCall, Territory], bool]:
    module, _, name = name.partition(".")
    found: Callable[[ProgramCall, Territory], bool] = getattr(
        __import__(f"{__package__}.{module}", fromlist=(name,)), name
    )
    return found


# ---- rows


def matches(words: list[str], named: list[str], begins: str, needs: str, unless: str) -> bool:
    """Whether a row matches the words of a call; `named` are those that are not options."""
    return (
        (not begins or any(begins_with(named, one.split()) for one in begins.split(",")))
        and all(any(has_sign(words, sign) for sign in group.split()) for group in needs.split("&") if group)
        and not any(has_sign(words, sign) for sign in unless.split())
    )


def from_subcommand(call: ProgramCall) -> list[str]:
    """The words of a call, without the options before its subcommand."""
    if call.program not in GLOBAL:
        return call.words
    words = call.words[after_options(call.words, GLOBAL[call.program].split()) :]
    return words[1:] if words and call.program == "cargo" and words[0].startswith("+") else words


def begins_with(words: list[str], wanted: list[str]) -> bool:
    return len(words) >= len(wanted) and all(map(same, words, wanted))


def has_sign(words: list[str], sign: str) -> bool:
    if sign[1:] == "*":
        return any(word[:1] == sign[0] for word in operands(words)[2:])
    if sign[:1] != "-" or "=" in sign or (sign[1] != "-" and len(sign) > 2):
        return sign in words
    return has_option(words, "", sign) if sign[:2] == "--" else has_option(words, sign[1:])
