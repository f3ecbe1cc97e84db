"""Which paths may be written: those in the project and the temporary folder, except protected ones."""

from __future__ import annotations

import os

from tenterhook.library.guard.finding import Finding
from tenterhook.library.guard.secret import mask_secrets_in_text
from tenterhook.runtime.sandbox import places
from tenterhook.support.paths import within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.library.actions.settings import ActionSettings

# The rules about paths: the decision, what is wrong and what to do instead.
RULES = {
    "git-folder": ("deny", "belongs to git alone; use git commands"),
    "agent-settings": ("deny", "holds the settings and hooks that guard agents; tell the user what should change"),
    "credentials": ("deny", "holds credentials; tell the user what should change"),
    "startup-file": ("deny", "runs whenever a shell starts; tell the user what should change"),
    "protected-path": ("deny", "is protected by the project; leave it as it is"),
    "system-path": ("deny", "belongs to the system; write below the project"),
    "outside-project": ("deny", "is outside of the project; write below the project"),
    "env-file": ("ask", "may hold secrets; write an example file such as .env.example"),
    "lock-file": ("ask", "is written by the package manager; run it, do not edit its file"),
    "agent-config": ("ask", "says what agents of this project run"),
}
LOCK_FILES = (
    *("package-lock.json", "yarn.lock", "pnpm-lock.yaml", "uv.lock", "poetry.lock", "pipfile.lock", "cargo.lock"),
    *("gemfile.lock", "composer.lock", "go.sum"),
)
# Patterns from any folder of the project on; ** is everything below.
IN_PROJECT = (
    (".git/**", "git-folder"),
    *((pattern, "agent-settings") for pattern in places.SETTINGS),
    *((pattern, "agent-config") for pattern in places.CONFIG),
    *((pattern, "env-file") for pattern in (".env", ".env.*")),
    *((name, "credentials") for name in (".netrc", ".pypirc", "id_rsa", "id_ed25519")),
    *((name, "lock-file") for name in LOCK_FILES),
)
# From the user's home on.
IN_HOME = (
    *((name, "startup-file") for name in places.STARTUP),
    *(
        (f".{name}/**", "credentials")
        for name in ("ssh", "aws", "gnupg", "kube", "azure", "config/gcloud", "config/gh")
    ),
    *((f".{name}", "credentials") for name in ("netrc", "npmrc", "pypirc", "git-credentials", "docker/config.json")),
)
EXAMPLES = (".env.example", ".env.sample", ".env.template", ".env.dist", ".env.defaults")
SYSTEM = (
    *("/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/opt", "/proc", "/run", "/sbin", "/sys", "/usr"),
    *("/var", "/root", "/System", "/Library", "/Applications", "/private/etc", "/private/var"),
)
TEMPORARY = ("/tmp", "/var/tmp", "/private/tmp", "/private/var/folders", "/var/folders", "/dev/shm")
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd")


class Territory:
    """The project, and the paths that may be written there and elsewhere."""

    def __init__(self, project: str, settings: ActionSettings) -> None:
        self.project, self.settings = project, settings
        self.root = os.path.realpath(project)
        self.home = os.path.expanduser("~")
        self.real_home = os.path.realpath(self.home)

    def judged(self, path: str) -> Finding | None:
        """The finding about writing a path, by the given name and by its real path.

        A path with a / at its end includes everything below it.
        """
        real = os.path.realpath(path)
        rule = self.rule_of(real)
        named = os.path.normpath(path)
        if not rule and named != real and self.inside(named):
            rule = self.rule_of(named)
        if not rule and path.endswith("/"):
            rule = self.rule_below(real) or self.rule_below(named)
        return self.finding(rule, self.shown(path)) if rule else None

    def finding(self, rule: str, what: str) -> Finding | None:
        """The finding of a rule about paths, with the decision of the settings."""
        decision = self.settings.rules.get(rule, RULES[rule][0])
        return (
            None if decision == "allow" else Finding(rule, decision, f"{mask_secrets_in_text(what)} {RULES[rule][1]}")
        )

    def rule_of(self, path: str) -> str:
        """The rule for an absolute path; empty if it may be written."""
        if any(within(path, one) for one in DEVICES):
            return ""
        home = below(path, self.real_home)
        rule = match_path_rule(home, IN_HOME, anywhere=False) if home else ""
        if rule:
            return rule
        inside = below(path, self.root) or (below(path, self.project) if path != self.root else "")
        if inside or path in (self.root, self.project):
            return self.rule_inside(inside)
        if any(within(path, one) for one in self.allowed()):
            return match_path_rule(path.lstrip("/"), IN_PROJECT[:1], anywhere=True)
        # A home below one of them, such as /root, belongs to the user.
        system = any(within(path, one) and not (home and within(self.real_home, one)) for one in SYSTEM)
        return "system-path" if system else "outside-project"

    def rule_inside(self, inside: str) -> str:
        if self.settings.protected and matches_any_glob(inside, self.settings.protected):
            return "protected-path"
        rule = match_path_rule(inside, IN_PROJECT, anywhere=True)
        return "" if rule == "env-file" and inside.rpartition("/")[2].lower() in EXAMPLES else rule

    def rule_below(self, folder: str) -> str:
        """The rule that protects something in a folder, but not the folder itself."""
        inside = below(folder, self.root) or below(folder, self.project)
        if inside and any(glob.startswith(f"{inside}/") for glob in self.settings.protected):
            return "protected-path"
        parts = inside.lower().split("/")
        ends = [parts[start:] for start in range(len(parts))]
        for pattern, rule in IN_PROJECT:
            wanted = pattern.split("/")[:-1]
            if pattern.startswith(".") and any(end == wanted[: len(end)] for end in ends):
                return rule
        return ""

    def inside(self, path: str) -> bool:
        return any(within(path, one) for one in (self.root, self.project))

    def allowed(self) -> list[str]:
        """Folders outside of the project that may be written, by their real paths."""
        given = [os.path.join(self.project, os.path.expanduser(one)) for one in self.settings.outside]
        temporary = os.environ.get("TMPDIR")
        named = [*given, *TEMPORARY, *([temporary] if temporary else [])]
        return [*named, *map(os.path.realpath, named)]

    def shown(self, path: str) -> str:
        inside = below(os.path.normpath(path), self.project)
        return inside or path


def below(path: str, folder: str) -> str:
    """The rest of a path below a folder; empty if it is not below it."""
    folder = folder.rstrip("/") + "/"
    return path[len(folder) :] if path.startswith(folder) else ""


def match_path_rule(path: str, table: tuple[tuple[str, str], ...], *, anywhere: bool) -> str:
    """The rule of the first pattern that matches, from the start of the path or from any of its folders."""
    parts = path.lower().split("/")
    starts = parts if anywhere else parts[:1]
    for pattern, rule in table:
        wanted = pattern.split("/")
        if any(same(part, wanted[0]) and fits(parts[start:], wanted) for start, part in enumerate(starts)):
            return rule
    return ""


def fits(parts: list[str], wanted: list[str]) -> bool:
    if wanted[-1] == "**":
        wanted = wanted[:-1]
        parts = parts[: len(wanted)]
    return len(parts) == len(wanted) and all(map(same, parts, wanted))


def same(part: str, wanted: str) -> bool:
    """Match one name against one pattern with at most one *."""
    before, star, after = wanted.partition("*")
    return part == wanted or bool(star and part.startswith(before) and part.endswith(after))


def matches_any_glob(path: str, globs: list[str]) -> bool:
    """Whether a path below the project, its name or a folder around it matches one of the globs."""
    from fnmatch import fnmatchcase

    parts = path.split("/")
    around = ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]
    return any(
        fnmatchcase(one, glob.rstrip("/")) for glob in globs for one in (*around, *(parts if "/" not in glob else ()))
    )
