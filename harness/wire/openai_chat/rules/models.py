"""What the model takes. Nothing that depends on a model stands here: the table of models is asked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from harness.finding import Finding
from harness.wire.lenient import entries, members, objects, string
from harness.wire.openai_chat.models import (
    FORCED_CHOICE,
    MAKER,
    MODELS,
    OPENAI,
    RESPONSES_ONLY,
    STOP_REFUSED,
    TEXT_ONLY,
)
from harness.wire.openai_chat.rules.contents import is_image
from harness.wire.openai_chat.rules.history import ChatHistory
from harness.wire.openai_chat.rules.table import (
    OAC_02,
    OAC_10B,
    OAC_13,
    OAC_14,
    OAC_16,
    OAC_EFFORT,
    OAC_FILE,
    OAC_FORCED,
    OAC_PARAM,
)
from harness.wire.openai_models import AUDIO, DEFAULT_EFFORT, EFFORTS, KNOWN, REASONING, REFUSED_ROLES, SAMPLING
from harness.wire.rule import Certainty

_PDF: Final = "application/pdf"
_MIME: Final = re.compile(r"data:([\w.+-]+/[\w.+-]+)[;,]")
_NO_TEXT: Final = ("image_url", "input_audio", "file")

_Members = tuple[tuple[str, Certainty | None], ...]

_PROBABILITIES: Final[_Members] = (("logprobs", None), ("top_logprobs", "likely"))
_CHANCES: Final[_Members] = (("temperature", None), ("top_p", "likely"))
"""Members that a model which samples alone refuses: certain is what somebody was refused."""

_PENALTIES: Final = ("presence_penalty", "frequency_penalty", "logit_bias")


def model_is_known(history: ChatHistory) -> Iterator[Finding]:
    """By its name only: whether a server has it, nobody but the server knows."""
    is_known = MODELS.holds(KNOWN, history.model) or MODELS.value(MAKER, history.model) not in (OPENAI, None)
    if history.model and not is_known:
        expected = "a model of a family that is served in this format"
        yield OAC_02.broken("model", expected=expected, got=repr(history.model), model=history.model)


def roles_are_taken(history: ChatHistory) -> Iterator[Finding]:
    """OAC-13: a role that the model does not take."""
    refused = MODELS.value(REFUSED_ROLES, history.model)
    if not (isinstance(refused, tuple) and history.is_strict):
        return
    for at, message in enumerate(history.messages):
        role = message.get("role")
        if role in refused:
            got = f"{role}, which {history.model} does not take"
            yield OAC_13.broken(f"messages[{at}].role", expected="a user message", got=got, role=role)


def parts_are_taken(history: ChatHistory) -> Iterator[Finding]:
    """OAC-10b: a sound or an image for a model that takes none."""
    if history.maker == "deepseek" and MODELS.holds(TEXT_ONLY, history.model):
        yield from _texts_only(history)
    if history.maker != OPENAI or not MODELS.holds(KNOWN, history.model):
        return
    takes_sound, is_blind = MODELS.holds(AUDIO, history.model), MODELS.holds(TEXT_ONLY, history.model)
    for at, message in enumerate(history.messages):
        parts = entries(message.get("content")) if message.get("role") == "user" else []
        if not takes_sound and any(map(_is_sound, parts)):
            expected, got = "text or image_url parts", "an input_audio part"
            yield OAC_10B.broken(f"messages[{at}]", expected=expected, got=got)
        images = [number for number, part in enumerate(parts) if is_image(part)]
        if is_blind and images:
            place, got = f"messages[{at}].content[{images[0]}]", "an image_url part"
            yield OAC_10B.broken(place, expected="text parts", got=got, template="image", number=at, part=images[0])
        elif takes_sound and images:
            place, got = f"messages[{at}].content", "an image_url part"
            yield OAC_10B.broken(place, expected="text and input_audio parts", got=got, template="audio model")


def _texts_only(history: ChatHistory) -> Iterator[Finding]:
    """DeepSeek's own server, which reads no message with another part."""
    for at, message in enumerate(history.messages):
        kinds = [string(part.get("type")) for part in objects(message.get("content"))]
        others = [kind for kind in kinds if kind in _NO_TEXT]
        if others:
            place, got = f"messages[{at}].content", f"an {others[0]} part"
            yield OAC_10B.broken(place, expected="text parts", got=got, template="deepseek", number=at, kind=others[0])


def files_are_taken(history: ChatHistory) -> Iterator[Finding]:
    """OAC-FILE: a file whose data say that it is no PDF."""
    if history.maker != OPENAI:
        return
    for at, message in enumerate(history.messages):
        for number, part in enumerate(entries(message.get("content"))):
            file = members(part.get("file")) if isinstance(part, dict) and part.get("type") == "file" else {}
            found = _MIME.match(string(file.get("file_data")))
            if found is not None and found[1] != _PDF:
                place = f"messages[{at}].content[{number}].file.file_data"
                certainty: Certainty | None = None if found[1].startswith(("audio/", "video/")) else "likely"
                yield OAC_FILE.broken(place, expected=_PDF, got=found[1], certainty=certainty, mime=found[1])


def _is_sound(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "input_audio"


def tools_are_taken(history: ChatHistory) -> Iterator[Finding]:
    """OAC-14: tools together with a reasoning effort that the model takes only on Responses."""
    refused, effort = MODELS.value(RESPONSES_ONLY, history.model), history.body.get("reasoning_effort")
    tools = history.body.get("tools")
    if not refused or not tools or effort == "none" or (effort is None and refused == "when asked"):
        return
    expected = "no reasoning_effort beside tools, or 'none'" if refused == "when asked" else "reasoning_effort 'none'"
    yield OAC_14.broken(
        "reasoning_effort",
        expected=expected,
        got="no such member" if effort is None else repr(effort),
        template=str(refused),
        model=history.model,
    )


def forced_choice_is_taken(history: ChatHistory) -> Iterator[Finding]:
    """OAC-FORCED: a forced call for a model that does not take one while it thinks."""
    when, choice = MODELS.value(FORCED_CHOICE, history.model), history.body.get("tool_choice")
    if when is None or choice in (None, "auto", "none"):
        return
    is_disabled = members(history.body.get("thinking")).get("type") == "disabled"
    thinks = not is_disabled if when == "unless disabled" else history.body.get("enable_thinking") is True
    if thinks:
        template = history.by_its_maker(OAC_FORCED)
        got = "a forced call, with thinking on"
        yield OAC_FORCED.broken("tool_choice", expected="auto or none", got=got, template=template)


def parameters_are_taken(history: ChatHistory) -> Iterator[Finding]:
    """OAC-16, OAC-PARAM: parameters that a reasoning model does not take."""
    if history.maker != OPENAI or not MODELS.holds(REASONING, history.model):
        return
    body = history.body
    if body.get("max_tokens") is not None:
        yield OAC_16.broken("max_tokens", expected="max_completion_tokens", got="max_tokens")
    if body.get("stop") and MODELS.holds(STOP_REFUSED, history.model):
        yield OAC_PARAM.broken("stop", expected="no such member", got="stop")
    for name in _PENALTIES:
        if body.get(name):
            yield OAC_PARAM.broken(name, expected="no such member", got=name, certainty="likely")
    if _samples_alone(history):
        yield from _sampling(history)


def _samples_alone(history: ChatHistory) -> bool:
    """Whether the model takes no say in how it samples: never, or because it is going to think."""
    taken = MODELS.value(SAMPLING, history.model)
    effort = history.body.get("reasoning_effort") or MODELS.value(DEFAULT_EFFORT, history.model)
    return taken == "never" or (taken == "without reasoning" and effort not in (None, "none"))


def _sampling(history: ChatHistory) -> Iterator[Finding]:
    body = history.body
    for name, certainty in _PROBABILITIES:
        if body.get(name):
            yield OAC_PARAM.broken(name, expected="no such member", got=name, certainty=certainty)
    for name, certainty in _CHANCES:
        if body.get(name) not in (None, 1):
            got = repr(body[name])
            yield OAC_PARAM.broken(
                name, expected="1, or no such member", got=got, template="value", certainty=certainty, value=got
            )


def effort_is_taken(history: ChatHistory) -> Iterator[Finding]:
    """OAC-EFFORT: a reasoning effort that the model does not have."""
    effort = history.body.get("reasoning_effort")
    if history.maker != OPENAI or not isinstance(effort, str):
        return
    taken, reasons = MODELS.value(EFFORTS, history.model), MODELS.value(REASONING, history.model)
    if isinstance(taken, tuple) and effort not in taken:
        values = ", ".join(f"'{each}'" for each in taken)
        yield OAC_EFFORT.broken("reasoning_effort", expected=values, got=repr(effort), value=effort, values=values)
    elif reasons is False:
        expected = "no such member: the model does not reason"
        yield OAC_EFFORT.broken("reasoning_effort", expected=expected, got=repr(effort), template="parameter")
