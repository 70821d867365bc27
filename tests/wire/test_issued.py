"""What was issued is read once in a case, found again by its key, and belongs to one case."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from harness.wire import Call, Conversation, FinishReason, IssuedState, Reply, Turn
from harness.wire.issued import IssuedKind, IssuedTurn, issued_calls, items_by, memory_of


def answered(state: IssuedState, *names: str) -> None:
    """Add a turn that calls these tools."""
    asked = Conversation("openai-chat", "m", False, (), body={})
    turn = Turn(tuple(Call(name, "{}", f"call_{name}") for name in names), FinishReason.TOOL_CALLS)
    items = tuple({"type": "call", "name": name} for name in names)
    state.add(asked, Reply("openai-chat", "r", "m", items, turn))


@pytest.fixture
def state() -> IssuedState:
    return IssuedState()


def test_each_turn_is_read_once(state: IssuedState) -> None:
    read: list[int] = []

    @IssuedKind
    def names(turn: IssuedTurn) -> Iterator[tuple[str, int]]:
        read.append(turn.number)
        yield from ((call.name, turn.number) for call in turn.reply.turn.calls)

    assert names(state) == {}
    for tools in (["search"], ["read"], ["search", "write"]):
        answered(state, *tools)
        names(state)
        names(state)
    assert read == [0, 1, 2]
    assert names(state) == {"search": [0, 2], "read": [1], "write": [2]}
    assert (names.last(state, "search"), names.last(state, "delete")) == (2, None)


def test_calls_are_found_by_their_ids_and_items_by_any_key(state: IssuedState) -> None:
    answered(state, "search", "read")
    answered(state, "search")
    assert [turn.number for turn in issued_calls(state)["call_search"]] == [0, 1]
    searches = items_by(lambda item: item["name"] if item["name"] == "search" else None)
    assert searches(state) == {"search": [{"type": "call", "name": "search"}] * 2}


def test_a_case_knows_nothing_of_another(state: IssuedState) -> None:
    answered(state, "search")
    assert issued_calls(state)
    assert issued_calls(IssuedState()) == {}


def test_of_a_reply_that_was_cut_only_the_part_that_was_sent_is_known(state: IssuedState) -> None:
    answered(state, "search", "read")
    whole = state.replies[0]
    assert len(issued_calls(state)) == 2
    state.correct(whole, replace(whole, turn=replace(whole.turn, parts=whole.turn.parts[:1])))
    assert list(issued_calls(state)) == ["call_search"]


def test_a_memory_that_is_none_of_ours_is_replaced(state: IssuedState) -> None:
    state.memory = object()
    answered(state, "search")
    assert list(issued_calls(state)) == ["call_search"]
    assert memory_of(state) is state.memory
