"""Which wrong requests the endpoint refuses as the provider would; the others it answers, and only notes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from harness.finding import Finding, Level

Refusing = Literal["must", "should", "info", "nothing"]
"""Down to which level broken rules are refused."""

_LEVELS: dict[Refusing, frozenset[Level]] = {
    "must": frozenset({"MUST"}),
    "should": frozenset({"MUST", "SHOULD"}),
    "info": frozenset({"MUST", "SHOULD", "INFO"}),
    "nothing": frozenset(),
}


@dataclass(frozen=True, slots=True)
class Enforcement:
    """Refused is what breaks a rule with one of ``levels``, but none of ``without`` (wire rule ids)."""

    levels: frozenset[Level]
    without: frozenset[str] = frozenset()

    def refuses(self, finding: Finding) -> bool:
        """Whether a request with this finding is refused. Nobody refuses what no provider refuses (status 200)."""
        return finding.answered.status >= 400 and finding.level in self.levels and finding.id not in self.without


def refusing(level: Refusing, without: Iterable[str] = ()) -> Enforcement:
    """The enforcement that refuses rules down to ``level``."""
    return Enforcement(_LEVELS[level], frozenset(without))


STRICT = refusing("must")
"""What certainly breaks a rule is refused: the endpoint as a provider that is known to us would be."""
