"""Which hooks the user has approved. A repository brings its hooks along, so they are nobody's until somebody says so.

Hooks of the user, of the system and of the host's own code are trusted. Hooks of a project run where the caller
trusts everything (`trust="all"`, `--trust`); otherwise their files are set aside before anything else is looked at.
"""

from __future__ import annotations

CHOICES = ("ask", "all", "none")
OWN_SCOPES = {"user", "system", "code"}


def trusted(scope: str, trust: str) -> bool:
    """Whether what stands in a file of this scope may run, override and switch off."""
    return scope in OWN_SCOPES or trust == "all"
