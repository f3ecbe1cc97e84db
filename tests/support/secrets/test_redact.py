"""Texts without secrets: exact values in every form, tokens of every shape, and JSON that stays JSON."""

import base64
import json
import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tenterhook
from tenterhook.support import logs
from tenterhook.support.secrets.redact import MARK, Redactor

VALUE = "q8Zr51vXk2LmP0sTw7Yd"
ODD = 'pa"ss\\wörd\n%/+ x'
GITHUB = "ghp" + "_" + "a1B2" * 9
ENVIRON = {"B_TOKEN": VALUE, "DB_PASSWORD": ODD, "PLAIN": "words", "KEYS_PATH": "/etc/keys"}
REDACTOR = Redactor(ENVIRON)
SOURCE = Path(tenterhook.__file__).parent


@pytest.mark.parametrize(
    "form",
    [
        VALUE,
        base64.b64encode(VALUE.encode()).decode()[:24],
        ODD,
        json.dumps(ODD)[1:-1],
        json.dumps(ODD, ensure_ascii=False)[1:-1],
        quote(ODD, safe=""),
        GITHUB,
        "Bearer " + "a1b2" * 8,
    ],
)
def test_a_secret_is_hidden_in_every_form(form):
    text = REDACTOR.text(f"before {form} after")

    assert MARK in text
    assert form not in text
    assert text.startswith("before ")
    assert text.endswith(" after")


@pytest.mark.parametrize("before", ["", "u", "us", "usr"])
def test_a_secret_is_hidden_in_the_base64_of_a_longer_text(before):
    text = base64.b64encode(f"{before}:{VALUE}:more".encode()).decode()

    left = REDACTOR.text(text)

    assert MARK in left
    assert len(left.replace(MARK, "")) <= len(text) - 4 * len(VALUE) // 3 + 4


def test_the_password_of_an_address_is_hidden_and_the_rest_stays():
    assert REDACTOR.text("to postgres://app:s3cret@db/x failed") == f"to postgres://app:{MARK}@db/x failed"


def test_a_whole_private_key_is_hidden():
    key = "-----BEGIN RSA " + "PRIVATE KEY-----\n" + ("MIIEabcd" * 8 + "\n") * 3 + "-----END RSA PRIVATE KEY-----"

    assert REDACTOR.text(f"a\n{key}\nb") == f"a\n{MARK}\nb"
    assert json.loads(REDACTOR.data(json.dumps({"k": f"a\n{key}\nb"}).encode())) == {"k": f"a\n{MARK}\nb"}


def test_a_token_that_is_longer_than_its_shape_is_hidden_whole():
    assert REDACTOR.text("ghp" + "_" + "a1B2" * 200 + ".") == f"{MARK}."


def test_ordinary_texts_stay_as_they_are():
    for text in ("", "words", "/etc/keys", "git@github.com:a/b", "a task-" + "b" * 40, "http://localhost:8080/a"):
        assert REDACTOR.text(text) == text
        assert REDACTOR.data(text.encode()) == text.encode()


def test_what_is_too_short_to_be_a_secret_tears_up_no_words():
    assert Redactor({"A_TOKEN": "on", "B_TOKEN": "redacted"}).text("based on redacted") == "based on redacted"


@pytest.mark.parametrize(
    "text",
    [
        f"line\n{GITHUB}",
        f"C:\\{VALUE}",
        f"tab\t{VALUE}\\",
        "\\npm" + "_" + "a1B2" * 9,
        "a\npm" + "_" + "a1B2" * 9,
        f"{ODD}{VALUE}",
        f"\x1b{GITHUB}",
        "\\" * 99 + VALUE,
        "\\" * 100 + VALUE + "\\",
    ],
)
def test_a_line_of_json_stays_json_and_holds_no_secret(text):
    for line in (json.dumps({"a": [text], "b": 1}), json.dumps({"a": [text], "b": 1}, ensure_ascii=False)):
        left = json.loads(REDACTOR.data(line.encode()))
        assert left["b"] == 1
        assert not any(secret in left["a"][0] for secret in (VALUE, GITHUB, ODD))


def test_what_only_looks_like_the_secret_behind_an_escape_is_left():
    """In JSON a line break is written with an n: the text is `bcdefgh12` on a new line, and no secret."""
    redactor = Redactor({"A_TOKEN": "nbcdefgh12"})
    line = json.dumps("x\nbcdefgh12").encode()

    assert redactor.data(line) == line
    assert json.loads(redactor.data(json.dumps("x\\nbcdefgh12").encode())) == "x\\" + MARK


PIECES = st.sampled_from(
    [VALUE, ODD, GITHUB, "\\", '"', "\n", "n", " ", "x", "ä", "://u:pw1@h", "Bearer ", "sk-", "[", MARK]
)


@given(st.lists(PIECES, max_size=12).map("".join))
def test_redaction_is_done_once_and_json_stays_json(text):
    once = REDACTOR.text(text)
    line = REDACTOR.data(json.dumps({"a": text}).encode())

    assert VALUE not in once
    assert REDACTOR.text(once) == once
    assert VALUE not in json.loads(line)["a"]
    assert REDACTOR.data(line) == line


def test_a_log_record_goes_out_without_secrets(caplog, monkeypatch):
    monkeypatch.setenv("B_TOKEN", VALUE)
    log = logs.redacting_logger("tenterhook.trial")
    try:
        raise ValueError(f"no {VALUE}")
    except ValueError:
        log.exception("failed with %s \x1b[31mand %s", VALUE, GITHUB)

    assert VALUE not in caplog.text
    assert GITHUB not in caplog.text
    assert f"failed with {MARK} and {MARK}" in caplog.text
    assert f"ValueError: no {MARK}" in caplog.text


def test_every_logger_of_ours_is_one_that_redacts():
    """Those that only listen, or belong to somebody else, say nothing themselves."""
    made = {str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*.py") if "getLogger(" in path.read_text()}

    assert made == {"support/logs.py", "cli/commands/agent.py", "clients/mcp/__init__.py"}


def tenter(project, *words, **env):
    return subprocess.run(
        [sys.executable, "-m", "tenterhook", *words],
        cwd=project.root,
        env=project.environ(PYTHONPATH=os.pathsep.join(sys.path), B_TOKEN=VALUE, **env),
        input=b'{"tool_name": "Bash"}',
        capture_output=True,
        timeout=60,
    )


def test_no_command_shows_a_secret_that_a_config_or_a_call_holds(project):
    project.write(
        "tenterhook.toml",
        f'[[hook]]\non = "tool.before"\ncommand = "echo {VALUE} {GITHUB}"\n{GITHUB} = 1\nmatch_kind = "{VALUE}"\n',
    )
    said = b""
    for words in (["check"], ["check", "--json"], ["list"], ["list", "--json"], ["explain", "tool.before"]):
        done = tenter(project, *words)
        said += done.stdout + done.stderr
    said += tenter(project, "fire", GITHUB + VALUE).stderr + tenter(project, VALUE).stderr

    assert MARK.encode() in said
    assert VALUE.encode() not in said
    assert GITHUB.encode() not in said


def test_warnings_and_details_of_a_fired_event_hold_no_secret(project):
    project.write("tenterhook.toml", f'[[hook]]\non = "tool.before"\ncommand = "echo {GITHUB} >&2; exit 7"\n')

    done = tenter(project, "fire", "tool.before", "--trust")

    outcome = json.loads(done.stdout)
    assert MARK in "".join(outcome["warnings"])
    assert GITHUB not in "".join(outcome["warnings"])


PASSWORD = "hunter2x"
GIVEN = [
    "x --password={}",
    "x --password {} y",
    "x --password '{}' y",
    'x --db-password="{}" y',
    "x --password '{} and more' y",
    "x --api-key {}",
    "x --dbPassword={}",
    "psql 'host=db password={}'",
    "curl -d password={} https://example.org",
    "npm config set //registry/:_authToken={}",
    "twine upload -u me -p {}",
    "7z x -p{} a.7z",
    "ssh-keygen -N {} -f key",
    "http -a me:{} example.org",
    "x --client-secret={}",
    "x --TOKEN {}",
    "gpg --batch --passphrase {} x",
    "mysql -u root -p{} db",
    "/usr/bin/mysqldump -p {} db",
    "sshpass -p '{}' ssh h",
    "docker login -u me -p {} reg.io",
    "mongosh -u a -p {}",
    "redis-cli -h h -a {} ping",
    "ldapsearch -D x -w {}",
    "zip -P {} a.zip b",
    "curl -u me:{} https://h",
    "curl -s --user me:{} https://h",
    "curl -H 'X-Api-Key: {}' u",
    "lftp -u me,{} host",
    "keytool -storepass {}",
    "java -Ddb.password={}",
    "openssl rsa -passin pass:{}",
    "PGPASSWORD={} psql",
    "docker run -e DB_PASSWORD={} img",
    "export API_KEY='{}'",
]


@pytest.mark.parametrize("command", GIVEN)
def test_the_value_of_an_option_that_names_a_secret_is_hidden(command):
    """In a shell text, in JSON, and as words in a list."""
    command = command.format(PASSWORD)
    texts = [command, json.dumps({"command": command})]
    line = json.dumps({"command": command, "args": command.replace("'", "").split()}).encode()

    for text in texts:
        assert PASSWORD not in REDACTOR.text(text)
        assert "and more" not in REDACTOR.text(text)
    assert PASSWORD not in str(json.loads(REDACTOR.data(line)))
    assert REDACTOR.text(texts[0]).split()[0].startswith(command.split()[0][:4])


@pytest.mark.parametrize(
    "command",
    [
        "mkdir -p foo/bar",
        "ssh -p 2222 host",
        "cp -p a b",
        "docker run -p 8080:80 --user 1000:1000 img",
        "psql -p 5432 -d app",
        "python -m pytest -p no:cacheprovider",
        "mysql -p -e 'select 1'",
        "mysql -P 3306 db | ssh -p 22 h",
        "x --password-stdin < f",
        "x --no-password app",
        "x --max-tokens 500 --tokenizer gpt2 --eos-token abc --next-token abc",
        'x --token "$TOKEN" --password $PASS --secret <secret>',
        "curl -u $USER:$PASS https://h:8080/x",
        "export PASSWORD=$(cat f)",
        "the option --token is required",
        "sort --key 2,3",
    ],
)
def test_an_option_that_means_something_else_stays(command):
    assert REDACTOR.text(command) == command
    assert REDACTOR.data(json.dumps([command]).encode()) == json.dumps([command]).encode()


@pytest.mark.parametrize("length", [20, 34, 37, 60])
def test_a_token_of_hugging_face_is_hidden_whatever_its_length(length):
    token = "hf" + "_" + ("aB3d" * 15)[:length]

    assert REDACTOR.text(f"login {token} now") == f"login {MARK} now"
