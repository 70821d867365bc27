"""All rules of Messages: those about the settings of a request, and those about its history."""

from __future__ import annotations

from typing import Final

from harness.wire.anthropic_messages.rules.history import AnthropicHistory, Settings
from harness.wire.judge import Rulebook

SETTINGS_SHAPE: Final = ("version", "members")
SETTINGS_VALUES: Final = ("model", "tools", "use of tools", "values", "instructions")
HISTORY_SHAPE: Final = ("members", "types")
HISTORY_VALUES: Final = ("content", "end", "thinking", "signatures", "latest turn", "whole")

SETTINGS_RULES: Final = Rulebook[Settings](__package__, *SETTINGS_SHAPE, *SETTINGS_VALUES)
HISTORY_RULES: Final = Rulebook[AnthropicHistory](__package__, *HISTORY_SHAPE, *HISTORY_VALUES)
"""The provider looks at the shape of settings and history first, then at what the settings mean, then at the history:
what stands in messages and which result answers which call, how it ends, and thinking last."""
