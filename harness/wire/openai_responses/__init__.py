"""The OpenAI Responses API (``POST /v1/responses``), streamed and whole, and over WebSocket.

items         native items <-> neutral parts, shared by all the others
build, render a turn as items, and items as bytes
fold          events as items and a turn, for ``parse``, arrivals and the session of the loop
read          a request as a conversation
write         a conversation as a request, and how a client goes on
rules         what a continuation must be, judged against what was sent
errors        error answers and headers; ``failure`` has the errors inside a stream
auxiliary     models and counts of tokens
keeping       stored responses, ``stored`` conversations, and ``stored_items`` what both list
compacting    what a history is compacted to
websocket     frames as requests, events and errors as frames
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from harness.wire.auxiliary import first_of
from harness.wire.base import NO_HEADERS, Claim, Conversation, Json, Route, Wire
from harness.wire.grammar import Grammar, by_type, named, place
from harness.wire.judge import DeclaredRules
from harness.wire.kept_answers import by_id
from harness.wire.openai_models import OPENAI_MODELS, REASONING
from harness.wire.openai_provider import OPENAI, no_such_path
from harness.wire.openai_responses.auxiliary import auxiliary
from harness.wire.openai_responses.compacting import compacted
from harness.wire.openai_responses.dialects import DIALECTS
from harness.wire.openai_responses.errors import error, failed, refuse, response_headers
from harness.wire.openai_responses.fold import arrivals
from harness.wire.openai_responses.in_background import BACKGROUND
from harness.wire.openai_responses.items import beyond_parts
from harness.wire.openai_responses.keeping import KEEPING
from harness.wire.openai_responses.parse import begins_answer, parse
from harness.wire.openai_responses.read import read, resolve
from harness.wire.openai_responses.render import render
from harness.wire.openai_responses.response_rules import LACKS, RESPONSE_RULES
from harness.wire.openai_responses.rules.book import COMPACT, RULES, violations
from harness.wire.openai_responses.stored import conversations
from harness.wire.openai_responses.strict import strict
from harness.wire.openai_responses.thinks import thinks
from harness.wire.openai_responses.websocket import SOCKET
from harness.wire.openai_responses.write import SETTINGS, answers, entries, returned, write
from harness.wire.probe_members import ProbeMembers

__all__ = ["WIRE"]

_NAME: Final = "openai-responses"

_PATH: Final = re.compile(r"(?:/[^/?]+)*/responses/?(?:\?.*)?")
"""Any prefix, because servers of this API differ in it: ``/v1``, ``/openai/v1``, ``/api/v1``, none."""


_COMPACTED: Final = re.compile(r"(?:/[^/?]+)*/responses/compact/?")


def _route(method: str, path: str) -> Route | None:
    return Route(_NAME) if method == "POST" and _PATH.fullmatch(path) else None


def _aside(method: str, path: str) -> Route | None:
    return Route(_NAME, aside=COMPACT) if method == "POST" and _COMPACTED.fullmatch(path) else None


def _read(route: Route, body: bytes, headers: Mapping[str, str] = NO_HEADERS, /) -> Conversation:  # noqa: ARG001
    conversation = read(body)
    return replace(conversation, aside=route.aside) if route.aside else conversation


def _path(route: Route) -> str:  # noqa: ARG001 - the body says all else
    return "/responses"


def _claim(body: Json, headers: Mapping[str, str]) -> Claim:  # noqa: ARG001 - none says it
    return Claim.LIKELY if "messages" not in body and {"input", "previous_response_id"} & body.keys() else Claim.NONE


def _without_status(item: Json) -> Json:
    return {name: value for name, value in item.items() if name != "status"}


def _without_summary(item: Json) -> Json:
    return {**item, "summary": []} if item.get("type") == "reasoning" else item


def _never_thinks(model: str) -> bool:
    return OPENAI_MODELS.value(REASONING, model) is False


WIRE: Final = Wire(
    name=_NAME,
    label="responses",
    rule_prefix="OAI",
    rules=DeclaredRules(RULES),
    models=OPENAI_MODELS,
    provider=OPENAI,
    default_model="gpt-5.5",
    history="input",
    naming_history=("previous_response_id", "conversation", "prompt"),
    grammar=Grammar(
        named,
        place,
        by_type,
        frozenset({"metadata", "tools", "tool_choice", "schema", "instructions", "prompt"}),
    ),
    settings=SETTINGS,
    route=_route,
    path=_path,
    read=_read,
    resolve=resolve,
    violations=violations,
    render=render,
    dialects=DIALECTS,
    parse=parse,
    strict=strict,
    response_rules=RESPONSE_RULES,
    lacks=LACKS,
    beyond_parts=beyond_parts,
    begins_answer=begins_answer,
    arrivals=arrivals,
    aside=_aside,
    in_place=compacted,
    auxiliary=first_of(auxiliary, by_id(KEEPING), conversations),
    unknown_path=no_such_path,
    refuse=refuse,
    error=error,
    failure=failed,
    background=BACKGROUND,
    keeping=KEEPING,
    response_headers=response_headers,
    write=write,
    entries=entries,
    returned=returned,
    answers=answers,
    claim=_claim,
    probe=ProbeMembers(
        forced=lambda name: {"tool_choice": {"type": "function", "name": name}},
        limit=lambda tokens: {"max_output_tokens": tokens},
        base={"store": False},
        unknown_tools={"tools": [{"type": "unknown_tool_type"}]},
        unknown_earlier={"previous_response_id": "resp_00000000000000000000000000000000"},
        unknown_code="previous_response_not_found",
        back=(_without_status, _without_summary),
        compacting="/compact",
    ),
    channels={"websocket": SOCKET},
    thinks=thinks,
    never_thinks=_never_thinks,
    custom_tools=True,
    texts_between_results=True,
    scripted=frozenset({"native", "members", "members of a part"}),
)
