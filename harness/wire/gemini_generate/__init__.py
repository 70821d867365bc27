"""The wire of Gemini ``generateContent`` and ``streamGenerateContent``.

It has streams of whole responses, calls that arrive in one piece with or without an id, and thought signatures that
must come back on the part that carried them. Streamed arguments (Vertex) are read and not rendered. The Interactions
API and automatic continuation are not rendered; a response that has them is parsed without failing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from harness.finding import ProviderAnswer
from harness.wire.base import NO_HEADERS, Claim, Conversation, Json, Route, Wire
from harness.wire.gemini_generate import errors
from harness.wire.gemini_generate.auxiliary import auxiliary
from harness.wire.gemini_generate.canonical import canonical
from harness.wire.gemini_generate.dialects import DIALECTS
from harness.wire.gemini_generate.fold import arrivals
from harness.wire.gemini_generate.from_client import from_client
from harness.wire.gemini_generate.grammar import GRAMMAR
from harness.wire.gemini_generate.models import MODELS
from harness.wire.gemini_generate.parse import begins_answer, parse
from harness.wire.gemini_generate.parts import beyond_parts
from harness.wire.gemini_generate.read import read, route
from harness.wire.gemini_generate.render import render
from harness.wire.gemini_generate.response_rules import LACKS, RESPONSE_RULES
from harness.wire.gemini_generate.rules.book import RULES, violations
from harness.wire.gemini_generate.strict import strict
from harness.wire.gemini_generate.thinks import thinks
from harness.wire.gemini_generate.write import SETTINGS, answers, entries, returned, write
from harness.wire.judge import DeclaredRules
from harness.wire.probe_members import ProbeMembers
from harness.wire.provider import Provider
from harness.wire.tool_choice import ToolChoice, tool_choice

__all__ = ["WIRE"]

_GOOGLE: Final = Provider(
    base_url="https://generativelanguage.googleapis.com",
    sdk="google-genai",
    base_variables=("GOOGLE_GEMINI_BASE_URL",),
    other_variables=("GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_VERTEX_BASE_URL"),
    key_variables=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    key_header="x-goog-api-key",
    key_form="{}",
)


def _read(
    route: Route,
    body: bytes,
    headers: Mapping[str, str] = NO_HEADERS,  # noqa: ARG001 - no rule of this wire depends on one
    /,
) -> Conversation:
    return read(route, body)


def _path(route: Route) -> str:
    """The path, which names the model and whether to stream; the version of the API decides what works."""
    verb = "streamGenerateContent" if route.stream else "generateContent"
    return f"{route.collection}/{route.model}:{verb}"


def _claim(body: Json, headers: Mapping[str, str]) -> Claim:  # noqa: ARG001 - none says it
    return Claim.SURE if "contents" in body else Claim.NONE


def _tool_choice(body: Json) -> ToolChoice:
    config = _member(body, "toolConfig")
    found = _member(_member(body, "tool_config") if config is None else config, "functionCallingConfig")
    names = _member(found, "allowedFunctionNames")
    return tool_choice(_member(found, "mode"), names if isinstance(names, list) else [])


def _member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


WIRE: Final = Wire(
    name="gemini-generate",
    label="gemini",
    rule_prefix="GEM",
    rules=DeclaredRules(RULES),
    models=MODELS,
    provider=_GOOGLE,
    default_model="gemini-3.6-flash",
    history="contents",
    grammar=GRAMMAR,
    settings=SETTINGS,
    route=route,
    path=_path,
    read=_read,
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
    auxiliary=auxiliary,
    unknown_path=lambda _, __: ProviderAnswer("Method not found.", 404),
    refuse=errors.refuse,
    error=errors.error,
    failure=errors.failure,
    response_headers=errors.response_headers,
    write=write,
    entries=entries,
    returned=returned,
    answers=answers,
    claim=_claim,
    probe=ProbeMembers(
        forced=lambda name: {"toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": [name]}}},
        limit=lambda tokens: {"generationConfig": {"maxOutputTokens": tokens}},
    ),
    canonical=canonical,
    from_client=from_client,
    tool_choice=_tool_choice,
    thinks=thinks,
    wait_in_error=errors.wait_in,
    minds_server=True,
    model_in_path=True,
    call_ids="optional",
    object_arguments=True,
    whole_arguments=True,
    scripted=frozenset({"native", "members", "members of a part"}),
)
