"""What Bedrock's Converse, or a replacement for it, sends: the wire document, 3."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from harness.wire.response_rule import Content, ResponseRule
from harness.wire.strict import ENVELOPE, READABLE

_RECORDED: Final = "34 recorded streams of Amazon"

START: Final = ResponseRule("SB-01", "messageStart comes first, and once, for the assistant.", "MUST", (_RECORDED,))
BLOCK: Final = ResponseRule(
    "SB-02",
    "Blocks have growing indexes, each is stopped before the next, and contentBlockStart comes before that of a call.",
    "MUST",
    (_RECORDED,),
)
DELTA: Final = ResponseRule(
    "SB-03", "A delta fits its block: toolUse in a call, everything else in none.", "MUST", (_RECORDED,)
)
INPUT: Final = ResponseRule(
    "SB-04",
    "A call has a name, and its input joins to a JSON object unless the answer was cut.",
    "MUST",
    ("the wire document, 3.3",),
    about=("words",),
)
STOP_REASON: Final = ResponseRule(
    "SB-05",
    "An answer with calls stops with tool_use.",
    "MUST",
    ("90 recordings with calls, none of which stops with end_turn",),
)
SIGNATURE: Final = ResponseRule(
    "SB-06",
    "Reasoning of models that sign it ends with its signature.",
    "INFO",
    ("the wire document, 3.3",),
    recordings="models of other makers than Anthropic sign nothing (5 recordings)",
    about=("thinking",),
)
END: Final = ResponseRule(
    "SB-07",
    "The stream ends with messageStop, which has the reason, and metadata, which has the usage.",
    "MUST",
    (_RECORDED,),
)
CALL_ID: Final = ResponseRule(
    "SB-08",
    "The toolUseId of a call is there, and differs within a response and within a conversation.",
    "MUST",
    ("the SDK's model of the service",),
    about=("ids", "results"),
)

RESPONSE_RULES: Final = (START, BLOCK, DELTA, INPUT, STOP_REASON, SIGNATURE, END, CALL_ID, READABLE, ENVELOPE)
"""In the order of their numbers; rules that several wires share come last."""

LACKS: Final[Mapping[Content, str]] = {
    "call signature": "toolUse has no member for it",
    "text signature": "a text has no member for it",
    "phase": "a text has no member for it",
    "pause": "the values of stopReason",
    "reasoning tokens": "usage has no member for it",
}
"""Content that no answer can express."""
