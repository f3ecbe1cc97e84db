"""Claude Code 2.1.190: in matchers neither commas nor hyphens belong to names; no prompt_id."""

from tenterhook.dialects.claude_2_1_240 import DIALECT as LATER
from tenterhook.dialects.schema.dialect import revise

DIALECT = revise(
    LATER,
    name="claude@2.1.190",
    version="2.1.190",
    about="Claude Code 2.1.190, before commas (2.1.191) and hyphens (2.1.195) in names, and prompt_id (2.1.196)",
    events=(
        *(rule for rule in LATER.events if rule.name != "SessionEnd"),
        *(
            revise(rule, target={"values": (*rule.target.values, "bypass_permissions_disabled")})
            for rule in LATER.events
            if rule.name == "SessionEnd"
        ),
    ),
    payload={"base": tuple(field for field in LATER.payload.base if field.name != "prompt_id")},
    planning={"matcher": "names-or-regex-narrow@javascript-2025"},
)
