"""The rule table of the Responses API: OAI-01 to OAI-28, in the order in which the provider complains, and those
that the wire document does not have.

What is about connections has no request that could break it (WS-01, WS-02, WS-04), but for OAI-CONNECTION.

requests   what makes a body a request, and its items what they are: OAI-01 to OAI-09
history    what a continuation gives back: OAI-10 to OAI-19, OAI-COMPACT, OAI-CONNECTION, OAI-DS,
           OAI-NS, OAI-OUTSCHEMA
settings   parts, files, numbers, tools: OAI-20 to OAI-25, OAI-FORMAT
limits     what a model supports and can read, and the request before: OAI-26 to OAI-28, OAI-LENGTH
"""

from __future__ import annotations

from typing import Final

from harness.wire.openai_responses.rules.table.history import (
    OAI_10,
    OAI_11,
    OAI_12,
    OAI_13,
    OAI_14,
    OAI_15,
    OAI_16,
    OAI_17,
    OAI_18,
    OAI_19,
    OAI_COMPACT,
    OAI_CONNECTION,
    OAI_CONVERSATION,
    OAI_DS,
    OAI_NS,
    OAI_OUTSCHEMA,
)
from harness.wire.openai_responses.rules.table.limits import OAI_26, OAI_27, OAI_28, OAI_LENGTH
from harness.wire.openai_responses.rules.table.requests import (
    OAI_01,
    OAI_02,
    OAI_03,
    OAI_04,
    OAI_05,
    OAI_06,
    OAI_07,
    OAI_08,
    OAI_09,
)
from harness.wire.openai_responses.rules.table.settings import (
    OAI_20,
    OAI_21,
    OAI_22,
    OAI_23,
    OAI_24,
    OAI_25,
    OAI_FORMAT,
)
from harness.wire.rule import WireRule

__all__ = [
    "OAI_01",
    "OAI_02",
    "OAI_03",
    "OAI_04",
    "OAI_05",
    "OAI_06",
    "OAI_07",
    "OAI_08",
    "OAI_09",
    "OAI_10",
    "OAI_11",
    "OAI_12",
    "OAI_13",
    "OAI_14",
    "OAI_15",
    "OAI_16",
    "OAI_17",
    "OAI_18",
    "OAI_19",
    "OAI_20",
    "OAI_21",
    "OAI_22",
    "OAI_23",
    "OAI_24",
    "OAI_25",
    "OAI_26",
    "OAI_27",
    "OAI_28",
    "OAI_COMPACT",
    "OAI_CONNECTION",
    "OAI_CONVERSATION",
    "OAI_DS",
    "OAI_FORMAT",
    "OAI_LENGTH",
    "OAI_NS",
    "OAI_OUTSCHEMA",
    "RULES",
]

RULES: Final[tuple[WireRule, ...]] = (
    OAI_01,
    OAI_02,
    OAI_03,
    OAI_04,
    OAI_05,
    OAI_06,
    OAI_07,
    OAI_08,
    OAI_09,
    OAI_10,
    OAI_11,
    OAI_12,
    OAI_13,
    OAI_14,
    OAI_15,
    OAI_16,
    OAI_17,
    OAI_18,
    OAI_19,
    OAI_20,
    OAI_21,
    OAI_22,
    OAI_23,
    OAI_24,
    OAI_25,
    OAI_26,
    OAI_27,
    OAI_28,
    OAI_COMPACT,
    OAI_CONNECTION,
    OAI_CONVERSATION,
    OAI_DS,
    OAI_FORMAT,
    OAI_LENGTH,
    OAI_NS,
    OAI_OUTSCHEMA,
)
