"""Which wrong requests the endpoint refuses as the provider would. It answers the others and only notes them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from harness.finding import Finding, Level

Refusing = Literal["must", "should", "info", "nothing"]
"""The lowest level of broken rules that are refused."""

_LEVELS: dict[Refusing, frozenset[Level]] = {
    "must": frozenset({"MUST"}),
    "should": frozenset({"MUST", "SHOULD"}),
    "info": frozenset({"MUST", "SHOULD", "INFO"}),
    "nothing": frozenset(),
}


@dataclass(frozen=True, slots=True)
class Enforcement:
    """Refuses requests that break a rule of one of the ``levels``, except the wire rule ids in ``without``."""

    levels: frozenset[Level]
    without: frozenset[str] = frozenset()

    def refuses(self, finding: Finding) -> bool:
        """Whether a request with this finding is refused. A finding that no provider refuses (status 200) never is."""
        return finding.answered.status >= 400 and finding.level in self.levels and finding.id not in self.without


def refusing(level: Refusing, without: Iterable[str] = ()) -> Enforcement:
    """The enforcement that refuses rules down to ``level``."""
    return Enforcement(_LEVELS[level], frozenset(without))


STRICT = refusing("must")
"""Refuses what certainly breaks a rule, as a known provider does."""
