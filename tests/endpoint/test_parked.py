"""A server that parks its rounds on disk answers and records to the letter what one does that keeps all in memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.endpoint import (
    AutomaticModel,
    CaseEndpoint,
    Conversations,
    Endpoints,
    LiveResponse,
    ModelRequest,
    Rounds,
    ScriptSource,
    SideScript,
    Source,
    parked,
)
from harness.endpoint.parked import DiskFull, Parked, ParkedRound
from harness.rules import judge
from harness.scenario import Cut, HttpErrorStep, TurnStep
from harness.trace import Case, End
from harness.wire import Call, FinishReason, Text, Turn, WireName

PATHS: dict[WireName, str] = {"openai-chat": "/v1/chat/completions", "anthropic-messages": "/v1/messages"}
TOOL = {"name": "read", "description": "", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}
CALL = TurnStep(Turn((Call("read", '{"path":"a"}'),), FinishReason.TOOL_CALLS))
STEPS = (CALL, CALL, TurnStep(Turn((Text("All done."),))))
LOST = HttpErrorStep(0, connection="reset")
FAILING = (HttpErrorStep(500), LOST, TurnStep(Turn((Text("Never said to its end."),)), Cut(0, "cut")), *STEPS)
"""The first three requests get no whole answer: a loop sends them again, and that is the same round."""


class Loop:
    """A loop on one wire; ``ask`` sends its history and takes in what is answered."""

    def __init__(self, wire: WireName, prompt: str, *, tools: bool) -> None:
        self.wire, self.tools = wire, tools
        self.messages: list[Any] = [{"role": "user", "content": prompt}]

    def body(self) -> bytes:
        body: dict[str, Any] = {"model": "gpt-4.1", "messages": self.messages}
        if self.wire == "anthropic-messages":
            body |= {"model": "claude-sonnet-4-6", "max_tokens": 100}
        if self.tools:
            schema = {"name": "read", "input_schema": TOOL["parameters"]}
            chat = {"type": "function", "function": TOOL}
            body["tools"] = [schema if self.wire == "anthropic-messages" else chat]
        return json.dumps(body).encode()

    def take(self, status: int, text: bytes) -> None:
        """The next request goes on with the answer: results for its calls, or another question."""
        answer = json.loads(text)
        if status != 200:
            return
        if self.wire == "anthropic-messages":
            calls = [block["id"] for block in answer["content"] if block["type"] == "tool_use"]
            self.messages.append({"role": "assistant", "content": answer["content"]})
            results = [{"type": "tool_result", "tool_use_id": each, "content": "ok"} for each in calls]
            self.messages.append({"role": "user", "content": results or "And now?"})
            return
        message = answer["choices"][0]["message"]
        calls = [call["id"] for call in message.get("tool_calls") or ()]
        self.messages.append(message)
        self.messages += [{"role": "tool", "tool_call_id": each, "content": "ok"} for each in calls]
        if not calls:
            self.messages.append({"role": "user", "content": "And now?"})


class Served:
    """Rounds behind a gateway; ``log`` has every answer."""

    def __init__(self, most: int, source: Callable[[], Source], most_bytes: int = 1 << 40) -> None:
        self.rounds = Rounds(lambda number: self._endpoint(number, source()), most=most, most_bytes=most_bytes)
        self.endpoints = Endpoints()
        self.endpoints.open("a-case", self.rounds)
        self.log: list[tuple[str, int, bytes]] = []

    def _endpoint(self, number: int, source: Source) -> CaseEndpoint:
        case = Case(id=f"round-{number}", scenario="a-case", wire="openai-chat", chunking="event")
        aside = Conversations(scripts=[SideScript("a title", lambda: ScriptSource(STEPS[-1:]))])
        return CaseEndpoint(case, source, clock=lambda: 0.0, apart=aside)

    def ask(self, loop: Loop) -> None:
        path = f"/case/a-case{PATHS[loop.wire]}"
        endpoint, exchange, answer = self.endpoints.answer(
            "POST", path, {"anthropic-version": "2023-06-01"}, loop.body()
        )
        assert endpoint is not None
        if isinstance(answer, LiveResponse):
            status, pieces = 200, (said(loop, exchange),)
            endpoint.recorder.respond(exchange, status, {"content-type": "application/json"})
        else:
            status, pieces = answer.status, answer.chunks
            endpoint.recorder.respond(exchange, status, answer.headers)
        for piece in pieces:
            endpoint.recorder.delivered(exchange, piece)
        end: End = "eof" if isinstance(answer, LiveResponse) else answer.end
        endpoint.ended(exchange, end)
        self.log.append((endpoint.case.id, status, b"".join(pieces)))
        if end == "eof":
            loop.take(status, b"".join(pieces))

    def outcome(self) -> list[Any]:
        """All that is judged of the rounds."""
        return [
            (
                desk.recorder.trace(),
                judge(desk.recorder.trace()),
                desk.violations,
                desk.replies,
                desk.refused,
                desk.overrun,
                [(each.number, each.requests, each.opening, each.script) for each in desk.apart],
            )
            for desk in self.rounds.each()
        ]


def said(loop: Loop, exchange: int) -> bytes:
    """What a model elsewhere answers."""
    message = {"role": "assistant", "content": f"Said of {len(loop.messages)}, {exchange}."}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return json.dumps({"id": f"chatcmpl-{exchange}", "object": "chat.completion", "choices": [choice]}).encode()


class Elsewhere:
    """Has somebody else answer. It counts, as a source with a state of its own."""

    def __init__(self) -> None:
        self.asked = 0

    def next(self, request: ModelRequest) -> LiveResponse:
        self.asked += 1

        async def nobody() -> Any:
            raise AssertionError

        return LiveResponse(nobody)

    def left(self) -> tuple[str, ...]:
        return (f"asked {self.asked}",)


def both(source: Callable[[], Source], loops: list[tuple[WireName, str, bool]], order: list[int]) -> None:
    parking, keeping = Served(1, source), Served(10_000, source)
    for served in (parking, keeping):
        playing = [Loop(wire, prompt, tools=tools) for wire, prompt, tools in loops]
        for at in order:
            served.ask(playing[at % len(playing)])
    assert parking.log == keeping.log
    assert parking.outcome() == keeping.outcome()
    assert [desk.left for desk in parking.rounds.each()] == [desk.left for desk in keeping.rounds.each()]


prompts = st.sampled_from(["Hello.", "Hello again.", "Give it a title."])
orders = st.lists(st.integers(0, 5), min_size=1, max_size=20)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(list(PATHS)), prompts, st.booleans()), min_size=1, max_size=6), orders)
def test_conversations_go_on_from_the_disk_as_from_memory(
    loops: list[tuple[WireName, str, bool]], order: list[int]
) -> None:
    both(AutomaticModel, loops, order)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(prompts, min_size=1, max_size=6),
    orders,
    st.sampled_from([lambda: ScriptSource(STEPS), lambda: ScriptSource(FAILING), Elsewhere]),
)
def test_a_script_and_a_model_go_on_where_they_were(
    asked: list[str], order: list[int], source: Callable[[], Source]
) -> None:
    both(source, [("openai-chat", prompt, True) for prompt in asked], order)


class Losing(Elsewhere):
    """A source with a state of its own, to which every connection is lost."""

    def next(self, request: ModelRequest) -> HttpErrorStep:  # type: ignore[override]
        super().next(request)
        return LOST


def test_a_request_that_got_no_answer_has_none_when_its_round_is_taken_up() -> None:
    served = Served(10, Losing)
    served.ask(Loop("openai-chat", "Hello.", tools=False))
    (endpoint,) = served.rounds.each()
    again = CaseEndpoint(endpoint.case, Losing(), clock=lambda: 0.0)
    again.replay(endpoint.recorder.trace().records, endpoint.lasting_source)
    assert again.recorder.trace() == endpoint.recorder.trace()
    assert again.replies == endpoint.replies == {}


def test_what_is_parked_is_not_in_memory() -> None:
    served = Served(3, AutomaticModel)
    for number in range(50):
        loop = Loop("openai-chat", f"Question {number}.", tools=True)
        served.ask(loop)
        served.ask(loop)
    assert len(served.rounds.live) == 3
    assert [desk.case.id for desk in served.rounds.each()] == [f"round-{number}" for number in range(1, 51)]
    assert all(len(desk.recorder.trace().exchanges) == 2 for desk in served.rounds.each())
    assert len(served.rounds.live) == 3


def test_rounds_that_cannot_be_written_stay_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """No request fails for a full disk, and what is there already can still be read."""
    monkeypatch.setattr(parked, "_TABLES", parked._TABLES + "pragma max_page_count = 8;")
    put, tried = Parked.put, 0

    def counted(parked: Parked, rounds: Mapping[int, ParkedRound]) -> None:
        nonlocal tried
        try:
            put(parked, rounds)
        except DiskFull:
            tried += 1
            raise

    monkeypatch.setattr(Parked, "put", counted)
    served = Served(3, AutomaticModel)
    loops = [Loop("openai-chat", f"Question {number}. {number * 'x'}" + 4000 * "y", tools=True) for number in range(20)]
    for loop in loops:
        served.ask(loop)
    kept = served.rounds.live
    assert 3 < len(kept) < len(loops), "some were written before there was no room"
    assert tried < 5, "not again for each round"
    for loop in loops:
        served.ask(loop)
    assert [desk.case.id for desk in served.rounds.each()] == [f"round-{number}" for number in range(1, 21)]
    assert all(len(desk.recorder.trace().exchanges) == 2 for desk in served.rounds.each())


def test_a_large_body_is_parked_as_soon_as_another_round_begins() -> None:
    served = Served(100, AutomaticModel, most_bytes=1_000_000)
    large = Loop("openai-chat", "x" * 2_000_000, tools=True)
    served.ask(large)
    assert served.rounds.latest.recorder.size > 2_000_000
    served.ask(Loop("openai-chat", "Hello.", tools=True))
    assert sum(desk.recorder.size for desk in served.rounds.live) < 1_000_000
    served.ask(large)
    assert [case for case, _, _ in served.log] == ["round-1", "round-2", "round-1"]
    assert [judge(desk.recorder.trace()) for desk in served.rounds.each()] == [[], []]


def test_a_round_that_answers_now_is_not_parked() -> None:
    served = Served(1, AutomaticModel)
    loop = Loop("openai-chat", "Hello.", tools=True)
    endpoint, exchange, answer = served.endpoints.answer("POST", f"/case/a-case{PATHS['openai-chat']}", {}, loop.body())
    assert endpoint is not None
    assert not isinstance(answer, LiveResponse)
    endpoint.recorder.respond(exchange, 200, {})
    served.ask(Loop("openai-chat", "Another.", tools=True))
    assert endpoint in served.rounds.live
    endpoint.ended(exchange, "eof")
    served.ask(Loop("openai-chat", "A third.", tools=True))
    assert endpoint not in served.rounds.live


def test_a_mark_of_several_rounds_is_known_as_such() -> None:
    parked = Parked()
    parked.put({0: ParkedRound((), [("text a", (0, False)), ("id b", (0, False))], [(("", "hi"), True)])})
    parked.put({3: ParkedRound((), [("text a", (3, False))], [(("", "hi"), True), (("", "there"), False)])})
    assert parked.issuer("text a") == (3, True)
    assert parked.issuer("id b") == (0, False)
    assert parked.issuer("id c") is None
    assert (parked.opened(("", "hi")), parked.opened(("", "there")), parked.opened(("hi", ""))) == (3, 3, None)
    assert (parked.unanswered(("", "hi")), parked.unanswered(("", "there"))) == ([3, 0], [])
    parked.take(3)
    assert parked.unanswered(("", "hi")) == [0]
    with pytest.raises(KeyError):
        parked.records(3)
    parked.close()
