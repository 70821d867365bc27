"""Rules about approvals of MCP calls (OAI-10, OAI-11): each request has its answer, and each answer its request.

The answer names the item of the request, which has no call id.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from harness.finding import Finding
from harness.wire.lenient import string
from harness.wire.openai_responses.rules.asked import Asked, HistoryItem
from harness.wire.openai_responses.rules.kinds import APPROVAL, APPROVED
from harness.wire.openai_responses.rules.table import OAI_10, OAI_11

_SETTLING: Final = (APPROVED, "mcp_call")
"""What shows that a request was answered: the answer, or the call that was made because of it."""


def requests_are_answered(asked: Asked) -> Iterator[Finding]:
    """OAI-10. The provider names all that lack an answer at once."""
    if APPROVAL not in asked.kinds:
        return
    requests = [entry for entry in asked.history if entry.kind == APPROVAL and entry.id]
    settled = {_request_of(entry) for entry in asked.history if entry.kind in _SETTLING}
    missing = [entry for entry in requests if entry.id not in settled]
    if missing:
        yield OAI_10.broken(
            missing[0].at,
            expected=f"an {APPROVED} for each {APPROVAL}",
            got=f"none for {_ids(missing)}",
            template="approval",
            ids=_ids(missing),
        )


def approvals_have_a_request(asked: Asked) -> Iterator[Finding]:
    """OAI-11, where the request itself shows what there was to approve."""
    if APPROVED not in asked.kinds or asked.unknown:
        return
    if any(entry.kind == "item_reference" for entry in asked.entries):
        return
    answers = [entry for entry in asked.entries if entry.kind == APPROVED]
    known = {entry.id for entry in asked.history if entry.kind == APPROVAL}
    orphans = [entry for entry in answers if _request_of(entry) not in known]
    if orphans:
        ids = ", ".join(map(_request_of, orphans))
        yield OAI_11.broken(
            orphans[0].at,
            expected=f"the {APPROVAL} that it answers, in the same history",
            got=f"an answer to {ids}, which the history does not have",
            template="approval",
            ids=ids,
        )


def _request_of(entry: HistoryItem) -> str:
    return string(entry.item.get("approval_request_id"))


def _ids(entries: list[HistoryItem]) -> str:
    return ", ".join(entry.id for entry in entries)
