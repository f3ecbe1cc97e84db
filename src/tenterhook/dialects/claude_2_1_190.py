"""Claude Code 2.1.190: in matchers neither commas nor hyphens belong to names; no prompt_id."""

from msgspec.structs import replace

from tenterhook.dialects.claude_2_1_240 import DIALECT as LATER

DIALECT = replace(
    LATER,
    name="claude@2.1.190",
    version="2.1.190",
    about="Claude Code 2.1.190, before commas (2.1.191) and hyphens (2.1.195) in names, and prompt_id (2.1.196)",
    matcher="names-or-regex-narrow@javascript-2025",
    base=tuple(field for field in LATER.base if field.name != "prompt_id"),
    events=(
        *(rule for rule in LATER.events if rule.name != "SessionEnd"),
        *(
            replace(rule, targets=(*rule.targets, "bypass_permissions_disabled"))
            for rule in LATER.events
            if rule.name == "SessionEnd"
        ),
    ),
)
