"""Thirty-eight wrong continuations that other model servers were tried with, as the bodies that a loop would send.

Thirty are certainly refused by the provider. Eight are probes of which nobody had established what the provider does:
here stands what our rules say, and why.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from harness.wire import NativeWireName
from harness.wire.base import Json
from tests.endpoint.two_calls import NEXT


@dataclass(frozen=True)
class Wrong:
    """A wrong request, and what comes of it.

    ``says`` is the provider's text, filled with the ``loop``. Empty: the request is answered, and ``why`` says what is
    known about it; ``rule`` is then the finding that it leaves, if any.
    """

    what: str
    body: Callable[[Any], Json]
    rule: str = ""
    says: str = ""
    param: str | None = None
    code: str | None = None
    why: str = ""


CHAT_UNANSWERED = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
    "The following tool_call_ids did not have response messages: "
)
CHAT_ORPHAN = (
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
)
CHAT = (
    Wrong(
        "no result",
        lambda loop: loop.sending(loop.said, loop.next),
        "OAC-03",
        CHAT_UNANSWERED + "{loop.one[id]}, {loop.two[id]}",
        param="messages.[2].role",
    ),
    Wrong(
        "a result under an id that nobody issued",
        lambda loop: loop.sending(
            loop.said, loop.result(loop.one), loop.result(loop.two), loop.result({"id": "call_nobody"})
        ),
        "OAC-05",
        "Invalid parameter: 'tool_call_id' of 'call_nobody' not found in 'tool_calls' of previous message.",
        param="messages.[4].tool_call_id",
    ),
    Wrong(
        "one of two results",
        lambda loop: loop.sending(loop.said, loop.result(loop.one)),
        "OAC-03",
        CHAT_UNANSWERED + "{loop.two[id]}",
        param="messages.[2].role",
    ),
    Wrong(
        "a result without its call",
        lambda loop: loop.sending(loop.result(loop.one)),
        "OAC-04",
        CHAT_ORPHAN,
        param="messages.[1].role",
    ),
    Wrong(
        "a word of the user between call and result",
        lambda loop: loop.sending(loop.said, loop.next, loop.result(loop.one), loop.result(loop.two)),
        "OAC-03",
        CHAT_UNANSWERED + "{loop.one[id]}, {loop.two[id]}",
        param="messages.[2].role",
    ),
    Wrong(
        "arguments as an object",
        lambda loop: loop.sending(
            loop.saying({**loop.one, "function": {"name": "list_files", "arguments": {"path": "src"}}}),
            loop.result(loop.one),
        ),
        "OAC-11",
        "Invalid type for 'messages[1].tool_calls[0].function.arguments': expected a string, but got an object "
        "instead.",
        param="messages[1].tool_calls[0].function.arguments",
        code="invalid_type",
    ),
)
CHAT_PROBES = (
    Wrong(
        "two results under one id",
        lambda loop: loop.sending(
            loop.said, loop.result(loop.one), loop.result(loop.two), loop.result(loop.two, content="again")
        ),
        "OAC-06",
        "Invalid parameter: Duplicate value for 'tool_call_id' of '{loop.two[id]}', in messages[3] and messages[4].",
        param="messages.[4].tool_call_id",
        why="refusals with this text were reported with real ids",
    ),
    Wrong(
        "arguments that were cut",
        lambda loop: loop.sending(
            loop.saying({**loop.one, "function": {"name": "list_files", "arguments": '{"pa'}}), loop.result(loop.one)
        ),
        why="OAC-12: arguments are any text",
    ),
)

RESPONSES = (
    Wrong(
        "no output",
        lambda loop: loop.sending(loop.reasoning, loop.one, loop.two, loop.next),
        "OAI-10",
        "No tool output found for function call {loop.one[call_id]}.",
        param="input",
    ),
    Wrong(
        "an output under an id that nobody issued",
        lambda loop: loop.sending(
            loop.reasoning,
            loop.one,
            loop.two,
            loop.output(loop.one),
            loop.output(loop.two),
            loop.output({"call_id": "call_nobody"}),
        ),
        "OAI-11",
        "No tool call found for function call output with call_id call_nobody.",
        param="input",
    ),
    Wrong(
        "one of two outputs",
        lambda loop: loop.sending(loop.reasoning, loop.one, loop.two, loop.output(loop.one)),
        "OAI-10",
        "No tool output found for function call {loop.two[call_id]}.",
        param="input",
    ),
    Wrong(
        "outputs without their calls",
        lambda loop: loop.sending(loop.output(loop.one), loop.output(loop.two)),
        "OAI-11",
        "No tool call found for function call output with call_id {loop.one[call_id]}.",
        param="input",
    ),
    Wrong(
        "reasoning dropped",
        lambda loop: loop.sending(loop.one, loop.two, loop.output(loop.one), loop.output(loop.two)),
        "OAI-15",
        "Item '{loop.one[id]}' of type 'function_call' was provided without its required 'reasoning' item: "
        "'{loop.reasoning[id]}'.",
        param="input",
    ),
    Wrong(
        "reasoning alone",
        lambda loop: loop.sending(loop.reasoning, loop.next),
        "OAI-14",
        "Item '{loop.reasoning[id]}' of type 'reasoning' was provided without its required following item.",
        param="input",
    ),
    Wrong(
        "outputs to a response that nobody gave",
        lambda loop: {
            **loop.first,
            "previous_response_id": "resp_nobody",
            "input": [loop.output(loop.one), loop.output(loop.two)],
        },
        "OAI-18",
        "Previous response with id 'resp_nobody' not found.",
        param="previous_response_id",
        code="previous_response_not_found",
    ),
)
RESPONSES_PROBES = (
    Wrong(
        "outputs before their calls",
        lambda loop: loop.sending(loop.output(loop.one), loop.output(loop.two), loop.reasoning, loop.one, loop.two),
        "OAI-13",
        why="nobody recorded it, so it is inferred only",
    ),
)

ANT_UNANSWERED = (
    "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. Each `tool_use` "
    "block must have a corresponding `tool_result` block in the next message."
)
BOTH = "{loop.one[id]}, {loop.two[id]}"
ANT_MODIFIED = (
    "messages.1.content.{at}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be "
    "modified. These blocks must remain as they were in the original response."
)
ANT_EXPECTED = (
    "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is "
    "enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` "
    "and `tool_result` blocks). We recommend you include thinking blocks from previous turns. To avoid this "
    "requirement, disable `thinking`. Please consult our documentation at "
    "https://docs.claude.com/en/docs/build-with-claude/extended-thinking"
)
ANT_SIGNATURE = "messages.1.content.0: Invalid `signature` in `thinking` block"
MESSAGES = (
    Wrong(
        "no result",
        lambda loop: loop.sending(loop.said(), loop.next),
        "ANT-01",
        ANT_UNANSWERED.replace("{ids}", BOTH),
    ),
    Wrong(
        "a result under an id that nobody issued",
        lambda loop: loop.sending(
            loop.said(),
            loop.user(loop.result(loop.one), loop.result(loop.two), loop.result({"id": "toolu_nobody"})),
        ),
        "ANT-03",
        "messages.2.content.2: unexpected `tool_use_id` found in `tool_result` blocks: toolu_nobody. Each "
        "`tool_result` block must have a corresponding `tool_use` block in the previous message.",
    ),
    Wrong(
        "one of two results",
        lambda loop: loop.sending(loop.said(), loop.user(loop.result(loop.one))),
        "ANT-01",
        ANT_UNANSWERED.replace("{ids}", "{loop.two[id]}"),
    ),
    Wrong(
        "a result without its call",
        lambda loop: {**loop.first, "messages": [loop.user(loop.result(loop.one))]},
        "ANT-03",
        "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: {loop.one[id]}. Each "
        "`tool_result` block must have a corresponding `tool_use` block in the previous message.",
    ),
    Wrong(
        "a turn between calls and results",
        lambda loop: loop.sending(
            loop.said(),
            loop.next,
            loop.said({"type": "text", "text": "Yes."}),
            loop.user(loop.result(loop.one), loop.result(loop.two)),
        ),
        "ANT-03",
        "messages.4.content.0: unexpected `tool_use_id` found in `tool_result` blocks: {loop.one[id]}. Each "
        "`tool_result` block must have a corresponding `tool_use` block in the previous message.",
    ),
    Wrong(
        "text before the results",
        lambda loop: loop.sending(
            loop.said(),
            loop.user({"type": "text", "text": NEXT}, loop.result(loop.one), loop.result(loop.two)),
        ),
        "ANT-02",
        ANT_UNANSWERED.replace("{ids}", BOTH),
    ),
    Wrong("thinking dropped", lambda loop: loop.thinking_as(loop.one, loop.two), "ANT-16", ANT_EXPECTED),
    Wrong("signature empty", lambda loop: loop.thought(signature=""), "ANT-14", ANT_SIGNATURE),
    Wrong(
        "thinking behind a call",
        lambda loop: loop.thinking_as(loop.one, loop.thinking, loop.two),
        "ANT-17",
        "messages.1.content.0: If an assistant message contains any thinking blocks, the first block must be "
        "`thinking` or `redacted_thinking`. Found `tool_use`.",
    ),
    Wrong(
        "signature altered",
        lambda loop: loop.thought(signature="EqQB" + loop.thinking["signature"][4:][::-1]),
        "ANT-14",
        ANT_SIGNATURE,
    ),
    Wrong(
        "thinking edited",
        lambda loop: loop.thought(thinking="I look at one."),
        "ANT-15",
        ANT_MODIFIED.replace("{at}", "0"),
    ),
    Wrong(
        "no max_tokens",
        lambda loop: {name: value for name, value in loop.right().items() if name != "max_tokens"},
        "ANT-09",
        "max_tokens: Field required",
    ),
)
MESSAGES_PROBES = (
    Wrong(
        "results in two messages",
        lambda loop: loop.sending(loop.said(), loop.user(loop.result(loop.one)), loop.user(loop.result(loop.two))),
        "ANT-01",
        why="the documentation wants one message, but nobody recorded a refusal: neighbours of one role are joined",
    ),
    Wrong(
        "two results for one call",
        lambda loop: loop.sending(
            loop.said(),
            loop.user(loop.result(loop.one), loop.result(loop.two), loop.result(loop.two, content="again")),
        ),
        "ANT-04",
        "messages.2.content.2: each tool_use must have a single result. Found multiple `tool_result` blocks with id: "
        "{loop.two[id]}",
        why="public code quotes the text",
    ),
    Wrong(
        "no tools",
        lambda loop: {name: value for name, value in loop.right().items() if name != "tools"},
        why="ANT-28: recorded with status 200",
    ),
)

GEM_COUNT = (
    "Please ensure that the number of function response parts is equal to the number of function call parts of the "
    "function call turn."
)
GEM_UNSIGNED = (
    "Function call is missing a thought_signature in functionCall parts. This is required for tools to work "
    "correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call "
    "`default_api:list_files` , position 2. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures "
    "for more details."
)
GEMINI = (
    Wrong(
        "signature dropped",
        lambda loop: loop.saying(loop.thought, loop.unsigned(loop.one), loop.two),
        "GEM-08",
        GEM_UNSIGNED,
    ),
    Wrong(
        "signature on the other call",
        lambda loop: loop.saying(
            loop.thought,
            loop.unsigned(loop.one),
            {**loop.two, "thoughtSignature": loop.one["thoughtSignature"]},
        ),
        "GEM-08",
        GEM_UNSIGNED,
    ),
    Wrong(
        "one of two responses",
        lambda loop: loop.sending(loop.said(), loop.user(loop.response(loop.one))),
        "GEM-06",
        GEM_COUNT,
    ),
    Wrong(
        "a response without its call",
        lambda loop: loop.sending(loop.user(loop.response(loop.one))),
        "GEM-05",
        "Please ensure that function response turn comes immediately after a function call turn.",
    ),
    Wrong(
        "one response too many",
        lambda loop: loop.sending(
            loop.said(), loop.user(loop.response(loop.one), loop.response(loop.two), loop.response(loop.two))
        ),
        "GEM-06",
        GEM_COUNT,
    ),
)
GEMINI_PROBES = (
    Wrong(
        "another function's name",
        lambda loop: loop.sending(
            loop.said(), loop.user(loop.response(loop.one), loop.response(loop.two, name="delete_file"))
        ),
        "GEM-12",
        why="no refusal of Google's is known",
    ),
    Wrong(
        "the model's turn first",
        lambda loop: {**loop.first, "contents": loop.right()["contents"][1:]},
        "GEM-04",
        "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
        why="the text says so, and was reported for histories that were cut at the front",
    ),
)

CASES: dict[NativeWireName, tuple[Sequence[Wrong], Sequence[Wrong]]] = {
    "openai-chat": (CHAT, CHAT_PROBES),
    "openai-responses": (RESPONSES, RESPONSES_PROBES),
    "anthropic-messages": (MESSAGES, MESSAGES_PROBES),
    "gemini-generate": (GEMINI, GEMINI_PROBES),
}
