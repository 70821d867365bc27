"""What a request asks for: INT-01 to 03, 18, 19, 21, 25 to 28, 32."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from harness.wire.gemini_interactions.models import THINKING_LEVELS
from harness.wire.gemini_interactions.rules.book import RULES
from harness.wire.gemini_interactions.rules.places import configure, fact, spoken
from harness.wire.gemini_interactions.rules.request import Found, InteractionRequest, brief
from harness.wire.gemini_interactions.steps import INPUT, flattened, kind_of
from harness.wire.gemini_interactions.words import GOES_ON, REVISION, SYSTEM
from harness.wire.lenient import entries, members, objects, string
from harness.wire.posted import Posted, Wrong, add, drop, put
from harness.wire.rule import ErrorTemplate, WireRule, verbatim
from harness.wire.same_json import same_json

_INVALID: Final = "Request contains an invalid argument."

_INTERACTIONS: Final = "https://ai.google.dev/gemini-api/docs/interactions"

_ERRORS: Final = "https://ai.google.dev/gemini-api/docs/api-errors"

_SDK: Final = "google-genai 3.4.0, its types of requests"

_LEGACY: Final = (
    "The legacy Interactions API schema is no longer supported. Please upgrade your client SDK to Python >= 2.0.0 or "
    "JavaScript/TypeScript >= 2.0.0 to adopt the new 'steps' schema. For details and migration examples, see: "
    "https://ai.google.dev/gemini-api/docs/interactions-breaking-changes-may-2026"
)

INT_03: Final = WireRule(
    "INT-03",
    "A request is in the form with steps, which replaced the one with roles and outputs in 2026.",
    "Clients of early 2026 send the older form, or ask for it with a header; it is no longer served.",
    "certain",
    (
        "https://github.com/allenhutchison/gemini-cli-deep-research/issues/73",
        "https://ai.google.dev/gemini-api/docs/interactions-breaking-changes-may-2026; no recorded request that was "
        "answered has a member of it",
    ),
    (verbatim(_LEGACY),),
    wrong=(
        Wrong(
            "int-older-revision",
            "The older form is asked for.",
            lambda it: put([it.headers], **{"api-revision": "2026-05-07"}),
            "texts stateful",
        ),
        Wrong(
            "int-roles",
            "An entry of the input has a role.",
            lambda it: add([it.body], "input", {"role": "user", "parts": [{"text": "Hello."}]}, at=0),
            "texts",
        ),
        Wrong("int-contents", "The history is contents.", lambda it: put([it.body], contents=[]), "texts"),
    ),
)


@RULES.check("request", INT_03)
def schema_current(request: InteractionRequest) -> Found:
    """INT-03."""
    if (asked := request.conversation.headers.get(REVISION, "")).startswith(_OLD_REVISION):
        yield INT_03.broken(REVISION, expected="no header, or a later revision", got=brief(asked))
    for name in sorted(_OLD_MEMBERS & request.body.keys()):
        yield INT_03.broken(name, expected="input, a list of steps", got=name)
    for number, entry in enumerate(request.listed):
        for name in sorted(_OLD_MEMBERS & members(entry).keys()):
            place = f"input[{number}].{name}"
            yield INT_03.broken(place, expected="a step with a type", got=name)


INT_26: Final = WireRule(
    "INT-26",
    "A request has no member that the API does not know.",
    "Members are spelled with underscores; those of generateContent are not.",
    "likely",
    (_ERRORS,),
    (ErrorTemplate("Unknown parameter '{name}'.", kind="parameter_unknown"),),
    wrong=(
        Wrong(
            "int-humps",
            "A member is spelled in camelCase.",
            lambda it: put([it.body], generationConfig={"temperature": 0}),
            "texts",
        ),
    ),
)


@RULES.check("request", INT_26)
def members_known(request: InteractionRequest) -> Found:
    """INT-26. INT-03 reports members of the older form."""
    for name in request.body:
        if name not in _MEMBERS | _OLD_MEMBERS:
            yield INT_26.broken(name, expected="a member that the API has", got=brief(name), name=name)


_OLD_REVISION: Final = "2026-05-07"
_OLD_MEMBERS: Final = frozenset(["contents", "outputs", "role", "parts"])

_MEMBERS: Final = frozenset(
    [
        *("model", "agent", "agent_config", "environment", "input", SYSTEM, "tools", "generation_config"),
        *("tool_choice", "previous_interaction_id", "store", "background", "stream", GOES_ON),
        *("response_format", "response_mime_type", "response_modalities", "service_tier", "labels"),
        *("safety_settings", "webhook_config", "cached_content"),
    ]
)
"""``tool_choice`` is not among them, because it has its own rule."""

_TOOLS: Final = frozenset(
    [
        *("function", "google_search", "code_execution", "url_context", "file_search", "google_maps", "mcp_server"),
        *("computer_use", "retrieval", "tool_search"),
    ]
)
"""The types of tools, as google-genai 3.4.0 knows them."""


INT_01: Final = WireRule(
    "INT-01",
    "A request has a model or an agent, and not both.",
    "Which of the two answers decides what else the request may ask for.",
    "likely",
    (_INTERACTIONS, _SDK),
    (ErrorTemplate(_INVALID),),
    wrong=(
        Wrong(
            "int-model-and-agent",
            "A model and an agent are asked.",
            lambda it: put([it.body], agent="deep-research-preview-04-2026") and "model" in it.body,
            "texts",
        ),
        Wrong("int-nobody-asked", "Nobody is asked.", lambda it: drop([it.body], "model"), "texts stateful"),
    ),
)


@RULES.check("request", INT_01)
def model_or_agent(request: InteractionRequest) -> Found:
    """INT-01."""
    asked = [name for name in ("model", "agent") if request.body.get(name)]
    if len(asked) != 1:
        got = " and ".join(asked) or "neither"
        yield INT_01.broken("agent" if asked else "model", expected="a model or an agent", got=got)


INT_02: Final = WireRule(
    "INT-02",
    "The input is not empty, unless a long answer is continued.",
    "A loop that sends results only may have none to send.",
    "inferred",
    (_SDK,),
    (ErrorTemplate(_INVALID),),
    about=("prompt",),
    wrong=(Wrong("int-input-empty", "The input is empty.", lambda it: put([it.body], input=[]), "texts texts-stored"),),
)


@RULES.check("request", INT_02)
def input_present(request: InteractionRequest) -> Found:
    """INT-02. INT-03 reports the older form's member instead of the input."""
    goes_on = request.body.get(GOES_ON) and request.previous
    if not request.body.get("input") and not goes_on and "contents" not in request.body:
        yield INT_02.broken("input", expected="something to say", got=brief(request.body.get("input", "none")))


def _goes_on(posted: Posted) -> bool:
    return "previous_interaction_id" in posted.body


INT_18: Final = WireRule(
    "INT-18",
    "A request that is not to be stored names no interaction before it, and does not run in the background.",
    "Both need what is stored.",
    "likely",
    ("https://github.com/google-gemini/gemini-skills (SKILL.md of the Interactions API)", _INTERACTIONS),
    (ErrorTemplate(_INVALID),),
    wrong=(
        Wrong(
            "int-stored-nowhere",
            "What is not stored goes on.",
            lambda it: put([it.body], store=False) and _goes_on(it),
            "stateful wrapped",
        ),
        Wrong(
            "int-background-unstored",
            "What is not stored is in the background.",
            lambda it: put([it.body], store=False, background=True),
            "texts",
        ),
    ),
)


@RULES.check("request", INT_18)
def store_fits(request: InteractionRequest) -> Found:
    """INT-18."""
    if request.body.get("store") is False:
        for name in ("previous_interaction_id", "background"):
            if request.body.get(name):
                yield INT_18.broken(name, expected=f"no {name} beside store: false", got=brief(request.body[name]))


INT_32: Final = WireRule(
    "INT-32",
    "Each tool has a type that the API knows.",
    "Tools are flat, each with its type: a list of declarations, as generateContent has it, is none.",
    "likely",
    (f"{_ERRORS}, quoted at https://www.developersdigest.tech/errors/api/gemini-api", _SDK),
    (
        ErrorTemplate(
            "The value '{kind}' is not supported for 'type' at '{at}'.",
            seen="The value 'invalid_tool_type_xyz' is not supported for 'type' at 'tools[0]'.",
        ),
    ),
    wrong=(
        Wrong(
            "int-declarations",
            "Functions are in one tool.",
            lambda it: put([it.body], tools=[{"functionDeclarations": it.body.get("tools", [])}]),
            "one-call",
        ),
        Wrong(
            "int-tool-invented",
            "A tool has an unknown type.",
            lambda it: it.body.setdefault("tools", []).append({"type": "invalid_tool_type_xyz"}) or True,
            "one-call",
        ),
    ),
)


@RULES.check("request", INT_32)
def tools_known(request: InteractionRequest) -> Found:
    """INT-32."""
    for number, tool in enumerate(objects(request.body.get("tools"))):
        kind = tool.get("type")
        if not isinstance(kind, str) or kind not in _TOOLS:
            place = f"tools[{number}]"
            yield INT_32.broken(place, expected="a type of tool", got=brief(tool.get("type", "none")), kind=kind)


INT_25: Final = WireRule(
    "INT-25",
    "The choice among tools is in generation_config, and names only tools that are declared.",
    "Other APIs have it beside the tools.",
    "inferred",
    (_SDK,),
    (
        ErrorTemplate(_INVALID),
        ErrorTemplate("Unknown parameter 'tool_choice'.", kind="parameter_unknown", name="place"),
    ),
    wrong=(
        Wrong(
            "int-undeclared-allowed",
            "A tool is allowed that is not declared.",
            lambda it: configure(
                it, tool_choice={"allowed_tools": {"mode": "any", "tools": ["read_file", "write_file"]}}
            ),
            "one-call searched",
        ),
        Wrong(
            "int-choice-outside",
            "The choice among tools is beside them.",
            lambda it: put([it.body], tool_choice="auto"),
            "one-call",
            says="place",
        ),
    ),
)


@RULES.check("request", INT_25)
def choice_in_its_place(request: InteractionRequest) -> Found:
    """INT-25."""
    if "tool_choice" in request.body:
        got = brief(request.body["tool_choice"])
        yield INT_25.broken("tool_choice", template="place", expected="generation_config.tool_choice", got=got)
    declared = [string(tool.get("name")) for tool in request.functions]
    for number, name in enumerate(_allowed_tools(request)):
        if name not in declared:
            place = f"generation_config.tool_choice.allowed_tools.tools[{number}]"
            yield INT_25.broken(place, expected=f"one of {brief(', '.join(declared))}", got=brief(name))


def _allowed_tools(request: InteractionRequest) -> Iterator[Any]:
    choice = members(request.generation.get("tool_choice"))
    return iter(entries(members(choice.get("allowed_tools")).get("tools")))


INT_27: Final = WireRule(
    "INT-27",
    "thinking_level is one that the model takes.",
    "Newer models think always: minimal is refused.",
    "certain",
    ("https://github.com/fishjar/kiss-translator/issues/1048",),
    (
        ErrorTemplate(
            "'{level}' is not a supported thinking level for this model. Allowed values are: {allowed}.",
            seen="'minimal' is not a supported thinking level for this model. Allowed values are: medium, low, high.",
        ),
    ),
    applies="Gemini 3.7 Flash and later, Gemini 4",
    wrong=(
        Wrong(
            "int-little-thinking",
            "The model takes no minimal thinking.",
            lambda it: configure(it, thinking_level="minimal") and fact(it, THINKING_LEVELS) is not None,
            "two-calls foreign",
        ),
    ),
)


@RULES.check("request", INT_27)
def level_known(request: InteractionRequest) -> Found:
    """INT-27."""
    allowed, level = request.fact(THINKING_LEVELS), request.generation.get("thinking_level")
    if allowed is not None and isinstance(level, str) and level.lower() not in allowed:
        place = "generation_config.thinking_level"
        names = ", ".join(allowed)
        yield INT_27.broken(place, expected=f"one of {names}", got=brief(level), level=level, allowed=_levels(allowed))


def _levels(allowed: tuple[str, ...]) -> str:
    """The levels, in the order of the seen message."""
    order = ("medium", "low", "high")
    return ", ".join(sorted(allowed, key=order.index))


def _name_the_failed_interaction(posted: Posted) -> bool:
    failed = posted.body.get("webhook_config", {}).get("user_metadata", {}).get("failed")
    return bool(failed) and put([posted.body], previous_interaction_id=failed)


INT_19: Final = WireRule(
    "INT-19",
    "previous_interaction_id is that of an interaction that is stored, and that has not failed or been cancelled.",
    "Interactions end: after 55 days, or after one where the user does not pay, or because a client deletes them; one "
    "that was requested without a store was never there.",
    "likely",
    (_INTERACTIONS, _ERRORS),
    (
        ErrorTemplate("Requested entity was not found.", status=404, kind="not_found"),
        ErrorTemplate(_INVALID, certainty="inferred", name="failed"),
    ),
    wrong=(
        Wrong(
            "int-unknown-interaction",
            "The interaction before is unknown.",
            lambda it: _goes_on(it) and put([it.body], previous_interaction_id="v1_Cg"),
            "stateful texts-stored",
        ),
        Wrong(
            "int-failed-named",
            "A request goes on from an interaction that has failed.",
            _name_the_failed_interaction,
            "again failed-silently",
            says="failed",
        ),
    ),
)


@RULES.check("request", INT_19)
def previous_known(request: InteractionRequest) -> Found:
    """INT-19, if the endpoint has issued anything."""
    asked = request.previous
    found = request.issued.find(asked)
    if found is not None and found[1].turn.error is not None:
        got = brief(found[1].turn.error.message or found[1].turn.error.kind)
        yield INT_19.broken("previous_interaction_id", template="failed", expected="one that has not failed", got=got)
    if asked and request.issued.turns and found is None:
        kept = [reply.id for reply in request.issued.replies if reply.id]
        expected = f"an interaction that is stored: {', '.join(kept[-3:]) or 'there is none'}"
        yield INT_19.broken("previous_interaction_id", expected=brief(expected), got=brief(asked))


def _reverse(posted: Posted, name: str) -> bool:
    return put([posted.body], **{name: posted.body[name][::-1]})


def _token(posted: Posted) -> Any:
    return posted.body.get("continuation_token")


INT_28: Final = WireRule(
    "INT-28",
    "A long answer is continued by the token that it ended with, from its own interaction; where it is not stored, "
    "with the input that it has answered.",
    "A loop that does so itself may keep the token of an earlier piece, or send what has come of the answer, too.",
    "likely",
    ("google-genai 3.4.0, which continues such answers by itself",),
    (ErrorTemplate(_INVALID),),
    wrong=(
        Wrong(
            "int-token-of-nowhere",
            "A long answer is continued by another token.",
            lambda it: _token(it) and _reverse(it, "continuation_token"),
            "long long-stored",
        ),
        Wrong(
            "int-token-of-another",
            "A long answer is continued from another interaction than its own.",
            lambda it: _token(it) and _goes_on(it) and _reverse(it, "previous_interaction_id"),
            "long-stored",
            also=("INT-19",),
        ),
        Wrong(
            "int-token-beside-more",
            "Beside the token is another input than the one that the answer has begun with.",
            lambda it: _token(it) and not _goes_on(it) and add([it.body], "input", spoken("Go on.")),
            "long",
        ),
    ),
)


@RULES.check("request", INT_28)
def continued_by_its_token(request: InteractionRequest) -> Found:
    """INT-28, if an issued answer is continued."""
    token = request.body.get(GOES_ON)
    begun = [(asked, reply) for asked, reply in request.issued.turns if reply.continuation]
    if not token or not begun:
        return
    found = next(((asked, reply) for asked, reply in begun if reply.continuation == token), None)
    if found is None:
        yield INT_28.broken(GOES_ON, expected=brief(begun[-1][1].continuation), got=brief(token))
    elif found[1].id and found[1].id != request.previous:
        got = brief(request.previous or "none")
        yield INT_28.broken("previous_interaction_id", expected=found[1].id, got=got)
    elif not found[1].id and not same_json(found[0].body.get("input"), request.body.get("input")):
        yield INT_28.broken("input", expected="the input that the answer has begun with", got="another")


def _leave_the_tools_out(posted: Posted) -> bool:
    """Another question may be asked without them."""
    asks = any(kind_of(native) == INPUT for native, _ in flattened(posted.body.get("input")))
    return not asks and _goes_on(posted) and drop([posted.body], "tools")


INT_21: Final = WireRule(
    "INT-21",
    "Tools and instructions are sent with each request: an interaction inherits neither.",
    "A loop that sends them once has a model without tools or instructions from the second request on. Nobody refuses "
    "it.",
    "likely",
    (_INTERACTIONS, "https://github.com/TanStack/ai/pull/502"),
    (ErrorTemplate("The model answers without {name}.", status=200),),
    wrong=(
        Wrong("int-tools-once", "The tools are sent once.", _leave_the_tools_out, "stateful"),
        Wrong(
            "int-instructions-once",
            "The instructions are sent once.",
            lambda it: _goes_on(it) and drop([it.body], "system_instruction"),
            "stateful",
        ),
    ),
)


@RULES.check("harm", INT_21)
def settings_sent_again(request: InteractionRequest) -> Found:
    """INT-21: the settings of the interaction before are sent again."""
    found = request.issued.find(request.conversation.continues or "")
    if found is None:
        return
    asks = any(step.kind == INPUT for step in request.sent)  # another question may be asked with other tools
    for name in (SYSTEM,) if asks else ("tools", SYSTEM):
        if found[0].body.get(name) and name not in request.body:
            yield INT_21.broken(name, expected=f"{name}, which no interaction inherits", got="none", name=name)
