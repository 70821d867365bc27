"""Rules on function declarations and on what goes together with them: GEM-18, GEM-19, GEM-TOOL and GEM-APART."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from harness.wire.base import Json
from harness.wire.gemini_generate.models import TOOLS_APART
from harness.wire.gemini_generate.parts import camel_keys
from harness.wire.gemini_generate.rules.book import RULES
from harness.wire.gemini_generate.rules.places import fact, functions, generation, member, settle
from harness.wire.gemini_generate.rules.request import Found, Request, brief
from harness.wire.gemini_generate.rules.shape import GEM_18
from harness.wire.lenient import entries, string
from harness.wire.posted import Posted, Right, Wrong, add
from harness.wire.rule import ErrorTemplate, WireRule, verbatim

_UNKNOWN_TEXT: Final = "Request contains an invalid argument."
"""Google's answer without any details."""

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]*")
_LONGEST_NAME: Final = 128
_MOST_FUNCTIONS: Final = 512
_FORCED: Final = "ANY"
_CHOOSING: Final = (_FORCED, "VALIDATED")
_BESIDE_A_TYPE: Final = frozenset({"description", "title", "nullable", "default", "example", "enum"})
"""Keywords that leave the type open; of a schema with an unknown keyword only the keyword is reported."""

_OWN_TOOLS: Final = ("googleSearch", "codeExecution", "urlContext")
_JSON: Final = "application/json"


def _settle_a_function(posted: Posted, **members: Any) -> bool:
    return any(settle(function, **members) for function in functions(posted)[:1])


def _declare_twice(posted: Posted) -> bool:
    declared = functions(posted)
    declared.extend(declared[:1])
    return bool(declared)


def _add_functions(posted: Posted, *names: str) -> bool:
    """Add a tool with these functions."""
    if not isinstance(member(posted.body, "tools"), list):
        posted.body["tools"] = []
    return add([posted.body], "tools", {"functionDeclarations": [{"name": name} for name in names]})


GEM_TOOL: Final = WireRule(
    "GEM-TOOL",
    "A tool declares something. Function names are unique, begin with a letter or underscore and have only letters, "
    "digits and _ . : - in at most 128 characters; a function has parameters or parametersJsonSchema, not both; there "
    "are at most 512 functions.",
    "One tool with a name that another provider allows (a blank, a slash) makes every request with tools fail.",
    "certain",
    (
        "https://github.com/google-gemini/gemini-cli/issues/9535 and /7869 (names; the limit was 64 then, "
        "https://ai.google.dev/gemini-api/docs/function-calling has 128)",
        "https://github.com/owndev/Open-WebUI-Functions/issues/135 (duplicates)",
        "https://github.com/google-gemini/gemini-cli/issues/19083, /25440 (512, Code Assist)",
        "tool_type: quoted in the code of several clients",
        "parameters and parametersJsonSchema exclude each other: google-genai 3.4, types.FunctionDeclaration; the "
        "answer is not known",
    ),
    (
        ErrorTemplate(
            "* GenerateContentRequest.{at}.name: Invalid function name. Must start with a letter or an "
            "underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes "
            "(-), with a maximum length of {longest}.\n",
            seen="* GenerateContentRequest.tools[0].function_declarations[18].name: Invalid function name. Must "
            "start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots "
            "(.), colons (:), or dashes (-), with a maximum length of 64.\n",
        ),
        ErrorTemplate(
            "Duplicate function declaration found: {name}",
            seen="Duplicate function declaration found: tool_function",
            name="duplicate",
        ),
        ErrorTemplate("Request contains an invalid argument.", certainty="likely", name="both"),
        ErrorTemplate(
            "* GenerateContentRequest.{at}.tool_type: required one_of 'tool_type' must have one initialized field\n",
            certainty="likely",
            seen="…tools[0].tool_type: required one_of 'tool_type' must have one initialized field…",
            name="empty",
        ),
        ErrorTemplate(
            "The GenerateContentRequest proto is invalid:\n  * {at}.function_declarations: [FIELD_INVALID] At most "
            "{most} function declarations can be specified.",
            certainty="likely",
            seen="The GenerateContentRequest proto is invalid:\n  * tools[0].function_declarations: "
            "[FIELD_INVALID] At most 512 function declarations can be specified.",
            name="many",
        ),
    ),
    wrong=(
        Wrong(
            "gem-function-name",
            "A function has a name with a blank and a slash.",
            lambda it: _settle_a_function(it, name="files / list"),
            "one-call old foreign-old",
        ),
        Wrong(
            "gem-function-name-long",
            "A function has a name that is too long.",
            lambda it: _settle_a_function(it, name="mcp_" + "very_" * 30 + "long"),
            "two-calls",
        ),
        Wrong(
            "gem-function-twice",
            "A function is declared twice.",
            _declare_twice,
            "one-call old foreign",
            says="duplicate",
        ),
        Wrong(
            "gem-function-two-schemas",
            "A function has parameters and a JSON Schema.",
            lambda it: _settle_a_function(it, parameters={"type": "OBJECT"}, parametersJsonSchema={"type": "object"}),
            "one-call old",
            says="both",
        ),
        Wrong("gem-tool-empty", "A tool declares nothing.", _add_functions, "one-call texts", says="empty"),
        Wrong(
            "gem-functions-many",
            "There are 513 functions.",
            lambda it: _add_functions(it, *(f"mcp_{number}" for number in range(513))),
            "texts old",
            says="many",
        ),
    ),
)


@RULES.check("members", GEM_TOOL)
def tools_declared(request: Request) -> Found:
    """GEM-TOOL: tools declare something, and functions are named and described as the API reads them."""
    for index, tool in enumerate(request.tools):
        if all(value is None or value == [] for value in tool.values()):
            yield GEM_TOOL.broken(f"tools[{index}]", template="empty", expected="a declaration", got="none")
    yield from _names(request)
    for at, function in request.functions:
        if function.get("parameters") is not None and function.get("parametersJsonSchema") is not None:
            yield GEM_TOOL.broken(at, template="both", expected="parameters or parametersJsonSchema", got="both")
    if len(request.functions) > _MOST_FUNCTIONS:
        expected, got = f"at most {_MOST_FUNCTIONS} functions", str(len(request.functions))
        yield GEM_TOOL.broken("tools[0]", template="many", expected=expected, got=got, most=_MOST_FUNCTIONS)


def _names(request: Request) -> Found:
    names = [string(function.get("name")) for _, function in request.functions]
    for (at, _), name in zip(request.functions, names, strict=True):
        valid = _NAME.fullmatch(name) is not None
        if not valid or len(name) > _LONGEST_NAME:
            expected = "letters, digits and _ . : - behind a letter or underscore" if not valid else "a shorter name"
            yield GEM_TOOL.broken(
                at,
                expected=expected,
                got=brief(name) or "no name",
                longest=_LONGEST_NAME,
                certainty="likely" if valid else None,
            )
    for name, count in Counter(names).items():
        if name and count > 1:
            yield GEM_TOOL.broken(
                "tools", template="duplicate", expected="once", got=f"{count} times", name=brief(name)
            )


@RULES.check("members", GEM_18)
def parameters_described(request: Request) -> Found:
    """GEM-18: in parameters every schema has a type, and every list its items. Their form is checked before."""
    for at, function in request.functions:
        if isinstance(parameters := function.get("parameters"), dict):
            for place, schema in _schemas(f"{at}.parameters", parameters):
                kind = string(schema.get("type")).upper()
                if kind == "ARRAY" and schema.get("items") is None:
                    yield GEM_18.broken(place, template="items", expected="items", got="a list of anything")
                elif schema.keys() <= _BESIDE_A_TYPE:
                    yield GEM_18.broken(place, template="no type", expected="a type", got="none")


def _schemas(at: str, outermost: Json) -> Iterator[tuple[str, Json]]:
    """A schema of parameters and those in it, with their places as the API spells them."""
    waiting = [(at, outermost)]
    while waiting:
        place, declared = waiting.pop()
        schema = camel_keys(declared)
        yield place, schema
        properties = schema.get("properties")
        named = properties.items() if isinstance(properties, dict) else ()
        inner = [(f"{place}.properties[{name}]", each) for name, each in named]
        inner.append((f"{place}.items", schema.get("items")))
        inner += [(f"{place}.any_of[{index}]", each) for index, each in enumerate(entries(schema.get("anyOf")))]
        waiting += [(where, each) for where, each in reversed(inner) if isinstance(each, dict)]


def _calling(posted: Posted, **config: Any) -> bool:
    return settle(posted.body, toolConfig={"functionCallingConfig": config})


def _declared_names(posted: Posted) -> list[str]:
    return [function["name"] for function in functions(posted)]


def _choose_from_nothing(posted: Posted) -> bool:
    """As a loop does that takes its tools away in the last turn."""
    posted.body.pop("tools", None)
    return _calling(posted, mode="AUTO")


def _choose(posted: Posted) -> bool:
    config = {"mode": "ANY", "allowedFunctionNames": _declared_names(posted)[:1]}
    chosen = {"functionCallingConfig": config, "includeServerSideToolInvocations": True}
    return settle(posted.body, toolConfig=chosen) and bool(functions(posted))


GEM_19: Final = WireRule(
    "GEM-19",
    "allowedFunctionNames is allowed only beside mode ANY or VALIDATED and names functions that the request declares; "
    "a functionCallingConfig only beside declared functions.",
    "A loop that takes tools away in its last turn, or renames them, must take them out of the tool config, too.",
    "likely",
    (
        "https://ai.google.dev/api/caching#FunctionCallingConfig; the answer to wrong names is not known, the text is "
        "the one that Google gives where it says nothing more",
        "Function calling config is set without function_declarations.: quoted in the code of several clients, one of "
        "them as measured 2026-05-10",
    ),
    (
        ErrorTemplate(_UNKNOWN_TEXT),
        verbatim("Function calling config is set without function_declarations.", name="alone"),
    ),
    wrong=(
        Wrong(
            "gem-allowed-undeclared",
            "The model is to call a function that is not declared.",
            lambda it: _calling(it, mode="ANY", allowedFunctionNames=["delete_file"]),
            "one-call old foreign",
        ),
        Wrong(
            "gem-allowed-without-mode",
            "Functions are allowed in a mode that does not choose.",
            lambda it: _declared_names(it) and _calling(it, mode="AUTO", allowedFunctionNames=_declared_names(it)),
            "one-call old foreign",
        ),
        Wrong(
            "gem-calling-config-alone",
            "The tools are taken away, and the way to call them is not.",
            _choose_from_nothing,
            "one-call old texts",
            says="alone",
        ),
    ),
    right=(Right("gem-function-chosen", "One function is to be called.", _choose, "one-call old"),),
)


@RULES.check("together", GEM_19)
def functions_chosen(request: Request) -> Found:
    """GEM-19: only declared functions are chosen from, and only in a mode that chooses."""
    at = "tool_config.function_calling_config"
    declared = {string(function.get("name")) for _, function in request.functions}
    if request.calling and not declared:
        yield GEM_19.broken(at, template="alone", expected="declared functions, or no config", got="no functions")
        return
    allowed, mode = entries(request.calling.get("allowedFunctionNames")), request.calling.get("mode")
    if allowed and isinstance(mode, str | None) and _mode(request) not in _CHOOSING:
        yield GEM_19.broken(at, expected=" or ".join(_CHOOSING), got=brief(mode or "no mode"))
    for name in allowed:
        if name not in declared:
            expected = brief(", ".join(sorted(declared)))
            yield GEM_19.broken(f"{at}.allowed_function_names", expected=expected, got=brief(name))


def _answer_in_json(posted: Posted) -> bool:
    """Demand JSON beside functions, of a model that accepts one of them only."""
    if not functions(posted) or not fact(posted, TOOLS_APART):
        return False
    return settle(posted.body, generationConfig={**generation(posted), "responseMimeType": "application/json"})


def _search_beside_functions(posted: Posted) -> bool:
    apart = bool(functions(posted)) and bool(fact(posted, TOOLS_APART))
    return apart and add([posted.body], "tools", {"googleSearch": {}})


def _force_a_call_beside_json(posted: Posted) -> bool:
    return _answer_in_json(posted) and _calling(posted, mode="ANY")


GEM_APART: Final = WireRule(
    "GEM-APART",
    "Functions are declared neither beside an answer in JSON (responseMimeType) nor beside tools of Google's own.",
    "A loop that asks for its final answer in JSON works as long as it has no tools, and with newer models.",
    "certain",
    (
        "https://github.com/symfony/ai/issues/803 (both texts)",
        "https://github.com/symfony/ai/issues/1777 (gemini-2.5-flash, 2026-03)",
        "https://github.com/vercel/ai, recorded errors: google-structured-output-with-tools-error (mode ANY), "
        "issue-10023-output-with-tools-error",
        "Google's own tools beside functions: likely only, as it is not known of each of them",
        "Gemini 3 takes both: recordings test_strict_mode_with_tools/google_gemini_3_pro_preview, with 200",
    ),
    (
        ErrorTemplate(
            "Function calling with a response mime type: '{kind}' is unsupported",
            seen="Function calling with a response mime type: 'application/json' is unsupported",
            name="json",
        ),
        ErrorTemplate(
            "Forced function calling (ANY mode) with a response mime type: '{kind}' is unsupported",
            seen="Forced function calling (ANY mode) with a response mime type: 'application/json' is unsupported",
            name="forced",
        ),
        verbatim("Tool use with function calling is unsupported", certainty="likely", name="own"),
    ),
    applies="Gemini 2.5 and older.",
    wrong=(
        Wrong(
            "gem-json-beside-functions",
            "An older model is asked for JSON while it has functions.",
            _answer_in_json,
            "old foreign-old",
        ),
        Wrong(
            "gem-forced-beside-json",
            "An older model is asked for JSON while it must call a function.",
            _force_a_call_beside_json,
            "old foreign-old",
            says="forced",
        ),
        Wrong(
            "gem-search-beside-functions",
            "An older model has a tool of Google's beside functions.",
            _search_beside_functions,
            "old old-pro",
            says="own",
        ),
    ),
)


@RULES.check("together", GEM_APART)
def tools_apart(request: Request) -> Found:
    """GEM-APART: older models take functions beside nothing else."""
    if not request.functions or not request.fact(TOOLS_APART):
        return
    if request.generation.get("responseMimeType") == _JSON:
        at = "generation_config.response_mime_type"
        template = "forced" if _mode(request) == _FORCED else None
        yield GEM_APART.broken(at, template=template, expected="functions or an answer in JSON", got="both", kind=_JSON)
    own = [name for tool in request.tools for name in _OWN_TOOLS if tool.get(name) is not None]
    if own:
        yield GEM_APART.broken("tools", template="own", expected="functions alone", got=f"{own[0]} beside them")


def _mode(request: Request) -> str:
    """The mode of calling functions, in upper case; empty if none is named."""
    return string(request.calling.get("mode")).upper()
