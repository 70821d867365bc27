"""Requests as these wires write them: whole loops, recorded requests, and writers that are broken on purpose."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from harness.wire import WireName
from harness.wire.base import Json
from tests.sdks import anthropic, openai
from tests.wire.writing import broken, looped, recordings

Edit = Callable[[Any], Any]
NAMES: tuple[WireName, ...] = ("anthropic-messages", "openai-chat", "openai-responses")


@pytest.mark.parametrize("name", NAMES)
def test_a_loop_that_is_written_breaks_no_rule(name: WireName) -> None:
    assert [violations for _, violations, _ in looped(name)] == [[], [], []]


def test_what_is_written_has_the_types_of_the_sdk() -> None:
    blocks, tools = TypeAdapter(list[anthropic.types.ContentBlockParam]), TypeAdapter(list[anthropic.types.ToolParam])
    for _, _, body in looped("anthropic-messages"):
        request = json.loads(body)
        tools.validate_python(request["tools"])
        for entry in request["messages"]:
            if not isinstance(entry["content"], str):
                blocks.validate_python(entry["content"])


def test_what_is_written_has_the_types_of_openais_sdk() -> None:
    chat, responses = openai.types.chat, openai.types.responses
    for name, history, entry, tool in [
        ("openai-chat", "messages", chat.ChatCompletionMessageParam, chat.ChatCompletionToolParam),
        (
            "openai-responses",
            "input",
            responses.response_input_param.ResponseInputItemParam,
            responses.tool_param.ToolParam,
        ),
    ]:
        entries, tools = TypeAdapter(list[entry]), TypeAdapter(list[tool])
        for _, _, body in looped(name):
            request = json.loads(body)
            entries.validate_python(request[history])
            tools.validate_python(request["tools"])


# --- recorded requests ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "count", "judged"),
    [
        # Messages that are none are written as none.
        ("anthropic-messages", 349, [("anthropic_completion_error.yaml", ["ANT-09"], ["ANT-12"])]),
        # Neutral words have no thought that is empty, and DeepSeek misses its member.
        ("openai-chat", 906, [("test_deepseek_deferred_capability_with_thinking.yaml", [], ["OAC-19"])] * 2),
    ],
)
def test_every_recorded_request_is_written_as_it_was_read(
    shared: Path, name: WireName, count: int, judged: list[tuple[str, list[str], list[str]]]
) -> None:
    found = recordings(shared, name)
    assert (found.read, found.same, found.judged) == (count, count, judged)


def test_every_recorded_request_to_responses_is_written_as_it_was_read(shared: Path) -> None:
    """Ids are left out, since neutral words have none; with them the link to a reasoning item is gone. A schema that
    was asked for strictly is not. That other servers have models of their own (OAI-02) stays as it was. Neutral words
    have a thought as a summary, which DeepSeek does not take for its text (OAI-DS)."""
    found = recordings(shared, "openai-responses")
    assert (found.read, found.same) == (518, 518)
    assert all(set(after) <= {"OAI-02", "OAI-DS"} for _, _, after in found.judged)
    gone = sorted(rule for _, before, after in found.judged for rule in set(before) - set(after))
    assert gone == ["OAI-07"] * 4 + ["OAI-14"] * 2 + ["OAI-23"]


# --- broken writers -------------------------------------------------------------------------------------------


def lists(body: Any) -> Iterator[list[Json]]:
    """The lists of entries and of their blocks."""
    history: list[Json] = body.get("input") or body["messages"]
    yield history
    yield from (entry["content"] for entry in history if isinstance(entry.get("content"), list))


def first(wanted: str, edit: Callable[[list[Json], int], object]) -> Edit:
    """An edit of the first entry or block of this type, or of this role, at its place in its list."""

    def edited(body: Any) -> Any:
        for entries in lists(body):
            for at, each in enumerate(entries):
                if wanted in (each.get("type"), each.get("role")):
                    edit(entries, at)
                    return body
        return body

    return edited


def changed(wanted: str, **members: Any) -> Edit:
    return first(wanted, lambda entries, at: entries[at].update(members))


def lost(wanted: str) -> Edit:
    return first(wanted, lambda entries, at: entries.pop(at))


def results_before_the_calls(body: Any) -> Any:
    body["messages"].sort(key=lambda message: message["role"] == "assistant")
    return body


BROKEN: dict[str, tuple[WireName, Edit]] = {
    "messages, signature": ("anthropic-messages", changed("thinking", signature="c2ln")),
    "messages, thinking": ("anthropic-messages", lost("thinking")),
    "messages, id": ("anthropic-messages", changed("tool_use", id="toolu_other")),
    "messages, result": ("anthropic-messages", lost("tool_result")),
    "messages, order": (
        "anthropic-messages",
        first("tool_result", lambda entries, at: entries.insert(0, {"type": "text", "text": "Also:"})),
    ),
    "chat, id": ("openai-chat", first("tool", lambda entries, at: entries[at].pop("tool_call_id"))),
    "chat, order": ("openai-chat", results_before_the_calls),
    "chat, result": ("openai-chat", lost("tool")),
    "responses, signature": ("openai-responses", changed("reasoning", encrypted_content="x")),
    "responses, thinking": ("openai-responses", lost("reasoning")),
    "responses, id": (
        "openai-responses",
        first("function_call_output", lambda entries, at: entries[at].pop("call_id")),
    ),
    "responses, other id": ("openai-responses", changed("function_call", call_id="call_other")),
}


@pytest.mark.parametrize(("name", "edit"), BROKEN.values(), ids=BROKEN)
def test_a_broken_writer_breaks_a_rule(name: WireName, edit: Edit) -> None:
    assert broken(name, edit)
