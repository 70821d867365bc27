"""The continuation rules of the wire, in the order in which the provider would complain.

Rule ids and texts are those of the wire's rule table (ANT-01 ...). ``ANT-BODY`` is a body that is no JSON object,
``ANT-THREAD`` a message thread that cannot be continued. Not judged here: what needs a header (ANT-26), the
model's own abilities (ANT-29) or a token count (ANT-30); ANT-28 describes what is accepted.
"""

from __future__ import annotations

from harness.wire.anthropic_messages.rules import pairing, settings, shape, thinking, threads
from harness.wire.anthropic_messages.rules.history import History
from harness.wire.base import Conversation, Sent, Violation

__all__ = ["violations"]

_RULES = (
    shape.required_members,
    shape.messages_are_there,
    shape.unknown_members,
    shape.roles,
    shape.blocks,
    settings.tools,
    settings.thinking_budget,
    settings.forced_tools,
    shape.content_is_there,
    shape.text_is_there,
    shape.result_content,
    pairing.places,
    pairing.system_entries,
    pairing.unique_ids,
    pairing.known_results,
    pairing.single_results,
    pairing.answered_calls,
    pairing.server_tools,
    pairing.ends_with_user,
    thinking.starts_the_turn,
    thinking.signatures,
    thinking.latest_turn,
    thinking.bound_to_prefix,
)


def violations(conversation: Conversation, sent: Sent, *, threads_kept: bool) -> list[Violation]:
    """Every rule that a resolved request breaks, given what was sent before it."""
    lost = list(threads.continuation(conversation, sent, threads_kept=threads_kept))
    if lost:
        return lost
    history = History.of(conversation, sent)
    return [violation for rule in _RULES for violation in rule(history)]
