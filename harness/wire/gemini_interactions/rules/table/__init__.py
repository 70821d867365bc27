"""Everything that the Interactions API demands of a request, in the order of its numbers.

history   calls, their results, and the order of steps
thoughts  thoughts and their signatures on the way back
body      what a request asks for

The numbers are those of the wire document (section 8), which has more than can be judged; INT-32 and INT-BODY are ours.
"""

from __future__ import annotations

from typing import Final

from harness.wire.gemini_interactions.rules.table.body import (
    INT_01,
    INT_02,
    INT_03,
    INT_18,
    INT_19,
    INT_21,
    INT_25,
    INT_26,
    INT_27,
    INT_28,
    INT_32,
    INT_BODY,
)
from harness.wire.gemini_interactions.rules.table.history import (
    INT_04,
    INT_05,
    INT_06,
    INT_07,
    INT_08,
    INT_09,
    INT_13,
    INT_16,
    INT_17,
    INT_20,
    INT_22,
    INT_23,
    INT_24,
    INT_31,
)
from harness.wire.gemini_interactions.rules.table.thoughts import (
    INT_10,
    INT_11,
    INT_12,
    INT_14,
    INT_15,
)
from harness.wire.rule import WireRule

RULES: Final[tuple[WireRule, ...]] = (
    *(INT_01, INT_02, INT_03, INT_04, INT_05, INT_06, INT_07, INT_08, INT_09, INT_10),
    *(INT_11, INT_12, INT_13, INT_14, INT_15, INT_16, INT_17, INT_18, INT_19, INT_20),
    *(INT_21, INT_22, INT_23, INT_24, INT_25, INT_26, INT_27, INT_28, INT_31, INT_32, INT_BODY),
)

__all__ = [
    "INT_01",
    "INT_02",
    "INT_03",
    "INT_04",
    "INT_05",
    "INT_06",
    "INT_07",
    "INT_08",
    "INT_09",
    "INT_10",
    "INT_11",
    "INT_12",
    "INT_13",
    "INT_14",
    "INT_15",
    "INT_16",
    "INT_17",
    "INT_18",
    "INT_19",
    "INT_20",
    "INT_21",
    "INT_22",
    "INT_23",
    "INT_24",
    "INT_25",
    "INT_26",
    "INT_27",
    "INT_28",
    "INT_31",
    "INT_32",
    "INT_BODY",
    "RULES",
]
