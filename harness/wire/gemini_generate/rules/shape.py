"""What the schema forbids, in Google's words: GEM-FIELD, GEM-TYPE, GEM-14, GEM-18 and the form of signatures (GEM-09).

Places are spelled as protobuf spells them: in snake_case, and an entry of a map by its number.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from copy import deepcopy
from typing import Any, Final

from harness.finding import Finding
from harness.wire.base import Certainty, Json
from harness.wire.gemini_generate.rules.book import RULES
from harness.wire.gemini_generate.rules.places import (
    FoundPart,
    ask,
    contents,
    encoded,
    functions,
    generation,
    member,
    model,
    parts,
    set_held,
    settle,
    sign,
    signature,
    signed_calls,
    texts_in,
)
from harness.wire.gemini_generate.rules.request import Found, Request, brief
from harness.wire.gemini_generate.schema import BASE64, INTEGER, SHAPE, both_spellings
from harness.wire.json_text import compact
from harness.wire.posted import Posted, Right, Wrong, add, put
from harness.wire.rule import ErrorTemplate, WireRule, verbatim
from harness.wire.shape import Fault

_ENTRY: Final = 2
"""The length of a path to an entry of the history; without it there is nothing to ask about, so that is certain."""

_MAPS: Final = ("properties", "defs")
"""Members that are maps of schemas. Protobuf counts a map's entries."""

_PROTO: Final = "type.googleapis.com/google.ai.generativelanguage.v1beta."

_MESSAGES: Final = {
    "contents": "Content",
    "system_instruction": "Content",
    "parts": "Part",
    "inline_data": "Blob",
    "tools": "Tool",
    "function_declarations": "FunctionDeclaration",
    "function_calling_config": "FunctionCallingConfig",
    "mode": "FunctionCallingConfig.Mode",
    "thinking_level": "ThinkingConfig.ThinkingLevel",
    "type": "Type",
    "parameters": "Schema",
    "response": "Schema",
    "response_schema": "Schema",
    "items": "Schema",
    "any_of": "Schema",
}
"""The types of members that are not named as they are."""

_SCALARS: Final = {"string": "TYPE_STRING", "number": "TYPE_FLOAT", "integer": "TYPE_INT32", "array": "TYPE_STRING"}


def _forge(posted: Posted, change: str | Callable[[FoundPart], str]) -> bool:
    return sign(signed_calls(posted)[-1:], change)


def _other_bit(found: FoundPart) -> str:
    altered = bytearray(signature(found))
    altered[len(altered) // 2] ^= 1
    return encoded(bytes(altered))


def _forge_that_of_a_text(posted: Posted) -> bool:
    signed = [text for text in texts_in(contents(posted)) if member(text.part, "thoughtSignature")]
    return sign(signed[-1:], encoded(b"my own idea"))


def _ask_another_backend(posted: Posted) -> bool:
    """Vertex AI where it was the Developer API, and the other way round."""
    if not signed_calls(posted):
        return False
    version, slash, rest = posted.path.removeprefix("/").partition("/")
    if rest.startswith("models/"):
        posted.path = f"/{version}{slash}projects/p/locations/global/publishers/google/{rest}"
    else:
        posted.path = f"/{version}/models/{rest.rpartition('/')[2]}"
    return True


def _ask_another_model(posted: Posted) -> bool:
    other = "gemini-3-flash-preview" if model(posted) != "gemini-3-flash-preview" else "gemini-3.5-flash"
    return ask(posted, other) and bool(signed_calls(posted))


def _encode_for_urls(posted: Posted) -> bool:
    """As google-genai sends signatures back, and without padding."""
    signed = [call for call in parts(contents(posted), "functionCall") if signature(call)]
    return sign(signed, lambda call: base64.urlsafe_b64encode(signature(call)).decode().rstrip("="))


GEM_09: Final = WireRule(
    "GEM-09",
    "A thoughtSignature is the bytes that the model sent with this part, from the same backend and the same model, "
    "in base64 of either alphabet.",
    "Signatures are opaque and encrypted: one that a client invents, cuts, re-encodes as text or carries over from "
    "another backend cannot be read, and the conversation is stuck with it.",
    "certain",
    (
        "https://github.com/google-gemini/gemini-cli/issues/13467",
        "https://github.com/charmbracelet/crush/issues/1698",
        "https://github.com/heyhuynhgiabuu/proxypal/issues/119",
        "https://github.com/alphaXiv/agents/pull/61 (replayed at another backend)",
        "https://github.com/lbjlaq/Antigravity-Manager/pull/3342 (Invalid thought signature.)",
        "https://github.com/decolua/9router/issues/301 (Vertex AI; its texts of this kind go on with Learn more: "
        "https://github.com/lobehub/lobehub/issues/7985)",
    ),
    (
        verbatim("Corrupted thought signature."),
        verbatim("Invalid thought signature.", name="backend"),
        ErrorTemplate("Invalid thought signature.", certainty="likely", name="model"),
        ErrorTemplate("Corrupted thought signature.", certainty="likely", name="text"),
        ErrorTemplate(
            "Unable to submit request because Thought signature is not valid.. Learn more: "
            "https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/gemini",
            certainty="likely",
            seen="Unable to submit request because Thought signature is not valid..…",
            name="vertex",
        ),
        ErrorTemplate(
            "Invalid value at '{at}' (TYPE_BYTES), Base64 decoding failed for \"{value}\"",
            certainty="likely",
            name="base64",
        ),
    ),
    applies="Only what the endpoint has issued is compared. Models that do not check signatures (GEM-16): inferred "
    "(I).",
    about=("thinking",),
    wrong=(
        Wrong(
            "gem-signature-forged",
            "The signature of a call is a client's own.",
            lambda it: _forge(it, encoded(b"my own idea")),
            "one-call steps at-vertex newest without-ids old",
        ),
        Wrong(
            "gem-signature-altered",
            "One bit of a call's signature is another.",
            lambda it: _forge(it, _other_bit),
            "one-call steps at-vertex newest without-ids old",
        ),
        Wrong(
            "gem-signature-cut",
            "The signature of a call is cut, as by a database column.",
            lambda it: _forge(it, lambda call: encoded(signature(call)[:-3])),
            "one-call steps at-vertex newest without-ids old",
        ),
        Wrong(
            "gem-signature-no-base64",
            "The signature of a call is sent as text that is no base64.",
            lambda it: _forge(it, "<signature>"),
            "one-call steps at-vertex newest without-ids old foreign",
            says="base64",
        ),
        Wrong(
            "gem-text-signature-forged",
            "The signature of a text is a client's own.",
            _forge_that_of_a_text,
            "texts steps",
        ),
        Wrong(
            "gem-backend-changed",
            "The conversation goes on at Google's other backend.",
            _ask_another_backend,
            "one-call at-vertex steps old",
            says="backend",
        ),
        Wrong(
            "gem-model-changed",
            "The conversation goes on with another model.",
            _ask_another_model,
            "one-call without-ids at-vertex",
            says="backend",
        ),
    ),
    right=(
        Right(
            "gem-url-safe-base64",
            "Signatures are in the other alphabet of base64.",
            _encode_for_urls,
            "one-call steps at-vertex without-ids",
        ),
    ),
)

GEM_14: Final = WireRule(
    "GEM-14",
    "The args of a function call and the response of a function response are JSON objects.",
    "A tool's text or list must be wrapped in an object, and arguments that could not be parsed cannot go back as "
    "text.",
    "likely",
    ("quoted in the code of several clients; Code Assist answers the same with a request. in front of the place",),
    (
        ErrorTemplate(
            "Invalid value at '{at}' (type.googleapis.com/google.protobuf.Struct), {value}",
            seen="Invalid value at 'contents[2].parts[0].function_response.response' "
            '(type.googleapis.com/google.protobuf.Struct), "…"',
        ),
        ErrorTemplate(
            'Invalid JSON payload received. Unknown name "{name}"{where}: Proto field is not repeating, cannot '
            "start list.",
            seen='Invalid JSON payload received. Unknown name "response"…: Proto field is not repeating, cannot '
            "start list.",
            name="list",
        ),
    ),
    about=("words",),
    wrong=(
        Wrong(
            "gem-response-text",
            "A response is a text.",
            lambda it: set_held(it, "functionResponse", response="ok"),
            "one-call foreign",
        ),
        Wrong(
            "gem-response-list",
            "A response is a list.",
            lambda it: set_held(it, "functionResponse", response=[{"output": "ok"}]),
            "one-call foreign",
            says="list",
        ),
        Wrong(
            "gem-arguments-text",
            "The arguments of a call go back as the text that they were streamed as.",
            lambda it: set_held(it, "functionCall", args='{"path": "src"}'),
            "one-call old foreign",
        ),
        Wrong(
            "gem-arguments-list",
            "The arguments of a call go back as a list.",
            lambda it: set_held(it, "functionCall", args=["src"]),
            "one-call foreign",
            says="list",
        ),
    ),
)

_FREE: Final = ("args", "response", "parametersJsonSchema", "properties")
"""Members below which names are not the API's."""


def _in_snake_case(value: Any) -> Any:
    if isinstance(value, list):
        return [_in_snake_case(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    return {both_spellings(name)[-1]: each if name in _FREE else _in_snake_case(each) for name, each in value.items()}


def _spell_as_protobuf(posted: Posted) -> bool:
    posted.body = _in_snake_case(posted.body)
    return True


GEM_FIELD: Final = WireRule(
    "GEM-FIELD",
    "Every member of the request is one that the API knows, and only repeated members contain a list.",
    "Members of other APIs (an id on a part, a role inside parts, cache_control) are refused by name, wherever they "
    "are.",
    "likely",
    (
        "https://github.com/gera2ld/ai.nvim/issues/13",
        "https://github.com/fishjar/kiss-translator/issues/256",
        "https://github.com/Chevey339/kelivo/issues/543",
        "https://github.com/google-gemini/gemini-cli/issues/13972",
        "the members: google-genai 3.4, types; likely (L) only, as the API may have grown since",
        "the second text: protobuf's ProtoStreamObjectWriter, and the code of several clients",
    ),
    (
        ErrorTemplate(
            'Invalid JSON payload received. Unknown name "{name}"{where}: Cannot find field.',
            seen="Invalid JSON payload received. Unknown name \"role\" at 'contents[0].parts': Cannot find field.",
        ),
        ErrorTemplate(
            'Invalid JSON payload received. Unknown name "{name}"{where}: Proto field is not repeating, cannot '
            "start list.",
            seen='Invalid JSON payload received. Unknown name "type"…: Proto field is not repeating, cannot start '
            "list.",
            name="list",
        ),
    ),
    wrong=(
        Wrong(
            "gem-member-of-others",
            "The body has a member of another API.",
            lambda it: put([it.body], stream=True),
            "one-call old foreign",
        ),
        Wrong(
            "gem-content-id",
            "A content has an id of the client's.",
            lambda it: put(contents(it)[-1:], id="msg_1"),
            "one-call old",
        ),
        Wrong(
            "gem-part-cached",
            "A part has another API's mark for its cache.",
            lambda it: put(contents(it)[0]["parts"][:1], cache_control={"type": "ephemeral"}),
            "one-call old",
        ),
        Wrong(
            "gem-response-flag",
            "A response has a flag for its failure.",
            lambda it: [put([each.held], isError=False) for each in parts(contents(it), "functionResponse")[-1:]],
            "one-call steps old",
        ),
        Wrong(
            "gem-setting-of-others",
            "The settings have a member of another API.",
            lambda it: put([generation(it)], max_tokens=1024),
            "one-call old",
        ),
        Wrong(
            "gem-role-list",
            "A role is a list.",
            lambda it: put(contents(it)[-1:], role=["user"]),
            "one-call old",
            says="list",
        ),
    ),
    right=(
        Right(
            "gem-snake-case",
            "All names are spelled in snake_case.",
            _spell_as_protobuf,
            "two-calls steps at-vertex old foreign",
        ),
    ),
)


def _send_single_objects(posted: Posted) -> bool:
    """Send an object in the place of each list that has one element."""
    for content in contents(posted):
        if len(content["parts"]) == 1:
            content["parts"] = content["parts"][0]
    return put([posted.body], tools=member(posted.body, "tools")[0])


def _send_nulls(posted: Posted) -> bool:
    """Send null for members that are not set."""
    put([posted.body], toolConfig=None, safetySettings=None, cachedContent=None)
    return put((part for content in contents(posted) for part in content["parts"]), partMetadata=None)


GEM_TYPE: Final = WireRule(
    "GEM-TYPE",
    "Every member has the type that the API declares: text, number, truth value, one of an enumeration, or an object.",
    "A number as a text that is none, or a text for an object, is refused before anything is looked at.",
    "likely",
    (
        "protobuf's JSON reader, as quoted for other members: "
        "https://github.com/agno-agi/agno/issues/2649, https://github.com/decolua/9router/issues/2489",
    ),
    (
        ErrorTemplate(
            "Invalid value at '{at}' ({type}), {value}",
            seen="Invalid value at 'tools[0].function_declarations[1].parameters.properties[0].value.type' "
            '(type.googleapis.com/google.cloud.aiplatform.v1beta1.Type), ""',
        ),
        ErrorTemplate("Invalid value at '{at}' (TYPE_BYTES), Base64 decoding failed for \"{value}\"", name="base64"),
    ),
    wrong=(
        Wrong("gem-contents-text", "The history is a text.", lambda it: put([it.body], contents="Hi"), "texts old"),
        Wrong("gem-content-text", "A content is a text.", lambda it: put([it.body], contents=["Hi"]), "texts foreign"),
        Wrong("gem-part-text", "A part is a text.", lambda it: put(contents(it)[-1:], parts=["Go on."]), "texts old"),
        Wrong(
            "gem-system-text",
            "The system instruction is a text.",
            lambda it: put([it.body], systemInstruction="You answer."),
            "one-call old",
        ),
        Wrong(
            "gem-text-number",
            "A text is a number.",
            lambda it: [put([each.part], text=5) for each in texts_in(contents(it))[:1]],
            "one-call old",
        ),
        Wrong(
            "gem-text-object",
            "A text is an object.",
            lambda it: [put([each.part], text={"value": "Hi"}) for each in texts_in(contents(it))[:1]],
            "one-call old",
        ),
        Wrong(
            "gem-temperature-text",
            "The temperature is a word.",
            lambda it: settle(generation(it), temperature="warm"),
            "one-call old",
        ),
        Wrong(
            "gem-level-unknown",
            "The thinking level is a word that there is not.",
            lambda it: settle(it.body, generationConfig={"thinkingConfig": {"thinkingLevel": "TURBO"}}),
            "one-call foreign",
        ),
        Wrong(
            "gem-image-no-base64",
            "The data of an image are an address.",
            lambda it: add(
                contents(it)[:1],
                "parts",
                {"inlineData": {"mimeType": "image/png", "data": "https://example.com/a.png"}},
            ),
            "one-call old",
        ),
    ),
    right=(
        Right(
            "gem-single-objects", "A single object replaces a list of one.", _send_single_objects, "one-call steps old"
        ),
        Right("gem-nulls", "Members that are not set are null.", _send_nulls, "one-call steps old"),
        Right(
            "gem-numbers-as-texts",
            "Numbers are written as texts, and a whole number as 40.0.",
            lambda it: put([generation(it)], temperature="0.5", maxOutputTokens="4096", topK=40.0),
            "one-call old",
        ),
    ),
)


def _describe(posted: Posted, **schema: Any) -> bool:
    """Give the first function ``parameters`` with these keywords instead of a JSON Schema."""
    described = {"type": "object", "properties": {"path": {"type": "string"}}, **schema}
    return any(settle(each, parametersJsonSchema=None, parameters=described) for each in functions(posted)[:1])


def _describe_as_openapi(posted: Posted) -> bool:
    for function in functions(posted):
        path = {"type": "STRING", "nullable": True, "format": "enum", "enum": ["a"], "anyOf": [{"type": "STRING"}]}
        schema = {"type": "OBJECT", "properties": {"path": path, "additionalProperties": path}, "required": ["path"]}
        settle(function, parametersJsonSchema=None, parameters=deepcopy(schema))
    return bool(functions(posted))


GEM_18: Final = WireRule(
    "GEM-18",
    "The parameters of a function (and responseSchema) have only the keywords of the OpenAPI subset that the API "
    "knows, with one type each, and a list says its items. Any JSON Schema goes into parametersJsonSchema "
    "(responseJsonSchema).",
    "Schema generators write additionalProperties, $schema, const, exclusiveMinimum or a list of types; one of them "
    "anywhere in one tool, and every request with tools is refused.",
    "likely",
    (
        "https://github.com/zed-industries/zed/issues/44875",
        "https://github.com/pizza-bot-app/pizza-bot/issues/62 (gemini-3.8-flash, gemini-2.5-flash)",
        "https://github.com/decolua/9router/pull/3018",
        "https://github.com/router-for-me/CLIProxyAPI/issues/97",
        "https://github.com/zereight/gitlab-mcp/issues/166 (an unknown type)",
        "https://github.com/anomalyco/opencode/pull/49392 (lists without items, 2026)",
        "https://github.com/danny-avila/LibreChat/issues/6971 (no type, 2025)",
        "the keywords: google-genai 3.4, types.Schema, but for additionalProperties, which it has and the API refuses",
    ),
    (
        ErrorTemplate(
            'Invalid JSON payload received. Unknown name "{name}"{where}: Cannot find field.',
            seen='Invalid JSON payload received. Unknown name "exclusiveMinimum" at '
            "'tools[0].function_declarations[6].parameters.properties[3].value.any_of[0]': Cannot find field.",
        ),
        ErrorTemplate(
            "* GenerateContentRequest.{at}.items: missing field.\n",
            certainty="certain",
            seen="* GenerateContentRequest.tools[0].function_declarations[71].parameters.properties[request]."
            "properties[settings].properties[keywordsSetter].any_of[0].items: missing field.\n",
            name="items",
        ),
        ErrorTemplate(
            "* GenerateContentRequest.{at}.type: must be specified when not using one_of, any_of or all_of fields\n",
            seen="* GenerateContentRequest.tools[0].function_declarations[0].parameters.properties[commit_hash]."
            "type: must be specified when not using one_of, any_of or all_of fields\n",
            name="no type",
        ),
        ErrorTemplate(
            'Invalid JSON payload received. Unknown name "{name}"{where}: Proto field is not repeating, cannot '
            "start list.",
            seen='Invalid JSON payload received. Unknown name "type"…: Proto field is not repeating, cannot start '
            "list.",
            name="list",
        ),
        ErrorTemplate(
            "Invalid value at '{at}' ({type}), {value}",
            seen="Invalid value at 'tools[0].function_declarations[6].parameters.properties[11].value.any_of[0]"
            '.type\' (type.googleapis.com/google.ai.generativelanguage.v1beta.Type), ""',
            name="value",
        ),
    ),
    wrong=(
        Wrong(
            "gem-schema-closed",
            "The parameters of a function have a keyword that the API does not know.",
            lambda it: _describe(it, additionalProperties=False),
            "one-call at-vertex foreign",
        ),
        Wrong(
            "gem-schema-generated",
            "A property of a function has a keyword that the API does not know.",
            lambda it: _describe(
                it, properties={"kind": {"type": "string"}, "size": {"anyOf": [{"exclusiveMinimum": 0}]}}
            ),
            "one-call old",
        ),
        Wrong(
            "gem-schema-types",
            "A parameter has a list of types.",
            lambda it: _describe(it, properties={"path": {"type": ["string", "null"]}}),
            "one-call old",
            says="list",
        ),
        Wrong(
            "gem-schema-type-unknown",
            "A parameter has a type that there is not.",
            lambda it: _describe(it, properties={"path": {"type": "any"}}),
            "one-call old",
            says="value",
        ),
        Wrong(
            "gem-list-of-anything",
            "A list in the parameters of a function has no items.",
            lambda it: _describe(it, properties={"paths": {"type": "array"}}),
            "one-call old foreign",
            says="items",
        ),
        Wrong(
            "gem-parameter-untyped",
            "A parameter of a function has no type.",
            lambda it: _describe(it, properties={"path": {"description": "Where it is."}}),
            "one-call old",
            says="no type",
        ),
    ),
    right=(
        Right(
            "gem-openapi-parameters",
            "Parameters are described in the OpenAPI subset.",
            _describe_as_openapi,
            "one-call old",
        ),
    ),
)


@RULES.check("json", GEM_09, GEM_14, GEM_18, GEM_FIELD, GEM_TYPE)
def form(request: Request) -> Found:
    """Every fault of the body, from front to back."""
    body = request.conversation.body
    for fault in SHAPE.faults(body):
        yield _violation(fault, body)


_LISTS: Final = {GEM_14.id: GEM_14, GEM_18.id: GEM_18}


def _violation(fault: Fault, body: Json) -> Finding:
    at = _place(fault.path, body)
    if fault.keyword == "additionalProperties":
        rule = GEM_18 if fault.rule == GEM_18.id else GEM_FIELD
        return rule.broken(
            at or "body",
            expected="a member that the API knows",
            got=fault.member,
            name=fault.member,
            where=_where(at),
        )
    if isinstance(fault.value, list):
        return _list_for_one(fault, at, body)
    if fault.wanted == BASE64:
        rule = GEM_09 if fault.rule == GEM_09.id else GEM_TYPE
        return rule.broken(at, template="base64", expected="base64", got=brief(fault.value), value=fault.value)
    if isinstance(fault.value, dict):
        return _object_for_scalar(fault, at, body)
    return _wrong_type(fault, at)


def _list_for_one(fault: Fault, at: str, body: Json) -> Finding:
    name = next((step for step in reversed(fault.path) if isinstance(step, str)), "")
    where = _where(_place(fault.path[:-1], body))
    rule = _LISTS.get(fault.rule, GEM_FIELD)
    return rule.broken(at, template="list", expected="no list", got=brief(compact(fault.value)), name=name, where=where)


def _object_for_scalar(fault: Fault, at: str, body: Json) -> Finding:
    name, problem = _snake(str(fault.path[-1])), "Starting an object on a scalar field"
    rule, template = (GEM_18, "value") if fault.rule == GEM_18.id else (GEM_TYPE, None)
    parent, expected = _place(fault.path[:-1], body) or "body", f"no object as {name}"
    return rule.broken(parent, template=template, expected=expected, got=f"an object at {at}", type=name, value=problem)


def _wrong_type(fault: Fault, at: str) -> Finding:
    value = compact(fault.value)
    if fault.rule == GEM_14.id:
        return GEM_14.broken(at, expected="a JSON object", got=brief(value), value=value)
    kind = _type(fault)
    wanted = kind.rpartition(".")[2]
    if fault.rule == GEM_18.id:
        return GEM_18.broken(at, template="value", expected=wanted, got=brief(value), type=kind, value=value)
    certainty: Certainty | None = "certain" if fault.path[0] == "contents" and len(fault.path) <= _ENTRY else None
    return GEM_TYPE.broken(at, certainty=certainty, expected=wanted, got=brief(value), type=kind, value=value)


def _type(fault: Fault) -> str:
    """The protobuf type of the member that has the wrong one."""
    name = next((_snake(step) for step in reversed(fault.path) if isinstance(step, str)), "")
    wanted = fault.wanted
    if "true" in wanted:
        return "TYPE_BOOL"
    if fault.keyword == "pattern":
        return "TYPE_INT32" if wanted == INTEGER else "TYPE_FLOAT"
    if wanted[0] in _SCALARS:
        return _SCALARS[wanted[0]]
    if fault.rule == GEM_18.id and wanted[0] == "object":
        return f"{_PROTO}Schema"
    return f"{_PROTO}{_MESSAGES.get(name) or _camel(name)}"


def _place(path: tuple[str | int, ...], body: Any) -> str:
    """``tools[0].function_declarations[1].parameters.properties[0].value.type``."""
    place, here = "", body
    inside: str | int = ""
    for step in path:
        if isinstance(step, int):
            place += f"[{step}]"
        elif inside in _MAPS:
            place += f"[{[*here, step].index(step)}].value"
        else:
            place += f".{_snake(step)}"
        inside = step if inside not in _MAPS else ""
        # A name that UTF-8 cannot encode is reported under another name than it has here.
        here = here.get(step, {}) if isinstance(here, dict) else here[step] if here else {}
    return place.removeprefix(".")


def _where(at: str) -> str:
    return f" at '{at}'" if at else ""


def _snake(name: str) -> str:
    return both_spellings(name)[-1]


def _camel(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))
