"""What the model accepts. The facts about models are not here but in the table of models."""

from __future__ import annotations

import re
from typing import Any, Final

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
from harness.wire.openai_chat.rules.book import RULES
from harness.wire.openai_chat.rules.history import ChatHistory, Found
from harness.wire.openai_chat.rules.messages import is_image
from harness.wire.openai_chat.rules.places import IMAGE, SOUND, fact, maker, of_role, show
from harness.wire.openai_chat.types import described
from harness.wire.openai_models import AUDIO, DEFAULT_EFFORT, EFFORTS, KNOWN, REASONING, REFUSED_ROLES, SAMPLING
from harness.wire.posted import Posted, Right, Wrong, add, drop, put
from harness.wire.rule import Certainty, ErrorTemplate, WireRule, verbatim

_TOOLS: Final = "Function tools with reasoning_effort are not supported for {model} in /v1/chat/completions. "

_PDF: Final = "application/pdf"
_MIME: Final = re.compile(r"data:([\w.+-]+/[\w.+-]+)[;,]")
_NO_TEXT: Final = ("image_url", "input_audio", "file")

_Members = tuple[tuple[str, Certainty | None], ...]

_PROBABILITIES: Final[_Members] = (("logprobs", None), ("top_logprobs", "likely"))
_CHANCES: Final[_Members] = (("temperature", None), ("top_p", "likely"))
"""Members that a model without sampling settings refuses; certain if somebody got the refusal."""

_PENALTIES: Final = ("presence_penalty", "frequency_penalty", "logit_bias")


OAC_MODEL: Final = WireRule(
    "OAC-MODEL",
    "A request names a model.",
    "A configuration that was not read leaves the name empty. Local servers that serve one model only do not mind, "
    "so the mistake shows when the loop is pointed at a provider.",
    "likely",
    ("the text is known from memory", "llama.cpp accepts requests without one: recordings GenSync-Tools-SquareRoot-1"),
    (ErrorTemplate("you must provide a model parameter", name="absent"),),
    wrong=(
        Wrong(
            "chat-model-missing",
            "The request names no model.",
            lambda it: drop([it.body], "model"),
            "one-call choice spoken",
        ),
        Wrong(
            "chat-model-empty",
            "The name of the model is empty.",
            lambda it: put([it.body], model=""),
            "one-call choice spoken",
        ),
    ),
)


@RULES.check("parameters", OAC_MODEL)
def model_is_named(history: ChatHistory) -> Found:
    """OAC-MODEL: a request without the name of a model."""
    if not history.body.get("model"):
        yield OAC_MODEL.broken("model", expected="the name of a model", got=described(history.body, "model"))


def _ask(posted: Posted, when: Any, **members: Any) -> bool:
    """Set members of a request to a model of OpenAI's that fulfils ``when``."""
    return maker(posted) == OPENAI and bool(when) and put([posted.body], **members)


OAC_16: Final = WireRule(
    "OAC-16",
    "A reasoning model is given max_completion_tokens, not max_tokens.",
    "A limit that worked with an older model stops the loop with the first request to a newer one.",
    "certain",
    (
        "recording chat-bad-request (gpt-5-nano)",
        "routers translate it: recordings of openai/gpt-5.2 and openai/o4-mini at OpenRouter",
    ),
    (
        verbatim(
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' "
            "instead.",
            param="max_tokens",
            code="unsupported_parameter",
            name="max_tokens",
        ),
    ),
    applies="OpenAI's reasoning models",
    wrong=(
        Wrong(
            "chat-max-tokens",
            "A reasoning model is given max_tokens.",
            lambda it: _ask(it, fact(it, REASONING), max_tokens=4096),
            "reasoning gpt-5.6",
        ),
    ),
)


def _thinks_by_default(posted: Posted) -> bool:
    return fact(posted, SAMPLING) == "without reasoning" and fact(posted, DEFAULT_EFFORT) not in (None, "none")


OAC_PARAM: Final = WireRule(
    "OAC-PARAM",
    "A reasoning model is given no stop and no penalties, and while it thinks no logprobs, and no temperature or top_p "
    "but 1.",
    "Settings that are made for all models stop the loop with the first request to one that thinks.",
    "certain",
    (
        "recordings GenSync-Stop and GenSync-TopLogprobs of gpt-5.6-sol; stop: also the SDK's documentation",
        "temperature: https://github.com/owndev/Open-WebUI-Functions/issues/98 (gpt-5); 1 is accepted: recordings of "
        "gpt-5-nano",
        "which models think by default: the table of models",
        "top_p, top_logprobs and penalties: likely",
    ),
    (
        ErrorTemplate(
            "Unsupported parameter: '{at}' is not supported with this model.",
            param="{at}",
            code="unsupported_parameter",
            seen="Unsupported parameter: 'stop' is not supported with this model.",
            name="parameter",
        ),
        ErrorTemplate(
            "Unsupported value: '{at}' does not support {value} with this model. Only the default (1) value is "
            "supported.",
            param="{at}",
            code="unsupported_value",
            seen="Unsupported value: 'temperature' does not support 0.01 with this model. Only the default (1) "
            "value is supported.",
            name="value",
        ),
    ),
    applies="OpenAI's reasoning models",
    wrong=(
        Wrong(
            "chat-stop",
            "A reasoning model is given a text at which to stop.",
            lambda it: _ask(it, fact(it, STOP_REFUSED), stop=["###"]),
            "gpt-5.6 reasoning",
        ),
        Wrong(
            "chat-logprobs",
            "A reasoning model is asked for probabilities.",
            lambda it: _ask(it, fact(it, SAMPLING) == "never", logprobs=True, top_logprobs=2),
            "reasoning",
        ),
        Wrong(
            "chat-logprobs-while-thinking",
            "A model that thinks unless a request says no is asked for probabilities.",
            lambda it: _ask(it, _thinks_by_default(it), reasoning_effort=None, logprobs=True),
            "gpt-5.6",
        ),
        Wrong(
            "chat-logprobs-at-high-effort",
            "A model that thinks when it is asked to is asked for probabilities as well.",
            lambda it: _ask(it, fact(it, SAMPLING) == "without reasoning", reasoning_effort="high", logprobs=True),
            "gpt-5.4",
        ),
        Wrong(
            "chat-penalty",
            "A reasoning model is given a penalty.",
            lambda it: _ask(it, fact(it, REASONING), frequency_penalty=0.5),
            "reasoning gpt-5.4",
        ),
        Wrong(
            "chat-temperature",
            "A reasoning model is given a temperature.",
            lambda it: _ask(it, fact(it, SAMPLING) == "never", temperature=0.01),
            "reasoning",
            says="value",
        ),
        Wrong(
            "chat-top-p",
            "A reasoning model is given top_p.",
            lambda it: _ask(it, fact(it, SAMPLING) == "never", top_p=0.5),
            "reasoning",
            says="value",
        ),
    ),
    right=(
        Right(
            "chat-member-invented",
            "The request has a member of another maker's.",
            lambda it: put([it.body], cache_prompt=True),
            "two-calls spoken",
        ),
    ),
)


@RULES.check("parameters", OAC_16, OAC_PARAM)
def parameters_are_taken(history: ChatHistory) -> Found:
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
    """Whether the model refuses sampling settings: always, or because it is going to think."""
    taken = MODELS.value(SAMPLING, history.model)
    effort = history.body.get("reasoning_effort") or MODELS.value(DEFAULT_EFFORT, history.model)
    return taken == "never" or (taken == "without reasoning" and effort not in (None, "none"))


def _sampling(history: ChatHistory) -> Found:
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


OAC_02: Final = WireRule(
    "OAC-02",
    "The model is one that the server has.",
    "A misspelt, retired or not yet released name is answered with 404, and so is a name of another provider.",
    "inferred",
    (
        "recordings test_model_name_suggestion[openai-chat], test_llm_call_with_error, test_async_chat_completion_404",
        "the answer is certain; that a name is unknown is inferred from the families that we know of",
    ),
    (
        ErrorTemplate(
            "The model `{model}` does not exist or you do not have access to it.",
            code="model_not_found",
            status=404,
            seen="The model `gpt-5.2-proo` does not exist or you do not have access to it.",
            name="unknown",
        ),
    ),
    applies="names of no family that is known to be served in this format",
    wrong=(
        Wrong(
            "chat-model-misspelt",
            "The model's name is misspelt.",
            lambda it: put([it.body], model="gpt-5.2-proo"),
            "one-call two-calls mistral",
        ),
    ),
)


@RULES.check("model", OAC_02)
def model_is_known(history: ChatHistory) -> Found:
    """Judges the model's name only: nobody but the server knows whether it has the model."""
    is_known = MODELS.holds(KNOWN, history.model) or MODELS.value(MAKER, history.model) not in (OPENAI, None)
    if history.model and not is_known:
        expected = "a model of a family that is served in this format"
        yield OAC_02.broken("model", expected=expected, got=repr(history.model), model=history.model)


OAC_13: Final = WireRule(
    "OAC-13",
    "Every role is one that the model takes.",
    "The first small reasoning models know no system prompt; it must be a user message.",
    "certain",
    ("recording test_openai_o1_mini_system_role, both of them",),
    (
        ErrorTemplate(
            "Unsupported value: '{at}' does not support '{role}' with this model.",
            param="{at}",
            code="unsupported_value",
            seen="Unsupported value: 'messages[0].role' does not support 'developer' with this model.",
            name="role",
        ),
    ),
    applies="o1-mini, o1-preview",
    wrong=(
        Wrong(
            "chat-system-prompt",
            "A model that knows no system prompt is given one.",
            lambda it: (
                fact(it, REFUSED_ROLES)
                and add([it.body], "messages", {"role": "developer", "content": "You answer questions."}, at=0)
            ),
            "no-system",
        ),
    ),
    right=(
        Right(
            "chat-developer",
            "The system prompt is a developer message.",
            lambda it: put(of_role(it, "system"), role="developer"),
            "two-calls reasoning",
            also=("OAC-ROLE",),
        ),
    ),
)


@RULES.check("model", OAC_13)
def roles_are_taken(history: ChatHistory) -> Found:
    """OAC-13: a role that the model does not take."""
    refused = MODELS.value(REFUSED_ROLES, history.model)
    if not (isinstance(refused, tuple) and history.is_strict):
        return
    for at, message in enumerate(history.messages):
        role = message.get("role")
        if role in refused:
            got = f"{role}, which {history.model} does not take"
            yield OAC_13.broken(f"messages[{at}].role", expected="a user message", got=got, role=role)


def _is_openais(posted: Posted) -> bool:
    return maker(posted) == OPENAI and bool(fact(posted, KNOWN))


OAC_10B: Final = WireRule(
    "OAC-10b",
    "User messages have only parts that the model takes: sound only for models with audio, images not for models of "
    "text.",
    "A tool's recording or screenshot that is handed to the wrong model is refused.",
    "certain",
    (
        "recording test_multimodal_tool_return_matrix[direct-binary-audio-openai_chat]",
        "https://github.com/openai/openai-python/issues/2454",
        "images: public code quotes the body; which models are of text is likely only",
        "models of audio: recording GenStreamMultiModal-Image-jpg-Inline of gpt-audio",
        "DeepSeek: recordings blocking_image_base64_part_reaches_the_wire, blocking_pdf_document_part_reaches_the_wire "
        "of deepseek-v4-flash",
    ),
    (
        ErrorTemplate(
            "Invalid '{at}'. Content blocks are expected to be either text or image_url type.",
            param="{at}",
            code="invalid_value",
            seen="Invalid 'messages[3]'. Content blocks are expected to be either text or image_url type.",
            name="sound",
        ),
        verbatim(
            "Invalid content type. image_url is only supported by certain models.",
            param="messages.[{number}].content.[{part}].type",
            certainty="likely",
            name="image",
        ),
        verbatim(
            "This model does not support image_url content.", param="{at}", code="invalid_value", name="audio model"
        ),
        ErrorTemplate(
            "Failed to deserialize the JSON body into the target type: messages[{number}]: unknown variant "
            "`{kind}`, expected `text`",
            code="invalid_request_error",
            seen="Failed to deserialize the JSON body into the target type: messages[0]: unknown variant "
            "`image_url`, expected `text`",
            name="deepseek",
        ),
    ),
    applies="OpenAI's models without audio, of audio, and of text; DeepSeek's own server, whose text goes on with a "
    "line and a column",
    wrong=(
        Wrong(
            "chat-sound",
            "A model without audio is given sound.",
            lambda it: _is_openais(it) and not fact(it, AUDIO) and show(it, SOUND),
            "one-call images",
        ),
        Wrong(
            "chat-image-to-the-blind",
            "A model of text is given an image.",
            lambda it: _is_openais(it) and fact(it, TEXT_ONLY) and show(it, IMAGE),
            "blind",
            says="image",
        ),
        Wrong(
            "chat-image-to-the-listener",
            "A model of audio is given an image.",
            lambda it: _is_openais(it) and fact(it, AUDIO) and show(it, IMAGE),
            "spoken",
            says="audio model",
        ),
        Wrong(
            "chat-image-to-deepseek",
            "DeepSeek, which reads text only, is given an image.",
            lambda it: maker(it) == "deepseek" and show(it, IMAGE),
            "deepseek foreign-deepseek",
            says="deepseek",
        ),
    ),
)


@RULES.check("model", OAC_10B)
def parts_are_taken(history: ChatHistory) -> Found:
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


def _texts_only(history: ChatHistory) -> Found:
    """DeepSeek's own server reads no message with parts other than texts."""
    for at, message in enumerate(history.messages):
        kinds = [string(part.get("type")) for part in objects(message.get("content"))]
        others = [kind for kind in kinds if kind in _NO_TEXT]
        if others:
            place, got = f"messages[{at}].content", f"an {others[0]} part"
            yield OAC_10B.broken(place, expected="text parts", got=got, template="deepseek", number=at, kind=others[0])


OAC_FILE: Final = WireRule(
    "OAC-FILE",
    "The data of a file is a data URL of a PDF.",
    "A tool that passes whatever it finds as a file (a sound, a film) is refused; Responses takes more kinds.",
    "certain",
    (
        "recordings GenStreamMultiModal-Audio-*-Inline and GenStreamMultiModal-Video-mp4-Inline of gpt-audio",
        "other kinds than sound and film: the text names PDF only",
    ),
    (
        ErrorTemplate(
            "Invalid file data: '{at}'. Expected a base64-encoded data URL with an application/pdf MIME type (e.g. "
            "'data:application/pdf;base64,SGVsbG8sIFdvcmxkIQ=='), but got unsupported MIME type '{mime}'.",
            param="{at}",
            code="invalid_value",
            seen="Invalid file data: 'messages[0].content[1].file.file_data'. Expected a base64-encoded data URL "
            "with an application/pdf MIME type (e.g. 'data:application/pdf;base64,SGVsbG8sIFdvcmxkIQ=='), but got "
            "unsupported MIME type 'audio/aac'.",
            name="type",
        ),
    ),
    applies="OpenAI's models; certain for sound and film, likely for other kinds",
    wrong=(
        Wrong(
            "chat-sound-as-file",
            "A sound is sent as a file.",
            lambda it: (
                _is_openais(it)
                and show(
                    it, {"type": "file", "file": {"filename": "a.wav", "file_data": "data:audio/wav;base64,UklGRg=="}}
                )
            ),
            "one-call reasoning",
        ),
    ),
)


@RULES.check("model", OAC_FILE)
def files_are_taken(history: ChatHistory) -> Found:
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


OAC_14: Final = WireRule(
    "OAC-14",
    "Newer reasoning models take tools on Chat only if they do not think: from gpt-5.6 on reasoning_effort is 'none', "
    "for gpt-5.4 and gpt-5.5 it is 'none' or not there.",
    "A loop that is given a newer model stops with its first request. The Responses API takes both.",
    "certain",
    (
        "https://github.com/BerriAI/litellm/pull/34569 (gpt-5.6, tried without, with low and with none)",
        "https://github.com/GoogleChromeLabs/webmcp-tools/issues/417 (gpt-5.6-terra)",
        "https://github.com/pipecat-ai/pipecat/issues/4043 (gpt-5.4)",
        "https://github.com/charmbracelet/crush/issues/2913 (gpt-5.5)",
        "accepted: recordings of gpt-5.4 and gpt-5.4-mini without an effort, of gpt-5.6-luna at none",
    ),
    (
        ErrorTemplate(
            _TOOLS + "To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
            param="reasoning_effort",
            seen="Function tools with reasoning_effort are not supported for gpt-5.6-terra in "
            "/v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
            name="by default",
        ),
        ErrorTemplate(
            _TOOLS + "Please use /v1/responses instead.",
            param="reasoning_effort",
            seen="Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions. "
            "Please use /v1/responses instead.",
            name="when asked",
        ),
    ),
    applies="gpt-5.4 and later, gpt-6",
    wrong=(
        Wrong(
            "chat-tools-and-effort",
            "A model that takes tools only without thinking is asked to think.",
            lambda it: it.body.get("tools") and fact(it, RESPONSES_ONLY) and put([it.body], reasoning_effort="high"),
            "gpt-5.4 gpt-5.6",
            says="when asked",
        ),
        Wrong(
            "chat-tools-and-default-effort",
            "A model that thinks unless a request says no is given tools, and no request says it.",
            lambda it: (
                it.body.get("tools")
                and fact(it, RESPONSES_ONLY) == "by default"
                and drop([it.body], "reasoning_effort")
            ),
            "gpt-5.6",
        ),
    ),
)


@RULES.check("model", OAC_14)
def tools_are_taken(history: ChatHistory) -> Found:
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


def _thinks_when_forced(posted: Posted) -> bool:
    when, thinking = fact(posted, FORCED_CHOICE), posted.body.get("thinking") or {}
    is_off = thinking.get("type") == "disabled" or (when == "when enabled" and not posted.body.get("enable_thinking"))
    return bool(when and not is_off and posted.body.get("tools"))


OAC_FORCED: Final = WireRule(
    "OAC-FORCED",
    "No request forces a call on a model that thinks: with thinking on, DeepSeek's V4 and Qwen's models take no "
    "tool_choice but auto and none.",
    "Loops that ask for an answer through a tool force its call; with these models they must switch thinking off.",
    "certain",
    (
        "recording forced_tool_choice_under_thinking_is_rejected_upstream",
        "recording GenSync-Tools-SquareRoot-1 of qwen3.8-max",
    ),
    (
        verbatim("Thinking mode does not support this tool_choice", code="invalid_request_error", name="deepseek"),
        verbatim(
            "<400> InternalError.Algo.InvalidParameter: The tool_choice parameter does not support being set to "
            "required or object in thinking mode",
            code="invalid_parameter_error",
            name="qwen",
        ),
    ),
    applies="DeepSeek's V4 unless thinking is disabled, Qwen's models where enable_thinking is true",
    wrong=(
        Wrong(
            "chat-call-forced",
            "A call is forced on a model that thinks.",
            lambda it: _thinks_when_forced(it) and put([it.body], tool_choice="required"),
            "deepseek qwen",
        ),
        Wrong(
            "chat-call-forced-while-thinking",
            "A call is forced on a model that is asked to think.",
            lambda it: (
                fact(it, FORCED_CHOICE) == "unless disabled"
                and it.body.get("tools")
                and put([it.body], tool_choice="required", thinking={"type": "enabled"})
            ),
            "deepseek",
        ),
    ),
    right=(
        Right(
            "chat-call-forced-without-thinking",
            "A call is forced on DeepSeek with thinking switched off.",
            lambda it: it.body.get("tools") and put([it.body], thinking={"type": "disabled"}, tool_choice="required"),
            "deepseek",
        ),
    ),
)


@RULES.check("model", OAC_FORCED)
def forced_choice_is_taken(history: ChatHistory) -> Found:
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


OAC_EFFORT: Final = WireRule(
    "OAC-EFFORT",
    "reasoning_effort is one that the model has, and only reasoning models are given one.",
    "Efforts differ from model to model: 'minimal' of gpt-5 is refused by gpt-5.6, and 'none' the other way round.",
    "certain",
    (
        "https://github.com/livekit/agents/pull/7169",
        "models without reasoning: public code quotes the text, for deployments at Azure",
    ),
    (
        ErrorTemplate(
            "Unsupported value: 'reasoning_effort' does not support '{value}' with this model. Supported values "
            "are: {values}.",
            param="reasoning_effort",
            code="unsupported_value",
            seen="Unsupported value: 'reasoning_effort' does not support 'minimal' with this model. Supported "
            "values are: 'none', 'low', 'medium', 'high', 'xhigh'.",
            name="value",
        ),
        verbatim("Unrecognized request argument supplied: reasoning_effort", certainty="likely", name="parameter"),
    ),
    applies="OpenAI's models whose efforts are known, and OpenAI's models without reasoning",
    wrong=(
        Wrong(
            "chat-effort-unknown",
            "An effort is asked for that the model does not have.",
            lambda it: _ask(it, fact(it, EFFORTS), reasoning_effort="utmost"),
            "reasoning gpt-5.6",
        ),
        Wrong(
            "chat-effort-without-reasoning",
            "A model that does not reason is given an effort.",
            lambda it: _ask(it, fact(it, REASONING) is False, reasoning_effort="low"),
            "one-call",
            says="parameter",
        ),
    ),
)


@RULES.check("model", OAC_EFFORT)
def effort_is_taken(history: ChatHistory) -> Found:
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
