"""Which hooks the user has approved. A repository brings its hooks along, so they are nobody's until somebody says so.

Hooks of the user, of the system and of the host's own code are trusted. What a project says counts where the user has
approved it (`tenter trust`), byte for byte, or where the caller trusts everything (`trust="all"`, `--trust`) and
the user has not denied it.

    parts, bind    what a command resolves to: the files that an approval is bound to
    item           one thing to approve: a hook, what a file says about others' hooks, the table `actions`
    store, book    where approvals are kept, and what is kept
    approvals      items + approvals -> trusted, modified, untrusted or denied
    seal           whether a hook is still what was approved, before and after each run
"""

from __future__ import annotations

from tenterhook.support.scopes import OWN_SCOPES

CHOICES = ("ask", "all", "none")


def is_trusted_scope(scope: str, trust: str) -> bool:
    """Whether what stands in a file of this scope may run, override and switch off without an approval."""
    return scope in OWN_SCOPES or trust == "all"
