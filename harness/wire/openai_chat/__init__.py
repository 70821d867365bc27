"""OpenAI Chat Completions, as OpenAI and the many compatible servers speak it."""

from __future__ import annotations

from typing import Final

from harness.wire.auxiliary import first_of
from harness.wire.base import GrowingRead, Json, Route, Wire
from harness.wire.judge import DeclaredRules
from harness.wire.kept_answers import by_id
from harness.wire.openai_chat.claim import claim
from harness.wire.openai_chat.dialects import DIALECTS
from harness.wire.openai_chat.echo import echoed
from harness.wire.openai_chat.errors import error_answer, failure_answer, refusal_answer, response_headers
from harness.wire.openai_chat.fold import arrivals
from harness.wire.openai_chat.grammar import GRAMMAR
from harness.wire.openai_chat.models import MODELS
from harness.wire.openai_chat.parse import begins_answer, parse
from harness.wire.openai_chat.read import find_route, read
from harness.wire.openai_chat.render import render
from harness.wire.openai_chat.response_rules import LACKS, RESPONSE_RULES
from harness.wire.openai_chat.rules.book import RULES, violations
from harness.wire.openai_chat.stored import KEEPING, completions
from harness.wire.openai_chat.strict import asks_for_usage, strict
from harness.wire.openai_chat.thinks import thinks
from harness.wire.openai_chat.write import SETTINGS, answers, entries, returned, write
from harness.wire.openai_provider import OPENAI, no_such_path
from harness.wire.probe_members import ProbeMembers

__all__ = ["WIRE"]


_MORE: Final = ("annotations", "audio", "images")
"""Members of a message that have content of their own."""


def _beyond_parts(message: Json) -> tuple[str, ...]:
    return tuple(name for name in _MORE if message.get(name))


def _path(route: Route) -> str:  # noqa: ARG001 - the body says all else
    return "/chat/completions"


WIRE: Final = Wire(
    name="openai-chat",
    label="chat",
    rule_prefix="OAC",
    rules=DeclaredRules(RULES),
    models=MODELS,
    provider=OPENAI,
    default_model="gpt-4.1",
    thinking_model="deepseek-v4-flash",
    history="messages",
    grammar=GRAMMAR,
    settings=SETTINGS,
    route=find_route,
    path=_path,
    read=GrowingRead(read),
    violations=violations,
    render=render,
    dialects=DIALECTS,
    parse=parse,
    strict=strict,
    response_rules=RESPONSE_RULES,
    lacks=LACKS,
    beyond_parts=_beyond_parts,
    asks_for_usage=asks_for_usage,
    begins_answer=begins_answer,
    arrivals=arrivals,
    keeping=KEEPING,
    auxiliary=first_of(by_id(KEEPING), completions),
    unknown_path=no_such_path,
    refuse=refusal_answer,
    error=error_answer,
    failure=failure_answer,
    response_headers=response_headers,
    write=write,
    entries=entries,
    returned=returned,
    answers=answers,
    echoed=echoed,
    probe=ProbeMembers(
        forced=lambda name: {"tool_choice": {"type": "function", "function": {"name": name}}},
        limit=lambda tokens: {"max_tokens": tokens},  # newer models of OpenAI want another name, other servers this one
        unknown_tools={"tools": [{"type": "unknown_tool_type", "unknown_tool_type": {}}]},
        without_user=True,
    ),
    claim=claim,
    thinks=thinks,
    custom_tools=True,
    cache_marks=frozenset({"cache_control"}),  # as routers take it that serve other makers' models on this wire
    minds_server=True,
    scripted=frozenset({"members", "members of a part"}),
)
