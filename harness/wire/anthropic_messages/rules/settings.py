"""Model, thinking, effort, sampling and limits: what a model takes, asked of the table of models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard

from harness.finding import Finding
from harness.wire.anthropic_messages.models import MODELS
from harness.wire.anthropic_messages.rules.history import Settings
from harness.wire.anthropic_messages.rules.shape import shown
from harness.wire.anthropic_messages.rules.table.settings import (
    ANT_25,
    ANT_29,
    ANT_FORMAT,
    ANT_MODE,
    ANT_MODEL,
    ANT_OUTPUT,
    ANT_SAMPLING,
)
from harness.wire.anthropic_messages.rules.version import WITHOUT_SAMPLING, is_at_least
from harness.wire.base import Certainty, Json
from harness.wire.lenient import entries

_INTERLEAVED = "interleaved-thinking"
_SURE: Mapping[str, Certainty] = {"temperature": "certain"}
"""Of which parameters the refusal has been seen."""

_MODES = ("enabled", "disabled", "adaptive", "between_tools")


def known_model(settings: Settings) -> Iterator[Finding]:
    """ANT-MODEL: a name that no family of the provider's has."""
    if settings.model and not MODELS.holds("known", settings.model):
        expected = "a model of the provider's"
        yield ANT_MODEL.broken("model", expected=expected, got=shown(settings.model), model=settings.model)


def thinking_mode(settings: Settings) -> Iterator[Finding]:
    """ANT-MODE: the type of thinking is one that the model has."""
    asked, supported = settings.thinking.get("type"), MODELS.value("thinking", settings.model)
    if not isinstance(supported, tuple) or asked not in _MODES or asked in supported:
        return
    at, expected = "thinking.type", f"one of {', '.join(supported)}, or no thinking member"
    if "adaptive" in supported:
        template = "other" if asked == "between_tools" else "unsupported"
    else:
        template = "adaptive" if asked == "adaptive" else "other"
    yield ANT_MODE.broken(at, expected=expected, got=str(asked), template=template, type=asked)


def thinking_budget(settings: Settings) -> Iterator[Finding]:
    """ANT-25: a manual budget is below ``max_tokens``, unless thinking is interleaved with calls."""
    budget, limit = settings.thinking.get("budget_tokens"), settings.body.get("max_tokens")
    if not settings.manual or _INTERLEAVED in settings.betas:
        return
    if _is_number(budget) and _is_number(limit) and budget >= limit:
        yield ANT_25.broken("max_tokens", expected=f"more than {budget}", got=str(limit))


def sampling(settings: Settings) -> Iterator[Finding]:
    """ANT-SAMPLING: what a model takes of ``temperature``, ``top_p`` and ``top_k``, in versions that have them."""
    if is_at_least(settings, WITHOUT_SAMPLING):
        return
    asked = {name: settings.body.get(name) for name in ("temperature", "top_p", "top_k")}
    set_apart = [name for name, value in asked.items() if value is not None and (value != 1 or name == "top_k")]
    if MODELS.holds("no-sampling", settings.model):
        for name in set_apart:
            got, certainty = f"{name} {shown(asked[name])}", _SURE.get(name, "likely")
            expected, template = "no such member", "deprecated"
            yield ANT_SAMPLING.broken(
                name, expected=expected, got=got, template=template, certainty=certainty, name=name
            )
        return
    both = asked["temperature"] is not None and asked["top_p"] is not None
    if both and MODELS.holds("one-sampling", settings.model):
        yield ANT_SAMPLING.broken("top_p", expected="one of temperature and top_p", got="both", template="both")
    warm = "temperature" in set_apart and isinstance(asked["temperature"], int | float)
    if warm and settings.thinking.get("type") in ("enabled", "adaptive"):
        got = shown(asked["temperature"])
        yield ANT_SAMPLING.broken("temperature", expected="1 with thinking", got=got, template="thinking")


def effort(settings: Settings) -> Iterator[Finding]:
    """ANT-29: the effort is a level of the model's."""
    config = settings.body.get("output_config")
    asked = config.get("effort") if isinstance(config, dict) else None
    levels = MODELS.value("efforts", settings.model)
    if not isinstance(asked, str) or not isinstance(levels, tuple) or asked in levels:
        return
    at, listed = "output_config.effort", ", ".join(sorted(levels))
    if not levels:
        yield ANT_29.broken(at, expected="no effort", got=shown(asked), template="none")
    elif asked in ("low", "medium", "high", "xhigh", "max"):
        yield ANT_29.broken(at, expected=listed, got=shown(asked), effort=asked, levels=listed)


def output_limit(settings: Settings) -> Iterator[Finding]:
    """ANT-OUTPUT: no more tokens than the model can write."""
    asked, most = settings.body.get("max_tokens"), MODELS.value("output", settings.model)
    if _is_number(asked) and isinstance(most, int) and asked > most:
        words: dict[str, Any] = {"tokens": asked, "most": most, "model": settings.model}
        yield ANT_OUTPUT.broken("max_tokens", expected=f"{most} or less", got=str(asked), **words)


def output_format(settings: Settings) -> Iterator[Finding]:
    """ANT-FORMAT: in the schema of an output every object says ``additionalProperties: false``."""
    config = settings.body.get("output_config")
    formats = {"output_config.format": config.get("format") if isinstance(config, dict) else None}
    formats["output_format"] = settings.body.get("output_format")
    for at, asked in formats.items():
        if isinstance(asked, dict) and any(map(_is_open, _schemas(asked.get("schema")))):
            expected, got = '"additionalProperties": false in each object', "an object without it"
            yield ANT_FORMAT.broken(f"{at}.schema", expected=expected, got=got)


def _is_open(schema: Json) -> bool:
    return schema.get("type") == "object" and schema.get("additionalProperties") is not False


def _schemas(schema: Any) -> Iterator[Json]:
    """A schema and those in it."""
    left = [schema]
    while left:
        each = left.pop()
        if isinstance(each, dict):
            yield each
            left += [each.get("items"), *entries(each.get("anyOf")), *entries(each.get("allOf"))]
            for name in ("properties", "$defs", "definitions"):
                inner = each.get(name)
                left += inner.values() if isinstance(inner, dict) else ()


def _is_number(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
