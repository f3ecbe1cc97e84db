"""Which variables hold secrets, and what a hook is given of the environment."""

import os
import time

import pytest

from tenterhook.pipeline.payload import Given, compile_shape
from tenterhook.support.secrets.names import is_secret, kept_back, named_secret, without_secrets

VALUE = "q8Zr51vXk2LmP0sTw7Yd"

SECRET_NAMES = """
GITHUB_TOKEN GH_TOKEN GITLAB_TOKEN CI_JOB_TOKEN NPM_TOKEN NODE_AUTH_TOKEN HF_TOKEN TOKEN BOT_TOKEN_PROD AUTHTOKEN
OPENAI_API_KEY ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN CLAUDE_CODE_OAUTH_TOKEN GEMINI_API_KEY MISTRAL_KEY API_KEY KEY
AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AZURE_CLIENT_SECRET GOOGLE_APPLICATION_CREDENTIALS
PGPASSWORD MYSQL_PWD DB_PASS SMTP_PASSWD RESTIC_PASSWORD SSHPASS GPG_PASSPHRASE REDISCLI_AUTH SECRET SECRET_KEY_BASE
RAILS_MASTER_KEY JWT_SECRET CLIENTSECRET STRIPE_KEY TWILIO_AUTH_TOKEN SENTRY_DSN DOCKER_AUTH_CONFIG SESSION_COOKIE
SSH_PRIVATE_KEY SIGNING_KEYS NPM_CONFIG__AUTH github_token Deploy_Password SLACK_WEBHOOK_URL GITHUB_PAT MYAPIKEY
VAULT_SECRET_ID OPENAI_KEY_2 SIGNING_KEY_BASE64 TLS_KEY_PEM DB_PASS_PROD TOKEN1 TS_AUTHKEY BW_SESSION OP_SESSION_team
TEAMS_WEBHOOK_URL ADMIN_PW
""".split()
HARMLESS_NAMES = """
PATH HOME LANG LC_ALL TERM USER LOGNAME SHELL PWD OLDPWD TMPDIR TZ EDITOR PAGER SHLVL XDG_SESSION_ID
SSH_AUTH_SOCK SSH_AGENT_PID GPG_TTY GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_ASKPASS XAUTHORITY KUBECONFIG
TOKENIZERS_PARALLELISM KEYBOARD_LAYOUT KEYTIMEOUT PUBLIC_KEY NEXT_PUBLIC_STRIPE_KEY SORT_KEY CACHE_KEY PASSENGER_ROOT
AWS_REGION AWS_PROFILE AUTHOR MONKEY COMPASS TOKEN_URL SECRET_NAME PASSWORD_FILE AUTH_TYPE DBUS_SESSION_BUS_ADDRESS
COOKIE_DOMAIN JWT_ISSUER JWT_AUDIENCE OAUTH_SCOPES OAUTH_CLIENT_ID CREDENTIALS_DIRECTORY GITHUB_TOKEN_PERMISSIONS
KEY_REPEAT_2 BUILD_PROD
CLAUDE_PROJECT_DIR TENTERHOOK_SESSION AMCP_SESSION_ID HOOK_TOOL_NAME PYTHONPATH NODE_OPTIONS VIRTUAL_ENV COLORTERM
""".split()


@pytest.mark.parametrize("name", SECRET_NAMES)
def test_a_secret_is_known_by_its_name(name):
    assert named_secret(name)
    assert is_secret(name, VALUE)


@pytest.mark.parametrize("name", HARMLESS_NAMES)
def test_a_name_that_only_sounds_like_a_secret_is_none(name):
    assert not is_secret(name, "/usr/share/value")


@pytest.mark.parametrize(
    ("name", "value"),
    [("MAX_THINKING_TOKENS", "31999"), ("USE_AUTH", "true"), ("TOKEN_TTL", "3600"), ("CSRF_TOKEN", ""), ("X_KEY", "1")],
)
def test_a_number_or_a_switch_is_no_secret(name, value):
    assert not is_secret(name, value)


def test_a_password_may_be_a_number():
    assert is_secret("DB_PASSWORD", "123456")


@pytest.mark.parametrize(
    "value",
    [
        "ghp" + "_" + "a1" * 18,
        "x ghp" + "_" + "a1" * 18,
        "AKIA" + "Z9" * 8,
        "sk" + "-ant-" + "a1" * 20,
        "postgres://app:pw@db/app",
        "redis://:longer-password@cache:6379/0",
        "https://" + "a1b2" * 8 + "@o1.ingest.example/2",
        "Authorization: Bearer " + "a1b2" * 8,
        "DefaultEndpointsProtocol=https;AccountKey=" + "a1b2" * 10 + ";",
        "-----BEGIN " + "PRIVATE KEY-----\n" + "MIIE" * 16,
        "shpat" + "_" + "a1" * 16,
        "xapp" + "-1-" + "A1" * 20,
        "https://discord.com/api/webhooks/" + "1" * 18 + "/" + "a1" * 34,
        "https://x.blob.core.windows.net/c?sv=1&sig=" + "a1" * 20 + "%3D",
        "https://b.s3.amazonaws.com/k?X-Amz-Signature=" + "a1" * 32,
        "//registry.npmjs.org/:_authToken=" + "a1" * 18,
        "https://example.org/x?access_token=" + "a1" * 10,
        "https://example.org/x?q=1&api_key=" + "a1" * 10,
        "tskey" + "-auth-" + "a1" * 16,
        "dckr" + "_pat_" + "a1" * 14,
        "sk" + "_test_" + "a1" * 12,
    ],
)
def test_a_secret_is_known_by_its_value_whatever_it_is_called(value):
    assert is_secret("PLAIN", value)


@pytest.mark.parametrize(
    "value",
    [
        "http://localhost:8080/a@b",
        "https://example.org/x",
        "git@github.com:a/b",
        "sk-1",
        "task-" + "a" * 40,
        "",
        "://@",
        "https://example.org/api/webhooks/list?sig=short",
        "shape_" + "a1" * 20,
        "https://example.org/?token=short&sortkey=" + "a1" * 10,
    ],
)
def test_an_ordinary_value_is_no_secret(value):
    assert not is_secret("PLAIN", value)


def test_a_very_long_value_is_looked_at_in_no_time():
    long = ("://u:p" + "x" * 500) * 20_000
    begun = time.monotonic()

    assert not is_secret("PLAIN", long)
    assert time.monotonic() - begun < 5


def test_what_is_kept_back_and_what_passes_are_all_there_is():
    environ = {"A": "1", "B_TOKEN": VALUE, "C": "https://u:pw@h"}

    passed, kept = without_secrets(environ), kept_back(environ)

    assert (passed, kept) == ({"A": "1"}, {"B_TOKEN": VALUE, "C": "https://u:pw@h"})


def test_what_was_remembered_is_not_what_the_caller_changes():
    environ = {"A": "1", "B_TOKEN": VALUE}
    without_secrets(environ)["C"] = "2"
    environ["D"] = "3"

    assert without_secrets(environ) == {"A": "1", "D": "3"}
    assert without_secrets({"A": "1"}) == {"A": "1"}


SHOW = "env > env"
HOST = {"B_TOKEN": VALUE, "URL": "https://user:pass@host/", "LANG": "C", "SSH_AUTH_SOCK": "/run/sock", "EXTRA": "e"}


def seen(project, **options):
    project.fire("tenterhook", "tool.before", {"tool_name": "Bash"}, environ=HOST, **options)
    return dict(line.split("=", 1) for line in project.read("env").splitlines() if "=" in line)


def configure(project, text, command=SHOW):
    project.write("tenterhook.toml", f'[[hook]]\non = "tool.before"\ncommand = """{command}"""\n{text}\n')


@pytest.mark.parametrize("mode", ["faithful", "strict"])
def test_a_hook_is_given_no_secret(project, mode):
    configure(project, "")

    env = seen(project, mode=mode)

    assert not {"B_TOKEN", "URL"} & env.keys()
    assert (env["LANG"], env["HOME"], env["PATH"]) == ("C", str(project.home_folder), os.environ["PATH"])
    assert ("EXTRA" in env, "SSH_AUTH_SOCK" in env) == (mode == "faithful",) * 2


@pytest.mark.parametrize("mode", ["faithful", "strict"])
def test_a_hook_is_given_the_secret_that_it_declares(project, mode):
    configure(project, 'env = ["B_TOKEN"]')

    env = seen(project, mode=mode)

    assert (env["B_TOKEN"], "URL" in env) == (VALUE, False)


def test_a_secret_that_the_entry_sets_itself_is_given(project):
    configure(project, f'env = {{ OTHER_TOKEN = "{VALUE}" }}')

    assert seen(project)["OTHER_TOKEN"] == VALUE


def test_the_host_may_pass_secrets_on(project):
    configure(project, "")

    env = seen(project, mode="faithful", secrets="pass")

    assert (env["B_TOKEN"], env["URL"]) == (VALUE, HOST["URL"])


def test_the_user_may_pass_secrets_on(project):
    project.home(".config/tenterhook/tenterhook.toml", '[settings]\nsecrets = "pass"\n')
    configure(project, "")

    assert seen(project, mode="faithful")["B_TOKEN"] == VALUE


def test_a_project_may_not_pass_secrets_on(project):
    configure(project, '[settings]\nsecrets = "pass"')

    assert "B_TOKEN" not in seen(project, mode="faithful")


def test_the_dialects_own_variables_pass_whatever_they_hold(project):
    session = "sk" + "-" + "a1" * 20
    configure(project, "")

    assert seen(project, session=session)["TENTERHOOK_SESSION"] == session


@pytest.mark.parametrize("mode", ["faithful", "strict"])
def test_a_failed_hook_that_names_a_withheld_variable_is_told_how_to_get_it(project, mode):
    configure(project, "", command="echo B_TOKEN is not set >&2; exit 1")

    outcome = project.fire("tenterhook", "tool.before", {"tool_name": "Bash"}, environ=HOST, mode=mode)

    [note] = [text for text in outcome.warnings if "B_TOKEN holds a secret" in text]
    assert "`env` in its entry" in note
    assert VALUE not in note


def test_a_hook_that_decides_is_not_told_of_variables(project):
    configure(project, "", command="echo never print B_TOKEN >&2; exit 2")

    outcome = project.fire("tenterhook", "tool.before", {"tool_name": "Bash"}, environ=HOST, mode="faithful")

    assert outcome.blocked
    assert not [text for text in outcome.warnings if "holds a secret" in text]


def test_explain_names_what_is_kept_back_and_says_when_nothing_is(project, capsys, monkeypatch):
    from tenterhook.cli.main import main

    configure(project, "")
    for name in kept_back(os.environ):
        monkeypatch.delenv(name)
    monkeypatch.setenv("B_TOKEN", VALUE)
    monkeypatch.setenv("HOME", str(project.home_folder))

    main(["explain", "tool.before", "--project", str(project.root), "--trust", "--all"])
    kept = capsys.readouterr().out
    project.home(".config/tenterhook/tenterhook.toml", '[settings]\nsecrets = "pass"\n')
    main(["explain", "tool.before", "--project", str(project.root), "--trust", "--all"])
    passed = capsys.readouterr().out

    assert "kept from hooks that do not declare them: B_TOKEN" in kept
    assert VALUE not in kept
    assert "passed on to hooks" in passed


def test_an_event_pays_next_to_nothing_for_it(project):
    """Much less than the environment itself takes to be copied many times over."""
    engine = project.engine("tenterhook", files=False, environ={f"NAME_{n}": "some/value" * 3 for n in range(100)})
    rule = engine.rule("tool.before")
    event = engine.plan_event(engine.hookset.event("tool.before"), {"tool_name": "Bash"})[0]

    def took(strip):
        shape = compile_shape(engine.dialect, rule, strict=False, strip=strip)
        begun = time.perf_counter()
        for _ in range(300):
            Given(event, shape).env(HOOKLESS)
        return time.perf_counter() - begun

    took(True)
    with_it, without_it = min(took(True) for _ in range(5)), min(took(False) for _ in range(5))

    assert with_it - without_it < 300 * 100e-6


class Hookless:
    env: dict[str, str] = {}


HOOKLESS = Hookless()


@pytest.mark.parametrize(
    ("command", "more", "told"),
    [
        ('curl -H "auth: $B_TOKEN"', "", True),
        ('curl -H "auth: ${B_TOKEN}"', "", True),
        ('curl -H "auth: $B_TOKEN"', 'env = ["B_TOKEN"]', False),
        ('B_TOKEN=$(cat token); curl "$B_TOKEN"', "", False),
        ('cd "$TENTERHOOK_PROJECT"; echo $HOME', "", False),
    ],
)
def test_check_tells_of_a_command_that_needs_a_withheld_variable(project, capsys, command, more, told):
    from tenterhook.cli.main import main

    project.write("tenterhook.toml", f"[[hook]]\non = 'tool.before'\ncommand = '''{command}'''\n{more}\n")

    main(["check", "--project", str(project.root)])

    assert ("$B_TOKEN holds a secret by its name" in capsys.readouterr().out) == told


def test_a_status_line_is_given_no_secret_either(project):
    from tenterhook.tools.approve.statusline import StatusLine

    line = StatusLine(("./line",), "settings.json")

    strict, passing = project.engine("moai", environ=HOST), project.engine("moai", environ=HOST, secrets="pass")

    assert "B_TOKEN" not in line.program(strict, "m").env
    assert line.program(passing, "m").env["B_TOKEN"] == VALUE
