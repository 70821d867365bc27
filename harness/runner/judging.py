"""The rules that judge a run, and which wrong requests its endpoint refuses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from harness.endpoint.enforcement import STRICT, Enforcement, Refusing, refusing
from harness.finding import Finding
from harness.rules import Selection, select

NETWORK: Final = "target/network"
"""The name of a finding about another host that the loop contacted. It is no rule: no trace shows it."""


@dataclass(frozen=True, slots=True)
class Judging:
    """``words`` are the command line options with the same meaning.

    ``excluded`` are rules and expectations (``stream/one-id``, ``expect/sent``, ``ANT-12``) whose findings do not
    count, because they depend on something that the target's driver does wrong. ``network``: a blocked host is a
    finding. ``skipped`` are the checks of the driver whose findings fail no run.
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
    """Judge by ``rules`` (none: all) except those in ``without``, for which requests are not refused either.

    ``rules`` and ``without`` are rule ids, families and wire rule ids. ``without`` may also have ``target/network`` and
    checks of the driver (``driver/answer``, ``driver``); ``skipped`` names these one by one (``harness.doctor.named``).
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
    """Judge by every rule, with a strict endpoint. Raises ``BadInput`` for an unusable rule of another package."""
    return judging()
