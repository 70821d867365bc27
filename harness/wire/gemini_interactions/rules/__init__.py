"""The rules of Interactions, one check each, in the order in which the API is thought to complain.

table      what is demanded, why, and what the API answers
request    a request as the checks look at it
body, history, thoughts   the checks

First the API checks what it asked for, then the history, then what the model demands. In what order it names several
faults was not seen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from harness.finding import Finding
from harness.wire.base import Conversation, IssuedState
from harness.wire.gemini_interactions.rules import body, history, thoughts
from harness.wire.gemini_interactions.rules.request import Found, InteractionRequest
from harness.wire.gemini_interactions.rules.table import RULES

__all__ = ["CHECKS", "RULES", "violations"]

CHECKS: Final[tuple[Callable[[InteractionRequest], Found], ...]] = (
    # what is asked for
    body.schema_current,
    body.members_known,
    body.model_or_agent,
    body.input_present,
    body.store_fits,
    body.tools_known,
    body.choice_in_its_place,
    body.level_known,
    body.previous_known,
    body.continued_by_its_token,
    # steps, each by itself
    history.results_with_ids,
    history.results_named,
    history.results_readable,
    history.arguments_objects,
    thoughts.thoughts_signed,
    # the history
    history.server_calls_not_answered,
    history.open_calls_answered,
    history.results_asked_for,
    history.nothing_between,
    history.calls_answered,
    history.results_once,
    history.pairs_whole,
    history.server_steps_sent,
    # what the model demands
    history.results_without_lists,
    thoughts.calls_signed,
    thoughts.signatures_issued,
    thoughts.not_bypassed,
    history.arguments_as_issued,
    history.order_as_issued,
    # what is accepted, and does harm
    body.settings_sent_again,
    history.nothing_repeated,
)


def violations(conversation: Conversation, issued: IssuedState) -> list[Finding]:
    """Every rule that the request breaks, in the order in which the API would complain."""
    request = InteractionRequest(conversation, issued)
    return [finding for check in CHECKS for finding in check(request)]
