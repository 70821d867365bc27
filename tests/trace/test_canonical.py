"""The canonical form: fresh ids do not show, and everything that the loop or the model did differently does."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from harness.trace import (
    Assistant,
    Case,
    EventRecord,
    Failure,
    Final,
    RequestRecord,
    ResponseRecord,
    SetCode,
    ToolResult,
    ToolStart,
    Trace,
    TurnStart,
    canonical,
)

Json = dict[str, Any]


def data(*documents: Json) -> bytes:
    return b"".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n".encode() for one in documents)


def request(number: int, body: Json, **changed: Any) -> RequestRecord:
    values: Json = {"method": "POST", "path": "/v1/messages", "headers": {"a": "b"}, "body": json.dumps(body).encode()}
    return RequestRecord(number, **{**values, **changed})


class Run:
    """Two turns over the Messages wire with two calls: everything that is fresh in a run comes from ``run``."""

    def __init__(self, run: str) -> None:
        self.message, self.first, self.second = f"msg_{run}0000", f"toolu_{run}0001", f"toolu_{run}0002"
        self.signature = f"{run}+/sig=="
        self.clock = float(len(run) + ord(run[0]))
        self.input: Json = {"path": "a.html", "id": "row-1", "data": "payload", "signature": "me", "created": 5}
        self.results = [(self.first, "one"), (self.second, "two")]
        self.text = "Hello"
        self.sent_signature = self.signature

    def thinking(self, signature: str) -> Json:
        return {"type": "thinking", "thinking": "hm", "signature": signature}

    def calls(self) -> list[Json]:
        return [
            {"type": "tool_use", "id": self.first, "name": "create_file", "input": self.input},
            {"type": "tool_use", "id": self.second, "name": "edit_file", "input": {}},
        ]

    def answer(self) -> bytes:
        return data(
            {"type": "message_start", "message": {"id": self.message, "created_at": self.clock, "usage": {"n": 1}}},
            {"type": "content_block_start", "content_block": self.thinking(self.signature)},
            *({"type": "content_block_start", "content_block": call} for call in self.calls()),
            {"type": "content_block_delta", "delta": {"type": "text_delta", "text": self.text}},
        )

    def history(self) -> list[Json]:
        results = [
            {"type": "tool_result", "tool_use_id": identity, "content": content} for identity, content in self.results
        ]
        return [
            {"role": "assistant", "content": [self.thinking(self.sent_signature), *self.calls()]},
            {"role": "user", "content": results},
        ]

    def trace(self) -> Trace:
        case = Case(f"case-{self.message}", "s", "anthropic-messages", seed=len(self.message))
        sizes = (1,) * int(self.clock)
        schema = {"type": "object", "properties": {"id": {"type": "string"}}}
        tools = [{"name": "create_file", "input_schema": schema}]
        error = {"error": {"message": f"no result for {self.second}"}, "request_id": f"req_{self.message}"}
        return Trace(
            case,
            (
                EventRecord(TurnStart(1), at=self.clock),
                request(0, {"stream": True, "tools": tools, "messages": []}, at=self.clock),
                EventRecord(Assistant("Hel", f"assistant-{self.message}"), 0, int(self.clock), self.clock),
                EventRecord(ToolStart(self.first, "create_file", {"id": "row-1"}), 0, 5),
                ResponseRecord(0, 200, {"request-id": self.message}, self.answer(), sizes, "eof", self.clock),
                EventRecord(ToolResult(self.first, "create_file", {"created": 5}, True), 0),
                EventRecord(SetCode("<p>", self.first), 0),
                request(1, {"stream": True, "tools": tools, "messages": self.history()}),
                ResponseRecord(1, 400, {}, json.dumps(error).encode()),
                EventRecord(Failure("http", f"400: no result for {self.second}."), 1),
                EventRecord(Final("<p>"), 1),
            ),
        )


def test_two_runs_with_other_ids_signatures_and_clocks_are_equal() -> None:
    first, second = Run("aZ9x").trace(), Run("Qw3").trace()
    assert first != second
    assert canonical(first) == canonical(second)


def test_ids_are_named_in_order_of_appearance_and_quoted_ids_too() -> None:
    lines = list(map(json.loads, canonical(Run("aZ9x").trace())))
    assert lines[2] == {"event": "assistant", "text": "Hel", "id": "id-1"}
    assert lines[3] == {"event": "toolStart", "name": "create_file", "id": "id-2", "input": {"id": "row-1"}}
    assert lines[9]["message"] == "400: no result for id-4."
    block = lines[7]["body"]["messages"][0]["content"]
    assert block[0]["signature"] == "signature-1"
    assert [call["id"] for call in block[1:]] == ["id-2", "id-4"]
    assert block[1]["input"] == Run("aZ9x").input, "a tool's own keys are not the provider's"


def test_chunks_offsets_and_headers_are_left_out() -> None:
    trace = Run("aZ9x").trace()
    records = [replace(one, at=9.0) for one in trace.records]
    records[2] = replace(trace.events[1][1], offset=77)
    records[4] = replace(trace.exchanges[0].response, chunks=(), headers={})  # type: ignore[type-var]
    assert canonical(replace(trace, records=tuple(records))) == canonical(trace)


def test_an_id_is_named_where_an_event_quotes_it_before_its_response_was_recorded() -> None:
    def trace(identity: str) -> Trace:
        body = data({"type": "call", "id": identity})
        failure = EventRecord(Failure("stream", f"broken at {identity}"), 0)
        return Trace(Case("c", "s", "w"), (request(0, {}), failure, ResponseRecord(0, 200, {}, body)))

    assert canonical(trace("toolu_aaaa")) == canonical(trace("toolu_bbbb"))


def test_either_base64_alphabet_is_the_same_signature() -> None:
    run = Run("aZ9x")
    run.sent_signature = run.signature.replace("+", "-").replace("/", "_").rstrip("=")
    assert canonical(run.trace()) == canonical(Run("aZ9x").trace())


# --- every change of behaviour shows ---------------------------------------------------------------------------------


def other(change: Callable[[Run], None]) -> Trace:
    run = Run("Qw3")
    change(run)
    return run.trace()


def changed(at: int, **members: Any) -> Trace:
    """The trace with one record changed, or one event."""
    trace = Run("Qw3").trace()
    record: Any = trace.records[at]
    if isinstance(record, EventRecord):
        record = replace(record, event=replace(record.event, **members))
    else:
        record = replace(record, **members)
    return replace(trace, records=(*trace.records[:at], record, *trace.records[at + 1 :]))


def rewritten(at: int, old: str, new: str) -> Trace:
    """The trace with other text in one body."""
    body = Run("Qw3").trace().records[at].body  # type: ignore[union-attr]
    assert old.encode() in body
    return changed(at, body=body.replace(old.encode(), new.encode()))


def reordered(*order: int) -> Trace:
    trace = Run("Qw3").trace()
    return replace(trace, records=tuple(trace.records[at] for at in order))


def swap_results(run: Run) -> None:
    run.results = [(run.second, "one"), (run.first, "two")]


def swap_order(run: Run) -> None:
    run.results.reverse()


def repeat_an_id(run: Run) -> None:
    run.results = [(run.first, "one"), (run.first, "two")]


def answer_a_foreign_id(run: Run) -> None:
    run.results = [(run.first, "one"), ("toolu_foreign", "two")]


def forge_the_signature(run: Run) -> None:
    run.sent_signature = "forged"


def other_argument(key: str, value: Any) -> Callable[[Run], None]:
    def change(run: Run) -> None:
        run.input = {**run.input, key: value}

    return change


def other_text(run: Run) -> None:
    run.text = "hello"


MUTANTS: dict[str, Callable[[], Trace]] = {
    "the model's text": lambda: other(other_text),
    "two ids swapped": lambda: other(swap_results),
    "results in another order": lambda: other(swap_order),
    "one id twice": lambda: other(repeat_an_id),
    "an id that nobody issued": lambda: other(answer_a_foreign_id),
    "a forged signature": lambda: other(forge_the_signature),
    "an argument called id": lambda: other(other_argument("id", "row-2")),
    "an argument called data": lambda: other(other_argument("data", "other")),
    "an argument called signature": lambda: other(other_argument("signature", "you")),
    "an argument called created": lambda: other(other_argument("created", 6)),
    "a result called created": lambda: changed(5, output={"created": 6}),
    "a schema": lambda: rewritten(1, '"string"', '"number"'),
    "true and 1": lambda: rewritten(1, "true", "1"),
    "the assistant's words": lambda: changed(2, text="Hal"),
    "the assistant under the tool's id": lambda: changed(2, id="toolu_Qw30001"),
    "the tool's name": lambda: changed(3, name="edit_file"),
    "the tool's summary": lambda: changed(3, input={"id": "row-2"}),
    "the tool's success": lambda: changed(5, ok=False),
    "the code": lambda: changed(6, code="<p></p>"),
    "the code's tool": lambda: changed(6, id="toolu_Qw30002"),
    "a preview": lambda: changed(6, preview=True),
    "the failure's words": lambda: changed(9, message="400: no result for toolu_Qw30001."),
    "the outcome": lambda: changed(10, outcome="truncated"),
    "the path": lambda: changed(1, path="/v1/messages?beta=true"),
    "the method": lambda: changed(1, method="GET"),
    "the status": lambda: changed(8, status=500),
    "the end of a response": lambda: changed(4, end="cut"),
    "a response that was cut": lambda: changed(4, body=Run("Qw3").answer()[:-25]),
    "a response without its last event": lambda: changed(4, body=Run("Qw3").answer().rpartition(b"event:")[0]),
    "an event's name": lambda: rewritten(4, "event: message_start", "event: start"),
    "a body that is no JSON": lambda: changed(1, body=b"\xff"),
    "two events in another order": lambda: reordered(0, 1, 3, 2, 4, 5, 6, 7, 8, 9, 10),
    "an event before the answer had come": lambda: reordered(0, 1, 2, 3, 5, 4, 6, 7, 8, 9, 10),
    "an event more": lambda: reordered(0, 1, 2, 3, 3, 4, 5, 6, 7, 8, 9, 10),
    "an event less": lambda: reordered(0, 1, 2, 3, 4, 6, 7, 8, 9, 10),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_change_of_behaviour_shows(mutant: str) -> None:
    assert canonical(MUTANTS[mutant]()) != canonical(Run("aZ9x").trace())


def one(body: bytes) -> Trace:
    return Trace(Case("c", "s", "w"), (RequestRecord(0, "POST", "/", {}, body),))


@pytest.mark.parametrize(
    ("body", "same"),
    [
        ({"type": "redacted_thinking", "data": "A"}, {"type": "redacted_thinking", "data": "B"}),
        ({"type": "function_call", "call_id": "A", "id": "C"}, {"id": "D", "call_id": "B", "type": "function_call"}),
        ({"functionCall": {"id": "A", "args": {}}, "thoughtSignature": "A"}, None),
        ({"type": "reasoning", "encrypted_content": "A"}, {"type": "reasoning", "encrypted_content": "B"}),
        ({"previous_response_id": "A"}, {"previous_response_id": "B"}),
        ({"created": 1, "obfuscation": "x"}, {"created": 2, "obfuscation": "yyy"}),
    ],
)
def test_members_that_are_fresh_in_every_run(body: Json, same: Json | None) -> None:
    text = json.dumps(body)
    again = json.dumps(same) if same else text.replace('"A"', '"B"')
    assert canonical(one(text.encode())) == canonical(one(again.encode()))


@pytest.mark.parametrize(
    ("body", "different"),
    [
        ({"type": "base64", "data": "AAAA"}, {"type": "base64", "data": "BBBB"}),
        ({"functionCall": {"args": {"id": "A"}}}, {"functionCall": {"args": {"id": "B"}}}),
        (
            {"functionResponse": {"name": "f", "response": {"id": "A"}}},
            {"functionResponse": {"name": "f", "response": {"id": "B"}}},
        ),
        *(
            ({key: {"default": {"id": "A"}}}, {key: {"default": {"id": "B"}}})
            for key in (
                "parameters",
                "parametersJsonSchema",
                "input_schema",
                "schema",
                "metadata",
                "arguments",
                "input",
            )
        ),
        ({"id": ""}, {"id": "A"}),
        ({"id": None}, {"id": "A"}),
        ({"created": 1}, {}),
        ({"call_id": "A", "id": "A"}, {"call_id": "A", "id": "B"}),
        ({"call_id": "a-b", "id": "a+b"}, {"call_id": "a-b", "id": "a-b"}),
        ({"arguments": '{"id":"A"}'}, {"arguments": '{"id":"B"}'}),
        ({"n": 1}, {"n": 1.0}),
        ({"text": "\ud83d"}, {"text": "\ude00"}),
    ],
)
def test_members_that_only_look_fresh(body: Json, different: Json) -> None:
    assert canonical(one(json.dumps(body).encode())) != canonical(one(json.dumps(different).encode()))


def test_where_inside_an_event_a_response_was_cut_is_no_behaviour_but_that_it_was_cut_is() -> None:
    whole = b'data: {"id":"resp_aaaaaaaa","n":1}\n\n'

    def cut(rest: bytes) -> list[str]:
        record = ResponseRecord(0, 200, {}, whole + rest, end="cut")
        return canonical(Trace(Case(id="c", scenario="s", wire="w"), (record,)))

    assert cut(b'data: {"item_id":"msg_bbbb') == cut(b'data: {"item_id":"msg_cccccccc"')
    assert cut(b'data: {"item_id":"msg_bbbb') != cut(b"")
