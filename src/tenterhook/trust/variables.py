"""Variables that change what every program runs: a project's hooks may not set them.

They name libraries to load, code to run first, or where programs are looked for: with them, a hook that looks harmless
and is approved would run something else.
"""

from __future__ import annotations

PREFIXES = ("LD_", "DYLD_", "PYTHON", "PERL5", "RUBY", "GIT_", "BASH_FUNC_", "NPM_CONFIG_")
NAMES = frozenset(
    "PATH ENV BASH_ENV IFS SHELLOPTS BASHOPTS PS4 PROMPT_COMMAND ZDOTDIR SHELL HOME TMPDIR LUA_INIT LUA_PATH LUA_CPATH "
    "NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS JAVA_TOOL_OPTIONS JAVA_HOME DOTNET_STARTUP_HOOKS "
    "PERLLIB PERL_MM_OPT GEM_HOME GEM_PATH BUNDLE_GEMFILE PHPRC PHP_INI_SCAN_DIR CLASSPATH _JAVA_OPTIONS "
    "JDK_JAVA_OPTIONS DENO_DIR BUN_OPTIONS GCONV_PATH LOCPATH HOSTALIASES NLSPATH MALLOC_TRACE GLIBC_TUNABLES "
    "EDITOR VISUAL PAGER BROWSER LESSOPEN LESSCLOSE MANPAGER SSH_ASKPASS SUDO_ASKPASS XDG_CONFIG_HOME XDG_STATE_HOME "
    "XDG_CONFIG_DIRS XDG_DATA_DIRS VIRTUAL_ENV SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE "
    "OPENSSL_CONF OPENSSL_MODULES OPENSSL_ENGINES HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY".split()
)
OURS = "TENTERHOOK_"


def loads_code(name: str) -> bool:
    """Whether a value that a project gives to this variable could run, or redirect to, something else."""
    upper = name.upper()
    return upper in NAMES or upper.startswith(PREFIXES) or upper.startswith(OURS)
