"""The wire of Gemini's Interactions API (``POST …/interactions``), streamed and whole.

One answer is an interaction: a list of typed steps. A client continues with the interaction's id and the results of its
calls, or sends every step again; results may be wrapped in a ``user_input``. All forms are read as one history.

steps         native steps <-> neutral parts, shared by all the others
ends          status, errors and token counts
render        a turn as bytes; ``parse`` reads bytes as steps and a turn
read          a request as a conversation; ``write`` the inverse, and how a client goes on
keeping       interactions by their ids: fetched, cancelled, deleted, made in the background
rules         what a request must be, judged against what was sent
errors        error answers and headers
"""

from __future__ import annotations

from typing import Any, Final

from harness.finding import ProviderAnswer
from harness.wire.base import Json, Route, Wire
from harness.wire.gemini_interactions.claim import begins_answer, claim
from harness.wire.gemini_interactions.errors import answer, failure, refusal, response_headers
from harness.wire.gemini_interactions.fold import arrivals
from harness.wire.gemini_interactions.keeping import BACKGROUND, KEEPING
from harness.wire.gemini_interactions.models import MODELS
from harness.wire.gemini_interactions.parse import parse
from harness.wire.gemini_interactions.read import read, resolve, route
from harness.wire.gemini_interactions.render import render
from harness.wire.gemini_interactions.response_rules import LACKS, RESPONSE_RULES
from harness.wire.gemini_interactions.rules.book import RULES, violations
from harness.wire.gemini_interactions.strict import strict
from harness.wire.gemini_interactions.thinks import thinks
from harness.wire.gemini_interactions.words import GOES_ON, NAME
from harness.wire.gemini_interactions.write import SETTINGS, answers, entries, returned, write
from harness.wire.grammar import Grammar, by_type
from harness.wire.judge import DeclaredRules
from harness.wire.kept_answers import by_id
from harness.wire.lenient import members
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


def _path(route: Route) -> str:  # noqa: ARG001 - the body says all else
    return "/interactions"


def _tool_choice(body: Json) -> ToolChoice:
    choice = members(body.get("generation_config")).get("tool_choice")
    allowed = members(members(choice).get("allowed_tools"))
    names = allowed.get("tools")
    return tool_choice(allowed.get("mode", choice), names if isinstance(names, list) else [])


def _kind(event: Any) -> str:
    """The event's type with the type of what it opens or brings. A server tool's delta has the type of its step."""
    if not isinstance(event, dict):
        return str(event)[:20]
    carried: Json = next((event[name] for name in ("step", "delta") if isinstance(event.get(name), dict)), {})
    inner = carried.get("type")
    return f"{event.get('event_type')} {inner}" if isinstance(inner, str) else str(event.get("event_type"))


def _place(kind: str) -> str:
    return kind.partition(" ")[0]


def _mark(name: str, value: Json) -> str:
    kind = value.get("type") if name == "step" else None
    return f"<{kind}>" if isinstance(kind, str) else by_type(name, value)


WIRE: Final = Wire(
    name=NAME,
    label="interactions",
    rule_prefix="INT",
    rules=DeclaredRules(RULES),
    models=MODELS,
    provider=_GOOGLE,
    default_model="gemini-3.8-flash",
    history="input",
    naming_history=("previous_interaction_id", GOES_ON),
    grammar=Grammar(_kind, _place, _mark, frozenset({"arguments", "result", "parameters", "labels", "schema"})),
    settings=SETTINGS,
    route=route,
    path=_path,
    read=read,
    resolve=resolve,
    violations=violations,
    render=render,
    parse=parse,
    strict=strict,
    response_rules=RESPONSE_RULES,
    lacks=LACKS,
    begins_answer=begins_answer,
    arrivals=arrivals,
    refuse=refusal,
    error=answer,
    failure=failure,
    background=BACKGROUND,
    keeping=KEEPING,
    auxiliary=by_id(KEEPING),
    unknown_path=lambda _, __: ProviderAnswer("Method not found.", 404),
    response_headers=response_headers,
    write=write,
    entries=entries,
    returned=returned,
    answers=answers,
    claim=claim,
    tool_choice=_tool_choice,
    thinks=thinks,
    event_name="event_type",
    on_request=True,
    marks_failures=True,
    scripted=frozenset({"native", "members", "members of a part"}),
    can_pause=True,
    goes_on_by_token=True,
    object_arguments=True,
    documents_need_valid_arguments=True,
)
