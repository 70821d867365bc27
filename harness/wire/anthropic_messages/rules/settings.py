"""Model, thinking, effort, sampling and limits: what a model accepts, by the table of models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeGuard

from harness.finding import Finding
from harness.wire.anthropic_messages.models import MODELS
from harness.wire.anthropic_messages.rules.book import SETTINGS_RULES
from harness.wire.anthropic_messages.rules.history import Settings
from harness.wire.anthropic_messages.rules.places import betas, fact, thinks
from harness.wire.anthropic_messages.rules.shape import shown
from harness.wire.anthropic_messages.rules.version import WITHOUT_SAMPLING, is_at_least
from harness.wire.base import Certainty, Json
from harness.wire.lenient import entries
from harness.wire.posted import Posted, Right, Wrong, put
from harness.wire.rule import ErrorTemplate, WireRule, verbatim

_TROUBLESHOOTING: Final = "https://platform.claude.com/docs/en/build-with-claude/thinking-troubleshooting"
_WHATS_NEW: Final = "https://platform.claude.com/docs/en/models/opus-5-5/whats-new-opus-5-5"

_INTERLEAVED = "interleaved-thinking"
_SURE: Mapping[str, Certainty] = {"temperature": "certain"}
"""The parameters with a seen refusal."""

_MODES = ("enabled", "disabled", "adaptive", "between_tools")


ANT_MODEL: Final = WireRule(
    "ANT-MODEL",
    "The model is one of the provider's.",
    "A name that is misspelt or retired is not found. Only the provider knows all names, and other servers of this "
    "wire have others: reported only on request.",
    "inferred",
    ("recordings test_model_name_suggestion[anthropic] and nonexistent_model_error_preserves_status_and_body",),
    (
        ErrorTemplate(
            "model: {model}", status=404, kind="not_found_error", seen="model: claude-sonet-4-5", name="unknown"
        ),
    ),
    wrong=(
        Wrong(
            "ant-model-misspelt",
            "The model's name is misspelt.",
            lambda it: put([it.body], model="claude-sonet-4-6"),
            "one-call",
        ),
    ),
)


@SETTINGS_RULES.check("model", ANT_MODEL)
def known_model(settings: Settings) -> Iterator[Finding]:
    """ANT-MODEL: a name that no family of the provider's has."""
    if settings.model and not MODELS.holds("known", settings.model):
        expected = "a model of the provider's"
        yield ANT_MODEL.broken("model", expected=expected, got=shown(settings.model), model=settings.model)


ANT_OUTPUT: Final = WireRule(
    "ANT-OUTPUT",
    "max_tokens is at most what the model can write.",
    "A loop with one limit for all models is refused by the smaller ones.",
    "certain",
    ("https://github.com/OpenHands/OpenHands/issues/11090", "https://platform.claude.com/docs/en/about-claude/models"),
    (
        ErrorTemplate(
            "max_tokens: {tokens} > {most}, which is the maximum allowed number of output tokens for {model}",
            seen="max_tokens: 1000000 > 64000, which is the maximum allowed number of output tokens for "
            "claude-sonnet-4-20250514",
            name="large",
        ),
    ),
    wrong=(
        Wrong(
            "ant-output-too-large",
            "More tokens are asked for than the model writes.",
            lambda it: fact(it, "output") and put([it.body], max_tokens=10_000_000),
            "one-call manual-thinking foreign",
        ),
    ),
)


@SETTINGS_RULES.check("model", ANT_OUTPUT)
def output_limit(settings: Settings) -> Iterator[Finding]:
    """ANT-OUTPUT: no more tokens than the model can write."""
    asked, most = settings.body.get("max_tokens"), MODELS.value("output", settings.model)
    if _is_number(asked) and isinstance(most, int) and asked > most:
        words: dict[str, Any] = {"tokens": asked, "most": most, "model": settings.model}
        yield ANT_OUTPUT.broken("max_tokens", expected=f"{most} or less", got=str(asked), **words)


ANT_FORMAT: Final = WireRule(
    "ANT-FORMAT",
    "A structured output has a schema, in which every object forbids additional properties.",
    "A schema that was made for another provider, or by a model class, is refused.",
    "certain",
    ("recordings beta_structured_outputs and claude-haiku-4-5-20251001/GenSync-JSON",),
    (
        ErrorTemplate(
            "{at}: For 'object' type, 'additionalProperties' must be explicitly set to false",
            seen="output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set "
            "to false",
            name="open",
        ),
        ErrorTemplate("{at}: Field required", seen="output_format.schema: Field required", name="required"),
    ),
    wrong=(
        Wrong(
            "ant-format-open",
            "The schema of the output allows more than it says.",
            lambda it: put(
                [it.body],
                output_config={
                    "format": {
                        "type": "json_schema",
                        "schema": {"type": "object", "properties": {"page": {"type": "string"}}},
                    }
                },
            ),
            "one-call manual-thinking foreign",
        ),
        Wrong(
            "ant-format-without-schema",
            "An output format has no schema.",
            lambda it: put([it.body], output_format={"type": "json_schema"}),
            "one-call manual-thinking foreign",
            says="required",
        ),
    ),
)


@SETTINGS_RULES.check("values", ANT_FORMAT)
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


def _think(posted: Posted, mode: str, **more: int) -> bool:
    """Ask for a type of thinking that the model does not have."""
    return mode not in (fact(posted, "thinking") or (mode,)) and put([posted.body], thinking={"type": mode, **more})


ANT_MODE: Final = WireRule(
    "ANT-MODE",
    "The type of thinking is one that the model supports.",
    "A change of nothing but the model's name is enough to be refused.",
    "certain",
    (
        _TROUBLESHOOTING,
        _WHATS_NEW,
        "https://github.com/vellum-ai/vellum-assistant/pull/37276",
        "https://docs.memberjunction.org/v6.2/api/functions/_memberjunction_ai-anthropic.UsesAdaptiveThinking.html",
    ),
    (
        ErrorTemplate(
            '"thinking.type.{type}" is not supported for this model. Use "thinking.type.adaptive" and '
            '"output_config.effort" to control thinking behavior.',
            seen='"thinking.type.disabled" is not supported for this model. Use "thinking.type.adaptive" and '
            '"output_config.effort" to control thinking behavior.',
            name="unsupported",
        ),
        verbatim("adaptive thinking is not supported on this model", name="adaptive"),
        ErrorTemplate('"thinking.type.{type}" is not supported for this model.', certainty="likely", name="other"),
        ErrorTemplate("{at}: Input should be {choices}", certainty="inferred", name="enum"),
        ErrorTemplate("{at}: Field required", certainty="likely", name="required"),
    ),
    wrong=(
        Wrong(
            "ant-thinking-enabled-on-a-newer-model",
            "A newer model is asked for thinking with a budget.",
            lambda it: _think(it, "enabled", budget_tokens=2000),
            "opus-4-7 bound-thinking",
        ),
        Wrong(
            "ant-thinking-adaptive-on-an-older-model",
            "An older model is asked for adaptive thinking.",
            lambda it: _think(it, "adaptive"),
            "manual-thinking opus-4-1",
            says="adaptive",
        ),
        Wrong(
            "ant-thinking-between-tools",
            "Thinking between tools is asked of a model without it.",
            lambda it: _think(it, "between_tools"),
            "one-call manual-thinking bound-thinking",
            says="other",
        ),
        Wrong(
            "ant-thinking-unknown",
            "Thinking is on.",
            lambda it: put([it.body], thinking={"type": "on"}),
            "one-call manual-thinking foreign",
            says="enum",
        ),
        Wrong(
            "ant-thinking-without-type",
            "Thinking has only a budget.",
            lambda it: put([it.body], thinking={"budget_tokens": 2000}),
            "one-call manual-thinking foreign",
            says="required",
        ),
    ),
)


@SETTINGS_RULES.check("values", ANT_MODE)
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


def _think_between_calls(posted: Posted) -> bool:
    """Allow more thinking than ``max_tokens``, which interleaved thinking permits."""
    posted.headers["anthropic-beta"] = "interleaved-thinking-2025-05-14"
    return put([posted.body], thinking={"type": "enabled", "budget_tokens": 100_000})


ANT_25: Final = WireRule(
    "ANT-25",
    "The budget of manual thinking is at least 1024 tokens and below max_tokens. With interleaved thinking it may be "
    "above.",
    "A loop that lowers max_tokens for a short answer forgets the budget that has to fit in it.",
    "likely",
    (
        "https://github.com/liuw1535/antigravity2api-nodejs/issues/150",
        "https://github.com/themaximalist/llm.js/issues/30",
        "https://platform.claude.com/docs/en/build-with-claude/extended-thinking",
    ),
    (
        verbatim(
            "`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at "
            "https://docs.claude.com/en/docs/build-with-claude/extended-thinking"
            "#max-tokens-and-context-window-size",
            name="large",
        ),
        ErrorTemplate(
            "{at}: Input should be greater than or equal to {wanted}",
            seen="thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
            name="minimum",
        ),
        ErrorTemplate("{at}: Field required", name="required"),
    ),
    applies="requests with thinking of type enabled",
    wrong=(
        Wrong(
            "ant-budget-too-large",
            "The thinking budget is as large as max_tokens.",
            lambda it: (
                _INTERLEAVED not in betas(it)
                and put([it.body], thinking={"type": "enabled", "budget_tokens": it.body["max_tokens"]})
            ),
            "opus-4-1 manual-thinking",
        ),
        Wrong(
            "ant-budget-too-small",
            "The thinking budget is 512 tokens.",
            lambda it: put([it.body], thinking={"type": "enabled", "budget_tokens": 512}),
            "manual-thinking",
            says="minimum",
        ),
        Wrong(
            "ant-budget-missing",
            "Manual thinking has no budget.",
            lambda it: put([it.body], thinking={"type": "enabled"}),
            "manual-thinking",
            says="required",
        ),
    ),
    right=(
        Right(
            "ant-interleaved-thinking",
            "A budget above max_tokens for thinking between calls.",
            _think_between_calls,
            "manual-thinking",
        ),
    ),
)


@SETTINGS_RULES.check("values", ANT_25)
def thinking_budget(settings: Settings) -> Iterator[Finding]:
    """ANT-25: a manual budget is below ``max_tokens``, unless thinking is interleaved with calls."""
    budget, limit = settings.thinking.get("budget_tokens"), settings.body.get("max_tokens")
    if not settings.manual or _INTERLEAVED in settings.betas:
        return
    if _is_number(budget) and _is_number(limit) and budget >= limit:
        yield ANT_25.broken("max_tokens", expected=f"more than {budget}", got=str(limit))


ANT_19: Final = WireRule(
    "ANT-19",
    'tool_choice forces no tool (type "tool" or "any").',
    "A loop that gets structured output by forcing a tool needs another way on models that always think.",
    "certain",
    (
        "https://github.com/can1357/oh-my-pi/issues/12939",
        "https://github.com/vercel/ai/issues/21364",
        _WHATS_NEW,
    ),
    (verbatim('tool_choice: type "tool" and "any" are not supported for this model.', name="forced"),),
    applies="Opus 5.5, Fable 5.1 and later of these, Mythos",
    wrong=(
        Wrong(
            "ant-forced-on-a-thinking-model",
            "A tool is forced on a model that always thinks.",
            lambda it: fact(it, "never-forced") and put([it.body], tool_choice={"type": "any"}),
            "bound-thinking mythos",
        ),
    ),
)

ANT_20: Final = WireRule(
    "ANT-20",
    "With manual thinking, tool_choice forces no tool.",
    "A loop that forces its final tool while thinking is enabled is refused in its last turn.",
    "certain",
    ("quoted word for word in public code, ten times", "https://github.com/srtab/daiv/pull/527"),
    (verbatim("Thinking may not be enabled when tool_choice forces tool use.", name="forced"),),
    applies="requests with thinking of type enabled",
    wrong=(
        Wrong(
            "ant-forced-with-manual-thinking",
            "A tool is forced while manual thinking is enabled.",
            lambda it: thinks(it) == "enabled" and put([it.body], tool_choice={"type": "tool", "name": "read_file"}),
            "manual-thinking opus-4-1",
        ),
    ),
)


@SETTINGS_RULES.check("values", ANT_19, ANT_20)
def forced_tool(settings: Settings) -> Iterator[Finding]:
    """ANT-19, ANT-20: no forced tool on models that always think, nor with manual thinking."""
    choice = settings.body.get("tool_choice")
    forced: Any = choice.get("type") if isinstance(choice, dict) else None
    if forced not in ("any", "tool"):
        return
    if MODELS.holds("never-forced", settings.model):
        yield ANT_19.broken("tool_choice", expected='"auto" or "none"', got=shown(forced))
    if settings.manual:
        yield ANT_20.broken("tool_choice", expected='"auto" or "none"', got=shown(forced))


def _sample(posted: Posted, **settings: float) -> bool:
    """Set sampling parameters, in a version of the API that has them."""
    return posted.headers.get("anthropic-version", "") < WITHOUT_SAMPLING and put([posted.body], **settings)


def _sample_while_thinking(posted: Posted) -> bool:
    is_on = thinks(posted) in ("enabled", "adaptive")
    return is_on and not fact(posted, "no-sampling") and _sample(posted, temperature=0.2)


ANT_SAMPLING: Final = WireRule(
    "ANT-SAMPLING",
    "Newer models take no sampling parameters, 4.1 to 4.6 only one of temperature and top_p, and with thinking the "
    "temperature is 1.",
    "Settings that are shared by all models of an application are refused by the next one.",
    "certain",
    (
        "https://github.com/UKGovernmentBEIS/inspect_ai/issues/3721",
        "https://github.com/github/app/issues/2574",
        "https://github.com/BerriAI/litellm/issues/15097",
        "https://github.com/anomalyco/opencode/issues/28930",
        "https://github.com/MartialBE/one-hub/issues/529",
        "https://github.com/MayDay-wpf/snow-app/issues/42",
    ),
    (
        ErrorTemplate(
            "`{name}` is deprecated for this model.",
            seen="`temperature` is deprecated for this model.",
            name="deprecated",
        ),
        verbatim(
            "`temperature` and `top_p` cannot both be specified for this model. Please use only one.", name="both"
        ),
        verbatim(
            "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode. Please consult our "
            "documentation at https://platform.claude.com/docs/en/build-with-claude/extended-thinking",
            name="thinking",
        ),
    ),
    applies="API versions before 2026-10-21, which has no sampling at all (ANT-26)",
    wrong=(
        Wrong(
            "ant-sampling-on-a-newer-model",
            "A newer model is given a temperature.",
            lambda it: fact(it, "no-sampling") and _sample(it, temperature=0.2),
            "opus-4-7 bound-thinking",
        ),
        Wrong(
            "ant-sampling-twice",
            "Temperature and top_p are both given.",
            lambda it: fact(it, "one-sampling") and _sample(it, temperature=1.0, top_p=0.9),
            "one-call manual-thinking version-of-2023",
            says="both",
        ),
        Wrong(
            "ant-sampling-with-thinking",
            "A temperature is given while thinking is enabled.",
            _sample_while_thinking,
            "one-call manual-thinking",
            says="thinking",
        ),
    ),
)


@SETTINGS_RULES.check("values", ANT_SAMPLING)
def sampling(settings: Settings) -> Iterator[Finding]:
    """ANT-SAMPLING: which of ``temperature``, ``top_p`` and ``top_k`` a model accepts, in versions that have them."""
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


def _try_harder(posted: Posted) -> bool:
    """Ask for the greatest effort that the model does not have."""
    levels = fact(posted, "efforts")
    for effort in ("xhigh", "max", "high") if levels is not None else ():
        if effort not in levels:
            return put([posted.body], output_config={"effort": effort})
    return False


ANT_29: Final = WireRule(
    "ANT-29",
    "output_config.effort is a level that the model supports.",
    "A loop that maps its own scale of efforts to one list for all models is refused by some.",
    "certain",
    (
        "recording test_anthropic_explicit_effort_xhigh_unsupported_model_errors",
        "https://platform.claude.com/docs/en/build-with-claude/effort",
        "on models without efforts: likely, the text is remembered",
    ),
    (
        ErrorTemplate(
            "This model does not support effort level '{effort}'. Supported levels: {levels}.",
            seen="This model does not support effort level 'xhigh'. Supported levels: high, low, max, medium.",
            name="level",
        ),
        ErrorTemplate("This model does not support the effort parameter.", certainty="likely", name="none"),
        ErrorTemplate("{at}: Input should be {choices}", certainty="inferred", name="enum"),
    ),
    wrong=(
        Wrong(
            "ant-effort-unsupported",
            "An effort is asked for that the model has not.",
            _try_harder,
            "effort one-call manual-thinking",
        ),
        Wrong(
            "ant-effort-unknown",
            "An effort is none at all.",
            lambda it: put([it.body], output_config={"effort": "extreme"}),
            "one-call manual-thinking foreign",
            says="enum",
        ),
    ),
)


@SETTINGS_RULES.check("values", ANT_29)
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


def _is_number(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
