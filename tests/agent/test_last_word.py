"""A hook's word that another part of the agent could overrule: a stop beside a refusal, a question, a hidden reply."""

import json

import pytest

from conftest import Project

from .agents import call, run


def test_a_stop_beside_a_task_that_is_not_taken_for_done_ends_the_agent_at_once(project: Project) -> None:
    refuses = {"type": "command", "command": "echo no >&2; exit 2"}
    stops = {"type": "command", "command": """echo '{"continue": false, "stopReason": "enough"}'"""}
    settings = {"hooks": {"TaskCompleted": [{"hooks": [refuses, stops]}]}}
    project.write(".claude/settings.json", json.dumps(settings))

    done = run(project, "moai", [call("Task", prompt="Do it.")], *["Done."] * 12)

    assert (done.code, done.end["text"]) == (3, "enough")
    assert len(done.of("model")) == 2


def test_a_question_of_a_permission_hook_is_not_answered_by_nobody(project: Project) -> None:
    project.write(
        "tenterhook.toml",
        """[[hook]]\non = "permission.ask"\ncommand = '''echo '{"decision": "ask", "reason": "sure?"}' '''\n""",
    )

    done = run(project, "tenterhook", [call("Bash", command="touch made")], "Done.")

    assert not project.has("made")
    assert "there is no user to ask" in done.of("tool")[0]["result"]


@pytest.mark.parametrize("others", [{}, {"AfterModel": [{"hooks": [{"type": "command", "command": "true"}]}]}])
def test_a_reply_that_a_hook_hides_is_not_shown_whoever_else_listens(
    project: Project, others: dict[str, object]
) -> None:
    hides = {"hooks": [{"type": "command", "command": """echo '{"suppressOutput": true}'"""}]}
    settings = {"enableHooks": True, "tools": {"enableHooks": True}, "hooks": {"BeforeModel": [hides], **others}}
    project.write(".llxprt/settings.json", json.dumps(settings))

    assert "A secret." not in run(project, "llxprt", "A secret.").stdout
