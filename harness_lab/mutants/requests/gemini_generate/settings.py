"""Models, tools and settings that are not taken: GEM-17 to 20, 24, GEM-TOOL, RANGE and LOGPROBS."""

from __future__ import annotations

from typing import Any, Final

from harness.wire.base import Json
from harness.wire.gemini_generate.models import (
    DOCUMENTED_LEVELS,
    INPUT_LIMIT,
    NO_LOGPROBS,
    THINKING_BUDGET,
    THINKING_LEVELS,
    TOOLS_APART,
)
from harness.wire.posted import Edit, Posted
from harness_lab.mutants.requests.gemini_generate.base_requests import (
    AT_VERTEX,
    FIRST_3,
    FOREIGN,
    FOREIGN_OLD,
    IMAGE_MODEL,
    LATEST,
    NEWEST,
    OLD,
    OLD_PRO,
    ONE_CALL,
    TEXTS,
    TWO_CALLS,
)
from harness_lab.mutants.requests.gemini_generate.finding import (
    contents,
    fact,
    functions,
    generation,
    member,
    model,
    replace,
    thinking,
)
from harness_lab.mutants.requests.mutant import RequestMutant

_LEVELS: Final = ("minimal", "low", "medium", "high", "xhigh")


def ask(name: str) -> Edit:
    """Ask another model."""

    def edit(posted: Posted) -> bool:
        posted.path = posted.path.replace(f"/{model(posted)}:", f"/{name}:")
        return True

    return edit


def ask_without_a_version(posted: Posted) -> bool:
    """Ask another model, at a path that names no version."""
    posted.path = posted.path.replace("/v1/models/", "/models/")
    return bool(ask("gemini-3.6-flahs")(posted))


def _describe(**schema: Any) -> Edit:
    """Give the first function ``parameters`` with these keywords in place of a JSON Schema."""

    def edit(posted: Posted) -> bool:
        for function in functions(posted)[:1]:
            replace(function, "parametersJsonSchema", None)
            described = {"type": "object", "properties": {"path": {"type": "string"}}}
            replace(function, "parameters", {**described, **schema})
        return bool(functions(posted))

    return edit


def _calling(posted: Posted, **config: Any) -> bool:
    replace(posted.body, "toolConfig", {"functionCallingConfig": config})
    return True


def choose_from_the_undeclared(posted: Posted) -> bool:
    """Restrict the model to a function that is not declared."""
    return _calling(posted, mode="ANY", allowedFunctionNames=["delete_file"])


def choose_without_choosing(posted: Posted) -> bool:
    """Restrict the functions in a mode that allows no restriction."""
    names = [function["name"] for function in functions(posted)]
    return bool(names) and _calling(posted, mode="AUTO", allowedFunctionNames=names)


def choose_from_nothing(posted: Posted) -> bool:
    """As a loop does that takes its tools away in the last turn."""
    posted.body.pop("tools", None)
    return _calling(posted, mode="AUTO")


def fill_the_window(posted: Posted) -> bool:
    """Send a prompt that is longer than the model's input limit."""
    limit = fact(posted, INPUT_LIMIT)
    if limit:
        contents(posted)[0]["parts"].insert(0, {"text": "so " * (limit + 1)})
    return bool(limit)


def answer_in_json(posted: Posted) -> bool:
    """Demand JSON beside functions, of a model that accepts one of them only."""
    if not functions(posted) or not fact(posted, TOOLS_APART):
        return False
    replace(posted.body, "generationConfig", {**generation(posted), "responseMimeType": "application/json"})
    return True


def force_a_call_beside_json(posted: Posted) -> bool:
    """The same, while a function must be called."""
    return answer_in_json(posted) and _calling(posted, mode="ANY")


def search_beside_functions(posted: Posted) -> bool:
    """Offer a search beside functions, to a model that accepts one of them only."""
    if not functions(posted) or not fact(posted, TOOLS_APART):
        return False
    posted.body["tools"].append({"googleSearch": {}})
    return True


def _level(posted: Posted, level: str) -> bool:
    replace(posted.body, "generationConfig", {**generation(posted), "thinkingConfig": {"thinkingLevel": level}})
    return True


def think_as_others_do(posted: Posted) -> bool:
    """At a level that the model does not have."""
    known = fact(posted, THINKING_LEVELS)
    levels = fact(posted, DOCUMENTED_LEVELS) if known is None else known
    return levels is not None and _level(posted, next(level for level in _LEVELS if level not in levels))


def think_twice(posted: Posted) -> bool:
    """Set a thinking level and a thinking budget."""
    replace(thinking(posted), "thinkingLevel", "low")
    replace(thinking(posted), "thinkingBudget", 1024)
    return True


def think_beyond_the_range(posted: Posted) -> bool:
    """Set a thinking budget above the model's range."""
    budget = fact(posted, THINKING_BUDGET)
    if budget:
        replace(thinking(posted), "thinkingBudget", budget[1] + 1)
    return bool(budget)


def stop_thinking(posted: Posted) -> bool:
    """Where thinking cannot be turned off."""
    budget = fact(posted, THINKING_BUDGET)
    refused = bool(budget) and not budget[2]
    if refused:
        replace(thinking(posted), "thinkingBudget", 0)
    return refused


def _generate(**settings: Any) -> Edit:
    def edit(posted: Posted) -> bool:
        for name, value in settings.items():
            replace(generation(posted), name, value)
        return True

    return edit


def ask_for_probabilities_in_a_stream(posted: Posted) -> bool:
    """Ask for log probabilities in a streamed request."""
    replace(generation(posted), "responseLogprobs", True)
    return ":streamGenerateContent" in posted.path


def ask_for_probabilities(posted: Posted) -> bool:
    """Ask for log probabilities of a model that has none."""
    replace(generation(posted), "responseLogprobs", True)
    posted.path = posted.path.replace(":streamGenerateContent?alt=sse", ":generateContent")
    return bool(fact(posted, NO_LOGPROBS))


def _with_the_first_function(**members: Any) -> Edit:
    def edit(posted: Posted) -> bool:
        for function in functions(posted)[:1]:
            for name, value in members.items():
                replace(function, name, value)
        return bool(functions(posted))

    return edit


def declare_twice(posted: Posted) -> bool:
    """Declare the first function a second time."""
    declared = functions(posted)
    declared.extend(declared[:1])
    return bool(declared)


def _add_tool(posted: Posted, tool: Json) -> bool:
    tools = member(posted.body, "tools")
    if not isinstance(tools, list):
        posted.body["tools"] = tools = []
    tools.append(tool)
    return True


def declare_nothing(posted: Posted) -> bool:
    """Add a tool with an empty list of functions."""
    return _add_tool(posted, {"functionDeclarations": []})


def declare_too_much(posted: Posted) -> bool:
    """Add a tool with 513 functions, one more than the API accepts."""
    return _add_tool(posted, {"functionDeclarations": [{"name": f"mcp_{number}"} for number in range(513)]})


SETTINGS: Final = (
    RequestMutant(
        "gem-model-misspelt",
        "The name of the model is misspelt.",
        ("GEM-17",),
        ask("gemini-3.6-flahs"),
        (TEXTS, AT_VERTEX),
    ),
    RequestMutant(
        "gem-model-misspelt-without-version",
        "The name of the model is misspelt, behind no version of the API.",
        ("GEM-17",),
        ask_without_a_version,
        (TEXTS,),
    ),
    RequestMutant(
        "gem-model-of-others", "The model is another provider's.", ("GEM-17",), ask("gpt-5.5"), (TEXTS, AT_VERTEX)
    ),
    RequestMutant(
        "gem-model-blank", "The name of the model has a blank.", ("GEM-17",), ask("gemini%203.6"), (TEXTS, FOREIGN)
    ),
    RequestMutant(
        "gem-schema-closed",
        "The parameters of a function have a keyword that the API does not know.",
        ("GEM-18",),
        _describe(additionalProperties=False),
        (ONE_CALL, AT_VERTEX, FOREIGN),
    ),
    RequestMutant(
        "gem-schema-generated",
        "A property of a function has a keyword that the API does not know.",
        ("GEM-18",),
        _describe(properties={"kind": {"type": "string"}, "size": {"anyOf": [{"exclusiveMinimum": 0}]}}),
        (ONE_CALL, OLD),
    ),
    RequestMutant(
        "gem-schema-types",
        "A parameter has a list of types.",
        ("GEM-18",),
        _describe(properties={"path": {"type": ["string", "null"]}}),
        (ONE_CALL, OLD),
    ),
    RequestMutant(
        "gem-schema-type-unknown",
        "A parameter has a type that there is not.",
        ("GEM-18",),
        _describe(properties={"path": {"type": "any"}}),
        (ONE_CALL, OLD),
    ),
    RequestMutant(
        "gem-allowed-undeclared",
        "The model is to call a function that is not declared.",
        ("GEM-19",),
        choose_from_the_undeclared,
        (ONE_CALL, OLD, FOREIGN),
    ),
    RequestMutant(
        "gem-allowed-without-mode",
        "Functions are allowed in a mode that does not choose.",
        ("GEM-19",),
        choose_without_choosing,
        (ONE_CALL, OLD, FOREIGN),
    ),
    RequestMutant(
        "gem-calling-config-alone",
        "The tools are taken away, and the way to call them is not.",
        ("GEM-19",),
        choose_from_nothing,
        (ONE_CALL, OLD, TEXTS),
    ),
    RequestMutant(
        "gem-input-too-long",
        "The prompt has more words than the model takes tokens.",
        ("GEM-20",),
        fill_the_window,
        (IMAGE_MODEL, ONE_CALL),
    ),
    RequestMutant(
        "gem-thinking-level",
        "The thinking level is one that the model does not have.",
        ("GEM-24",),
        think_as_others_do,
        (NEWEST, AT_VERTEX, OLD, FIRST_3, ONE_CALL),
    ),
    RequestMutant(
        "gem-thinking-level-and-budget",
        "Thinking has a level and a budget.",
        ("GEM-24",),
        think_twice,
        (ONE_CALL, OLD, LATEST, FOREIGN),
    ),
    RequestMutant(
        "gem-thinking-budget",
        "The thinking budget is beyond the model's range.",
        ("GEM-24",),
        think_beyond_the_range,
        (OLD, OLD_PRO),
    ),
    RequestMutant(
        "gem-thinking-off",
        "Thinking is turned off where it cannot be.",
        ("GEM-24",),
        stop_thinking,
        (OLD_PRO,),
    ),
    RequestMutant(
        "gem-function-name",
        "A function has a name with a blank and a slash.",
        ("GEM-TOOL",),
        _with_the_first_function(name="files / list"),
        (ONE_CALL, OLD, FOREIGN_OLD),
    ),
    RequestMutant(
        "gem-function-name-long",
        "A function has a name that is too long.",
        ("GEM-TOOL",),
        _with_the_first_function(name="mcp_" + "very_" * 30 + "long"),
        (TWO_CALLS,),
    ),
    RequestMutant(
        "gem-function-twice", "A function is declared twice.", ("GEM-TOOL",), declare_twice, (ONE_CALL, OLD, FOREIGN)
    ),
    RequestMutant(
        "gem-function-two-schemas",
        "A function has parameters and a JSON Schema.",
        ("GEM-TOOL",),
        _with_the_first_function(parameters={"type": "OBJECT"}, parametersJsonSchema={"type": "object"}),
        (ONE_CALL, OLD),
    ),
    RequestMutant("gem-tool-empty", "A tool declares nothing.", ("GEM-TOOL",), declare_nothing, (ONE_CALL, TEXTS)),
    RequestMutant("gem-functions-many", "There are 513 functions.", ("GEM-TOOL",), declare_too_much, (TEXTS, OLD)),
    RequestMutant(
        "gem-list-of-anything",
        "A list in the parameters of a function has no items.",
        ("GEM-18",),
        _describe(properties={"paths": {"type": "array"}}),
        (ONE_CALL, OLD, FOREIGN),
    ),
    RequestMutant(
        "gem-parameter-untyped",
        "A parameter of a function has no type.",
        ("GEM-18",),
        _describe(properties={"path": {"description": "Where it is."}}),
        (ONE_CALL, OLD),
    ),
    RequestMutant(
        "gem-json-beside-functions",
        "An older model is asked for JSON while it has functions.",
        ("GEM-APART",),
        answer_in_json,
        (OLD, FOREIGN_OLD),
    ),
    RequestMutant(
        "gem-forced-beside-json",
        "An older model is asked for JSON while it must call a function.",
        ("GEM-APART",),
        force_a_call_beside_json,
        (OLD, FOREIGN_OLD),
    ),
    RequestMutant(
        "gem-search-beside-functions",
        "An older model has a tool of Google's beside functions.",
        ("GEM-APART",),
        search_beside_functions,
        (OLD, OLD_PRO),
    ),
    RequestMutant(
        "gem-temperature",
        "The temperature is beyond 2.",
        ("GEM-RANGE",),
        _generate(temperature=2.5),
        (ONE_CALL, AT_VERTEX, OLD),
    ),
    RequestMutant(
        "gem-temperature-at-its-end",
        "The temperature is where Vertex AI begins to refuse it.",
        ("GEM-RANGE",),
        _generate(temperature=2.0001),
        (AT_VERTEX, ONE_CALL),
    ),
    RequestMutant("gem-top-p", "topP is beyond 1.", ("GEM-RANGE",), _generate(topP=1.5), (ONE_CALL, OLD)),
    RequestMutant(
        "gem-stop-sequences",
        "There are six stop sequences.",
        ("GEM-RANGE",),
        _generate(stopSequences=["a", "b", "c", "d", "e", "f"]),
        (ONE_CALL, OLD),
    ),
    RequestMutant(
        "gem-logprobs-in-a-stream",
        "A stream is to report probabilities.",
        ("GEM-LOGPROBS",),
        ask_for_probabilities_in_a_stream,
        (ONE_CALL, LATEST),
    ),
    RequestMutant(
        "gem-logprobs",
        "A model that reports no probabilities is to report them.",
        ("GEM-LOGPROBS",),
        ask_for_probabilities,
        (LATEST,),
    ),
)
