"""What `tenter new` writes: a hook of the kind that is asked for, and its test, in every agent that has the kind."""

from __future__ import annotations

HOOK = '''"""{title}: say here what it is for, and what it cannot stop."""

from tenterhook import hook


@hook("{kind}"{match})
def {name}(event{options}):
{body}

if __name__ == "__main__":
    hook.main()
'''
TEST = '''"""{title}, in every agent that has {kind}."""

from pathlib import Path

from tenterhook.testing import {imports}

HOOK = Path(__file__).parent / "{name}.py"


{tests}'''

REFUSES = """    for word in words:
        if word in event.command:
            return hook.deny(f"{word}: not here. Ask the user first.")
"""
REFUSED = """@each_dialect("{kind}", can="deny")
def test_a_force_push_is_refused(agent):
    fired = fire(HOOK, "{kind}", agent=agent, tool="shell", command="git push --force origin main")

    assert fired.denied
    assert "not here" in fired.reason


@each_dialect("{kind}")
def test_every_other_command_runs(agent):
    fired = fire(HOOK, "{kind}", agent=agent, tool="shell", command="git status")

    assert fired.ran


def test_options_are_parameters_of_the_hook():
    fired = fire(HOOK, "{kind}", tool="shell", command="rm -rf build", options={{"words": ("rm -rf",)}})

    assert fired.denied


def test_its_process_answers_in_time():
    fired = fire(HOOK, "{kind}", tool="shell", command="git push --force", process=True)

    assert fired.denied
    assert fired.seconds < 5
"""
# The example's answer at other kinds, which must not lock the user out.
SAYS = """    return hook.{answer}("{text}")
"""
ENDS = """    if not event.stop_active:  # once: an agent that is kept from ending again and again never does
        return hook.deny("{text}")
"""
TOLD = """@each_dialect("{kind}")
def test_somebody_is_told(agent):
    fired = fire(HOOK, "{kind}", agent=agent)

    assert "{text}" in fired.everything


def test_its_process_answers_in_time():
    fired = fire(HOOK, "{kind}", agent=agents("{kind}")[0], process=True)

    assert fired.seconds < 5
"""
USUAL = "tool.before"
TEXTS = {
    "tool.after": ("context", "Run the tests when you are done."),
    "session.start": ("context", "Read CONTRIBUTING.md before you change anything."),
    "prompt.submit": ("context", "Answer in plain English."),
    "turn.stop": ("deny", "Run the tests before you end."),
}


def hook(name: str, kind: str) -> str:
    """The hook."""
    given = {"name": name, "title": title(name), "kind": kind, "match": "", "options": ""}
    if kind == USUAL:
        more = {"match": ', match="shell"', "options": ', words=("git push --force",)', "body": REFUSES}
    else:
        answer, text = sample_answer(kind)
        more = {"body": (ENDS if kind == "turn.stop" else SAYS).format(answer=answer, text=text)}
    return HOOK.format(**given | more)


def tests(name: str, kind: str) -> str:
    """Its test."""
    imports, shape = ("each_dialect, fire", REFUSED) if kind == USUAL else ("agents, each_dialect, fire", TOLD)
    made = shape.format(kind=kind, text=sample_answer(kind)[1])
    return TEST.format(name=name, title=title(name), kind=kind, imports=imports, tests=made)


def sample_answer(kind: str) -> tuple[str, str]:
    return TEXTS.get(kind, ("notify", f"{kind} was seen."))


def title(name: str) -> str:
    return name.replace("_", " ").capitalize()
