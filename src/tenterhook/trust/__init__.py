"""Which hooks the user has approved. A repository brings its own hooks, so they run only after the user approves them.

Hooks of the user, of the system and of the host's own code are trusted. A project's hook is trusted if the user has
approved it (`tenter trust`) and no byte of it has changed, or if the caller trusts everything (`trust="all"`,
`--trust`) and the user has not denied it.

    parts, bind            what a command resolves to: the files that an approval is bound to
    item                   one thing to approve: a hook, a file's directives about other hooks, the table `actions`
    store, approval_book   where approvals are stored, and the format of that file
    approvals              items + approvals -> trusted, modified, untrusted or denied
    seal                   checks before and after each run that a hook is still what was approved
"""

from __future__ import annotations

from tenterhook.support.scopes import OWN_SCOPES

CHOICES = ("ask", "all", "none")


def is_trusted_scope(scope: str, trust: str) -> bool:
    """Whether hooks and switches in a file of this scope need no approval."""
    return scope in OWN_SCOPES or trust == "all"
