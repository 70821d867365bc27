"""Small valid loops with Converse: each form of history, and the models of each maker that a rule depends on."""

from __future__ import annotations

from typing import Final

from harness.wire import Call, FinishReason, IssuedState, Text, ThinkingPart, Turn
from harness.wire.base import Json
from harness.wire.bedrock_converse.rules.places import messages
from harness.wire.played import BaseRequest
from harness.wire.posted import Posted

_WIRE: Final = "bedrock-converse"
_SONNET: Final = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
_LIST: Final = Call("list_files", '{"path": "src"}')
_READ: Final = Call("read_file", '{"path": "src/app.py"}')

_ONE: Final = Turn((_READ,), FinishReason.TOOL_CALLS)
_TWO: Final = Turn((Text("I look. "), _LIST, _READ), FinishReason.TOOL_CALLS)
_REASONED: Final = Turn((ThinkingPart("A folder, then a file."), _LIST, _READ), FinishReason.TOOL_CALLS)
_TWICE: Final = Turn(
    (ThinkingPart("A folder."), ThinkingPart(form="redacted"), Text("I look."), _READ), FinishReason.TOOL_CALLS
)
_PLAIN: Final[Json] = {"additionalModelRequestFields": {}}


def _turn_off_streaming(posted: Posted, _: IssuedState) -> None:
    posted.path = posted.path.removesuffix("-stream")


def _without_tools(posted: Posted, _: IssuedState) -> None:
    posted.path = posted.path.removesuffix("-stream")
    posted.body.pop("toolConfig", None)


def _shows_documents(posted: Posted, _: IssuedState) -> None:
    """A document, and a picture, in the first message; a document in each result."""
    source = {"bytes": "aGk="}
    messages(posted)[0]["content"] += [
        {"document": {"format": "txt", "name": "notes of today", "source": source}},
        {"cachePoint": {"type": "default"}},
        {"image": {"format": "png", "source": source}},
    ]
    number = 0
    for message in messages(posted)[1:]:
        for block in message["content"]:
            if "toolResult" in block:
                number += 1
                document = {"format": "txt", "name": f"result {number}", "source": source}
                block["toolResult"]["content"].append({"document": document})


def _without_signatures(posted: Posted, _: IssuedState) -> None:
    """Reasoning without signatures, as from a model that signs nothing."""
    for message in messages(posted):
        for block in message["content"]:
            block.get("reasoningContent", {}).get("reasoningText", {}).pop("signature", None)


def _without_reasoning(posted: Posted, _: IssuedState) -> None:
    for message in messages(posted):
        message["content"] = [block for block in message["content"] if "reasoningContent" not in block]


ONE_CALL: Final = BaseRequest("bed-one-call", _WIRE, _SONNET, (_REASONED, _ONE), settings=_PLAIN)
TWO_CALLS: Final = BaseRequest("bed-two-calls", _WIRE, _SONNET, (_TWO,), settings=_PLAIN)
STEPS: Final = BaseRequest("bed-steps", _WIRE, _SONNET, (_TWO, Turn((Text("Two."),)), _ONE, _TWO), settings=_PLAIN)
"""Two turns of the user, two steps in the second."""

TEXTS: Final = BaseRequest(
    "bed-texts", _WIRE, _SONNET, (Turn((Text("It prints a line."),)), Turn((Text("Done."),))), settings=_PLAIN
)
THINKING: Final = BaseRequest("bed-thinking", _WIRE, _SONNET, (_REASONED,))
REDACTED: Final = BaseRequest("bed-redacted", _WIRE, _SONNET, (_REASONED, _TWICE))
WITHOUT_THINKING: Final = BaseRequest("bed-without-thinking", _WIRE, _SONNET, (_ONE,))
"""Claude is asked to think, and calls without having done so."""

SONNET_4_6: Final = BaseRequest("bed-sonnet-4-6", _WIRE, "global.anthropic.claude-sonnet-4-6", (_REASONED, _TWO))
NOVA: Final = BaseRequest("bed-nova", _WIRE, "us.amazon.nova-2-lite-v1:0", (_TWO, _ONE), settings=_PLAIN)
LLAMA: Final = BaseRequest(
    "bed-llama",
    _WIRE,
    "us.meta.llama4-maverick-17b-instruct-v1:0",
    (Turn((_LIST, _READ), FinishReason.TOOL_CALLS),),
    settings=_PLAIN,
    amend=_turn_off_streaming,
)
LLAMA_ALOUD: Final = BaseRequest(
    "bed-llama-3", _WIRE, "us.meta.llama3-3-70b-instruct-v1:0", (_TWO,), settings=_PLAIN, amend=_turn_off_streaming
)
"""The older Llama may send text beside its calls."""

MISTRAL: Final = BaseRequest("bed-mistral", _WIRE, "mistral.mistral-small-2402-v1:0", (_ONE,), settings=_PLAIN)
DEEPSEEK: Final = BaseRequest(
    "bed-deepseek", _WIRE, "us.deepseek.r1-v1:0", (Turn((Text("A line."),)),), settings=_PLAIN, amend=_without_tools
)
GPT_OSS: Final = BaseRequest(
    "bed-gpt-oss", _WIRE, "openai.gpt-oss-120b-1:0", (_REASONED,), settings=_PLAIN, amend=_without_signatures
)
GPT: Final = BaseRequest("bed-gpt", _WIRE, "openai.gpt-5.6", (_REASONED,), settings=_PLAIN, amend=_without_reasoning)
DOCUMENTS: Final = BaseRequest("bed-documents", _WIRE, _SONNET, (_TWO,), settings=_PLAIN, amend=_shows_documents)
FOREIGN: Final = BaseRequest("bed-foreign", _WIRE, _SONNET, (_REASONED, _ONE), foreign=True)
FOREIGN_TEXTS: Final = BaseRequest(
    "bed-foreign-texts",
    _WIRE,
    "us.anthropic.claude-3-haiku-20240307-v1:0",
    (_TWO, Turn((Text("Done."),))),
    settings=_PLAIN,
    foreign=True,
)

BASE_REQUESTS: Final = (
    *(ONE_CALL, TWO_CALLS, STEPS, TEXTS, THINKING, REDACTED, WITHOUT_THINKING, SONNET_4_6, NOVA, LLAMA, LLAMA_ALOUD),
    *(MISTRAL, DEEPSEEK, GPT_OSS, GPT, DOCUMENTS, FOREIGN, FOREIGN_TEXTS),
)

HARMLESS: Final = ()
