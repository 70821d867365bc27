"""Everything that Bedrock demands of a request to Converse, in the order of its numbers.

history   calls and their results, and who speaks when
body      what a block, a tool and the body itself are made of
families  what the models of some makers demand

The numbers are those of the wire document (section 5), which has more than can be judged.
"""

from __future__ import annotations

from typing import Final

from harness.wire.bedrock_converse.rules.table.body import (
    BED_08,
    BED_09,
    BED_12,
    BED_13,
    BED_14,
    BED_15,
    BED_16,
    BED_17,
    BED_18,
    BED_20,
    BED_22,
    BED_23,
    BED_24,
    BED_26,
    BED_BODY,
)
from harness.wire.bedrock_converse.rules.table.families import (
    BED_30,
    BED_31,
    BED_32,
    BED_33,
    BED_34,
    BED_35,
    BED_36,
    BED_38,
    BED_39,
    BED_40,
    BED_41,
    BED_47,
)
from harness.wire.bedrock_converse.rules.table.history import (
    BED_01,
    BED_02,
    BED_04,
    BED_05,
    BED_06,
    BED_10,
    BED_11,
    BED_19,
)
from harness.wire.rule import WireRule

RULES: Final[tuple[WireRule, ...]] = (
    *(BED_01, BED_02, BED_04, BED_05, BED_06, BED_08, BED_09, BED_10, BED_11, BED_12, BED_13, BED_14, BED_15, BED_16),
    *(BED_17, BED_18, BED_19, BED_20, BED_22, BED_23, BED_24, BED_26),
    *(BED_30, BED_31, BED_32, BED_33, BED_34, BED_35, BED_36, BED_38, BED_39, BED_40, BED_41, BED_47),
    BED_BODY,
)

__all__ = [
    "BED_01",
    "BED_02",
    "BED_04",
    "BED_05",
    "BED_06",
    "BED_08",
    "BED_09",
    "BED_10",
    "BED_11",
    "BED_12",
    "BED_13",
    "BED_14",
    "BED_15",
    "BED_16",
    "BED_17",
    "BED_18",
    "BED_19",
    "BED_20",
    "BED_22",
    "BED_23",
    "BED_24",
    "BED_26",
    "BED_30",
    "BED_31",
    "BED_32",
    "BED_33",
    "BED_34",
    "BED_35",
    "BED_36",
    "BED_38",
    "BED_39",
    "BED_40",
    "BED_41",
    "BED_47",
    "BED_BODY",
    "RULES",
]
