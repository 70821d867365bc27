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
from harness.wire.gemini_generate.rules.request import Found, Request, brief, is_vertex
from harness.wire.gemini_generate.rules.table import GEM_17, GEM_20, GEM_24, GEM_LOGPROBS, GEM_RANGE

_OWN_NAMES: Final = ("/tunedModels", "/endpoints")
"""Collections whose models their owners name."""

_MOST_STOPS: Final = 5


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
    """What the model reads, as far as it is text: prompts and results."""
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
