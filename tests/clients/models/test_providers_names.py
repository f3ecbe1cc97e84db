"""Names of tools that every API takes, and the way back."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenterhook.clients.models.turns import Names

TAKEN = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")


def names(*given: str) -> Names:
    return Names([{"name": one} for one in given])


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("Read", "Read"),
        ("mcp__files__list", "mcp__files__list"),
        ("mcp.files.list", "mcp_files_list"),
        ("2fa", "_2fa"),
        ("-x", "_-x"),
        ("größe", "gr__e"),
        ("", "_"),
    ],
)
def test_what_an_api_would_refuse_is_replaced(ours: str, theirs: str) -> None:
    assert names(ours).theirs(ours) == theirs


def test_a_name_that_is_good_keeps_its_own_place() -> None:
    made = names("mcp.a.b", "mcp_a_b", "mcp:a:b")

    assert made.theirs("mcp_a_b") == "mcp_a_b"
    assert len({made.theirs(name) for name in made.defined}) == 3


def test_a_name_is_the_same_whatever_stands_around_it() -> None:
    long = "mcp." + "x" * 100

    assert names(long, "Read").theirs(long) == names("Bash", long).theirs(long)


def test_a_name_that_the_model_made_up_stays() -> None:
    assert names("mcp.a.b").ours("mcp_c_d") == "mcp_c_d"


def test_tools_that_were_called_and_are_gone_have_a_name_too() -> None:
    made = Names([], [{"role": "model", "tool_calls": [{"name": "mcp.a.b"}]}])

    assert made.theirs("mcp.a.b") == "mcp_a_b"
    assert made.defined == []


@given(st.lists(st.text(max_size=90), unique=True, max_size=12))
def test_every_name_is_taken_and_comes_back(every: list[str]) -> None:
    made = names(*every)

    assert all(TAKEN.fullmatch(made.theirs(name)) for name in every)
    assert [made.ours(made.theirs(name)) for name in every] == every
