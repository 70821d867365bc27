"""Arrivals in a stream of the Responses API: in odd orders, and what is no piece."""

from __future__ import annotations

from typing import Any

from harness.wire.openai_responses import WIRE
from harness.wire.sse import frame
from tests.wire.arriving import arrivals_of


def event(kind: str, **members: Any) -> bytes:
    return frame({**members, "type": f"response.{kind}"})


def item(moment: str, index: int, **members: Any) -> bytes:
    call = {"type": "function_call", "call_id": f"call_{index}", "name": "f", "arguments": "", **members}
    return event(f"output_item.{moment}", output_index=index, item=call)


def test_the_members_of_an_event_may_come_in_any_order() -> None:
    begun = item("added", 0)
    piece = event("function_call_arguments.delta", delta="{}", output_index=0)
    (arrival,) = arrivals_of("openai-responses", begun + piece + item("done", 0, arguments="{}"))
    assert (arrival.offsets, arrival.complete) == ([len(begun + piece)], len(begun + piece))


def test_a_call_without_arguments_is_complete_with_their_end() -> None:
    body = item("added", 0) + event("function_call_arguments.done", arguments="", output_index=0)
    (arrival,) = arrivals_of("openai-responses", body + item("done", 0))
    assert (arrival.lengths, arrival.complete) == ([], len(body))


def test_a_call_may_begin_with_a_part_of_its_arguments() -> None:
    begun = item("added", 0, arguments='{"a"')
    piece = event("function_call_arguments.delta", delta=": 1}", output_index=0)
    (arrival,) = arrivals_of("openai-responses", begun + piece + item("done", 0, arguments='{"a": 1}'))
    assert (arrival.lengths, arrival.offsets) == ([4, 8], [len(begun), len(begun + piece)])


def test_a_call_may_begin_with_all_of_its_arguments() -> None:
    begun = item("added", 0, arguments="{}")
    (arrival,) = arrivals_of("openai-responses", begun + item("done", 0, arguments="{}"))
    assert (arrival.lengths, arrival.complete) == ([2], len(begun))


def test_nothing_is_known_of_arguments_that_come_twice() -> None:
    begun = item("added", 0, arguments="{}")
    piece = event("function_call_arguments.delta", delta="{", output_index=0)
    body = begun + piece + item("done", 0, arguments="{}")
    assert WIRE.arrivals("text/event-stream", body, ("{}",)) is None


def test_a_call_of_which_only_the_end_comes_is_complete_there() -> None:
    done = item("done", 0, arguments='{"a": 1}')
    (arrival,) = arrivals_of("openai-responses", done)
    assert (arrival.lengths, arrival.complete) == ([8], len(done))


def test_pieces_of_an_item_that_is_no_call_are_none_of_a_call() -> None:
    search = {"type": "mcp_call", "id": "mcp_1", "arguments": ""}
    foreign = event("output_item.added", output_index=0, item=search)
    foreign += event("function_call_arguments.delta", delta='{"q": 1}', output_index=0)
    body = foreign + item("added", 1) + event("function_call_arguments.delta", delta="{}", output_index=1)
    (arrival,) = arrivals_of("openai-responses", body + item("done", 1, arguments="{}"))
    assert arrival.lengths == [2]


def test_calls_without_an_index_are_told_apart_by_their_ids() -> None:
    calls = [{"type": "function_call", "id": f"fc_{n}", "name": "f", "arguments": ""} for n in (1, 2)]
    delta = "function_call_arguments.delta"
    one, two = (event("output_item.added", item=call) + event(delta, delta="{", item_id=call["id"]) for call in calls)
    rest = event(delta, delta="}", item_id="fc_1")
    done = [
        event("output_item.done", item={**c, "arguments": said}) for c, said in zip(calls, ("{}", "{"), strict=True)
    ]
    first, second = arrivals_of("openai-responses", one + two + rest + b"".join(done))
    assert (first.lengths, first.complete) == ([1, 2], len(one + two + rest))
    assert (second.lengths, second.complete) == ([1], len(one + two))


def test_what_follows_the_end_of_the_response_is_not_read() -> None:
    one = item("added", 0) + event("function_call_arguments.delta", delta="{}", output_index=0)
    one += item("done", 0, arguments="{}") + event("completed", response={"status": "completed"})
    (arrival,) = arrivals_of("openai-responses", one + one)
    assert arrival.lengths == [2]


def test_deltas_that_say_something_else_than_the_call_show_nothing() -> None:
    body = item("added", 0) + event("function_call_arguments.delta", delta='{"a": 1}', output_index=0)
    assert WIRE.arrivals("text/event-stream", body + item("done", 0), ['{"b": 1}']) is None
