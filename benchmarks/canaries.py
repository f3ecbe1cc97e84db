"""Variables that hold secrets, made up: 40 by their names, 15 by what their values look like.

The values are put together here, so that no file holds one.
"""

from __future__ import annotations

import random
import string

RANDOM = random.Random(20)
LETTERS = string.ascii_letters + string.digits
NAMES = (
    *("GITHUB_TOKEN", "GH_TOKEN", "GITLAB_TOKEN", "CI_JOB_TOKEN", "NPM_TOKEN", "NODE_AUTH_TOKEN", "HF_TOKEN"),
    *("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "GEMINI_API_KEY"),
    *("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AZURE_CLIENT_SECRET", "AZURE_STORAGE_KEY"),
    *("GOOGLE_APPLICATION_CREDENTIALS", "DIGITALOCEAN_ACCESS_TOKEN", "CLOUDFLARE_API_TOKEN", "VAULT_TOKEN"),
    *("PGPASSWORD", "MYSQL_PWD", "DB_PASS", "REDISCLI_AUTH", "POSTGRES_PASSWORD", "RESTIC_PASSWORD", "SSHPASS"),
    *("SECRET_KEY_BASE", "RAILS_MASTER_KEY", "JWT_SECRET", "SESSION_COOKIE", "STRIPE_SECRET_KEY", "TWILIO_AUTH_TOKEN"),
    *("TWINE_PASSWORD", "DOCKER_AUTH_CONFIG", "SONAR_TOKEN", "SENTRY_DSN", "gpg_passphrase", "Deploy_Private_Key"),
)


def some(count: int, alphabet: str = LETTERS) -> str:
    return "".join(RANDOM.choice(alphabet) for _ in range(count))


CAPITALS = string.ascii_uppercase + string.digits
VALUES = (
    "AKIA" + some(16, CAPITALS),
    "ghp" + "_" + some(36),
    "github" + "_pat_" + some(82),
    "glpat" + "-" + some(20),
    "xoxb" + "-" + some(12, string.digits) + "-" + some(24),
    "https://hooks.slack.com/services/T" + some(8) + "/B" + some(8) + "/" + some(24),
    "sk" + "_live_" + some(24),
    "sk" + "-ant-api03-" + some(60),
    "sk" + "-proj-" + some(48),
    "AIza" + some(35),
    "npm" + "_" + some(36),
    "pypi" + "-AgEIcHlwaS5vcmc" + some(60),
    ".".join(("ey" + "J" + some(20), "ey" + "J" + some(40), some(43))),
    "-----BEGIN " + "PRIVATE KEY-----\n" + some(64) + "\n" + some(64) + "\n-----END PRIVATE KEY-----",
    f"postgres://app:{some(20)}@db.internal/app",
)
BY_NAME = {name: some(32) for name in NAMES}
BY_VALUE = {f"PLAIN_{n}": value for n, value in enumerate(VALUES)}
ALL = {**BY_NAME, **BY_VALUE}


def marks() -> list[str]:
    """Of each value the part that no text may hold: what is secret of it, and of a block of lines one line."""
    return [mark(value) for value in ALL.values()]


def mark(value: str) -> str:
    if value.startswith("https:"):
        return value.rpartition("/")[2]
    if "://" in value:
        return value.partition("@")[0].rpartition(":")[2]
    return value.split("\n")[1] if "\n" in value else value
