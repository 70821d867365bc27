"""Loops without a mistake on the Messages API."""

from __future__ import annotations

from typing import Final

from harness.wire import Call, FinishReason, IssuedState, Text, ThinkingPart, Turn
from harness.wire.base import Json
from harness_lab.mutants.requests.anthropic_messages.parts import IMPORTED, Block, messages_of
from harness_lab.mutants.requests.base_requests import BaseRequest, Posted

__all__ = [
    "ALWAYS_THINKING",
    "BASE_REQUESTS",
    "BOUND",
    "BOUND_WITH_BETA",
    "EFFORT",
    "FOREIGN",
    "IMAGES",
    "MANUAL",
    "ONE_CALL",
    "OPUS_4_1",
    "OPUS_4_7",
    "PAUSED",
    "SEVERAL_TURNS",
    "SYSTEM_MESSAGE",
    "THREAD",
    "TWO_CALLS",
    "TWO_THOUGHTS",
    "VERSION_OF_2023",
    "VERSION_OF_2026",
    "WITHOUT_THINKING",
]

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


def _resume(posted: Posted, issued: IssuedState) -> None:  # noqa: ARG001 - of the kind of an amendment
    """A paused turn is sent back as it is: nobody says anything behind it."""
    messages = messages_of(posted)
    for at in range(len(messages) - 1, 0, -1):
        before = messages[at - 1]["content"]
        if isinstance(before, list) and before[-1]["type"] == "server_tool_use" and messages[at]["role"] == "user":
            del messages[at]


def _thread(posted: Posted, issued: IssuedState) -> None:
    """Only what is new is sent; the rest is a thread of the server's."""
    if not issued.turns:
        posted.body["thread"] = {"type": "create"}
        return
    messages = messages_of(posted)
    answered = max((at for at, message in enumerate(messages) if message["role"] == "assistant"), default=-1)
    posted.body["messages"] = messages[answered + 1 :]
    posted.body["thread"] = {"type": "continue", "previous_message_id": issued.replies[-1].id}
    posted.body["diagnostics"] = {"previous_message_id": issued.replies[0].id}


def _instructions_at_the_end(posted: Posted, issued: IssuedState) -> None:  # noqa: ARG001 - of the kind of an amendment
    messages_of(posted).append({"role": "system", "content": "Answer in one sentence."})


def _images(posted: Posted, issued: IssuedState) -> None:  # noqa: ARG001 - of the kind of an amendment
    for message in messages_of(posted):
        for block in message["content"] if isinstance(message["content"], list) else ():
            if block["type"] == "tool_result":
                block["content"] = [{"type": "text", "text": "The page:"}, _picture()]


def _picture() -> Block:
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}


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
)
ALWAYS_THINKING: Final = BaseRequest("ant-mythos", _WIRE, "claude-mythos-5", (_CALL,), _ADAPTIVE)
EFFORT: Final = BaseRequest("ant-effort", _WIRE, _SONNET, (_CALL,), {"output_config": {"effort": "high"}})
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
IMAGES: Final = BaseRequest("ant-images", _WIRE, _SONNET, (_CALLS,), amend=_images)
THREAD: Final = BaseRequest("ant-thread", _WIRE, _SONNET, (_CALLS, _CALL), amend=_thread)
FOREIGN: Final = BaseRequest("ant-foreign", _WIRE, _SONNET, (_CALL, _CALLS), IMPORTED, foreign=True)
VERSION_OF_2023: Final = BaseRequest(
    "ant-version-of-2023", _WIRE, _SONNET, (_CALL,), headers={"x-api-key": "key", "anthropic-version": "2023-06-01"}
)
VERSION_OF_2026: Final = BaseRequest(
    "ant-version-of-2026", _WIRE, _SONNET, (_CALLS,), headers={"x-api-key": "key", "anthropic-version": "2026-10-21"}
)

BASE_REQUESTS: tuple[BaseRequest, ...] = (
    ONE_CALL,
    TWO_CALLS,
    TWO_THOUGHTS,
    SEVERAL_TURNS,
    WITHOUT_THINKING,
    MANUAL,
    OPUS_4_1,
    OPUS_4_7,
    BOUND,
    BOUND_WITH_BETA,
    ALWAYS_THINKING,
    EFFORT,
    PAUSED,
    SYSTEM_MESSAGE,
    IMAGES,
    THREAD,
    FOREIGN,
    VERSION_OF_2023,
    VERSION_OF_2026,
)
