"""What a server of ``generateContent`` sends (``shared/field/reality.md`` 2.2 has the threads)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from harness.wire.response_rule import Content, ResponseRule
from harness.wire.strict import ENVELOPE

SIGNATURE: Final = ResponseRule(
    "SG-01",
    "The first call of a step has its thoughtSignature, on models that sign (Gemini 3).",
    "MUST",
    ("openrouter-examples #67",),
    about=("thinking",),
)
READABLE: Final = ResponseRule(
    "SG-02",
    "Every data: line is whole JSON.",
    "MUST",
    ("litellm #30471",),
)
FINISH: Final = ResponseRule(
    "SG-04",
    "finishReason is one of the enumeration, and STOP where there are calls.",
    "MUST",
    ("aimock (FUNCTION_CALL)",),
    recordings="a client that asks for numbers gets numbers (4 recordings)",
)
NAMES: Final = ResponseRule(
    "SG-05",
    "Names of members are in camelCase.",
    "SHOULD",
    ("CLIProxyAPI #1538",),
)
PARTIAL: Final = ResponseRule(
    "SG-06",
    "Arguments that come in parts (partialArgs) end with an empty functionCall.",
    "SHOULD",
    ("vercel/ai: fixture stream-tool-call-array-arguments-missing-terminal-function-call",),
)
CALL_ID: Final = ResponseRule(
    "SG-07",
    "The ids of calls, where there are any, differ within a response and within a conversation.",
    "SHOULD",
    ("the wire document",),
    about=("ids", "results"),
)
END: Final = ResponseRule(
    "SG-08",
    "A candidate has one finishReason, and no part comes behind the chunk with it.",
    "MUST",
    ("the wire document",),
)
OBJECTS: Final = ResponseRule(
    "SG-09",
    "A call has a name, and its arguments are an object, never text.",
    "MUST",
    ("the official SDK's FunctionCall",),
    about=("words",),
)
CANDIDATE: Final = ResponseRule(
    "SG-10",
    "A chunk has candidates, promptFeedback, usageMetadata or an error.",
    "SHOULD",
    ("the wire document",),
)

RESPONSE_RULES: Final = (
    SIGNATURE,
    READABLE,
    ResponseRule(
        "SG-03",
        "A signature may be beside text, and in a part whose text is empty.",
        "INFO",
        ("AIClient2API #157 calls it wrong", "vercel/ai: fixture issue-18073"),
        shown_by="nothing",
        permits=True,
    ),
    FINISH,
    NAMES,
    PARTIAL,
    CALL_ID,
    END,
    OBJECTS,
    CANDIDATE,
    ENVELOPE,
)
"""In the order of their numbers; rules that several wires share come last."""

LACKS: Final[Mapping[Content, str]] = {
    "redacted thinking": "a part has a text or a signature; wire document, 3",
    "cut arguments": "args is an object; a call that was cut ends with MALFORMED_FUNCTION_CALL or MAX_TOKENS",
    "phase": "a part has no member for it",
    "pause": "finishReason has no such value",
    "refusal": "finishReason has no such value; the filters' own come nearest",
}
"""Content that no answer can express."""
