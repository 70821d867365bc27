"""What the provider demands of a request, one small function per rule, in the order in which it complains.

Rule ids and levels are those of the rule table OAI-01 to OAI-28 of the Responses wire; OAI-01 is told by ``read``.
Not judged, because only the provider can know: whether a model exists (OAI-02) or supports a parameter (OAI-26),
whether files are valid (OAI-21), how long the context is (OAI-27). OAI-28 (the history only grows) is no wire rule:
the provider accepts a rewritten history.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from harness.wire.base import Conversation, Sent, Violation
from harness.wire.openai_responses.rules import pairing, reasoning, settings, shapes
from harness.wire.openai_responses.rules.asked import Asked

__all__ = ["RULES", "violations"]

RULES: Final[tuple[Callable[[Asked], Iterable[Violation]], ...]] = (
    settings.model_is_named,  # OAI-02
    settings.something_is_asked,  # OAI-03
    shapes.members_are_present,  # OAI-04
    shapes.members_are_known,  # OAI-05
    shapes.members_have_their_type,  # OAI-06
    shapes.item_ids_are_well_formed,  # OAI-07
    shapes.call_ids_have_a_length,  # OAI-08
    pairing.items_are_unique,  # OAI-09
    pairing.calls_are_answered,  # OAI-10
    pairing.outputs_have_a_call,  # OAI-11, OAI-13
    pairing.outputs_are_unique,  # OAI-12
    reasoning.reasoning_keeps_its_item,  # OAI-14
    reasoning.items_keep_their_reasoning,  # OAI-15
    reasoning.reasoning_can_be_found,  # OAI-16
    reasoning.encrypted_content_is_untouched,  # OAI-17
    settings.previous_response_exists,  # OAI-18
    settings.history_has_one_name,  # OAI-19
    shapes.content_parts_fit_the_role,  # OAI-20
    settings.numbers_are_in_bounds,  # OAI-22
    settings.strict_schemas_are_closed,  # OAI-23
    settings.chosen_tool_is_declared,  # OAI-24
    settings.tool_names_are_well_formed,  # OAI-25
)


def violations(conversation: Conversation, sent: Sent) -> list[Violation]:
    """``Wire.violations``; linear in what the case has sent and been sent."""
    asked = Asked(conversation.body, sent)
    return [violation for rule in RULES for violation in rule(asked)]
