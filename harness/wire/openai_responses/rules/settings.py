"""The request as a whole, and its numbers: OAI-02, OAI-03, OAI-22."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from harness.finding import Finding
from harness.wire.openai_models import KNOWN, OPENAI_MODELS
from harness.wire.openai_responses.rules.asked import Asked
from harness.wire.openai_responses.rules.book import RULES
from harness.wire.openai_responses.rules.places import ask, names_its_history
from harness.wire.openai_responses.rules.words import brief, spelled
from harness.wire.posted import Posted, Right, Wrong, drop, put
from harness.wire.rule import ErrorTemplate, WireRule, verbatim
from harness.wire.shape import Fault


def _name_a_prompt(posted: Posted) -> bool:
    drop([posted.body], "model", "reasoning")
    return put([posted.body], prompt={"id": "pmpt_1"})


OAI_02: Final = WireRule(
    "OAI-02",
    "The request names a model that exists. A stored prompt may bring its own.",
    "A misspelt or retired name fails at the first request. Responses answers 400 where Chat answers 404, so a loop "
    "that looks for 404 does not recognise it.",
    "certain",
    (
        "recordings test_model_name_suggestion[openai-responses], test_inferred_model_name_suggestion, bad_model",
        "openai.types.ResponsesModel of the official SDK for the names",
    ),
    (
        ErrorTemplate(
            "The requested model '{model}' does not exist.",
            "model",
            "model_not_found",
            seen="The requested model 'gpt-5.2-proo' does not exist.",
            name="unknown",
        ),
        ErrorTemplate(
            "Missing required parameter: 'model'.",
            "model",
            "missing_required_parameter",
            certainty="likely",
            name="missing",
        ),
    ),
    applies="certain for a name that no model can have (with a space in it); inferred for one that no "
    "family in the model table has, because other servers have models of their own",
    wrong=(
        Wrong(
            "responses-model-blank",
            "The model's name is a title.",
            lambda it: put([it.body], model="GPT 5.5 Pro"),
            "one-call",
        ),
        Wrong(
            "responses-model-unknown",
            "The model's name is misspelt.",
            lambda it: put([it.body], model="gtp-5.5"),
            "one-call without-reasoning",
        ),
        Wrong(
            "responses-model-forgotten",
            "No model is named.",
            lambda it: not it.body.get("prompt") and drop([it.body], "model"),
            "one-call named-history",
            says="missing",
        ),
    ),
    right=(
        Right("responses-model-of-a-prompt", "A prompt says which model it is for.", _name_a_prompt, "foreign-history"),
    ),
)


@RULES.check("request", OAI_02)
def model_is_named(asked: Asked) -> Iterator[Finding]:
    """OAI-02. Only a name that no model can have is certainly unknown; another server may have the others."""
    model = asked.body.get("model")
    if not model:
        if not asked.body.get("prompt"):
            yield OAI_02.broken("model", expected="the name of a model", got=_type_words(model), template="missing")
    elif isinstance(model, str) and OPENAI_MODELS.value(KNOWN, model) is None:
        impossible = any(character.isspace() for character in model)
        expected = "the name of a model of OpenAI's"
        yield OAI_02.broken(
            "model", expected=expected, got=model, certainty=None if impossible else "inferred", model=model
        )


def _type_words(value: object) -> str:
    return "nothing" if value is None else brief(value)


def _leave_it_to(posted: Posted, **named: Any) -> bool:
    if names_its_history(posted):
        return False
    drop([posted.body], "input")
    return put([posted.body], **named)


def _names_nothing(posted: Posted) -> bool:
    return not names_its_history(posted) and not posted.body.get("prompt")


OAI_03: Final = WireRule(
    "OAI-03",
    "The request asks something: it has an input that is not empty, or names an earlier response, a conversation or a "
    "stored prompt.",
    "A loop that moves system messages into instructions and has nothing else sends an empty input.",
    "likely",
    ("the wording as many projects quote it; param as it is remembered",),
    (
        verbatim(
            """One of "input" or "previous_response_id" or 'prompt' or 'conversation' must be provided.""",
            "input",
            "missing_required_parameter",
            name="nothing",
        ),
    ),
    wrong=(
        Wrong(
            "responses-input-forgotten",
            "Nothing is asked.",
            lambda it: _names_nothing(it) and drop([it.body], "input"),
            "answered foreign-history",
        ),
        Wrong(
            "responses-input-empty",
            "The input is an empty list.",
            lambda it: _names_nothing(it) and put([it.body], input=[]),
            "answered one-call",
        ),
    ),
    right=(
        Right(
            "responses-conversation-alone",
            "A conversation has all of the input.",
            lambda it: _leave_it_to(it, conversation="conv_elsewhere"),
            "foreign-history",
        ),
        Right(
            "responses-prompt-alone",
            "A prompt has all of the input.",
            lambda it: _leave_it_to(it, prompt={"id": "pmpt_1"}),
            "foreign-history",
        ),
    ),
)


@RULES.check("request", OAI_03)
def something_is_asked(asked: Asked) -> Iterator[Finding]:
    """OAI-03. An empty input counts as none."""
    if all(
        asked.body.get(name) in (None, "", []) for name in ("input", "previous_response_id", "prompt", "conversation")
    ):
        got = "an empty input" if asked.body.get("input") is not None else "none of them"
        yield OAI_03.broken("input", expected="input, or the name of an earlier response", got=got)


OAI_22: Final = WireRule(
    "OAI-22",
    "Numbers are in their bounds: temperature 0 to 2, top_p 0 to 1, top_logprobs 0 to 20, max_output_tokens at least "
    "16.",
    "A loop that reckons max_output_tokens from what is left of the window sends less than 16 when the window is full.",
    "certain",
    (
        "recordings test_openai_responses_model_http_error (temperature), "
        "chat_completions_validation_error_carries_identity (Chat)",
        "https://github.com/earendil-works/pi/issues/6265, "
        "https://github.com/vectorize-io/hindsight/issues/58 (max_output_tokens)",
    ),
    (
        ErrorTemplate(
            "Invalid '{name}': decimal below minimum value. Expected a value >= {limit}, but got {value} instead.",
            "{name}",
            "decimal_below_min_value",
            seen="Invalid 'temperature': decimal below minimum value. Expected a value >= 0, but got -1 instead.",
            name="decimal below",
        ),
        ErrorTemplate(
            "Invalid '{name}': decimal above maximum value. Expected a value <= {limit}, but got {value} instead.",
            "{name}",
            "decimal_above_max_value",
            seen="Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 99.0 instead.",
            name="decimal above",
        ),
        ErrorTemplate(
            "Invalid '{name}': integer below minimum value. Expected a value >= {limit}, but got {value} instead.",
            "{name}",
            "integer_below_min_value",
            seen="Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 1 instead.",
            name="integer below",
        ),
        ErrorTemplate(
            "Invalid '{name}': integer above maximum value. Expected a value <= {limit}, but got {value} instead.",
            "{name}",
            "integer_above_max_value",
            certainty="inferred",
            name="integer above",
        ),
    ),
    applies="certain for temperature and max_output_tokens, inferred for the others",
    wrong=(
        Wrong(
            "responses-temperature-below",
            "The temperature is negative.",
            lambda it: put([it.body], temperature=-1),
            "without-reasoning one-call",
        ),
        Wrong(
            "responses-temperature-above",
            "The temperature is a percentage.",
            lambda it: put([it.body], temperature=99.0),
            "without-reasoning",
            says="decimal above",
        ),
        Wrong(
            "responses-top-p-above",
            "top_p is a percentage.",
            lambda it: put([it.body], top_p=95),
            "without-reasoning one-call",
            says="decimal above",
        ),
        Wrong(
            "responses-no-room",
            "One token is left for the answer.",
            lambda it: put([it.body], max_output_tokens=1),
            "one-call named-history",
            says="integer below",
        ),
        Wrong(
            "responses-logprobs-above",
            "More logprobs are asked for than there are.",
            lambda it: put([it.body], top_logprobs=50),
            "without-reasoning",
            says="integer above",
        ),
    ),
    right=(
        Right(
            "responses-bounds",
            "Numbers are at their bounds.",
            lambda it: ask(it, "gpt-4.1", temperature=2, top_p=0, max_output_tokens=16),
            "without-reasoning",
        ),
    ),
)


@RULES.check("numbers", OAI_22)
def numbers_are_in_bounds(asked: Asked) -> Iterator[Finding]:
    """OAI-22."""
    yield from map(_out_of_bounds, asked.forbidden(OAI_22))


def _out_of_bounds(fault: Fault) -> Finding:
    name = spelled(fault.path)
    kind = "decimal" if name in ("temperature", "top_p") else "integer"
    side, sign = ("below", ">=") if fault.keyword == "minimum" else ("above", "<=")
    return OAI_22.broken(
        name,
        expected=f"{sign} {fault.wanted}",
        got=str(fault.value),
        template=f"{kind} {side}",
        bound=("value",),
        name=name,
        limit=fault.wanted,
        value=fault.value,
    )
