"""What is lost between two wires whatever a gateway does: the one says what the other cannot."""

from __future__ import annotations

from dataclasses import dataclass

from harness.wire import WireName, wire
from harness.wire.response_rule import CONTENTS, Content


@dataclass(frozen=True, slots=True)
class InevitableLoss:
    """One content that an answer of ``upstream`` may have and one of ``client`` cannot say, and where that is known
    from."""

    upstream: WireName
    client: WireName
    content: Content
    source: str


def inevitable(upstream: WireName, client: WireName) -> tuple[InevitableLoss, ...]:
    """What is lost from one wire to another, in the order of ``CONTENTS``; nothing where both are the same."""
    if upstream == client:
        return ()
    sayable, lacking = wire(upstream).lacks, wire(client).lacks
    return tuple(
        InevitableLoss(upstream, client, content, lacking[content])
        for content in CONTENTS
        if content in lacking and content not in sayable
    )
