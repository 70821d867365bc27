"""The rules of Chat Completions: one value for each, named after its number (``OAC_14``).

    history   results and their calls, thinking
    messages  what one message must be
    models    what the model, or whose server it is, takes or not
    tools     declarations of tools, and how one is chosen
    request   the request as a whole

``RULES`` has them in the order of their numbers, those without one behind.
"""

from __future__ import annotations

from typing import Final

from harness.wire.openai_chat.rules.table.history import OAC_03, OAC_04, OAC_05, OAC_06, OAC_19, OAC_ORDER, OAC_SIGNED
from harness.wire.openai_chat.rules.table.messages import (
    OAC_07,
    OAC_08,
    OAC_09,
    OAC_10,
    OAC_11,
    OAC_12,
    OAC_PART,
    OAC_ROLE,
)
from harness.wire.openai_chat.rules.table.models import (
    OAC_02,
    OAC_10B,
    OAC_13,
    OAC_14,
    OAC_16,
    OAC_17,
    OAC_EFFORT,
    OAC_FILE,
    OAC_FORCED,
    OAC_PARAM,
)
from harness.wire.openai_chat.rules.table.request import (
    OAC_01,
    OAC_CACHE,
    OAC_FORMAT,
    OAC_JSON,
    OAC_MODEL,
    OAC_NUMBER,
    OAC_TYPE,
)
from harness.wire.openai_chat.rules.table.tools import OAC_15, OAC_18, OAC_NAME
from harness.wire.rule import WireRule

__all__ = [
    "OAC_01",
    "OAC_02",
    "OAC_03",
    "OAC_04",
    "OAC_05",
    "OAC_06",
    "OAC_07",
    "OAC_08",
    "OAC_09",
    "OAC_10",
    "OAC_10B",
    "OAC_11",
    "OAC_12",
    "OAC_13",
    "OAC_14",
    "OAC_15",
    "OAC_16",
    "OAC_17",
    "OAC_18",
    "OAC_19",
    "OAC_CACHE",
    "OAC_EFFORT",
    "OAC_FILE",
    "OAC_FORCED",
    "OAC_FORMAT",
    "OAC_JSON",
    "OAC_MODEL",
    "OAC_NAME",
    "OAC_NUMBER",
    "OAC_ORDER",
    "OAC_PARAM",
    "OAC_PART",
    "OAC_ROLE",
    "OAC_SIGNED",
    "OAC_TYPE",
    "RULES",
    "RULE_OF",
]

RULES: Final[tuple[WireRule, ...]] = (
    OAC_01,
    OAC_02,
    OAC_03,
    OAC_04,
    OAC_05,
    OAC_06,
    OAC_07,
    OAC_08,
    OAC_09,
    OAC_10,
    OAC_10B,
    OAC_11,
    OAC_12,
    OAC_13,
    OAC_14,
    OAC_15,
    OAC_16,
    OAC_17,
    OAC_18,
    OAC_19,
    OAC_CACHE,
    OAC_EFFORT,
    OAC_FILE,
    OAC_FORCED,
    OAC_FORMAT,
    OAC_JSON,
    OAC_MODEL,
    OAC_NAME,
    OAC_NUMBER,
    OAC_ORDER,
    OAC_PARAM,
    OAC_PART,
    OAC_ROLE,
    OAC_SIGNED,
    OAC_TYPE,
)

RULE_OF: Final = {rule.id: rule for rule in RULES}
"""Each rule by its id, as the schema of a request names it."""
