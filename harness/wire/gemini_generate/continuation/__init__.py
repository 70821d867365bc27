"""The continuation rules of Gemini, one function each, in the order in which the API complains.

Rule ids are those of the wire document (section 5). What the endpoint issued itself is judged against that; any
other history only by its own shape. Rules at level I have no known answer of Google's, which accepts such requests
with 200: their messages are the harness's own words, and they say that a loop is careless, not that it fails.
"""

from __future__ import annotations

from collections.abc import Callable

from harness.wire.base import Conversation, Sent, Violation
from harness.wire.gemini_generate.continuation import pairing, shape, signatures
from harness.wire.gemini_generate.continuation.issued import issued
from harness.wire.gemini_generate.continuation.request import Found, Request
from harness.wire.gemini_generate.parts import contents

__all__ = ["RULES", "violations"]

RULES: tuple[Callable[[Request], Found], ...] = (
    shape.objects,
    shape.base64,
    shape.contents_given,
    shape.parts_given,
    shape.names_given,
    shape.roles,
    pairing.calls_follow_someone,
    pairing.responses_follow_calls,
    pairing.every_call_answered,
    pairing.ends_with_user,
    pairing.nothing_after_responses,
    signatures.calls_signed,
    signatures.signatures_issued,
    signatures.not_bypassed,
    pairing.names_match,
    pairing.ids_match,
    signatures.calls_unaltered,
    signatures.no_call_dropped,
    signatures.signatures_stay,
    signatures.text_signatures_kept,
)


def violations(conversation: Conversation, sent: Sent) -> list[Violation]:
    """Every rule that the request breaks, in the order in which the API would complain."""
    request = Request(conversation.model, contents(conversation.body), issued(sent))
    return [violation for rule in RULES for violation in rule(request)]
