"""The Anthropic Messages wire: ``POST /v1/messages``, streamed or not, with and without message threads.

The SDK's tool runner asks for a server-side thread (``thread: {"type": "create"}``) and sends only new messages from
then on. A server that does not keep threads must say so with ``thread_unsupported_request``: the runner then sends the
whole history again and continues without threads.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Final

from harness.wire.anthropic_messages.auxiliary import auxiliary
from harness.wire.anthropic_messages.blocks import beyond_parts
from harness.wire.anthropic_messages.claim import claim
from harness.wire.anthropic_messages.dialects import DIALECTS
from harness.wire.anthropic_messages.errors import answer, failure, refusal, response_headers
from harness.wire.anthropic_messages.fold import arrivals
from harness.wire.anthropic_messages.models import MODELS
from harness.wire.anthropic_messages.parse import begins_answer, parse
from harness.wire.anthropic_messages.read import elsewhere, path, read, resolve, route
from harness.wire.anthropic_messages.render import render
from harness.wire.anthropic_messages.response_rules import LACKS, RESPONSE_RULES
from harness.wire.anthropic_messages.rules.book import HISTORY_RULES, SETTINGS_RULES
from harness.wire.anthropic_messages.rules.judge import violations
from harness.wire.anthropic_messages.strict import strict
from harness.wire.anthropic_messages.thinks import thinks
from harness.wire.anthropic_messages.write import SETTINGS, entries, returned, write
from harness.wire.base import Wire, unresolved
from harness.wire.content_blocks import answers
from harness.wire.grammar import Grammar, by_type, named, place
from harness.wire.judge import DeclaredRules
from harness.wire.probe_members import ProbeMembers
from harness.wire.provider import Provider

__all__ = ["WIRE"]

_ANTHROPIC: Final = Provider(
    base_url="https://api.anthropic.com",
    sdk="anthropic",
    base_variables=("ANTHROPIC_BASE_URL", "ANTHROPIC_API_URL"),
    key_variables=("ANTHROPIC_API_KEY",),
    key_header="x-api-key",
    key_form="{}",
)


def _never_thinks(model: str) -> bool:
    return MODELS.value("thinking", model) == ("disabled",)


def _without_threads(wire: Wire) -> Wire:
    return replace(wire, resolve=unresolved, violations=partial(violations, threads_kept=False))


WIRE: Final = Wire(
    name="anthropic-messages",
    label="anthropic",
    rule_prefix="ANT",
    rules=DeclaredRules(SETTINGS_RULES, HISTORY_RULES),
    models=MODELS,
    provider=_ANTHROPIC,
    default_model="claude-sonnet-4-6",
    history="messages",
    grammar=Grammar(named, place, by_type, frozenset({"input"}), free_in_requests=frozenset({"input", "input_schema"})),
    settings=SETTINGS,
    route=route,
    elsewhere=elsewhere,
    path=path,
    read=read,
    resolve=resolve,
    violations=partial(violations, threads_kept=True),
    render=render,
    dialects=DIALECTS,
    parse=parse,
    strict=strict,
    response_rules=RESPONSE_RULES,
    lacks=LACKS,
    beyond_parts=beyond_parts,
    begins_answer=begins_answer,
    arrivals=arrivals,
    auxiliary=auxiliary,
    refuse=refusal,
    error=answer,
    failure=failure,
    response_headers=response_headers,
    write=write,
    entries=entries,
    returned=returned,
    answers=answers,
    claim=claim,
    probe=ProbeMembers(
        forced=lambda name: {"tool_choice": {"type": "tool", "name": name}},
        limit=lambda tokens: {"max_tokens": tokens},
        base={"max_tokens": 512},
        unknown_tools={"tools": [{"type": "unknown_tool_type", "name": "unknown"}]},
    ),
    thinks=thinks,
    never_thinks=_never_thinks,
    declined={"thread": _without_threads},
    keeps_thinking_mode=True,
    marks_failures=True,
    can_pause=True,
    container="container",
    cache_marks=frozenset({"cache_control"}),
    scripted=frozenset({"native", "members", "members of a part"}),
    object_arguments=True,
    documents_need_valid_arguments=True,
)
"""The wire as the harness serves it: threads are kept."""
