"""Everything that Gemini demands of a request, in the order of the wire document (section 5), then what has no number.

turns     GEM-01 to 07: contents, roles, which turn may follow which
calls     GEM-08 to 16: calls, responses and the signatures
settings  GEM-17 to 25: model, tools, settings, how a history ends
form      GEM-BODY and the like: the form of the body, declarations, ranges
"""

from __future__ import annotations

from typing import Final

from harness.wire.gemini_generate.rules.table.calls import (
    GEM_08,
    GEM_09,
    GEM_10,
    GEM_11,
    GEM_12,
    GEM_13,
    GEM_14,
    GEM_15,
    GEM_16,
)
from harness.wire.gemini_generate.rules.table.form import (
    GEM_APART,
    GEM_BODY,
    GEM_FIELD,
    GEM_LOGPROBS,
    GEM_PART,
    GEM_RANGE,
    GEM_TOOL,
    GEM_TYPE,
)
from harness.wire.gemini_generate.rules.table.settings import (
    GEM_17,
    GEM_18,
    GEM_19,
    GEM_20,
    GEM_21,
    GEM_22,
    GEM_23,
    GEM_24,
    GEM_25,
)
from harness.wire.gemini_generate.rules.table.turns import (
    GEM_01,
    GEM_02,
    GEM_03,
    GEM_04,
    GEM_05,
    GEM_06,
    GEM_07,
)
from harness.wire.rule import WireRule

__all__ = [
    "GEM_01",
    "GEM_02",
    "GEM_03",
    "GEM_04",
    "GEM_05",
    "GEM_06",
    "GEM_07",
    "GEM_08",
    "GEM_09",
    "GEM_10",
    "GEM_11",
    "GEM_12",
    "GEM_13",
    "GEM_14",
    "GEM_15",
    "GEM_16",
    "GEM_17",
    "GEM_18",
    "GEM_19",
    "GEM_20",
    "GEM_21",
    "GEM_22",
    "GEM_23",
    "GEM_24",
    "GEM_25",
    "GEM_APART",
    "GEM_BODY",
    "GEM_FIELD",
    "GEM_LOGPROBS",
    "GEM_PART",
    "GEM_RANGE",
    "GEM_TOOL",
    "GEM_TYPE",
    "RULES",
]

RULES: Final[tuple[WireRule, ...]] = (
    *(GEM_01, GEM_02, GEM_03, GEM_04, GEM_05, GEM_06, GEM_07),
    *(GEM_08, GEM_09, GEM_10, GEM_11, GEM_12, GEM_13, GEM_14, GEM_15, GEM_16),
    *(GEM_17, GEM_18, GEM_19, GEM_20, GEM_21, GEM_22, GEM_23, GEM_24, GEM_25),
    *(GEM_BODY, GEM_FIELD, GEM_TYPE, GEM_PART, GEM_TOOL, GEM_RANGE, GEM_LOGPROBS, GEM_APART),
)
