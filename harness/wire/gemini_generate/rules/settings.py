"""Rules on the model and the settings of a request: GEM-17, 20, 24, GEM-RANGE and GEM-LOGPROBS."""

from __future__ import annotations

import re
from typing import Any, Final

from harness.wire.base import Certainty
from harness.wire.gemini_generate.models import (
    DOCUMENTED_LEVELS,
    INPUT_LIMIT,
    KNOWN,
    NO_LOGPROBS,
    THINKING_BUDGET,
    THINKING_LEVELS,
)
from harness.wire.gemini_generate.parts import camel_keys
from harness.wire.gemini_generate.rules.book import RULES
from harness.wire.gemini_generate.rules.places import ask, contents, fact, generation, settle, thinking_config
from harness.wire.gemini_generate.rules.request import Found, Request, brief, is_vertex
from harness.wire.posted import Posted, Right, Wrong, add, put
from harness.wire.rule import ErrorTemplate, WireRule, verbatim

_OWN_NAMES: Final = ("/tunedModels", "/endpoints")
"""Collections whose models their owners name."""

_MOST_STOPS: Final = 5


def _ask_without_a_version(posted: Posted) -> bool:
    """Ask another model, at a path that names no version."""
    posted.path = posted.path.replace("/v1/models/", "/models/")
    return ask(posted, "gemini-3.6-flahs")


def _ask_with_another_version(posted: Posted) -> bool:
    posted.path = posted.path.replace("/v1/", "/v1beta/")
    return True


GEM_17: Final = WireRule(
    "GEM-17",
    "The path names a model that there is.",
    "A misspelt or retired name is refused as not found, whatever the request contains.",
    "inferred",
    (
        "recordings nonexistent_model_error_preserves_status_and_body, test_model_name_suggestion[google], "
        "test_error_handling (with the older words Call ListModels), errors/bad_model/GenSync",
        "recording test_generate_content_missing_model (Vertex AI)",
    ),
    (
        ErrorTemplate(
            "models/{model} is not found for API version {version}, or is not supported for generateContent. Call "
            "ModelService.ListModels to see the list of available models and their supported methods.",
            status=404,
            seen="models/gemini-3.6-flahs is not found for API version v1beta, or is not supported for "
            "generateContent. Call ModelService.ListModels to see the list of available models and their "
            "supported methods.",
        ),
        ErrorTemplate(
            "Publisher Model `{resource}` not found.",
            status=404,
            seen="Publisher Model `projects/fake-project/locations/us-central1/publishers/google/models/"
            "gemini-does-not-exist` not found.",
            name="vertex",
        ),
        verbatim("* GenerateContentRequest.model: unexpected model name format\n", certainty="certain", name="format"),
    ),
    applies="That an unknown model is refused is certain; that a name is unknown, because no family of Google's has "
    "it, is only inferred: new models come, and tuned ones and endpoints have names of their own. A name with a blank "
    "in it is certainly refused (C), for its form.",
    wrong=(
        Wrong(
            "gem-model-misspelt",
            "The name of the model is misspelt.",
            lambda it: ask(it, "gemini-3.6-flahs"),
            "texts at-vertex",
        ),
        Wrong(
            "gem-model-misspelt-without-version",
            "The name of the model is misspelt, behind no version of the API.",
            _ask_without_a_version,
            "texts",
        ),
        Wrong(
            "gem-model-of-others", "The model is another provider's.", lambda it: ask(it, "gpt-5.5"), "texts at-vertex"
        ),
        Wrong(
            "gem-model-blank",
            "The name of the model has a blank.",
            lambda it: ask(it, "gemini%203.6"),
            "texts foreign",
            says="format",
        ),
    ),
    right=(Right("gem-version", "The API version is v1beta.", _ask_with_another_version, "one-call at-vertex"),),
)


@RULES.check("model", GEM_17)
def model_exists(request: Request) -> Found:
    """GEM-17: the model is one of Google's."""
    model, collection = request.model, request.conversation.collection
    expected, got = "the name of a model", brief(model)
    if re.search(r"\s", model):
        yield GEM_17.broken("model", template="format", expected=expected, got=got)
    elif not model or request.fact(KNOWN) or collection.endswith(_OWN_NAMES):
        return
    elif is_vertex(request.conversation):
        resource = f"{collection.removeprefix('/').removeprefix(f'{request.version}/')}/{model}"
        yield GEM_17.broken("model", template="vertex", expected=expected, got=got, resource=resource)
    else:
        yield GEM_17.broken("model", expected=expected, got=got, model=model, version=request.version)


GEM_RANGE: Final = WireRule(
    "GEM-RANGE",
    "temperature is between 0 and 2, topP between 0 and 1, and there are at most 5 stopSequences.",
    "Settings of another provider's range are refused.",
    "certain",
    (
        "recording test_generate_content_invalid_temperature (Vertex AI, gemini-2.5-pro)",
        "temperature at the Developer API: measured 2026-07 in public code with Flash, Flash-Lite and Pro; what "
        "precedes the text is inferred",
        "stop sequences: measured 2026-09 in public code (Code Assist); topP: "
        "https://ai.google.dev/api/generate-content",
    ),
    (
        ErrorTemplate(
            "* GenerateContentRequest.generation_config.temperature: temperature must be in the range [0.0, 2.0].\n",
            seen="…temperature must be in the range [0.0, 2.0]…",
        ),
        ErrorTemplate(
            "Unable to submit request because it has a temperature value of {value} but the supported range is "
            "from 0 (inclusive) to 2.0001 (exclusive). Update the value and try again.",
            seen="Unable to submit request because it has a temperature value of 1000 but the supported range is "
            "from 0 (inclusive) to 2.0001 (exclusive). Update the value and try again.",
            name="vertex",
        ),
        ErrorTemplate(
            "* GenerateContentRequest.generation_config.top_p: top_p must be in the range [0.0, 1.0].\n",
            certainty="inferred",
            name="top_p",
        ),
        ErrorTemplate(
            "* GenerateContentRequest.generation_config.stop_sequences: the number of stop_sequences must not "
            "exceed 5.\n",
            certainty="likely",
            seen="…the number of stop_sequences must not exceed 5…",
            name="stops",
        ),
    ),
    wrong=(
        Wrong(
            "gem-temperature",
            "The temperature is beyond 2.",
            lambda it: settle(generation(it), temperature=2.5),
            "one-call at-vertex old",
        ),
        Wrong(
            "gem-temperature-at-its-end",
            "The temperature is where Vertex AI begins to refuse it.",
            lambda it: settle(generation(it), temperature=2.0001),
            "at-vertex one-call",
            says="vertex",
        ),
        Wrong(
            "gem-top-p", "topP is beyond 1.", lambda it: settle(generation(it), topP=1.5), "one-call old", says="top_p"
        ),
        Wrong(
            "gem-stop-sequences",
            "There are six stop sequences.",
            lambda it: settle(generation(it), stopSequences=["a", "b", "c", "d", "e", "f"]),
            "one-call old",
            says="stops",
        ),
    ),
)


@RULES.check("values", GEM_RANGE)
def ranges(request: Request) -> Found:
    """GEM-RANGE: numbers are in their ranges."""
    temperature, top_p = (_number(request.generation.get(name)) for name in ("temperature", "topP"))
    stops = request.generation.get("stopSequences")
    at = "generation_config"
    if temperature is not None and not _fits(temperature, vertex=request.vertex):
        template, got = "vertex" if request.vertex else None, f"{temperature:g}"
        yield GEM_RANGE.broken(
            f"{at}.temperature", template=template, expected="0 to 2", got=got, value=got, bound=("value",)
        )
    if top_p is not None and not 0 <= top_p <= 1:
        yield GEM_RANGE.broken(f"{at}.top_p", template="top_p", expected="0 to 1", got=f"{top_p:g}", bound=())
    if isinstance(stops, list) and len(stops) > _MOST_STOPS:
        yield GEM_RANGE.broken(
            f"{at}.stop_sequences", template="stops", expected=f"at most {_MOST_STOPS}", got=str(len(stops)), bound=()
        )


def _fits(temperature: float, *, vertex: bool) -> bool:
    return temperature >= 0 and (temperature < 2.0001 if vertex else temperature <= 2)


def _number(value: Any) -> float | None:
    """A number, also one that is written as a text."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


_LEVELS: Final = ("minimal", "low", "medium", "high", "xhigh")


def _think_as_others_do(posted: Posted) -> bool:
    """At a level that the model does not have."""
    known = fact(posted, THINKING_LEVELS)
    levels = fact(posted, DOCUMENTED_LEVELS) if known is None else known
    if levels is None:
        return False
    level = {"thinkingLevel": next(level for level in _LEVELS if level not in levels)}
    return settle(posted.body, generationConfig={**generation(posted), "thinkingConfig": level})


def _think_beyond_the_range(posted: Posted) -> bool:
    budget = fact(posted, THINKING_BUDGET)
    return bool(budget) and settle(thinking_config(posted), thinkingBudget=budget[1] + 1)


def _stop_thinking(posted: Posted) -> bool:
    """Where thinking cannot be turned off."""
    budget = fact(posted, THINKING_BUDGET)
    return bool(budget) and not budget[2] and settle(thinking_config(posted), thinkingBudget=0)


GEM_24: Final = WireRule(
    "GEM-24",
    "thinkingLevel is one that the model has, thinkingBudget is in the model's range, and only one of them is given.",
    "What turns thinking off differs from model to model: settings that are carried over from one to the next are "
    "refused.",
    "certain",
    (
        "https://github.com/can1357/oh-my-pi/issues/10543 (Vertex AI)",
        "https://github.com/fishjar/kiss-translator/issues/1048 (the Interactions API: 'minimal' is not a supported "
        "thinking level for this model. Allowed values are: medium, low, high.)",
        "Thinking level MINIMAL …: https://github.com/BerriAI/litellm-docs/pull/1505 and the code of several clients",
        "https://github.com/RooCodeInc/Roo-Code/issues/10700 (Gemini 2.5)",
        "https://github.com/sterlp/eclipse-peon-ai/issues/115 (both)",
        "https://github.com/vercel/ai/issues/8027, https://github.com/RooCodeInc/Roo-Code/issues/4399 (budgets)",
    ),
    (
        ErrorTemplate(
            "Thinking level {level_name} is not supported for this model. Please retry with other thinking level.",
            seen="Thinking level MINIMAL is not supported for this model. Please retry with other thinking level.",
        ),
        ErrorTemplate("Thinking level is unsupported: THINKING_LEVEL_{level_name}", name="vertex"),
        verbatim("Thinking level is not supported for this model.", name="none"),
        verbatim("You can only set only one of thinking budget and thinking level.", name="both"),
        ErrorTemplate(
            "The thinking budget {budget} is invalid. Please choose a value between {least} and {most}.",
            certainty="likely",
            seen="The thinking budget 32000 is invalid. Please choose a value between 0 and 24576.",
            name="budget",
        ),
    ),
    applies="Models of which levels or budgets are known. Levels that the documentation does not name, without a known "
    "refusal: likely (L).",
    wrong=(
        Wrong(
            "gem-thinking-level",
            "The thinking level is one that the model does not have.",
            _think_as_others_do,
            "newest at-vertex old first-3 one-call",
        ),
        Wrong(
            "gem-thinking-level-and-budget",
            "Thinking has a level and a budget.",
            lambda it: settle(thinking_config(it), thinkingLevel="low", thinkingBudget=1024),
            "one-call old latest foreign",
            says="both",
        ),
        Wrong(
            "gem-thinking-budget",
            "The thinking budget is beyond the model's range.",
            _think_beyond_the_range,
            "old old-pro",
            says="budget",
        ),
        Wrong(
            "gem-thinking-off", "Thinking is turned off where it cannot be.", _stop_thinking, "old-pro", says="budget"
        ),
    ),
    right=(
        Right(
            "gem-level-lower-case",
            "The thinking level is in lower case.",
            lambda it: settle(thinking_config(it), thinkingLevel="low"),
            "one-call newest first-3 at-vertex",
        ),
    ),
)


@RULES.check("settings", GEM_24)
def thinking(request: Request) -> Found:
    """GEM-24: the model has the thinking level, and the budget is in its range."""
    config = request.generation.get("thinkingConfig")
    config = camel_keys(config) if isinstance(config, dict) else {}
    level, budget = config.get("thinkingLevel"), _number(config.get("thinkingBudget"))
    at = "generation_config.thinking_config"
    if level is not None and budget is not None:
        yield GEM_24.broken(at, template="both", expected="a level or a budget", got=f"{brief(level)} and {budget:g}")
    if isinstance(level, str) and level.upper() != "THINKING_LEVEL_UNSPECIFIED":
        yield from _level(request, f"{at}.thinking_level", level)
    if budget is not None:
        yield from _budget(request, f"{at}.thinking_budget", budget)


def _level(request: Request, at: str, level: str) -> Found:
    known, documented = request.fact(THINKING_LEVELS), request.fact(DOCUMENTED_LEVELS)
    levels = documented if known is None else known
    if levels is None or level.lower() in levels:
        return
    if not levels:
        yield GEM_24.broken(at, template="none", expected="thinkingBudget", got=brief(level))
    else:
        template = "vertex" if request.vertex else None
        certainty: Certainty | None = "likely" if known is None else None
        expected = ", ".join(levels)
        yield GEM_24.broken(
            at,
            template=template,
            certainty=certainty,
            expected=expected,
            got=brief(level),
            level_name=brief(level.upper()),
        )


def _budget(request: Request, at: str, budget: float) -> Found:
    fact = request.fact(THINKING_BUDGET)
    if fact is None or budget == -1:
        return
    least, most, can_be_off = fact
    if not least <= budget <= most and not (can_be_off and budget == 0):
        expected = f"{least} to {most}{', or 0' if can_be_off and least else ''}, or -1"
        yield GEM_24.broken(
            at, template="budget", expected=expected, got=f"{budget:g}", budget=f"{budget:g}", least=least, most=most
        )


def _ask_for_probabilities(posted: Posted) -> bool:
    settle(generation(posted), responseLogprobs=True)
    posted.path = posted.path.replace(":streamGenerateContent?alt=sse", ":generateContent")
    return bool(fact(posted, NO_LOGPROBS))


GEM_LOGPROBS: Final = WireRule(
    "GEM-LOGPROBS",
    "responseLogprobs is requested only where the answer is not streamed and the model reports probabilities.",
    "A setting for evaluations that is left on in a streaming loop.",
    "certain",
    ("recordings Scoreboard/gemini-pro-latest_thinking/GenStream-TopLogprobs and GenSync-TopLogprobs",),
    (
        verbatim("LogProbs is not supported in streaming mode", certainty="likely"),
        verbatim("Logprobs is not enabled for this model", name="model"),
    ),
    applies="Streams: recorded with one model at the Developer API, likely (L) with others. The model: as recorded.",
    wrong=(
        Wrong(
            "gem-logprobs-in-a-stream",
            "A stream is to report probabilities.",
            lambda it: settle(generation(it), responseLogprobs=True) and ":streamGenerateContent" in it.path,
            "one-call latest",
        ),
        Wrong(
            "gem-logprobs",
            "A model that reports no probabilities is to report them.",
            _ask_for_probabilities,
            "latest",
            says="model",
        ),
    ),
)


@RULES.check("settings", GEM_LOGPROBS)
def logprobs(request: Request) -> Found:
    """GEM-LOGPROBS: no probabilities in streams, and of models that give none."""
    if request.generation.get("responseLogprobs") not in (True, "true"):
        return
    refused = bool(request.fact(NO_LOGPROBS))
    at = "generation_config.response_logprobs"
    if request.conversation.stream:
        certainty: Certainty | None = "certain" if refused else None
        yield GEM_LOGPROBS.broken(at, expected="no stream, or no probabilities", got="both", certainty=certainty)
    elif refused:
        yield GEM_LOGPROBS.broken(at, template="model", expected="no probabilities", got="true")


def _fill_the_window(posted: Posted) -> bool:
    limit = fact(posted, INPUT_LIMIT)
    return bool(limit) and add(contents(posted)[:1], "parts", {"text": "so " * (limit + 1)}, at=0)


GEM_20: Final = WireRule(
    "GEM-20",
    "The input has no more tokens than the model takes.",
    "A loop that never drops anything from its history ends here, and cannot go on without dropping.",
    "likely",
    (
        "the text: in the code of several clients",
        "a lower bound of the tokens: Gemini's tokenizer, as far as that of Gemma shows it, keeps spaces with the word "
        "behind them and never joins two words, so there are at least as many tokens as words between spaces "
        "(https://arxiv.org/abs/2403.08295, section 2)",
    ),
    (
        ErrorTemplate(
            "The input token count ({tokens}) exceeds the maximum number of tokens allowed ({most}).",
            seen="The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
        ),
    ),
    applies="Models whose limit is known. That too much is refused is certain; the count is likely: the tokenizer is "
    "known from its sibling.",
    wrong=(
        Wrong(
            "gem-input-too-long",
            "The prompt has more words than the model takes tokens.",
            _fill_the_window,
            "image-model one-call",
        ),
    ),
)


@RULES.check("size", GEM_20)
def input_fits(request: Request) -> Found:
    """GEM-20: there are at least as many tokens as words between spaces. Of n characters every second begins one."""
    most = request.fact(INPUT_LIMIT)
    if most is None or _length(_read(request)) <= 2 * most:
        return
    tokens = _words(_read(request))
    if tokens > most:
        expected, got = f"at most {most} tokens", f"at least {tokens}"
        yield GEM_20.broken("contents", expected=expected, got=got, tokens=tokens, most=most)


def _read(request: Request) -> list[Any]:
    """The text that the model reads: prompts and results."""
    read: list[Any] = [request.body.get("systemInstruction")]
    for placed in request.history.parts:
        part = placed.part
        if isinstance(response := part.get("functionResponse"), dict):
            read.append(response.get("response"))
        elif not part.get("thought"):
            read.append(part.get("text"))
    return read


def _length(value: Any) -> int:
    """The characters of all texts in a JSON value, each with the end of it."""
    if isinstance(value, str):
        return len(value) + 1
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return sum(map(_length, members))


def _words(value: Any) -> int:
    """The words between spaces of all texts in a JSON value."""
    if isinstance(value, str):
        return sum(map(bool, value.split(" ")))
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return sum(map(_words, members))


GEM_25: Final = WireRule(
    "GEM-25",
    "Sampling parameters (temperature, topP, topK) are taken by Gemini 3.6 and later, and ignored.",
    "A loop need not know whether a model still looks at them.",
    "likely",
    (
        "https://ai.google.dev/gemini-api/docs/whats-new-gemini-3.6 (deprecated and ignored)",
        "one report of a refusal: https://github.com/danny-avila/LibreChat/issues/14367",
        "https://github.com/Zoo-Code-Org/Zoo-Code/issues/1052",
    ),
    applies="Values out of range are refused all the same (GEM-RANGE).",
    permits=True,
    right=(
        Right(
            "gem-sampling",
            "Sampling parameters are sent.",
            lambda it: put([generation(it)], temperature=2.0, topP=0.95, topK=64.0),
            "one-call newest old",
        ),
    ),
)

RULES.declare(GEM_25)
