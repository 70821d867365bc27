"""The rules of Converse, one check each, in the order in which the service is thought to complain.

table      what is demanded, why, and what the service answers
request    a request as the checks look at it
body, history, families, reasoning   the checks

First the service checks members by themselves, then the conversation, then what the model does not support; what the
model's own API refuses comes last. In what order it names several faults was not seen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from harness.finding import Finding
from harness.wire.base import Conversation, IssuedState
from harness.wire.bedrock_converse.rules import body, families, history, reasoning
from harness.wire.bedrock_converse.rules.request import ConverseRequest, Found
from harness.wire.bedrock_converse.rules.table import RULES

__all__ = ["CHECKS", "RULES", "violations"]

CHECKS: Final[tuple[Callable[[ConverseRequest], Found], ...]] = (
    # members, each by itself
    body.blocks_known,
    body.names_valid,
    body.ids_valid,
    body.some_tools,
    body.inputs_are_objects,
    body.results_are_objects,
    # messages
    body.contents_present,
    body.texts_present,
    body.documents_named,
    body.document_names_differ,
    body.documents_few,
    body.documents_with_text,
    # the conversation
    history.user_first,
    history.tools_declared,
    history.ids_differ,
    history.calls_answered,
    history.results_asked_for,
    history.failures_say_something,
    history.roles_alternate,
    history.reasoning_of_the_model,
    # what the model does not support
    families.no_tools,
    families.no_streamed_tools,
    families.no_forced_call,
    families.no_videos,
    families.results_alone,
    families.calls_alone,
    families.no_signature,
    families.no_reasoning_text,
    body.cache_points_behind_something,
    # what the model's own API refuses
    body.tool_names_differ,
    families.no_prefill,
    families.no_s3_results,
    families.no_forced_call_with_thinking,
    reasoning.reasoning_kept,
)


def violations(conversation: Conversation, issued: IssuedState) -> list[Finding]:
    """Every rule that the request breaks, in the order in which the service would complain."""
    request = ConverseRequest(conversation, issued)
    return [finding for check in CHECKS for finding in check(request)]
