"""The list of requirements: every id that must be covered by now is cited, and every id that is cited exists."""

import importlib.util
import sys
from pathlib import Path
from subprocess import run

import pytest

SCRIPT = Path(__file__).parent.parent / "scripts" / "requirements.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("scripts_requirements", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def root(tmp_path):
    """A project with three requirements, one of each state."""
    put(
        tmp_path,
        "tests/requirements/ids.tsv",
        "id\tdocument\tstate\nA-1\tone\ttest\nB-2\ttwo\tlater\nCC-3\ttwo\tdocs\n",
    )
    put(tmp_path, "tests/test_one.py", '@pytest.mark.req("A-1")\ndef test_a(): ...\n')
    return tmp_path


def put(root, name, text):
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def problems(script, root, answers="**CC-3** is answered."):
    return script.problems(script.requirements(root), script.citations(root), answers)


def test_every_requirement_is_covered_and_every_citation_exists(script):
    answers = (script.ROOT / script.ANSWERS).read_text()

    assert script.problems(script.requirements(), script.citations(), answers) == []


def test_ids_that_are_put_together_at_import_exist_too(script, request):
    """What parsing does not see: the marks of all tests collected beside this one."""
    known = {one.id for one in script.requirements()}
    items = request.session.items
    cited = {(item.nodeid, id) for item in items for mark in item.iter_markers("req") for id in mark.args}

    assert [f"{test}: {id}" for test, id in sorted(cited) if id not in known] == []


def test_the_whole_list_is_there(script):
    known = script.requirements()

    assert len(known) == 357
    assert {one.document for one in known} == {"massgen", "moai", "amcp", "wave", "llxprt"}


def test_a_project_in_order_has_no_problems(script, root):
    assert problems(script, root) == []


def test_a_citation_of_an_unknown_id_is_a_problem_with_its_place(script, root):
    put(root, "tests/sub/test_two.py", 'import pytest\n\n\n@pytest.mark.req("A-9")\ndef test_b(): ...\n')

    assert problems(script, root) == ["tests/sub/test_two.py:5 test_b: A-9 is not a requirement"]


def test_an_id_that_nobody_cites_is_a_problem(script, root):
    put(root, "tests/test_one.py", "def test_a(): ...\n")

    assert problems(script, root) == ["A-1: no test cites it"]


def test_an_id_that_the_docs_leave_out_is_a_problem(script, root):
    unanswered = problems(script, root, "CC-30 and CC-3a are not CC")

    assert unanswered == ["CC-3: docs/inside/requirements.md does not answer it"]


def test_an_unknown_state_and_a_repeated_id_are_problems(script, root):
    put(root, "tests/requirements/ids.tsv", "id\tdocument\tstate\nA-1\tone\ttest\nA-1\tone\tsoon\n")

    assert problems(script, root) == [
        "tests/requirements/ids.tsv: A-1 stands there 2 times",
        "tests/requirements/ids.tsv: A-1 has the state 'soon'",
    ]


def test_marks_of_modules_classes_tests_and_parameters_are_found(script, root):
    put(
        root,
        "tests/test_one.py",
        """
pytestmark = [pytest.mark.req("M-1"), pytest.mark.slow]

@pytest.mark.req("X-1")
def helper(): ...

@pytest.mark.req("F-1", *("F-2", "F-3"), *(f"E-{n}" for n in range(3)))
async def test_function(): ...

@pytest.mark.req("C-1")
class TestClass:
    pytestmark = pytest.mark.req("C-2")

    @pytest.mark.parametrize("n", [pytest.param(1, marks=pytest.mark.req("P-1"))])
    @pytest.mark.req("F-1")
    def test_method(self, n): ...
""",
    )
    found = {}
    for one in script.citations(root):
        found.setdefault(one.test, set()).add(one.id)

    assert found == {"test_function": {"M-1", "F-1", "F-2", "F-3"}, "test_method": {"M-1", "C-1", "C-2", "P-1", "F-1"}}


def test_test_files_are_not_imported(script, root):
    put(root, "tests/test_two.py", "raise SystemExit('imported')\n")

    assert problems(script, root) == []


def test_the_command_prints_the_table_and_a_summary(script):
    done = run([sys.executable, SCRIPT], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()

    start = next(n for n, line in enumerate(lines) if line.startswith("HOOK-067b"))
    end = next(n for n, line in enumerate(lines) if line.startswith("HOOK-068"))
    assert any("test_llxprt_protocol.py:" in line for line in lines[start:end])
    assert lines[-1].startswith("357 requirements: ")
