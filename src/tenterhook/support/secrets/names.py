"""Which variables of an environment hold secrets: by name, or by what the value looks like.

A hook gets none of them unless its entry declares it. For most the name decides; but a number or a switch is not a
secret whatever its name (MAX_TOKENS, USE_AUTH), and a value that looks like a token always is.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from tenterhook.support.secrets.patterns import looks_secret

# Parts of a name, anywhere: PGPASSWORD, CLIENTSECRET, AWS_SHARED_CREDENTIALS.
PARTS = (
    *("ACCESSKEY", "PRIVATEKEY", "AUTHKEY", "SEEDPHRASE"),
    *("PASSWORD", "PASSWD", "PASSPHRASE", "PASSCODE", "SECRET", "CREDENTIAL", "APIKEY"),
)
# Whole words between underscores, anywhere in a name.
WORDS = frozenset({"TOKEN", "AUTH", "AUTHORIZATION", "BEARER", "COOKIE", "CREDS", "JWT", "MNEMONIC", "OAUTH", "PAT"})
# Words that count at a name's end only: DB_PASS and STRIPE_KEY, but not KEY_REPEAT.
ENDS = frozenset({"KEY", "KEYS", "PASS", "PWD", "PW", "TOKENS", "WEBHOOK"})
# Suffixes that do not change that: OPENAI_KEY_2, SIGNING_KEY_BASE64, DB_PASS_PROD.
MORE = frozenset({"BASE64", "B64", "PEM", "BACKUP", "OLD", "NEW", "PROD", "PRODUCTION", "STAGING", "DEV", "LIVE"})
# Names that no rule covers.
NAMES = frozenset(
    {
        *("AWS_ACCESS_KEY_ID", "AZURE_STORAGE_CONNECTION_STRING", "SECRET_KEY_BASE", "SENTRY_DSN", "SLACK_WEBHOOK_URL"),
        *("BW_SESSION", "FASTLANE_SESSION", "SEED_PHRASE"),
        *("SSHPASS", "DISCORD_WEBHOOK_URL", "NPM_CONFIG__AUTH", "TWILIO_ACCOUNT_SID", "DOCKER_AUTH_CONFIG"),
    }
)
# A last word that says where or what kind a secret is, not the secret itself.
ABOUT = frozenset(
    {
        *("SOCK", "SOCKET", "FILE", "PATH", "DIR", "URL", "URI", "HOST", "PORT", "ENDPOINT", "REGION", "STORE"),
        *("NAME", "USER", "USERNAME", "TYPE", "METHOD", "MODE", "PROVIDER", "ALGORITHM", "VERSION", "ENABLED"),
        *("DOMAIN", "ISSUER", "AUDIENCE", "SCOPE", "SCOPES", "REALM", "DIRECTORY", "FOLDER", "PERMISSIONS"),
        *("TTL", "EXPIRY", "EXPIRES", "LENGTH", "LIMIT", "COUNT", "SIZE", "HELPER", "MANAGER", "BACKEND", "HEADER"),
    }
)
# Words that make a KEY or TOKENS harmless: PUBLIC_KEY, CACHE_KEY, MAX_TOKENS.
OPEN = frozenset(
    {
        *("PUBLIC", "PUBLISHABLE", "PRIMARY", "FOREIGN", "SORT", "PARTITION", "CACHE", "HOT"),
        *("MAX", "MIN", "THINKING", "OUTPUT", "INPUT", "BUDGET", "STOP"),
    }
)
SWITCHES = frozenset({"", "true", "false", "yes", "no", "on", "off", "none", "null", "auto", "always", "never"})
# Longer numbers may be codes.
DIGITS = 6
# How much of a value is checked; a longer one is data.
LOOK = 1 << 16
# The shortest value that can match a pattern.
SHORTEST = 8


@lru_cache(maxsize=4096)
def named_secret(name: str) -> bool:
    """Whether a variable of this name holds a secret."""
    name = name.upper()
    words = name.split("_")
    if name in NAMES or name.startswith("OP_SESSION_") or words[-2:] == ["WEBHOOK", "URL"]:
        return True
    if words[-2:] == ["CLIENT", "ID"]:
        return False
    while len(words) > 1 and (words[-1] in MORE or words[-1].isdecimal()):
        words.pop()
    if words[-1] in ABOUT:
        return False
    for part in PARTS:
        if part in name:
            return True
    if words[-1].rstrip("0123456789").endswith("TOKEN") or not WORDS.isdisjoint(words):
        return True
    # A single word is the shell's own (PWD) or too little to go by; KEY and PASS alone are neither.
    alone = len(words) == 1 and words[0] not in ("KEY", "PASS")
    return not alone and words[-1] in ENDS and OPEN.isdisjoint(words)


def is_secret(name: str, value: str) -> bool:
    if named_secret(name) and not is_switch(name, value):
        return True
    return len(value) >= SHORTEST and looks_secret(value if len(value) <= LOOK else value[:LOOK])


def is_switch(name: str, value: str) -> bool:
    """A number or a yes, which a variable about secrets may hold too. A password may be anything."""
    if value.lower() in SWITCHES:
        return True
    return value.isdecimal() and len(value) <= DIGITS and "PASS" not in name.upper()


def kept_back(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables that hold secrets."""
    return {name: value for name, value in environ.items() if is_secret(name, value)}


class EnvironmentFilter:
    """An environment without secrets. The last one is cached: it hardly ever changes between two events."""

    __slots__ = ("last",)

    def __init__(self) -> None:
        self.last: tuple[dict[str, str], dict[str, str]] = ({}, {})

    def __call__(self, environ: dict[str, str]) -> dict[str, str]:
        """A new mapping, which the caller may change."""
        seen, passed = self.last
        if seen != environ:
            passed = {name: value for name, value in environ.items() if not is_secret(name, value)}
            self.last = (dict(environ), passed)
        return passed.copy()


without_secrets = EnvironmentFilter()
