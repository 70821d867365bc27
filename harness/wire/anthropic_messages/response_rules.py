"""What a server of the Messages API sends (``shared/field/reality.md`` 2.2 has the threads)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from harness.wire.response_rule import Content, ResponseRule
from harness.wire.strict import EVENT_NAME, READABLE

START: Final = ResponseRule(
    "SA-01",
    "message_start comes once, before all other events but ping.",
    "MUST",
    ("litellm #32357", "vercel/ai: fixture duplicate-message-start"),
)
BLOCK: Final = ResponseRule(
    "SA-02",
    "Blocks are numbered 0, 1, 2 and so on, and each is started, filled and stopped before the next.",
    "MUST",
    ("sglang PR #25876",),
)
DELTA: Final = ResponseRule(
    "SA-03",
    "A delta fits its block: thinking in thinking, text in text, input_json in a call.",
    "MUST",
    ("litellm #32357", "litellm #33224", "litellm #29286"),
)
INPUT: Final = ResponseRule(
    "SA-04",
    "The arguments of a call are sent, and they join to a JSON object unless the answer was cut.",
    "MUST",
    ("litellm #25561",),
    about=("words",),
)
STOP_REASON: Final = ResponseRule(
    "SA-05",
    "An answer with calls stops with tool_use.",
    "MUST",
    ("litellm #34692", "NVIDIA/NemoClaw #7967"),
    recordings="an answer whose calls code on the server has made may end with end_turn (1 recording)",
)
EMPTY_TEXT: Final = ResponseRule(
    "SA-06",
    "No block of text is empty: it is refused on its way back.",
    "SHOULD",
    ("litellm #34692", "litellm PR #22979"),
    recordings="one recording of Anthropic with citations has one",
)
SIGNATURE: Final = ResponseRule(
    "SA-07",
    "A block of thinking ends with its signature.",
    "MUST",
    ("sglang PR #25876", "litellm #32357"),
    about=("thinking",),
)
END: Final = ResponseRule(
    "SA-08",
    "The stream ends with message_delta, which has the stop reason and the usage, and message_stop.",
    "MUST",
    ("sglang PR #25876",),
    recordings="a message that has its stop reason with its start has no message_delta (13 recordings of calls by"
    " code); without input_tokens it is SHOULD",
)
CALL_ID: Final = ResponseRule(
    "SA-09",
    "The ids of calls match ^[a-zA-Z0-9_-]+$ and differ within a response and within a conversation.",
    "MUST",
    ("litellm #25561", "ids of Kimi"),
    about=("ids", "results"),
)
ERROR: Final = ResponseRule(
    "SA-10",
    "Errors have the error envelope.",
    "SHOULD",
    ("sglang PR #25876",),
)
CONTAINER: Final = ResponseRule(
    "SA-11",
    "An answer in which code on the server calls a tool names the container, also where it is streamed.",
    "MUST",
    ("anthropic-sdk-python #1801", "anthropic-sdk-python #1865"),
)
SERVER_TOOL: Final = ResponseRule(
    "SA-12",
    "The ids of server tools begin with srvtoolu_, and their results name them.",
    "MUST",
    ("litellm PR #31672",),
)
NO_BLOCK: Final = ResponseRule(
    "SA-13",
    "Each block has a type, and the text of a text or thinking block is text: content that is None becomes no block.",
    "MUST",
    ("vllm PR #22627",),
)

RESPONSE_RULES: Final = (
    START,
    BLOCK,
    DELTA,
    INPUT,
    STOP_REASON,
    EMPTY_TEXT,
    SIGNATURE,
    END,
    CALL_ID,
    ERROR,
    CONTAINER,
    SERVER_TOOL,
    NO_BLOCK,
    EVENT_NAME,
    READABLE,
)
"""In the order of their numbers; rules that several wires share come last."""

LACKS: Final[Mapping[Content, str]] = {
    "call signature": "tool_use has no member for it",
    "text signature": "a block of text has no member for it",
    "phase": "a block of text has no member for it",
    "content filter": "stop_reason has refusal and no other of the kind",
}
"""Content that no answer can express."""
