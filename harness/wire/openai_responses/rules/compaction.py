"""OAI-COMPACT: a history is compacted only where every call has its output."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from harness.finding import Finding
from harness.wire.openai_responses.rules.asked import Asked
from harness.wire.openai_responses.rules.pairing import missing_outputs
from harness.wire.openai_responses.rules.table import OAI_COMPACT

COMPACT: Final = "compact"
"""What ``POST /responses/compact`` asks for in place of an answer (``Route.aside``)."""


def compaction_waits_for_outputs(asked: Asked) -> Iterator[Finding]:
    """OAI-COMPACT. Nothing else is known of what is refused of such a request."""
    yield from missing_outputs(asked, OAI_COMPACT)
