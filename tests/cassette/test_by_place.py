"""Recordings that are played by place: to an agent whose requests are not those of the recording."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

from harness.cassette import Cassette, Delivery, Interaction
from harness.cassette.by_place import PlaceSource
from harness.cassette.folders import in_folders
from harness.endpoint import Conversations, ModelRequest, RecordedResponse, SourceResponse, Unknown
from harness.scenario import TurnStep
from harness.trace import MAIN
from harness.wire import route_of, wire

PATH = "/v1/chat/completions"
TOOL = {"type": "function", "function": {"name": "read", "description": "", "parameters": {"type": "object"}}}
PROMPT = [("user", "Read it.")]


def body(*texts: str, system: str = "old", tools: bool = True) -> bytes:
    messages = [{"role": "system", "content": system}]
    messages += [{"role": ("user", "assistant")[at % 2], "content": text} for at, text in enumerate(texts)]
    return json.dumps({"model": "m", "messages": messages, **({"tools": [TOOL]} if tools else {})}).encode()


def answered(request: bytes, text: str, status: int = 200) -> Interaction:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    document = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    headers = {"content-type": ("application/json",)}
    return Interaction("POST", f"https://api.test{PATH}", {}, request, status, headers, json.dumps(document).encode())


def source(*interactions: Interaction, folders: dict[str, str] | None = None) -> PlaceSource:
    conversations = partial(Conversations, PROMPT, (), own_tools=True)
    return PlaceSource(Cassette(Path("a.yaml"), interactions), conversations, folders or {})


def ask(of: PlaceSource, request: bytes, number: int = MAIN) -> SourceResponse | None:
    route = route_of("POST", PATH)
    assert route is not None
    conversation = wire(route.wire).read(route, request, {})
    return of.next(ModelRequest("POST", PATH, {}, request, conversation, number))


def text_of(response: SourceResponse | None) -> Any:
    assert isinstance(response, RecordedResponse), response
    return json.loads(b"".join(response.chunks))["choices"][0]["message"]["content"]


FIRST = answered(body("Read it."), "one")
SECOND = answered(body("Read it.", "one", "Go on."), "two")


def test_another_prompt_and_another_history_get_the_answer_of_their_place() -> None:
    played = source(FIRST, SECOND)
    assert text_of(ask(played, body("Read it.", system="new"))) == "one"
    assert played.left() == [f"POST https://api.test{PATH}"]
    assert text_of(ask(played, body("Go on.", system="new"))) == "two"
    assert played.left() == []


def test_a_request_behind_the_last_one_is_unknown() -> None:
    played = source(FIRST)
    ask(played, body("Read it."))
    found = ask(played, body("Read it.", "one", "More."))
    assert isinstance(found, Unknown)
    assert (found.expected, found.got) == ("1 answer", "request 2")


def test_a_request_that_is_sent_again_gets_the_same_answer() -> None:
    played = source(FIRST, SECOND)
    assert [text_of(ask(played, body("Read it.", system="new"))) for _ in range(2)] == ["one", "one"]
    assert text_of(ask(played, body("Go on."))) == "two"


def test_a_request_that_was_sent_again_in_the_recording_gets_what_came_then() -> None:
    played = source(answered(body("Read it."), "overloaded", 529), FIRST, SECOND)
    assert [text_of(ask(played, body("Read it.", system="new"))) for _ in range(2)] == ["overloaded", "one"]


def test_conversations_beside_the_main_one_are_found_by_how_they_begin() -> None:
    title = answered(body("A title for: Read it.", system="titles", tools=False), "a title")
    summary = answered(body("A summary of: Read it.", system="summaries", tools=False), "a summary")
    played = source(title, FIRST, summary)
    assert text_of(ask(played, body("A summary of: Read it.", system="new summaries", tools=False), 1)) == "a summary"
    assert text_of(ask(played, body("Read it."))) == "one"
    assert text_of(ask(played, body("A title for: Read it.", system="new titles", tools=False), 2)) == "a title"
    assert played.left() == []


def test_what_was_not_asked_beside_the_main_conversation_is_answered_by_the_built_in_model() -> None:
    assert isinstance(ask(source(FIRST), body("A title?", tools=False), 1), TurnStep)


def test_an_answer_has_the_folders_of_the_run() -> None:
    content = b'data: {"path":"REDACTED-agent-workdir/a.txt"}\n\ndata: [DONE]\n\n'
    headers = {"content-type": ("text/event-stream",)}
    made = Interaction("POST", PATH, {}, b"", 200, headers, content, delivery=Delivery((30, len(content) - 30), (0, 0)))
    found = in_folders(made, {"workdir": "/srv/a", "home": "/srv/b"})
    assert found.response == b'data: {"path":"/srv/a/a.txt"}\n\ndata: [DONE]\n\n'
    assert found.delivery is not None
    assert sum(found.delivery.chunks) == len(found.response)
    assert in_folders(made, {}) is made
