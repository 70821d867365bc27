"""One answer of a server, judged by itself."""

from __future__ import annotations

from harness.finding import Finding
from harness.wire import WireName, wire
from harness.wire.response_rule import ReceivedResponse


def judge_response(name: WireName, response: ReceivedResponse) -> list[Finding]:
    """Where an answer breaks the grammar of its wire, in the order of its bytes.

    Streamed or whole is decided by the content type, an HTTP error by the status. Each finding has ``server/answer``
    for its rule, the rule's id for its reference, and the place in the answer for its detail. A wire without a strict
    reader has none: nothing is found.
    """
    strict = wire(name).strict
    return [] if strict is None else list(strict(response))
