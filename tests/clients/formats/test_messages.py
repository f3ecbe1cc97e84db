"""The rules that all formats share, on a toy API: a message is {role, text, image, calls, results}."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tenterhook.clients.formats import messages as shared
from tenterhook.clients.formats.tools import said_tools

Toy = dict[str, Any]
EXAMPLES = settings(max_examples=400, derandomize=True, deadline=None, database=None)


class ToyKind:
    def role(self, message: Toy) -> str:
        return "" if message["role"] == "tool" else str(message["role"])

    def text(self, message: Toy) -> str:
        return str(message.get("text", ""))

    def change(self, message: Toy, text: str) -> Toy:
        return {**message, "text": text} if text else {key: message[key] for key in message if key != "text"}

    def new(self, role: str, text: str) -> Toy:
        return {"role": role, "text": text, "new": True}

    def calls(self, message: Toy) -> list[str]:
        return list(message.get("calls", ()))

    def results(self, message: Toy) -> list[str]:
        return list(message.get("results", ()))

    def without(self, message: Toy, ids: set[str]) -> Toy | None:
        left = {key: [id for id in message[key] if id not in ids] for key in ("calls", "results") if key in message}
        made = {**message, **{key: some for key, some in left.items() if some}}
        made = {key: value for key, value in made.items() if key not in left or left[key]}
        empty = made.keys() <= ({"role", "text"} if message["role"] == "tool" else {"role"})
        return None if empty else made


KIND = ToyKind()


def user(text: str = "", **more: Any) -> Toy:
    return {"role": "user", **({"text": text} if text else {}), **more}


def model(text: str = "", **more: Any) -> Toy:
    return {**user(text, **more), "role": "model"}


def tool(*ids: str) -> Toy:
    return {"role": "tool", "text": "a result", "results": list(ids)}


def new(role: str, text: str) -> Toy:
    return {"role": role, "text": text, "new": True}


def said(role: str, text: Any) -> dict[str, Any]:
    return {"role": role, "content": text}


def rebuilt(history: list[Toy], wanted: Any) -> list[Toy]:
    """What becomes of a history; the history itself is untouched, and nothing is wrong with the wish.

    A history of which nothing would be left is left as it was, which is said.
    """
    before = copy.deepcopy(history)
    made, problems = shared.rebuilt(history, wanted, KIND)

    if problems:
        assert (problems, made) == ([shared.NONE_LEFT], history)
        assert shared.readable(wanted) == ([], [])
        return []
    assert history == before
    assert made is not history
    return made


def names_of(made: list[Toy], history: list[Toy]) -> list[Any]:
    """Each message as the number of the original that it is, or as itself."""
    places = {id(one): n for n, one in enumerate(history)}
    return [places.get(id(one), one) for one in made]


# u1 with an image, a hidden one with nothing but a call, its result, a text with a call, its result, u2.
HISTORY = [
    user("one", image="1.png"),
    model(calls=["a"]),
    tool("a"),
    model("two", calls=["b"]),
    tool("b"),
    user("three", image="3.png"),
]
ONE, TWO, THREE = said("user", "one"), said("model", "two"), said("user", "three")


@pytest.mark.req("HOOK-075", "HOOK-076")
def test_what_has_no_text_or_is_a_tools_is_not_shown() -> None:
    assert shared.render_visible_messages(HISTORY, KIND) == [ONE, TWO, THREE]
    assert shared.render_visible_messages([user(), model(calls=["x"]), tool("x"), user(image="x.png")], KIND) == []
    assert shared.render_visible_messages([], KIND) == []


def test_the_places_of_the_shown_are_those_of_the_originals() -> None:
    assert [one.place for one in shared.visible_messages(HISTORY, KIND)] == [0, 3, 5]


CASES: dict[str, tuple[list[dict[str, Any]], list[Any]]] = {
    "unchanged": ([ONE, TWO, THREE], [0, 1, 2, 3, 4, 5]),
    "the first changed": (
        [said("user", "1"), TWO, THREE],
        [user("1", image="1.png"), 1, 2, 3, 4, 5],
    ),
    "one with a call changed": ([ONE, said("model", "2"), THREE], [0, 1, 2, model("2", calls=["b"]), 4, 5]),
    "all changed": (
        [said("user", "1"), said("model", "2"), said("user", "3")],
        [user("1", image="1.png"), 1, 2, model("2", calls=["b"]), 4, user("3", image="3.png")],
    ),
    "one appended": ([ONE, TWO, THREE, said("user", "x")], [0, 1, 2, 3, 4, 5, new("user", "x")]),
    "two appended": (
        [ONE, TWO, THREE, said("model", "x"), said("user", "y")],
        [0, 1, 2, 3, 4, 5, new("model", "x"), new("user", "y")],
    ),
    "one in front": ([said("system", "x"), ONE, TWO, THREE], [new("system", "x"), 0, 1, 2, 3, 4, 5]),
    "two in front": (
        [said("user", "x"), said("user", "y"), ONE, TWO, THREE],
        [new("user", "x"), new("user", "y"), 0, 1, 2, 3, 4, 5],
    ),
    "one between, after the results": ([ONE, TWO, said("user", "x"), THREE], [0, 1, 2, 3, 4, new("user", "x"), 5]),
    "one between, after hidden calls and results": (
        [ONE, said("user", "x"), TWO, THREE],
        [0, 1, 2, new("user", "x"), 3, 4, 5],
    ),
    "the last changed and one appended": (
        [ONE, TWO, said("user", "3"), said("user", "x")],
        [0, 1, 2, 3, 4, user("3", image="3.png"), new("user", "x")],
    ),
    "the first removed": ([TWO, THREE], [1, 2, 3, 4, 5]),
    "the one with a call removed": ([ONE, THREE], [0, 1, 2, 5]),
    "the last removed": ([ONE, TWO], [0, 1, 2, 3, 4]),
    "the last removed and one appended in front": (
        [said("system", "x"), ONE, TWO],
        [new("system", "x"), 0, 1, 2, 3, 4],
    ),
    "all removed": ([], [1, 2]),
    "one emptied": ([ONE, said("model", ""), THREE], [0, 1, 2, 5]),
    "one emptied as a list": ([ONE, said("model", []), THREE], [0, 1, 2, 5]),
    "an empty one added": ([ONE, TWO, THREE, said("user", "")], [0, 1, 2, 3, 4, 5]),
}


@pytest.mark.req("HOOK-078", "HOOK-139")
@pytest.mark.parametrize(("wanted", "expected"), CASES.values(), ids=CASES)
def test_what_becomes_of_a_history(wanted: list[dict[str, Any]], expected: list[Any]) -> None:
    made = rebuilt(HISTORY, wanted)

    assert names_of(made, HISTORY) == expected
    assert shared.render_visible_messages(made, KIND) == [one for one in wanted if one["content"]]


@pytest.mark.req("HOOK-039", "HOOK-139")
@pytest.mark.parametrize("hidden", [[], [tool("b")], [model(calls=["x"]), tool("b", "x")], [user(image="x.png")]])
def test_appended_ones_stand_after_all_that_is_hidden(hidden: list[Toy]) -> None:
    history = [user("one"), model("two", calls=["b"]), *hidden]
    made = rebuilt(history, [ONE, TWO, said("user", "x")])

    assert names_of(made, history) == [*range(len(history)), new("user", "x")]


@pytest.mark.req("HOOK-039")
@pytest.mark.parametrize("history", [[], [user(image="x.png")], [model(calls=["x"]), tool("x")]])
def test_the_first_that_can_be_seen_is_appended_too(history: list[Toy]) -> None:
    assert names_of(rebuilt(history, [ONE]), history) == [*range(len(history)), new("user", "one")]


REMOVALS: dict[str, tuple[list[Toy], list[dict[str, Any]], list[Any]]] = {
    "results of other calls in the same message stay": (
        [user("one"), model("two", calls=["a"]), model(calls=["b"]), tool("a", "b")],
        [ONE],
        [0, 2, tool("b")],
    ),
    "all results of a message with several calls go": (
        [user("one"), model("two", calls=["a", "b"]), tool("a"), tool("b"), user("three")],
        [ONE, THREE],
        [0, 4],
    ),
    "a removed result takes its hidden call along": (
        [user("one"), model(calls=["a"]), user("three", results=["a"])],
        [ONE],
        [0],
    ),
    "a removed result takes its call out of a message that stays": (
        [user("one"), model("two", calls=["a", "b"]), user("three", results=["a"]), tool("b")],
        [ONE, TWO],
        [0, model("two", calls=["b"]), 3],
    ),
    "a message that stays loses the result of a removed call": (
        [user("one"), model("two", calls=["a"]), user("three", results=["a"])],
        [ONE, THREE],
        [0, user("three")],
    ),
    "call and result removed together": (
        [user("one"), model("two", calls=["a"]), user("three", results=["a"]), user("four")],
        [ONE, said("user", "four")],
        [0, 3],
    ),
    "an image beside a result stays": (
        [model("two", calls=["a"]), user(results=["a"], image="x.png"), user("three")],
        [THREE],
        [user(image="x.png"), 2],
    ),
}


@pytest.mark.req("HOOK-078")
@pytest.mark.parametrize(("history", "wanted", "expected"), REMOVALS.values(), ids=REMOVALS)
def test_calls_and_results_go_together(history: list[Toy], wanted: list[Any], expected: list[Any]) -> None:
    assert names_of(rebuilt(history, wanted), history) == expected


# ---- what hooks may write


@pytest.mark.parametrize(
    ("wish", "role", "text"),
    [
        (said("assistant", "x"), "model", "x"),
        (said("developer", "x"), "system", "x"),
        ({"content": "x"}, "user", "x"),
        (said("user", ["a", "b"]), "user", "ab"),
        (said("user", [{"type": "text", "text": "a"}, {"text": "b"}, "c"]), "user", "abc"),
        ({**said("user", "x"), "name": "ignored"}, "user", "x"),
    ],
)
def test_other_ways_to_write_a_message_are_understood(wish: Any, role: str, text: str) -> None:
    assert rebuilt([], [wish]) == [new(role, text)]


@pytest.mark.parametrize(
    "wrong",
    [
        *(None, 7, "text", {"role": "user", "content": "x"}, (ONE,), [None], [7], ["text"], [[ONE]], [{}]),
        *(
            [{"role": "user"}],
            [said("tool", "x")],
            [said("", "x")],
            [{"role": None, "content": "x"}],
            [said("user", 7)],
        ),
        *([said("user", None)], [said("user", {"text": "x"})], [said("user", [7])], [said("user", [{"image": "x"}])]),
        [ONE, TWO, THREE, said("user", [["x"]])],
    ],
)
def test_what_cannot_be_read_leaves_all_as_it_was_and_is_said(wrong: Any) -> None:
    made, problems = shared.rebuilt(HISTORY, wrong, KIND)

    assert names_of(made, HISTORY) == list(range(len(HISTORY)))
    assert len(problems) == 1
    assert "as they were" in problems[0]
    assert (f"messages[{len(wrong) - 1}]" if isinstance(wrong, list) else "must be a list") in problems[0]


@pytest.mark.parametrize("role", [[], {}, ["user"]])
def test_a_role_that_is_no_word_is_unreadable_like_any_other(role: Any) -> None:
    made, problems = shared.rebuilt(HISTORY, [{"role": role, "content": "x"}], KIND)

    assert names_of(made, HISTORY) == list(range(len(HISTORY)))
    assert problems


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["content", "text"]), inner),
    max_leaves=5,
)
ENTRIES = st.fixed_dictionaries({"role": st.sampled_from(["user", "model", "wizard", None, 7]), "content": JUNK})


@given(JUNK | st.lists(JUNK | ENTRIES, max_size=3))
@EXAMPLES
def test_anything_is_either_done_or_left_with_a_word(wanted: Any) -> None:
    made, problems = shared.rebuilt(HISTORY, wanted, KIND)

    if problems:
        assert names_of(made, HISTORY) == list(range(len(HISTORY)))
    else:
        assert len(shared.render_visible_messages(made, KIND)) <= len(wanted)


# ---- any history, any wish

WORDS = st.sampled_from(["a", "b", "c", "d", "e"])


@st.composite
def histories(draw: st.DrawFn, told: bool = True) -> list[Toy]:
    """Turns of a conversation in which every call has its result right after it; `told` ones have a text too."""
    history: list[Toy] = []
    for turn in range(draw(st.integers(0, 5))):
        word = draw(st.just("") | WORDS)
        if draw(st.booleans()):
            history.append(user(word, **draw(st.sampled_from([{}, {"image": f"{turn}.png"}]))))
            continue
        ids = [f"{turn}.{n}" for n in range(draw(st.integers(0, 2)))]
        history.append(model(word, **({"calls": ids} if ids else {})))
        if ids and draw(st.booleans()):
            history += [tool(id) for id in ids]
        elif ids:
            history.append(user(draw(st.just("") | WORDS) if told else "", results=ids))
    return history


WISHES = st.lists(st.builds(said, st.sampled_from(["user", "model", "system"]), WORDS), max_size=8)


@st.composite
def edits(draw: st.DrawFn, told: bool = True) -> tuple[list[Toy], list[dict[str, Any]]]:
    """A history, and what hooks see of it with some changed, removed, added and moved."""
    history = draw(histories(told))
    wish: list[dict[str, Any]] = []
    for one in shared.render_visible_messages(history, KIND):
        how = draw(st.sampled_from(["keep", "keep", "keep", "change", "remove", "insert"]))
        if how == "insert":
            wish.append(said(draw(st.sampled_from(["user", "model", "system"])), draw(WORDS)))
        if how != "remove":
            wish.append({**one, "content": draw(WORDS)} if how == "change" else one)
    wish += draw(st.lists(st.builds(said, st.just("user"), WORDS), max_size=2))
    return history, draw(st.permutations(wish)) if draw(st.booleans()) else wish


def ids_of(history: list[Toy], what: str) -> list[str]:
    return sorted(id for one in history for id in one.get(what, ()))


def check_the_law(history: list[Toy], wanted: list[Any]) -> None:
    made = rebuilt(history, wanted)

    assert shared.render_visible_messages(made, KIND) == wanted
    assert ids_of(made, "calls") == ids_of(made, "results")
    assert set(ids_of(made, "calls")) <= set(ids_of(history, "calls"))
    waiting: set[str] = set()
    for one in made:  # nothing stands between a call and its results
        assert not waiting or one.get("results")
        waiting = (waiting | set(one.get("calls", ()))) - set(one.get("results", ()))
    assert not waiting


@pytest.mark.req("HOOK-038", "HOOK-078")
@given(edits(told=False) | st.tuples(histories(told=False), WISHES))
@EXAMPLES
def test_what_is_wanted_is_what_is_shown_afterwards(case: tuple[list[Toy], list[Any]]) -> None:
    check_the_law(*case)


@given(edits() | st.tuples(histories(), WISHES))
@EXAMPLES
def test_it_is_also_where_results_have_a_text(case: tuple[list[Toy], list[Any]]) -> None:
    check_the_law(*case)


@given(edits())
@EXAMPLES
def test_what_hooks_do_not_see_stays_in_its_order(case: tuple[list[Toy], list[Any]]) -> None:
    history, wanted = case
    hidden = [
        one
        for one in history
        if not shared.render_visible_messages([one], KIND) and not one.keys() & {"calls", "results"}
    ]
    made = rebuilt(history, wanted)

    assert [one for one in made if any(one is old for old in hidden)] == hidden


@pytest.mark.req("HOOK-078")
@given(histories())
@EXAMPLES
def test_an_unchanged_view_gives_the_originals_themselves(history: list[Toy]) -> None:
    assert names_of(rebuilt(history, shared.render_visible_messages(history, KIND)), history) == list(
        range(len(history))
    )


@pytest.mark.req("HOOK-039", "HOOK-139")
@given(histories(), st.lists(st.builds(said, st.sampled_from(["user", "model", "system"]), WORDS), max_size=3))
@EXAMPLES
def test_what_is_appended_changes_nothing_before_it(history: list[Toy], more: list[Any]) -> None:
    history = [{**one, **({"text": f"{one['text']}{n}"} if "text" in one else {})} for n, one in enumerate(history)]
    made = rebuilt(history, [*shared.render_visible_messages(history, KIND), *more])

    assert names_of(made, history) == [
        *range(len(history)),
        *(new(one["role"], one["content"]) for one in more),
    ]


@given(histories(), st.data())
@EXAMPLES
def test_what_is_left_of_a_history_are_the_originals(history: list[Toy], data: st.DataObject) -> None:
    """Removals alone: what stays is the very object, unless it held a call or a result of what went."""
    history = [{**one, **({"text": f"{one['text']}{n}"} if "text" in one else {})} for n, one in enumerate(history)]
    seen = shared.render_visible_messages(history, KIND)
    wanted = [one for one in seen if data.draw(st.booleans())]
    gone = {one["content"] for one in seen} - {one["content"] for one in wanted}
    lost = {id for one in history if one.get("text") in gone for key in ("calls", "results") for id in one.get(key, ())}
    made = rebuilt(history, wanted)
    untouched = [
        n
        for n, one in enumerate(history)
        if not (KIND.role(one) and one.get("text") in gone)
        and not lost.intersection((*one.get("calls", ()), *one.get("results", ())))
    ]

    assert [one for one in names_of(made, history) if isinstance(one, int)] == untouched


# ---- where roles, order and hidden parts meet


@pytest.mark.parametrize(
    ("history", "wanted", "expected"),
    [
        ([user("one", image="1.png")], [said("system", "x"), said("user", "1")], [new("system", "x"), "changed"]),
        ([user("one", image="1.png")], [said("model", "x")], [new("model", "x")]),
        ([model("two", calls=["b"]), tool("b")], [said("user", "x")], [new("user", "x")]),
        ([model("two", calls=["a"]), user("one", results=["a"], image="1.png")], [said("user", "1")], ["changed"]),
    ],
    ids=["another role in front", "another role instead", "a note instead of a call", "a call gone, a result changed"],
)
def test_images_and_calls_never_end_up_in_a_message_of_another_role(
    history: list[Toy], wanted: list[Any], expected: list[Any]
) -> None:
    changed = user("1", image="1.png")

    assert rebuilt(history, wanted) == [changed if one == "changed" else one for one in expected]


@pytest.mark.req("HOOK-078")
def test_a_moved_message_is_still_its_original() -> None:
    history = [user("one", image="1.png"), user("three", image="3.png")]

    assert names_of(rebuilt(history, [THREE, ONE]), history) == [1, 0]


def test_nothing_comes_between_a_hidden_call_and_its_result() -> None:
    history = [user("one"), model(calls=["a"]), user("three", results=["a"])]

    assert names_of(rebuilt(history, [ONE, said("user", "x"), THREE]), history) == [0, new("user", "x"), 1, 2]


def test_a_moved_message_leaves_its_calls_and_their_results_behind() -> None:
    made = rebuilt(HISTORY, [ONE, THREE, TWO])

    assert ids_of(made, "calls") == ids_of(made, "results")
    assert shared.render_visible_messages(made, KIND) == [ONE, THREE, TWO]


def test_of_the_same_words_the_first_stay_the_first() -> None:
    history = [user("go on", image=f"{n}.png") for n in range(50)]
    made = rebuilt(history, [*shared.render_visible_messages(history, KIND)[:-1], said("user", "x"), said("user", "y")])

    assert names_of(made, history) == [*range(49), user("x", image="49.png"), new("user", "y")]


# ---- settings and tools

OWN = {"temperature": "temperature", "maxOutputTokens": "max_tokens", "topK": "top_k"}


def test_settings_are_what_the_call_sets() -> None:
    call = {"temperature": 0, "max_tokens": None, "other": 1}

    assert shared.settings(OWN, call.get) == {"temperature": 0}


@pytest.mark.parametrize(
    ("wanted", "put", "away", "problems"),
    [
        ({"temperature": 1, "topK": 5}, {}, [], 0),
        ({"temperature": 0, "topK": 5}, {"temperature": 0}, [], 0),
        ({"temperature": 1}, {}, ["top_k"], 0),
        ({"temperature": 1, "topK": None}, {}, ["top_k"], 0),
        ({}, {}, ["temperature", "top_k"], 0),
        ({"temperature": 1, "topK": 5, "maxOutputTokens": 9}, {"max_tokens": 9}, [], 0),
        ({"temperature": 1, "topK": 5, "seed": 9}, {}, [], 1),
        (None, {}, [], 0),
        ("text", {}, [], 1),
        ([], {}, [], 1),
    ],
)
def test_settings_are_put_taken_away_or_said_to_have_no_place(
    wanted: Any, put: dict[str, Any], away: list[str], problems: int
) -> None:
    made = shared.changed_settings({"temperature": 1, "topK": 5}, wanted, OWN)

    assert made[:2] == (put, away)
    assert len(made[2]) == problems


def test_a_setting_that_is_null_asks_for_nothing() -> None:
    assert shared.changed_settings({}, {"seed": None}, OWN) == ({}, [], [])


@pytest.mark.parametrize(
    ("config", "expected", "problems"),
    [
        ({}, (None, None), 0),
        ({"mode": "ANY"}, ("ANY", None), 0),
        ({"mode": "NONE", "allowedFunctionNames": []}, ("NONE", []), 0),
        ({"allowedFunctionNames": ["a"]}, (None, ["a"]), 0),
        ({"mode": "any", "allowedFunctionNames": ["a"]}, (None, ["a"]), 1),
        ({"mode": ["ANY"], "allowedFunctionNames": "a"}, (None, None), 2),
        ({"mode": "AUTO", "allowedFunctionNames": ["a", 7]}, ("AUTO", None), 1),
        (None, (None, None), 1),
        ("ANY", (None, None), 1),
    ],
)
def test_a_tool_configuration_is_read_as_far_as_it_can_be(config: Any, expected: Any, problems: int) -> None:
    mode, names, said_of_it = said_tools(config)

    assert (mode, names) == expected
    assert len(said_of_it) == problems
