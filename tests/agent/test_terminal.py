"""A person at a terminal: asked for permission, several prompts, Ctrl-C, what hooks said on the screen."""

import pytest

from conftest import Project

from .agents import call, script, words
from .terminal import Person


@pytest.mark.parametrize(("answer", "ran"), [("y", True), ("n", False), ("", False), ("maybe", False)])
def test_only_a_clear_yes_lets_a_tool_run(project: Project, answer: str, ran: bool) -> None:
    path = script(project, [call("Bash", command="touch made")], "Done.")
    with Person(project, words(project, "tenterhook", "--script", str(path), "--prompt", "Go.")) as person:
        person.sees("Allow Bash?")
        person.sees('{"command":"touch made"}')
        person.types(f"{answer}\n")
        person.sees("Done.")

        assert person.leaves() == 0
    assert project.has("made") is ran


@pytest.mark.req("AM-OUT-ask")
def test_a_hook_that_asks_has_its_reason_on_the_screen(project: Project) -> None:
    project.write(
        "tenterhook.toml",
        '[[hook]]\non = "tool.before"\nmatch = "Read"\n'
        """command = '''echo '{"decision": "ask", "reason": "is it secret?"}' '''""",
    )
    project.write("a.txt", "content")
    path = script(project, [call("Read", file_path="a.txt")], "Done.")
    with Person(project, words(project, "tenterhook", "--script", str(path), "--prompt", "Go.", "--trust")) as person:
        person.sees("is it secret?")
        person.sees("Allow Read?")
        person.types("y\n")
        person.sees("content")

        assert person.leaves() == 0


def test_one_prompt_after_another_in_one_conversation(project: Project) -> None:
    project.write("tenterhook.toml", '[[hook]]\non = "session.end"\ncommand = "cat > ended.json"\n')
    path = script(project, "First answer.", "Second answer.")
    kept = project.home_folder / "transcript.jsonl"
    options = ("--script", str(path), "--trust", "--transcript", str(kept))
    with Person(project, words(project, "tenterhook", *options)) as person:
        person.sees("What should I do?")
        person.types("one\n")
        person.sees("First answer.")
        person.types("/compact\n")
        person.sees("short account")
        person.types("two\n")
        person.sees("Second answer.")
        person.types("/exit\n")

        assert person.leaves() == 0
    assert project.json("ended.json")["reason"] == "prompt_input_exit"
    assert "the user said: one" in kept.read_text()


def test_ctrl_c_ends_a_turn_and_the_conversation_goes_on(project: Project) -> None:
    path = script(project, [call("Bash", command="touch begun; sleep 30")], "Back again.")
    with Person(project, words(project, "tenterhook", "--script", str(path), "--yes")) as person:
        person.sees("What should I do?")
        person.types("one\n")
        person.sees("sleep 30")
        while not project.has("begun"):
            person.read(0)
        person.types("\x03")
        person.sees("\n> ")
        person.types("two\n")
        person.sees("Back again.")
        person.types("\x04")

        assert person.leaves() == 0


def test_what_was_typed_before_a_question_does_not_answer_it(project: Project) -> None:
    path = script(project, [call("Bash", command="touch made")], "Done.")
    with Person(project, words(project, "tenterhook", "--script", str(path))) as person:
        person.sees("What should I do?")
        person.types("one\ny\n")
        person.sees("[y]es or [n]o:")
        person.types("n\n")
        person.sees("Done.")
        person.types("\x04")

        assert person.leaves() == 0
    assert not project.has("made")


def test_a_signal_ends_the_whole_conversation(project: Project) -> None:
    """It is no Ctrl-C, which would end the turn alone."""
    project.write("tenterhook.toml", '[[hook]]\non = "session.end"\ncommand = "touch ended"\n')
    path = script(project, [call("Bash", command="touch begun; sleep 30")])
    with Person(project, words(project, "tenterhook", "--script", str(path), "--yes", "--trust")) as person:
        person.sees("What should I do?")
        person.types("one\n")
        while not project.has("begun"):
            person.read(0)
        person.child.terminate()

        assert person.leaves() == 130
    assert project.has("ended")


def test_an_unknown_command_is_not_sent_to_the_model(project: Project) -> None:
    with Person(project, words(project, "tenterhook", "--script", str(script(project, "Hm.")))) as person:
        person.sees("What should I do?")
        person.types("/exti\n")
        person.sees("Unknown command /exti; the commands are /compact, /reload and /exit.")
        person.types("\x04")

        assert person.leaves() == 0
