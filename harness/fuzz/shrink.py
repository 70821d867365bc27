"""Shrinks a failing example: parts of it are removed as long as the same oracle objects."""

from __future__ import annotations

from typing import Final

from harness.fuzz.campaign import Campaign, Example, Falsified, Subject

ATTEMPTS: Final = 5_000
"""The most smaller examples that are tried in all: an example that takes more is small enough."""


def shrunk(
    campaign: Campaign[Example, Subject], subject: Subject, example: Example, falsified: Falsified
) -> tuple[Example, Falsified]:
    """The smallest example that is found, and the oracle's objection to it."""
    left = ATTEMPTS
    while left:
        for smaller in campaign.smaller(example):
            left -= 1
            found = objection_to(smaller, campaign, subject)
            if found is not None and found.oracle == falsified.oracle:
                example, falsified = smaller, found
                break
            if not left:
                break
        else:
            break
    return example, falsified


def objection_to(example: Example, campaign: Campaign[Example, Subject], subject: Subject) -> Falsified | None:
    """The objection of an oracle to the subject's result for an example; None if there is none."""
    try:
        campaign.check(example, subject)
    except Falsified as falsified:
        return falsified
    return None
