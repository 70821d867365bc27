"""Loops without a mistake on the Messages API."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from harness.wire import Call, FinishReason, IssuedState, Text, ThinkingPart, Turn
from harness.wire.anthropic_messages.rules.places import IMPORTED, blocks, calls_of, listed, mark, messages, text
from harness.wire.base import Json
from harness.wire.played import BaseRequest
from harness.wire.posted import Posted

_TOOL_SEARCH: Final = "tool_search_tool_regex_20251119"
_WIRE: Final = "anthropic-messages"
_SONNET: Final = "claude-sonnet-4-6"

_LIST: Final = Call("list_files", '{"path": "src"}')
_READ: Final = Call("read_file", '{"path": "src/app.py"}')

_CALL: Final = Turn((ThinkingPart("I need the file."), _READ), FinishReason.TOOL_CALLS)
_CALLS: Final = Turn(
    (ThinkingPart("Look around."), Text("I look."), _LIST, ThinkingPart(form="redacted"), _READ),
    FinishReason.TOOL_CALLS,
)
_UNSEEN: Final = Turn((ThinkingPart("", "omitted"), ThinkingPart("And read it."), _READ), FinishReason.TOOL_CALLS)
_DONE: Final = Turn((ThinkingPart("That is all."), Text("It prints hi.")))

_MANUAL: Final[Json] = {"thinking": {"type": "enabled", "budget_tokens": 2000}}
_ADAPTIVE: Final[Json] = {"thinking": {"type": "adaptive"}}


def _resume(posted: Posted, _: IssuedState) -> None:
    """A paused turn is sent back unchanged, with nothing after it."""
    for at in range(len(messages(posted)) - 1, 0, -1):
        before, here = messages(posted)[at - 1]["content"], messages(posted)[at]
        if isinstance(before, list) and before[-1]["type"] == "server_tool_use" and here["role"] == "user":
            del messages(posted)[at]


def _marks(posted: Posted, _: IssuedState) -> None:
    """The provider is asked to cache the tools and the first message."""
    mark([posted.body["tools"][-1], listed(messages(posted)[0])[-1]])


def _thread(posted: Posted, issued: IssuedState) -> None:
    """Only what is new is sent; the server keeps the rest in a thread."""
    if not issued.turns:
        posted.body["thread"] = {"type": "create"}
        return
    answered = max((at for at, each in enumerate(messages(posted)) if each["role"] == "assistant"), default=-1)
    posted.body["messages"] = messages(posted)[answered + 1 :]
    posted.body["thread"] = {"type": "continue", "previous_message_id": issued.replies[-1].id}
    posted.body["diagnostics"] = {"previous_message_id": issued.replies[0].id}


def _instructions_at_the_end(posted: Posted, _: IssuedState) -> None:
    messages(posted).append({"role": "system", "content": "Answer in one sentence."})


def _images(posted: Posted, _: IssuedState) -> None:
    for block in blocks(posted, "tool_result"):
        picture = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}
        block["content"] = [text("The page:"), {"type": "image", "source": picture}]


_PROGRAM: Final[Json] = {
    "type": "server_tool_use",
    "id": "srvtoolu_01program",
    "name": "code_execution",
    "input": {"code": "print(read_file('src/app.py'))"},
}
_BY_PROGRAM: Final[Json] = {"caller": {"type": "code_execution_20260120", "tool_id": "srvtoolu_01program"}}
_CONTAINER: Final = "container_01program"


def _program(posted: Posted, issued: IssuedState) -> None:
    """Code on the provider's side has made the call, and waits for its result in a container."""
    _program_without_container(posted, issued)
    issued.turns[:] = [(asked, replace(reply, container=_CONTAINER)) for asked, reply in issued.turns]
    if issued.turns:
        posted.body["container"] = _CONTAINER


def _program_without_container(posted: Posted, issued: IssuedState) -> None:
    """The same in a stream that has not named its container."""
    posted.body["tools"].append({"type": "code_execution_20260120", "name": "code_execution"})
    for message in messages(posted):
        if calls_of(message):
            message["content"] = _called_by_program(message["content"])
    turns = [(asked, replace(reply, items=tuple(_called_by_program(reply.items)))) for asked, reply in issued.turns]
    issued.turns[:] = turns


def _called_by_program(items: Iterable[Json]) -> list[Json]:
    return [dict(_PROGRAM), *({**block, **_BY_PROGRAM} for block in items if block["type"] == "tool_use")]


def _search(posted: Posted, _: IssuedState) -> None:
    """The model has searched for the tool that it calls."""
    for tool in posted.body["tools"]:
        tool["defer_loading"] = True
    posted.body["tools"].append({"type": _TOOL_SEARCH, "name": "tool_search_tool_regex"})
    for message in messages(posted):
        if calls_of(message):
            search = {"type": "server_tool_use", "id": "srvtoolu_01search", "name": "tool_search_tool_regex"}
            found = {"type": "tool_search_tool_search_result", "tool_references": [_reference("read_file")]}
            result = {"type": "tool_search_tool_result", "tool_use_id": "srvtoolu_01search", "content": found}
            message["content"][:0] = [{**search, "input": {"query": "read"}}, result]


def _reference(name: str) -> Json:
    return {"type": "tool_reference", "tool_name": name}


_FALLEN_BACK: Final[Json] = {"type": "fallback", "from": {"model": "claude-fable-5"}, "to": {"model": _SONNET}}


def _fall_back(posted: Posted, issued: IssuedState) -> None:
    """Another model has answered instead of the first, and a block says so."""
    for message in messages(posted):
        if message["role"] == "assistant":
            message["content"].insert(0, dict(_FALLEN_BACK))
    turns = [
        (asked, [item for item in reply.items if item["type"] != "fallback"], reply) for asked, reply in issued.turns
    ]
    issued.turns[:] = [(asked, replace(reply, items=(dict(_FALLEN_BACK), *items))) for asked, items, reply in turns]


def _serve_another_maker(_: Posted, issued: IssuedState) -> None:
    """The server has answered with another maker's model than the one that was asked for."""
    issued.turns[:] = [(asked, replace(reply, model="MiniMax-M2.5")) for asked, reply in issued.turns]


ONE_CALL: Final = BaseRequest("ant-one-call", _WIRE, _SONNET, (_CALL,))
TWO_CALLS: Final = BaseRequest("ant-two-calls", _WIRE, _SONNET, (_CALLS,))
TWO_THOUGHTS: Final = BaseRequest(
    "ant-two-thoughts",
    _WIRE,
    _SONNET,
    (Turn((ThinkingPart("It is in src."), ThinkingPart("Read it, then."), _READ), FinishReason.TOOL_CALLS),),
)
SEVERAL_TURNS: Final = BaseRequest(
    "ant-several-turns", _WIRE, _SONNET, (_CALLS, _UNSEEN, _DONE, _CALL), follow_ups=("By the way, be quick.",)
)
WITHOUT_THINKING: Final = BaseRequest(
    "ant-without-thinking",
    _WIRE,
    _SONNET,
    (Turn((Text("I look."), _LIST, _READ), FinishReason.TOOL_CALLS), Turn((_READ,), FinishReason.TOOL_CALLS)),
    {"thinking": {"type": "disabled"}},
)
MANUAL: Final = BaseRequest("ant-manual-thinking", _WIRE, "claude-sonnet-4-5", (_CALLS, _CALL), _MANUAL)
MANUAL_ONCE: Final = BaseRequest(
    "ant-manual-thinking-once",
    _WIRE,
    "claude-sonnet-4-5",
    (
        Turn((Text("Hello."),)),
        Turn((ThinkingPart("Look again and again."), Text("I look."), _READ), FinishReason.TOOL_CALLS),
        Turn((Text("I look again."), _READ), FinishReason.TOOL_CALLS),
        Turn((Text("I look."), Call("read_file", '{"path": "src/main.py"}')), FinishReason.TOOL_CALLS),
        Turn((Text("I look."), Call("list_files", '{"path": "src/app.py"}')), FinishReason.TOOL_CALLS),
    ),
    _MANUAL,
)
OPUS_4_1: Final = BaseRequest("ant-opus-4-1", _WIRE, "claude-opus-4-1", (_CALL,), _MANUAL)
OPUS_4_7: Final = BaseRequest("ant-opus-4-7", _WIRE, "claude-opus-4-7", (_CALLS,))
BOUND: Final = BaseRequest("ant-bound-thinking", _WIRE, "claude-opus-5-5", (_CALLS, _CALL), _ADAPTIVE)
BOUND_WITH_BETA: Final = BaseRequest(
    "ant-bound-thinking-with-beta",
    _WIRE,
    "claude-fable-5-1",
    (_CALL, _CALL),
    _ADAPTIVE,
    {"anthropic-version": "2023-06-01", "anthropic-beta": "thinking-binding-controls-2026-08-01"},
    amend=_images,
)
ALWAYS_THINKING: Final = BaseRequest("ant-mythos", _WIRE, "claude-mythos-5", (_CALL,), _ADAPTIVE)
EFFORT: Final = BaseRequest(
    "ant-effort", _WIRE, _SONNET, (_CALL, _CALL), {"output_config": {"effort": "high"}}, amend=_marks
)
PAUSED: Final = BaseRequest(
    "ant-paused",
    _WIRE,
    _SONNET,
    (Turn((Text("I search."),), FinishReason.PAUSE), Turn((Text("Found."), _READ), FinishReason.TOOL_CALLS), _DONE),
    amend=_resume,
)
SYSTEM_MESSAGE: Final = BaseRequest(
    "ant-system-message", _WIRE, "claude-opus-4-8", (_CALL,), amend=_instructions_at_the_end
)
PROGRAM: Final = BaseRequest(
    "ant-program", _WIRE, _SONNET, (Turn((_READ,), FinishReason.TOOL_CALLS),), amend=_program, fixed=True
)
UNNAMED_CONTAINER: Final = BaseRequest(
    "ant-unnamed-container",
    _WIRE,
    _SONNET,
    (Turn((_READ,), FinishReason.TOOL_CALLS),),
    amend=_program_without_container,
    fixed=True,
    remembered=True,
)
SEARCHED: Final = BaseRequest(
    "ant-tool-search", _WIRE, _SONNET, (Turn((_READ,), FinishReason.TOOL_CALLS),), amend=_search, fixed=True
)
FALLBACK: Final = BaseRequest(
    "ant-fallback",
    _WIRE,
    _SONNET,
    (Turn((Text("I look."), _READ), FinishReason.TOOL_CALLS),),
    headers={
        "x-api-key": "key",
        "anthropic-version": "2023-06-01",
        "anthropic-beta": "server-side-fallback-2026-07-01",
    },
    amend=_fall_back,
)
FALLBACK_UNASKED: Final = BaseRequest(
    "ant-fallback-unasked",
    _WIRE,
    _SONNET,
    (Turn((Text("I look."), _READ), FinishReason.TOOL_CALLS),),
    headers={"anthropic-version": "2023-06-01", "anthropic-beta": "context-management-2025-06-27"},
    amend=_fall_back,
    remembered=True,
)
ANOTHER_MAKER: Final = BaseRequest("ant-another-maker", _WIRE, _SONNET, (_CALL,), amend=_serve_another_maker)
SAME_WORDS: Final = BaseRequest(
    "ant-same-words",
    _WIRE,
    _SONNET,
    (
        Turn((ThinkingPart("The first is read."), Text("Done."))),
        Turn((ThinkingPart("The second is read."), Text("Done."))),
    ),
    fixed=True,
)
IMAGES: Final = BaseRequest("ant-images", _WIRE, _SONNET, (_CALLS,), amend=_images)
THREAD: Final = BaseRequest("ant-thread", _WIRE, _SONNET, (_CALLS, _CALL), amend=_thread)
FOREIGN: Final = BaseRequest("ant-foreign", _WIRE, _SONNET, (_CALL, _CALLS), IMPORTED, foreign=True)
VERSION_OF_2023: Final = BaseRequest(
    "ant-version-of-2023", _WIRE, _SONNET, (_CALL,), headers={"x-api-key": "key", "anthropic-version": "2023-06-01"}
)
VERSION_OF_2026: Final = BaseRequest(
    "ant-version-of-2026", _WIRE, _SONNET, (_CALLS,), headers={"x-api-key": "key", "anthropic-version": "2026-10-21"}
)

BASE_REQUESTS: Final = (
    *(ONE_CALL, TWO_CALLS, TWO_THOUGHTS, SEVERAL_TURNS, WITHOUT_THINKING, MANUAL, MANUAL_ONCE, OPUS_4_1),
    *(OPUS_4_7, BOUND, BOUND_WITH_BETA, ALWAYS_THINKING, EFFORT, PAUSED, SYSTEM_MESSAGE, PROGRAM),
    *(UNNAMED_CONTAINER, SEARCHED, FALLBACK, FALLBACK_UNASKED, ANOTHER_MAKER, SAME_WORDS, IMAGES, THREAD),
    *(FOREIGN, VERSION_OF_2023, VERSION_OF_2026),
)

HARMLESS: Final = ()
