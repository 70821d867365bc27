"""The rules of Gemini, one check each, in the order in which the API complains.

table      what is demanded, why, and what Google answers
request    a request as the checks look at it; history its turns, issued what the endpoint sent, matching the two
shape, content, pairing, signatures, returned, settings, tools   the checks

Rule ids are those of the wire document (section 5). What the endpoint issued itself is judged against that; any other
history only by its own shape. Wordings with status 200 are the harness's own: Google accepts such requests, and they
say that a loop is careless, not that it fails.
"""

from __future__ import annotations

from collections.abc import Callable

from harness.finding import Finding
from harness.wire.base import Conversation, IssuedState
from harness.wire.gemini_generate.rules import content, pairing, returned, settings, shape, signatures, tools
from harness.wire.gemini_generate.rules.request import Found, Request
from harness.wire.gemini_generate.rules.table import RULES

__all__ = ["CHECKS", "RULES", "violations"]

CHECKS: tuple[Callable[[Request], Found], ...] = (
    # reading the JSON
    shape.form,
    # finding the model
    settings.model_exists,
    # members, each by itself
    content.contents_present,
    content.parts_present,
    content.one_thing_each,
    content.names_present,
    tools.tools_declared,
    tools.parameters_described,
    settings.ranges,
    # what goes together
    content.roles,
    tools.functions_chosen,
    tools.tools_apart,
    settings.thinking,
    settings.logprobs,
    pairing.calls_follow_someone,
    pairing.responses_follow_calls,
    pairing.every_call_answered,
    pairing.ends_with_user,
    pairing.nothing_after_responses,
    signatures.calls_signed,
    signatures.signatures_issued,
    signatures.same_source,
    pairing.server_ids_match,
    settings.input_fits,
    # what is accepted, and careless
    signatures.not_bypassed,
    pairing.names_match,
    pairing.ids_match,
    returned.calls_unaltered,
    returned.calls_complete,
    returned.signatures_stay,
    returned.signatures_kept,
)


def violations(conversation: Conversation, issued: IssuedState) -> list[Finding]:
    """Every rule that the request breaks, in the order in which the API would complain."""
    request = Request.of(conversation, issued)
    return [finding for check in CHECKS for finding in check(request)]
