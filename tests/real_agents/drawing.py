"""Cases that nobody listed: what the hooks of one event answer, drawn from a grammar of answers by a seed.

The grammar begins with a wish in the words of some agent (not always of the one that is asked), then spoils it: a field
is left out, given a value of another type, said twice; another agent's field stands beside it. What comes of that is
written as JSON, or as something that is nearly JSON, to one of the streams or to both, with an exit code. A case is
known again by its name and the seed alone, whatever else is drawn.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, NamedTuple

from .programs.client import Client
from .programs.scene import Answer

KINDS = ("session.start", "prompt.submit", "tool.before", "tool.after", "turn.stop")
LETTERS = {"session.start": "s", "prompt.submit": "p", "tool.before": "b", "tool.after": "a", "turn.stop": "e"}
REWRITES = ("updatedInput", "tool_input", "modifiedArgs")
# How long the later of two hooks takes.
LATER = 0.6

Fields = dict[str, Any]


class Case(NamedTuple):
    """One event, and what each of its hooks answers there. `mark` is what its tool leaves."""

    client: str
    kind: str
    number: int
    hooks: tuple[Answer, ...]

    @property
    def name(self) -> str:
        return f"{self.client}/{self.kind}/{self.number}"

    @property
    def mark(self) -> str:
        return f"{LETTERS[self.kind]}{self.number}"

    @property
    def tokens(self) -> list[str]:
        """All texts by which the case is known again, as they stand in its answers."""
        pattern = re.compile(rf"Told-{self.mark}-\d+-\d+\.")
        return sorted({found for one in self.hooks for found in pattern.findall(one.stdout + one.stderr)})


def token(mark: str, hook: int, place: int) -> str:
    return f"Told-{mark}-{hook}-{place}."


def draw(client: Client, kind: str, number: int, seed: int) -> Case:
    random = Random(f"{seed}/{client.name}/{kind}/{number}")
    hooks = random.choices((1, 2, 3), (60, 30, 10))[0]
    mark = f"{LETTERS[kind]}{number}"
    answers = [Drawing(random, client, kind, mark, hook, hooks).answer() for hook in range(hooks)]
    if hooks > 1:
        late = random.randrange(hooks + 1)
        answers = [one._replace(seconds=LATER) if n == late else one for n, one in enumerate(answers)]
    if not kind.startswith("tool."):
        answers = [one._replace(times=1) for one in answers]
    return Case(client.name, kind, number, tuple(answers))


class Drawing:
    """One answer of one hook."""

    def __init__(self, random: Random, client: Client, kind: str, mark: str, hook: int, hooks: int) -> None:
        self.random, self.client, self.kind, self.mark, self.hook, self.hooks = random, client, kind, mark, hook, hooks
        self.event = client.events[kind]
        self.said = 0

    def one(self, *choices: Any) -> Any:
        return self.random.choice(choices)

    def chance(self, of_hundred: int) -> bool:
        return self.random.randrange(100) < of_hundred

    def text(self) -> str:
        self.said += 1
        return token(self.mark, self.hook, self.said - 1)

    def answer(self) -> Answer:
        code = self.random.choices((0, 1, 2, 3), (62, 10, 18, 10) if self.hooks == 1 else (82, 5, 10, 3))[0]
        if self.chance(12):
            said = self.one("", self.text(), f"{self.text()}\n", f"{self.text()}\nand {self.text()}\n", " \n")
        else:
            said = self.written(self.spoilt(self.wish()))
        where = self.random.choices(("stdout", "stderr", "both", "twice"), (76, 12, 8, 4))[0]
        beside = self.text() if where == "both" else said if where == "twice" else ""
        if where == "stderr":
            return Answer(code, stderr=said)
        return Answer(code, said, beside)

    def wish(self) -> Fields:
        """What a hook may want, in the words of some agent."""
        wishes: list[Callable[[], Fields]] = [self.refuse, self.refuse, self.tell, self.permit, self.halt]
        if self.kind == "tool.before":
            wishes += [self.rewrite, self.rewrite]
        if self.kind == "tool.after":
            wishes += [self.replace]
        if self.kind == "prompt.submit":
            wishes += [lambda: {"modifiedPrompt": f"instead {self.text()}"}]
        return self.random.choice(wishes)()

    def refuse(self) -> Fields:
        if self.chance(50):
            return self.permission(self.one("deny", "deny", "deny", "ask" if self.may_ask() else "deny"))
        ways: list[Callable[[], Fields]] = [
            lambda: {"decision": "block", "reason": self.text()},
            lambda: {"decision": self.one("block", "deny"), "reason": self.text()},
            lambda: self.permission("deny"),
            lambda: {"permission": "deny", "user_message": self.text(), "agent_message": self.text()},
            lambda: {"behavior": "deny", "message": self.text()},
            lambda: {"decision": self.one("block", "deny", "approve", "ask" if self.may_ask() else "block")},
        ]
        return self.random.choice(ways)()

    def may_ask(self) -> bool:
        """Not where the client would then wait for a user who is not there."""
        return self.client.name not in WAIT_FOR_A_USER

    def permission(self, word: str) -> Fields:
        if self.kind != "tool.before" and self.chance(70):
            return {"decision": "block" if word != "allow" else self.one("approve", "allow"), "reason": self.text()}
        said: Fields = {"permissionDecision": word, "permissionDecisionReason": self.text()}
        own = json.loads(self.client.deny("").stdout)
        if "decision" in own and self.chance(60):
            return {"decision": word, "reason": self.text()}
        if self.chance(15 if "hookSpecificOutput" in own else 70):
            return said
        return self.inner(**said)

    def inner(self, **fields: Any) -> Fields:
        named = self.random.choices((self.event, "Stop", None), (90, 5, 5))[0]
        return {"hookSpecificOutput": {**({"hookEventName": named} if named else {}), **fields}}

    def permit(self) -> Fields:
        if self.chance(60):
            return self.permission("allow")
        return self.one({"decision": "approve"}, {"decision": "allow"}, {"continue": True}, {"behavior": "allow"}, {})

    def tell(self) -> Fields:
        if self.chance(25):
            return {"systemMessage": self.text()}
        said = self.text()
        own = json.loads(self.client.context(self.event, said).stdout)
        if self.chance(70):
            return dict(own)
        return self.one({"additionalContext": said}, self.inner(additionalContext=said))

    def halt(self) -> Fields:
        return {"continue": False, **self.one({}, {"stopReason": self.text()}, {"reason": self.text()})}

    def rewrite(self) -> Fields:
        label = self.one("u", "v")
        given = self.client.call(f"./mark.sh {self.mark}-{self.hook}{label}")
        own = json.loads(self.client.rewrite(given).stdout)
        if self.chance(65):
            return dict(own)
        whole = self.random.choices((given, {}, {"description": "other"}, {"nonsense": 1}), (70, 10, 10, 10))[0]
        return self.one(
            self.inner(permissionDecision="allow", updatedInput=whole),
            self.inner(updatedInput=whole),
            self.inner(tool_input=whole),
            {"modifiedArgs": whole},
            {**own, **{key: whole for key in ("modifiedArgs",) if key in own}},
        )

    def replace(self) -> Fields:
        said = self.text()
        return self.one(
            self.inner(updatedToolOutput=said),
            self.inner(updatedToolOutput={"stdout": said, "stderr": "", "interrupted": False, "isImage": False}),
            self.inner(updatedMCPToolOutput=said),
            {"modifiedResult": {"resultType": "success", "textResultForLlm": said}},
            {"modifiedResult": said},
        )

    def spoilt(self, wish: Fields) -> Fields:
        """A wish as careless authors write it; half of the time it stays as it is, beside other hooks more often."""
        if self.chance(50 if self.hooks == 1 else 75):
            return wish
        said = json.loads(json.dumps(wish))
        for _ in range(self.one(1, 1, 2)):
            self.random.choice((self.lose, self.mistype, self.add, self.add))(said)
        return dict(said)

    def spot(self, said: Fields) -> Fields:
        section = said.get("hookSpecificOutput")
        return section if isinstance(section, dict) and self.chance(70) else said

    def lose(self, said: Fields) -> None:
        spot = self.spot(said)
        if spot:
            del spot[self.random.choice(list(spot))]

    def mistype(self, said: Fields) -> None:
        spot = self.spot(said)
        if spot:
            old = self.random.choice(list(spot))
            # A client may tell the model what a tool was called with.
            said = 1 if old in REWRITES else self.text()
            spot[old] = self.one([said], {"text": said}, "", " ", None, 7, True, False, "true", [], {})

    def add(self, said: Fields) -> None:
        """A field of this agent or of another, or of none."""
        spot = self.spot(said)
        name, value = self.one(
            ("decision", self.one("block", "deny", "approve", "allow", "BLOCK", "never")),
            ("reason", self.text()),
            ("continue", self.one(True, True, False)),
            ("stopReason", self.text()),
            ("suppressOutput", self.one(True, False)),
            ("systemMessage", self.text()),
            ("additionalContext", self.text()),
            ("permissionDecision", self.one("deny", "allow", "never", "block")),
            ("permissionDecisionReason", self.text()),
            ("hookEventName", self.event),
            ("hookSpecificOutput", self.one(None, [], "x", {})),
            ("colour", "red"),
        )
        spot.setdefault(name, value)

    def written(self, said: Fields) -> str:
        """As JSON, or nearly."""
        text = json.dumps(said)
        forms = FORMS if self.hooks == 1 else {**FORMS, "plain": 200}
        form = self.random.choices(list(forms), list(forms.values()))[0]
        if form == "indented":
            return json.dumps(said, indent=2) + "\n"
        if form == "marked":
            return f"\ufeff{text}"
        if form == "array":
            return json.dumps([said])
        if form == "string":
            return json.dumps(text)
        if form == "text as JSON":
            return json.dumps(self.text())
        if form == "other JSON":
            return self.one("null", "true", "7", "[]", "{}", '""', json.dumps([self.text()]))
        if form == "twice":
            return self.with_twins(said, text)
        if form == "brace":
            return self.one(f"{{{self.text()}", f"{{{self.text()}}}", f"[{self.text()}]", f"[{self.text()}")
        if form == "cut":
            return text[: self.random.randrange(1, len(text))]
        if form == "beside":
            return self.one(f"{self.text()}\n{text}", f"{text}\n{self.text()}", f"{text}\n{text}", f"{text}{text}")
        if form == "loose":
            return self.one(repr(said), text[:-1] + ",}", f"// {self.text()}\n{text}", f"```json\n{text}\n```")
        return text

    def with_twins(self, said: Fields, text: str) -> str:
        """A key said twice: the other value first, or last."""
        if not said:
            return text
        key = self.random.choice(list(said))
        other = self.one('"allow"', '"block"', '"deny"', "null", "true", "false", f'"{self.text()}"', "{}")
        pair = f"{json.dumps(key)}: {other}"
        return f"{{{pair}, {text[1:]}" if self.chance(50) else f"{text[:-1]}, {pair}}}"


FORMS = {
    "plain": 62,
    "indented": 4,
    "marked": 4,
    "array": 3,
    "string": 3,
    "text as JSON": 3,
    "other JSON": 3,
    "twice": 7,
    "brace": 4,
    "cut": 3,
    "beside": 2,
    "loose": 2,
}
# Clients that wait for ever where a hook asks.
WAIT_FOR_A_USER = ("gemini",)


def draw_all(client: Client, seed: int, numbers: dict[str, int]) -> Sequence[Case]:
    return [draw(client, kind, number, seed) for kind, most in numbers.items() for number in range(most)]
