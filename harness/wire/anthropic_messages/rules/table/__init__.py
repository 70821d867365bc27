"""What the Messages API demands of a request: one row for each rule, in the order of their numbers.

A row with a number of up to 30 is that of the wire's rule document; the others come from recorded and quoted answers.
``body``, ``calls``, ``server_tools``, ``thinking``, ``tools`` and ``settings`` say which part of a request a row is
about.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.wire.anthropic_messages.rules.table.body import (
    ANT_07,
    ANT_08,
    ANT_09,
    ANT_10,
    ANT_11,
    ANT_12,
    ANT_27,
    ANT_BODY,
    ANT_CACHE,
    ANT_CITED,
    ANT_IMAGE,
    ANT_TAG,
)
from harness.wire.anthropic_messages.rules.table.calls import (
    ANT_01,
    ANT_02,
    ANT_03,
    ANT_04,
    ANT_05,
    ANT_06,
    ANT_13,
    ANT_23,
    ANT_24,
    ANT_28,
    ANT_PREFILL,
    ANT_ROLE,
    ANT_THREAD,
)
from harness.wire.anthropic_messages.rules.table.server_tools import ANT_31, ANT_32, ANT_33, ANT_35
from harness.wire.anthropic_messages.rules.table.settings import (
    ANT_25,
    ANT_26,
    ANT_29,
    ANT_30,
    ANT_FORMAT,
    ANT_MODE,
    ANT_MODEL,
    ANT_OUTPUT,
    ANT_RANGE,
    ANT_SAMPLING,
    ANT_VERSION,
)
from harness.wire.anthropic_messages.rules.table.thinking import (
    ANT_14,
    ANT_15,
    ANT_16,
    ANT_17,
    ANT_18,
    ANT_34,
    ANT_LAST,
    ANT_OFF,
)
from harness.wire.anthropic_messages.rules.table.tools import ANT_19, ANT_20, ANT_21, ANT_22, ANT_36, ANT_CHOICE
from harness.wire.rule import WireRule

__all__ = ["BY_ID", "RULES"]

RULES: tuple[WireRule, ...] = (
    ANT_01,
    ANT_02,
    ANT_03,
    ANT_04,
    ANT_05,
    ANT_06,
    ANT_07,
    ANT_08,
    ANT_09,
    ANT_10,
    ANT_11,
    ANT_12,
    ANT_13,
    ANT_14,
    ANT_15,
    ANT_16,
    ANT_17,
    ANT_18,
    ANT_19,
    ANT_20,
    ANT_21,
    ANT_22,
    ANT_23,
    ANT_24,
    ANT_25,
    ANT_26,
    ANT_27,
    ANT_28,
    ANT_29,
    ANT_30,
    ANT_31,
    ANT_32,
    ANT_33,
    ANT_34,
    ANT_35,
    ANT_36,
    ANT_BODY,
    ANT_CACHE,
    ANT_CHOICE,
    ANT_CITED,
    ANT_FORMAT,
    ANT_IMAGE,
    ANT_LAST,
    ANT_MODE,
    ANT_MODEL,
    ANT_OFF,
    ANT_OUTPUT,
    ANT_PREFILL,
    ANT_RANGE,
    ANT_ROLE,
    ANT_SAMPLING,
    ANT_TAG,
    ANT_THREAD,
    ANT_VERSION,
)

BY_ID: Mapping[str, WireRule] = {rule.id: rule for rule in RULES}
