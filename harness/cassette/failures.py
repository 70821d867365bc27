"""Exceptions that fail a test whose requests are answered from a cassette."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from harness.cassette.interaction import Interaction
from harness.errors import HarnessError

if TYPE_CHECKING:
    from harness.cassette.misses import Miss

_AGAIN = "(in process: harness.cassette.use with mode 'all'; with the pytest fixture: --harness-record=all)"
"""How a person sets the mode that records again."""


class Missed(HarnessError):
    """Requests that no recording answers and that may not be recorded. ``misses`` explains each."""

    def __init__(self, *misses: Miss) -> None:
        super().__init__("\n\n".join([*dict.fromkeys(map(str, misses)), _AGAIN]))
        self.misses = misses


class Unplayed(HarnessError):
    """At the end ``interactions`` of the cassette had never been requested."""

    def __init__(self, path: Path, interactions: tuple[Interaction, ...]) -> None:
        listed = (f"{path}:{each.line}: {each.method} {each.url} was not asked for" for each in interactions)
        advice = "what is tested makes fewer requests than when it was recorded; where it should, record it again"
        super().__init__("\n".join([*listed, advice, _AGAIN]))
        self.interactions = interactions
