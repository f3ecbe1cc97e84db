"""What looks like a secret and what only seems to. The samples are put together here, so that no file holds one."""

from __future__ import annotations

import random
import string
import time
from itertools import pairwise

import pytest

from tenterhook.library.guard.secret import describe_new_secrets, find_secret_spans, mask_secret

RANDOM = random.Random(7)


def chars(count: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    return "".join(RANDOM.choice(alphabet) for _ in range(count))


JWT = ".".join(("ey" + "J" + chars(20), "ey" + "J" + chars(40), chars(43)))
SECRETS = [
    ("AWS access key", "AKIA" + chars(16, string.ascii_uppercase + string.digits)),
    ("AWS secret key", f"aws_secret_access_key = {chars(40)}"),
    ("GitHub token", "ghp" + "_" + chars(36)),
    ("GitHub token", "github" + "_pat_" + chars(82)),
    ("GitLab token", "glpat" + "-" + chars(20)),
    ("Slack token", "xoxb" + "-" + chars(12, string.digits) + "-" + chars(24)),
    ("Slack webhook", "https://hooks.slack.com/services/T" + chars(8) + "/B" + chars(8) + "/" + chars(24)),
    ("Stripe key", "sk" + "_live_" + chars(24)),
    ("Anthropic key", "sk" + "-ant-api03-" + chars(60)),
    ("OpenAI key", "sk" + "-proj-" + chars(48)),
    ("OpenAI key", "sk" + "-" + chars(48)),
    ("Google key", "AIza" + chars(35)),
    ("npm token", "npm" + "_" + chars(36)),
    ("PyPI token", "pypi" + "-AgEIcHlwaS5vcmc" + chars(60)),
    ("Hugging Face token", "hf" + "_" + chars(34)),
    ("JSON Web Token", JWT),
    ("private key", "-----BEGIN RSA " + "PRIVATE KEY-----\n" + chars(64) + "\n-----END"),
    ("private key", '"-----BEGIN ' + "PRIVATE KEY-----\\n" + chars(64) + '"'),
    ("password in a database's address", "postgres://app:" + chars(12) + "@db.internal:5432/app"),
    ("password in a database's address", "mongodb+srv://app:" + chars(12) + "@cluster0.mongodb.net"),
    ("password in an address", "https://me:" + chars(20) + "@github.com/x/y.git"),
    ("secret", f'api_key = "{chars(32)}"'),
    ("secret", f"client_secret: '{chars(32)}'"),
    ("secret", f'"password": "{chars(20)}"'),
    ("secret", f'const TOKEN = "{chars(40)}"'),
    ("GitLab token", "glrt" + "-" + chars(20)),
    ("Doppler token", "dp" + ".pt." + chars(43)),
    ("Databricks token", "dapi" + chars(32, "0123456789abcdef")),
    ("Linear key", "lin" + "_api_" + chars(40)),
    ("xAI key", "xai" + "-" + chars(80)),
    ("Figma token", "figd" + "_" + chars(40)),
    ("Netlify token", "nfp" + "_" + chars(36)),
    ("New Relic key", "NRAK" + "-" + chars(27, string.ascii_uppercase + string.digits)),
    ("Postman key", "PMAK" + "-" + chars(24, "0123456789abcdef") + "-" + chars(34, "0123456789abcdef")),
    ("Supabase token", "sbp" + "_" + chars(40, "0123456789abcdef")),
    ("Pulumi token", "pul" + "-" + chars(40, "0123456789abcdef")),
    ("Square secret", "sq0csp" + "-" + chars(43)),
    ("Sentry token", "sntrys" + "_" + chars(60)),
    ("Terraform token", chars(14) + ".atlas" + "v1." + chars(64)),
]
# Only where they are all that stands on the line.
LINES = ["db_password: {}", "export CLOUDFLARE_API_TOKEN={}", "  - API_KEY={}", "secret-key = {}"]
NONE = [
    "AKIAIOSFODNN7" + "EXAMPLE",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY",
    'api_key = "<your-key>"',
    'api_key = "your-api-key-here-123"',
    'api_key = os.environ["API_KEY"]',
    "token = process.env.TOKEN_VALUE_1",
    'password = "${DATABASE_PASSWORD_1}"',
    'token = "{{ vault_token_12345 }}"',
    'integrity = "sha512-' + chars(86) + '=="',
    'token = "' + "123e4567-e89b-12d3-a456-426614174000" + '"',
    "hash = 'd41d8cd98f00b204e9800998ecf8427e'",
    'secret_name = "projects/app/secrets/db-1"',
    'password = "password1234"',
    'if line == "-----BEGIN ' + 'PRIVATE KEY-----":',
    "postgres://localhost/app",
    "postgres://app:app@localhost:5432/app",
    "postgres://user:${PASSWORD}@db.internal/app",
    "https://example.com:8080/x@y",
    "https://user:xxxxxxxxxx@host",
    "sk-" + "x" * 40,
    "the token = value pair, and the key: 'a'",
    "task-" + chars(40),
    "commit " + chars(40, "0123456789abcdef"),
    'token_type = "bearer-type-2"',
    "max_tokens: 4096",
    "secretName: my-app-tls-2024v2",
    "token = tokenizer.encode(text)",
    "access_token = create_access_token_v2",
    "password = hash_of_password_with_sha256",
    "token: sk_learn_tokenizer_2",
    "token=$(vault read -field=token secret/x1y2z3)",
    "",
]


@pytest.mark.parametrize("line", LINES)
def test_a_secret_needs_no_quotes_where_it_is_the_rest_of_a_line(line: str) -> None:
    value = "q7Rk2mX9tB4wZ8cV1nL5"

    assert [name for name, _, _ in find_secret_spans(f"a: 1\n{line.format(value)}\nb: 2\n")] == ["secret"]
    assert not find_secret_spans(f"a: 1\n{line.format('${VALUE}')}\nb: 2\n")


@pytest.mark.parametrize(("name", "text"), SECRETS)
def test_a_secret_is_found_wherever_it_stands(name: str, text: str) -> None:
    for around in (text, f"x = 1\n{text}\ny = 2\n", f"# {text} #"):
        assert [one[0] for one in find_secret_spans(around)] == [name]


@pytest.mark.parametrize("text", NONE)
def test_what_only_seems_to_be_one_is_not(text: str) -> None:
    assert not find_secret_spans(text)


@pytest.mark.parametrize(("name", "text"), SECRETS)
def test_the_value_is_never_repeated(name: str, text: str) -> None:
    ((_, start, end),) = find_secret_spans(text)
    value = text[start:end]

    lines = describe_new_secrets(f"\n\n{text}")

    article = "an" if name.startswith(("AWS", "Anthropic", "OpenAI", "npm")) else "a"
    assert (
        lines == [f"line 3: what looks like {article} {name} ({value[:4]}..., {len(value)} characters)"]
        or "\n" in value
    )
    assert value not in lines[0]
    assert value[4:] not in lines[0]
    assert value not in mask_secret(value)


def test_spans_are_in_order_and_none_lies_within_another() -> None:
    text = "\n".join(text for _, text in SECRETS)

    spans = find_secret_spans(text)

    assert len(spans) >= len(SECRETS) - 1
    assert all(one[2] <= after[1] for one, after in pairwise(spans))


@pytest.mark.parametrize(
    "part",
    [
        *(
            "a quick brown fox has a key and a token\n",
            "eyJ",
            "eyJa.",
            "sk-",
            "AKIA",
            "token='",
            "://a:",
            "https://a:b",
            "ghp_a",
        ),
        *(
            "-----BEGIN PRIVATE KEY-----\n",
            "password = 'abc' ",
            "aws_secret ",
            "a",
            " ",
            "key=",
            "hooks.slack.com/services/T",
        ),
    ],
)
def test_two_mebibytes_take_no_more_than_a_moment(part: str) -> None:
    text = (part * (2 << 20))[: 2 << 20]
    start = time.process_time()

    find_secret_spans(text)

    assert time.process_time() - start < 2
