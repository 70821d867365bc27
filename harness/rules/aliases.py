"""Rules that have another id than they had once. The old one stays good on command lines and in baselines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

ALIASES: Final[Mapping[str, str]] = {
    "execution/in-vain": "execution/unnecessary",
    "final/told": "final/reported",
    "guardrail/limit-told": "guardrail/limit-reported",
    "order/tool-result-told": "order/tool-result-reported",
}
"""The present id of each rule by its former ids. No id is given to another rule."""


def current(id: str) -> str:
    """The id that a rule has now; any other text stays as it is."""
    return ALIASES.get(id, id)
