"""Claude Code 2.1.240: no events for switching models, no onFailure, no scratchpad."""

from msgspec.structs import replace

from tenterhook.dialects.claude import DIALECT as NEWEST
from tenterhook.dialects.claude import KEYS
from tenterhook.dialects.schema.dialect import revise

DIALECT = revise(
    NEWEST,
    name="claude@2.1.240",
    version="2.1.240",
    about="Claude Code 2.1.240, before model switches (2.1.251) and onFailure (2.1.295)",
    events=tuple(rule for rule in NEWEST.events if rule.name not in ("PreModelSwitch", "PostModelSwitch")),
    payload={"base": tuple(field for field in NEWEST.payload.base if field.name != "scratchpad_dir")},
    reading={
        "answers": tuple(
            replace(one, events=tuple(name for name in one.events if name not in ("PreModelSwitch", "PostModelSwitch")))
            for one in NEWEST.reading.answers
            if one.events != ("PreModelSwitch",)
        )
    },
    config={"form": {"keys": {key: setter for key, setter in KEYS.items() if key != "onFailure"}}},
    install={
        "closed": False,
        "variables": "",
        "no_door": "its http hooks let the operation go on where the server is away; from 2.1.295 on they can refuse",
    },
)
