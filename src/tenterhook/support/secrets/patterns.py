"""What keys and tokens look like: one table for files, environments and logs."""

from __future__ import annotations

import re
from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# The start of a word keeps a search linear. In JSON text a word may follow an escape.
START = r"(?:(?<![\w-])|(?<=\\[bfnrt])|(?<=\\u[0-9a-fA-F]{4}))"
# A name, the prefixes of the pattern (each ? is one more character), and the pattern. The value is its first group, or
# all of it.
TOKENS = (
    ("AWS access key", ("??IA", "ACCA"), START + r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Z0-9])"),
    (
        "AWS secret key",
        ("aws_secret", "AWS_SECRET", "awsSecret"),
        r"(?:aws_secret|AWS_SECRET|awsSecret)\w{0,20}[\"']?\s{0,4}[:=]\s{0,4}[\"']?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])",
    ),
    (
        "GitHub token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        START + r"(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_\w{60,255})",
    ),
    ("GitLab token", ("glpat-", "glrt-", "gldt-"), START + r"gl(?:pat|rt|dt)-[\w-]{20,255}"),
    ("Slack token", ("xox",), START + r"xox[abeprs]-[A-Za-z0-9-]{20,255}"),
    ("Slack webhook", ("hooks.slack.com",), r"hooks\.slack\.com/services/(T\w{6,20}/B\w{6,20}/\w{16,40})"),
    ("Stripe key", ("?k_live_",), START + r"[sr]k_live_[A-Za-z0-9]{16,255}"),
    ("Anthropic key", ("sk-ant-",), START + r"sk-ant-[\w-]{20,255}"),
    ("OpenAI key", ("sk-",), START + r"sk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{32,255}"),
    ("Google key", ("AIza",), START + r"AIza[\w-]{35}(?![\w-])"),
    ("Google token", ("ya29.",), START + r"ya29\.[\w-]{30,512}"),
    ("npm token", ("npm_",), START + r"npm_[A-Za-z0-9]{36}(?!\w)"),
    ("PyPI token", ("pypi-AgE",), START + r"pypi-AgE[\w-]{50,512}"),
    ("Hugging Face token", ("hf_", "api_org_"), START + r"(?:hf|api_org)_[A-Za-z0-9]{20,255}(?!\w)"),
    ("SendGrid key", ("SG.",), START + r"SG\.[\w-]{20,24}\.[\w-]{40,50}"),
    ("DigitalOcean token", ("???_v1_",), START + r"do[op]_v1_[0-9a-f]{64}"),
    ("Vault token", ("hvs.", "hvb."), START + r"hv[sb]\.[\w-]{24,512}"),
    ("Groq key", ("gsk_",), START + r"gsk_[A-Za-z0-9]{40,100}"),
    ("Slack token", ("xapp-",), START + r"xapp-\d-[A-Za-z0-9-]{20,255}"),
    ("Stripe secret", ("whsec_",), START + r"whsec_[A-Za-z0-9+/=]{24,255}"),
    ("Discord webhook", ("/api/webhooks/",), r"/api/webhooks/(\d{15,22}/[\w-]{60,100})"),
    ("Docker token", ("dckr_pat_",), START + r"dckr_pat_[\w-]{20,255}"),
    ("Atlassian token", ("ATATT3",), START + r"ATATT3[\w=-]{100,255}"),
    ("Shopify token", ("shp",), START + r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    ("Tailscale key", ("tskey-",), START + r"tskey-[a-z]{2,12}-[A-Za-z0-9-]{20,100}"),
    ("Doppler token", ("dp.pt.", "dp.st."), START + r"dp\.[ps]t\.[\w.-]{40,255}"),
    ("Databricks token", ("dapi",), START + r"dapi[0-9a-f]{32}(?![0-9a-zA-Z])"),
    ("Linear key", ("lin_api_",), START + r"lin_api_[A-Za-z0-9]{32,100}"),
    ("xAI key", ("xai-",), START + r"xai-[A-Za-z0-9]{60,120}"),
    ("Figma token", ("figd_",), START + r"figd_[\w-]{36,100}"),
    ("Netlify token", ("nfp_",), START + r"nfp_[A-Za-z0-9]{36,100}"),
    ("New Relic key", ("NRAK-",), START + r"NRAK-[A-Z0-9]{27}"),
    ("Postman key", ("PMAK-",), START + r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    ("Supabase token", ("sbp_",), START + r"sbp_[0-9a-f]{40}"),
    ("Pulumi token", ("pul-",), START + r"pul-[0-9a-f]{40}"),
    ("Square secret", ("sq0csp-",), START + r"sq0csp-[\w-]{40,60}"),
    ("Sentry token", ("sntrys_",), START + r"sntrys_[\w+/=-]{40,512}"),
    ("Terraform token", ("??????????????.atlasv1.",), START + r"[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,100}"),
    ("age key", ("AGE-SECRET-KEY-1",), START + r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    ("JSON Web Token", ("eyJ",), START + r"eyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{20,1000}"),
    (
        "private key",
        ("-----BEGIN ",),
        r"-----BEGIN (?:[A-Z]{2,10} ){0,2}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:\s|\\+[nr]|[A-Z][\w-]{2,20}: [^\n\"\\]{0,80}(?:\n|\\+n))*[A-Za-z0-9+/=]{24,}",
    ),
)
# An option or an argument may follow another in a shell text or in a JSON list.
NEXT = r"(?:[ \t]+|\\{0,3}\",[ ]?\\{0,3}\")"
# A value, up to its closing quote or the next blank. Variables and placeholders are excluded.
VALUE = r"(?:\\{0,3}[\"'])?(?![$<]|\{\{|\[redacted)((?<=[\"'])[^\"'\\\n]{1,400}|[^\s\"'\\,;|&)]{1,400})"
# A value after a blank that is neither an option nor a word of a sentence about the option.
APART = (
    NEXT
    + r"(?!-|(?:is|was|are|must|and|or|to|for|needs?|with|requires?|instead|in|on|as|the|an?|not|has|option|flag|if"
    r"|from|of|but|can|cannot|may|should|will|argument|value)\b)"
)
SECRET = (
    r"(?:pass(?:word|wd|phrase|code)?|pwd|secret|(?:api|access|secret|auth|account|encryption|signing|license)[-_]?key"
    r"|secret[-_]?access[-_]?key|bearer|credential|creds|(?:auth|access|refresh|id|session|bot|api)?[-_]?token)"
)
# Tokens that are not credentials: of a language model, and of a paginated list.
NO_SECRET = r"(?!no-|(?:[a-z]+[-_])*(?:stop|eos|bos|pad|unk|mask|sep|cls|next|page|start|starting|continuation)[-_])"
# Programs that take a password by a short option, which means something else for other programs.
LOGINS = r"(?:docker|podman|helm|nerdctl|skopeo|buildah|oras|crane|az|oc|cf)\b.{0,200}\blogin\b"
ALONE = rf"(?:{APART})?{VALUE}"
AFTER_USER = rf"(?:=|{NEXT})?\\{{0,3}}[\"']?[^\s:\"'\\$,%]{{1,100}}[:,%](?!//)(?![$<])([^\s\"'\\]{{1,400}})"
OF_PROGRAMS = (
    ("-p", rf"(?:mysql|mariadb|mongo)\w*\b|sshpass\b|twine\b|cqlsh\b|rdesktop\b|7z[ar]?\b|{LOGINS}", ALONE),
    ("-N", r"ssh-keygen\b", ALONE),
    ("-a", r"redis-cli\b", ALONE),
    ("-w", r"ldap(?:search|modify|add|delete|whoami|passwd)\b", ALONE),
    ("-P", r"(?:un)?zip\b|sqlcmd\b|bcp\b|mosquitto_\w+|ssh-keygen\b", ALONE),
    ("-u", r"(?:curl|wget|lftp|ftp)\b", AFTER_USER),
    ("-U", r"(?:curl|smbclient)\b", AFTER_USER),
    ("--user", r"(?:curl|wget|etcdctl)\b", AFTER_USER),
    ("-a", r"https?\b", AFTER_USER),
    ("--proxy-user", r"(?:curl|wget)\b", AFTER_USER),
)
# How far before an option its program may be.
FAR = 400
# What is in the position of a password: a secret in an environment and in a log, but in a file often an example.
PLACES = (
    (
        "password in an address",
        ("://",),
        r"://(?:[^\s:@/\"'\\]{0,100}:(?=[^\s@/\"'\\]{1,400}@)|(?=[\w-]{20,200}@))([^\s@/\"'\\]+)",
    ),
    ("authorization", ("?earer ", "?asic "), r"[Bb](?:earer|asic) ([\w.~+/=-]{12,4000})"),
    ("test key", ("?k_test_",), START + r"[sr]k_test_[A-Za-z0-9]{16,255}"),
    ("signed address", ("X-Amz-Signature=",), r"X-Amz-Signature=([0-9a-f]{64})"),
    ("signed address", ("?sig=",), r"[&?]sig=([A-Za-z0-9%+/=_-]{24,200})"),
    ("token in an address", ("oken=",), r"(?:(?<=[?&_][tT])|(?<=authT))oken=([\w.~+/%-]{12,4000})"),
    ("key in an address", ("key=",), r"(?:(?<=[?&])|(?<=[?&]api)|(?<=[?&]api_))key=([\w.~+/%-]{12,4000})"),
    (
        "option that names a secret",
        ("--",),
        rf"(?<![\w-])--{NO_SECRET}(?i:(?:[a-z0-9]{{1,24}}[-_.]){{0,4}})(?:[a-z0-9]{{1,24}}(?=[A-Z]))?(?i:{SECRET}|pw)"
        rf"(?:=|{APART}){VALUE}",
    ),
    (
        "option that names a secret",
        ("-D", "-P", "-password", "-passwd", "-storepass", "-keypass"),
        rf"(?<![\w-])-(?:[DP][\w.-]{{0,80}}(?i:{SECRET})=|(?:password|passwd|storepass|keypass)(?:=|{APART})){VALUE}",
    ),
    # For databases, forms and registries: password=... among other words. In code it is an argument.
    (
        "password among words",
        ("assword=", "asswd=", "_authToken=", "_auth="),
        rf"(?:(?<=[pP])assw(?:or)?d|_auth(?:Token)?)=(?!None\b|True\b|False\b|[\w.]{{1,80}}[(\[]){VALUE}",
    ),
    ("password of openssl", ("-pass",), rf"-pass(?:in|out)?{NEXT}[\"']?pass:([^\s\"'\\]{{1,400}})"),
    (
        "secret in a header",
        ("ey:", "EY:", "oken:", "OKEN:"),
        r"(?:(?<=[Aa][Pp][Ii]-[Kk])[Ee][Yy]|(?<=[Aa][Uu][Tt][Hh]-[Tt])[Oo][Kk][Ee][Nn]|(?<=[Vv][Aa][Uu][Ll][Tt]-[Tt])[Oo][Kk][Ee][Nn]"
        r"|(?<=[Vv][Aa][Tt][Ee]-[Tt])[Oo][Kk][Ee][Nn]): ?(?:\\{0,3}\", ?\\{0,3}\")?(?![$<])([^\s\"'\\]{6,4000})",
    ),
    (
        "variable that names a secret",
        ("PASS", "_PWD=", "SECRET=", "TOKEN=", "_KEY=", "APIKEY="),
        r"(?:PASS(?:WORD|WD|PHRASE)?|_PWD|SECRET|TOKEN|(?:(?<=API)|(?<=ACCESS)|(?<=SECRET)|(?<=AUTH))_KEY|APIKEY)="
        + VALUE,
    ),
    ("account key", ("AccountKey=", "SharedAccessKey="), r"(?:Account|SharedAccess)Key=([A-Za-z0-9+/=]{20,200})"),
)
ALL = TOKENS + PLACES
# What may still belong to a token that is longer than its pattern, and to a key's block.
REST = r"[\w-]*"
BLOCK = r"(?:[A-Za-z0-9+/=]|\s|\\+[nr])*(?:-----END [A-Z ]{0,40}-----)?"
# Each prefix without its question marks; their number, the pattern, and what may follow it.
BEGINNINGS = tuple(
    (one.lstrip("?"), one.count("?"), shape, BLOCK if name == "private key" else REST)
    for name, beginnings, shape in ALL
    for one in beginnings
)


@lru_cache(maxsize=128)
def compile_secret_pattern(shape: str) -> re.Pattern[str]:
    """Compiled when a text first holds one of its prefixes: most texts hold none."""
    return re.compile(shape, re.ASCII)


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of every match, unordered; some overlap. Searching for the prefixes is fast."""
    for plain, back, shape, rest in BEGINNINGS:
        if plain not in text:
            continue
        at = text.find(plain, back)
        while at >= 0:
            found = compile_secret_pattern(shape).match(text, at - back)
            end = at + 1
            if found:
                start, end = found.span(found.re.groups)  # the only group, or all
                more = compile_secret_pattern(rest).match(text, end)
                end = more.end() if more else end
                yield start, end
            at = text.find(plain, end)
    for option, programs, value in OF_PROGRAMS:
        if option in text:
            yield from after_program(text, option, programs, value)


def after_program(text: str, option: str, programs: str, value: str) -> Iterator[tuple[int, int]]:
    """The values of an option, if it belongs to a program whose password it is."""
    at = text.find(option, 1)
    while at >= 0:
        if text[at - 1] in ' \t"':
            before = text[max(0, at - FAR) : at]
            command = before[max(before.rfind(one) for one in ";|&\n") + 1 :]
            found = compile_secret_pattern(rf"(?<![\w-])(?:{programs})").search(command) and compile_secret_pattern(
                option + value
            ).match(text, at)
            if found:
                yield found.span(1)
        at = text.find(option, at + 1)


def looks_secret(text: str) -> bool:
    """Whether anything in a text matches a pattern."""
    return next(spans(text), None) is not None
