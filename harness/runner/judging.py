"""By which rules a run is judged, and which wrong requests its endpoint refuses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from harness.endpoint.enforcement import STRICT, Enforcement, Refusing, refusing
from harness.finding import Finding
from harness.rules import Selection, select

NETWORK: Final = "target/network"
"""What a host is reported as that the loop wanted to ask beside the endpoint. It is no rule: no trace shows it."""


@dataclass(frozen=True, slots=True)
class Judging:
    """``words`` are the options that say the same on a command line.

    ``excluded`` are rules and expectations (``stream/one-id``, ``expect/sent``, ``ANT-12``) whose findings do not
    count, because the driver of the target is wrong in what they depend on. ``network``: a blocked host is a finding.
    ``skipped`` are the checks of the driver whose findings fail no run.
    """

    rules: Selection
    enforcement: Enforcement = STRICT
    words: tuple[str, ...] = ()
    excluded: frozenset[str] = frozenset()
    network: bool = True
    skipped: frozenset[str] = frozenset()

    def counts(self, finding: Finding) -> bool:
        """Whether the finding is part of the verdict."""
        return self.excluded.isdisjoint({finding.id, finding.rule})


def judging(
    rules: Sequence[str] = (),
    *,
    without: Sequence[str] = (),
    skipped: frozenset[str] = frozenset(),
    info: bool = False,
    refuse: Refusing = "must",
) -> Judging:
    """Judge by ``rules`` (none: all) but not by those of ``without``, which are not refused either.

    ``rules`` and ``without`` are rule ids, families and wire rule ids; ``without`` also ``target/network``, and checks
    of the driver (``driver/answer``, ``driver``), which ``skipped`` names one by one (``harness.doctor.named``).
    ``info`` reports INFO, too. Raises ``BadInput`` for an unknown word.
    """
    no_rules = (NETWORK, *(["driver"] if skipped else []), *skipped)
    selection = select(rules, without=[each for each in without if each not in no_rules], info=info)
    words = [word for rule in rules for word in ("--rule", rule)]
    words += [word for rule in without for word in ("--skip", rule)]
    words += ["--info"] * info + (["--refuse", refuse] if refuse != "must" else [])
    return Judging(
        selection, refusing(refuse, selection.ignored), tuple(words), network=NETWORK not in without, skipped=skipped
    )


@cache
def everything() -> Judging:
    """Every rule, and a strict endpoint. Raises ``BadInput`` for a rule of another package that cannot be used."""
    return judging()
