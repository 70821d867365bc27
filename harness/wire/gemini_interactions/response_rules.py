"""What a server of the Interactions API sends: the wire document's grammar of a stream, 6."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from harness.wire.response_rule import Content, ResponseRule
from harness.wire.strict import ENVELOPE, EVENT_NAME, READABLE

_RECORDED: Final = "7 recorded streams of Google"

CREATED: Final = ResponseRule("SI-01", "interaction.created comes first, and once.", "MUST", (_RECORDED,))
STEP: Final = ResponseRule(
    "SI-02",
    "Steps are numbered 0, 1, 2 and so on, and each is started, filled and stopped before the next.",
    "MUST",
    (_RECORDED,),
)
DELTA: Final = ResponseRule(
    "SI-03",
    "A delta fits its step: arguments in a call, text in an output, summary and signature in a thought.",
    "MUST",
    ("the official SDK's types of deltas",),
)
CALL: Final = ResponseRule(
    "SI-04",
    "A call has a name, and its arguments join to a JSON object unless the answer was cut.",
    "MUST",
    ("the wire document, 6",),
    about=("words",),
)
SIGNATURE: Final = ResponseRule(
    "SI-05",
    "A thought has its signature.",
    "SHOULD",
    ("ai.google.dev: interactions, thinking (always present)",),
    about=("thinking",),
)
END: Final = ResponseRule(
    "SI-06",
    "The stream ends with interaction.completed, which has the status and the usage.",
    "MUST",
    (_RECORDED, "js-genai #1973"),
)
DONE: Final = ResponseRule("SI-07", "Behind it comes event: done with [DONE].", "SHOULD", (_RECORDED,))
STATUS: Final = ResponseRule(
    "SI-08", "An answer with calls has the status requires_action.", "MUST", ("all recordings with calls",)
)
ID: Final = ResponseRule(
    "SI-09",
    "The ids of calls are there, and differ within a response and within a conversation.",
    "MUST",
    ("the wire document, 4",),
    about=("ids", "results"),
)

RESPONSE_RULES: Final = (
    CREATED,
    STEP,
    DELTA,
    CALL,
    SIGNATURE,
    END,
    DONE,
    STATUS,
    ID,
    EVENT_NAME,
    READABLE,
    ENVELOPE,
)
"""In the order of their numbers; rules that several wires share come last."""

LACKS: Final[Mapping[Content, str]] = {
    "text signature": "an output has no member for it",
    "redacted thinking": "a thought has a summary or a signature",
    "phase": "an output has no member for it",
    "refusal": "the values of status",
}
"""Content that no answer can express."""
