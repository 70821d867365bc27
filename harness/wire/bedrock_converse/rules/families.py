"""What the models of some makers demand: BED-30, 31 to 36, 38, 39, 41, 47."""

from __future__ import annotations

from typing import Final

from harness.wire.base import Json
from harness.wire.bedrock_converse.models import (
    CLAUDE,
    LONE_CALLS,
    LONE_RESULTS,
    NO_FORCED_CALL,
    NO_PREFILL,
    NO_REASONING_TEXT,
    NO_S3_RESULTS,
    NO_SIGNATURE,
    NO_STREAMED_TOOLS,
    NO_TOOLS,
)
from harness.wire.bedrock_converse.rules.book import RULES
from harness.wire.bedrock_converse.rules.places import (
    call_turns,
    fact,
    last_answers,
    messages,
    result_turns,
    thinks,
    tool_config,
    without_reasoning,
)
from harness.wire.bedrock_converse.rules.request import FROM_THE_MODEL, ConverseRequest, Found, brief
from harness.wire.lenient import members, objects
from harness.wire.posted import Posted, Right, Wrong, add, put
from harness.wire.rule import Certainty, ErrorTemplate, WireRule, verbatim

_FORCED: Final = ("any", "tool")
_MARKS: Final = ("cachePoint",)
"""Blocks without content."""


BED_35: Final = WireRule(
    "BED-35",
    "A request declares no tools.",
    "The model has none; a loop can only ask it without.",
    "certain",
    ("https://github.com/langchain-ai/langchain-aws/issues/447",),
    (verbatim("This model doesn't support tool use."),),
    applies="DeepSeek R1",
    wrong=(
        Wrong(
            "bed-tools-of-none",
            "The model has no tools.",
            lambda it: (
                fact(it, NO_TOOLS)
                and put(
                    [it.body],
                    toolConfig={
                        "tools": [
                            {
                                "toolSpec": {
                                    "name": "look",
                                    "inputSchema": {"json": {"type": "object", "properties": {}}},
                                }
                            }
                        ]
                    },
                )
            ),
            "deepseek",
        ),
    ),
)


@RULES.check("model", BED_35)
def no_tools(request: ConverseRequest) -> Found:
    """BED-35."""
    if request.fact(NO_TOOLS) and request.tool_config:
        yield BED_35.broken("toolConfig", expected="no tools", got=brief(list(request.tool_config)))


def _ask_for_a_stream(posted: Posted) -> bool:
    if not fact(posted, NO_STREAMED_TOOLS) or not tool_config(posted) or posted.path.endswith("-stream"):
        return False
    posted.path += "-stream"
    return True


BED_34: Final = WireRule(
    "BED-34",
    "A request with tools asks for no stream.",
    "A loop that always streams cannot use such a model with tools at all.",
    "certain",
    (
        "https://github.com/earendil-works/pi/issues/3739",
        "https://github.com/run-llama/llama_index/issues/19655",
    ),
    (verbatim("This model doesn't support tool use in streaming mode."),),
    applies="Llama 4; likely Llama 3.1 and later and Mistral Large",
    wrong=(Wrong("bed-streamed-tools", "A stream is asked for with tools.", _ask_for_a_stream, "llama llama-3"),),
)


@RULES.check("model", BED_34)
def no_streamed_tools(request: ConverseRequest) -> Found:
    """BED-34."""
    certainty = request.fact(NO_STREAMED_TOOLS)
    if certainty and request.conversation.stream and request.tool_config:
        yield BED_34.broken("toolConfig", expected="no tools, or no stream", got="both", certainty=certainty)


def _force(posted: Posted, choice: Json) -> bool:
    return bool(config := tool_config(posted)) and put([config], toolChoice=choice)


BED_36: Final = WireRule(
    "BED-36",
    "toolChoice forces no call.",
    "Structured output by way of a tool forces its call.",
    "certain",
    ("https://github.com/strands-agents/harness-sdk/issues/1241",),
    (
        ErrorTemplate(
            "This model doesn't support the toolConfig.toolChoice.{choice} field. Remove "
            "toolConfig.toolChoice.{choice} and try again.",
            seen="This model doesn't support the toolConfig.toolChoice.any field. Remove toolConfig.toolChoice.any "
            "and try again.",
        ),
    ),
    applies="Llama",
    wrong=(
        Wrong(
            "bed-any-forced",
            "A call is forced of a model that cannot be.",
            lambda it: fact(it, NO_FORCED_CALL) and _force(it, {"any": {}}),
            "llama",
        ),
        Wrong(
            "bed-one-forced",
            "One call is forced of a model that cannot be.",
            lambda it: fact(it, NO_FORCED_CALL) and _force(it, {"tool": {"name": "read_file"}}),
            "llama-3",
        ),
    ),
    right=(
        Right(
            "bed-forced",
            "A call is forced.",
            lambda it: put([tool_config(it)], toolChoice={"tool": {"name": "read_file"}}),
            "two-calls nova",
            also=("BED-47",),
        ),
    ),
)


@RULES.check("model", BED_36)
def no_forced_call(request: ConverseRequest) -> Found:
    """BED-36."""
    if request.fact(NO_FORCED_CALL) and request.choice in _FORCED:
        at = f"toolConfig.toolChoice.{request.choice}"
        certainty: Certainty | None = None if request.choice == "any" else "likely"
        yield BED_36.broken(at, expected="auto", got=request.choice, choice=request.choice, certainty=certainty)


_IN_S3: Final = {"s3Location": {"uri": "s3://files/1", "bucketOwner": "111122223333"}}
_VIDEO: Final = {"video": {"format": "mp4", "source": {"bytes": "aGk="}}}


def _show_claude(posted: Posted, block: Json) -> bool:
    return bool(fact(posted, CLAUDE)) and add(messages(posted)[:1], "content", block)


BED_33: Final = WireRule(
    "BED-33",
    "The model takes no video, no image by its place in S3, and a document by its place only in a toolResult.",
    "A tool that returns a video, or names the place where a file lies, works with another maker's models.",
    "certain",
    ("recordings test_multimodal_tool_return_matrix, of Claude",),
    (
        verbatim(
            "This model doesn't support the video content block that you provided. Update the content block and "
            "try again."
        ),
        verbatim("This model doesn't support the s3Uri field. Remove s3Uri and try again.", name="s3"),
        ErrorTemplate(
            f"{FROM_THE_MODEL}{{at}}.document.source.type: Field required",
            seen="The model returned the following errors: messages.2.content.2.document.source.type: Field required",
            name="document",
        ),
    ),
    applies="Claude",
    wrong=(
        Wrong("bed-video", "The user shows a video.", lambda it: _show_claude(it, _VIDEO), "texts two-calls"),
        Wrong(
            "bed-video-returned",
            "A tool returns a video.",
            lambda it: fact(it, CLAUDE) and add(last_answers(it)[-1:], "content", _VIDEO),
            "two-calls one-call",
        ),
        Wrong(
            "bed-image-of-s3",
            "An image is named by its place.",
            lambda it: _show_claude(it, {"image": {"format": "png", "source": _IN_S3}}),
            "texts",
            says="s3",
        ),
        Wrong(
            "bed-shown-document-of-s3",
            "A document is named by its place.",
            lambda it: _show_claude(it, {"document": {"format": "txt", "name": "notes", "source": _IN_S3}}),
            "texts two-calls",
            says="document",
        ),
    ),
)


@RULES.check("model", BED_33)
def no_videos(request: ConverseRequest) -> Found:
    """BED-33, in messages and in results."""
    if not request.fact(CLAUDE):
        return
    for entry in request.entries:
        for block in entry.blocks:
            inside = objects(members(block.value).get("content")) if block.kind == "toolResult" else []
            for native in (block.native, *inside):
                if "video" in native:
                    yield BED_33.broken(block.at, expected="no video", got="a video")
                elif _is_in_s3(native, "image"):
                    yield BED_33.broken(block.at, template="s3", expected="bytes", got="an s3Location")
            if _is_in_s3(block.native, "document"):
                yield BED_33.broken(block.at, template="document", expected="bytes", got="an s3Location")


def _is_in_s3(native: Json, kind: str) -> bool:
    """Whether a file of this kind is referred to by its place in S3, and not sent."""
    return "s3Location" in members(members(native.get(kind)).get("source"))


def _part_by_an_answer(posted: Posted) -> bool:
    """Put a text of the model's between results and the user's next text, as adapters do."""
    messages(posted).append({"role": "assistant", "content": [{"text": "."}]})
    messages(posted).append({"role": "user", "content": [{"text": "And quickly."}]})
    return True


BED_30: Final = WireRule(
    "BED-30",
    "Beside toolResults a message has nothing else.",
    "A loop that says something with the results, or sends them with the user's next words, is refused.",
    "certain",
    (
        "https://github.com/strands-agents/harness-sdk/issues/1223",
        "https://github.com/langchain-ai/langchain-aws/issues/141",
        "https://github.com/BerriAI/litellm/issues/6053",
    ),
    (
        ErrorTemplate(
            "{at}: Conversation blocks and tool result blocks cannot be provided in the same turn.",
            seen="messages.4.content: Conversation blocks and tool result blocks cannot be provided in the same turn.",
        ),
    ),
    applies="Llama; likely Claude 3; perhaps Mistral and Writer. Claude 4.5 and Nova accept it.",
    wrong=(
        Wrong(
            "bed-words-beside-results",
            "The user's words are beside results, which the model takes alone.",
            lambda it: fact(it, LONE_RESULTS) and add(result_turns(it)[-1:], "content", {"text": "And quickly."}),
            "llama llama-3 foreign-texts mistral",
        ),
    ),
    right=(
        Right(
            "bed-words-with-the-results",
            "Words are beside results.",
            lambda it: not fact(it, LONE_RESULTS) and add(result_turns(it)[-1:], "content", {"text": "And quickly."}),
            "two-calls nova thinking foreign",
        ),
        Right(
            "bed-answer-between",
            "A word of the model's parts results and words.",
            _part_by_an_answer,
            "llama two-calls",
            also=("BED-11",),
        ),
    ),
)


@RULES.check("model", BED_30)
def results_alone(request: ConverseRequest) -> Found:
    """BED-30."""
    certainty = request.fact(LONE_RESULTS)
    if not certainty:
        return
    for entry in request.entries:
        others = [block.kind for block in entry.blocks if block.kind not in ("toolResult", *_MARKS)]
        if entry.results and others:
            at, got = f"{entry.at}.content", f"{others[0]} beside them"
            yield BED_30.broken(at, expected="toolResults alone", got=got, certainty=certainty)


BED_31: Final = WireRule(
    "BED-31",
    "Beside toolUses a message of the assistant has nothing else.",
    "A model that says something and calls is answered with a history that the same API refuses.",
    "certain",
    (
        "https://github.com/quarkiverse/quarkus-langchain4j/issues/1983",
        "an experiment with Llama 4 Maverick, whose code names the text",
        "langchain-aws, test_tool_message_histories_list_content (Mistral)",
    ),
    (
        ErrorTemplate(
            "{at}: Conversation blocks and tool use blocks cannot be provided in the same turn.",
            seen="messages.7.content: Conversation blocks and tool use blocks cannot be provided in the same turn.",
        ),
    ),
    applies="Llama 4; likely Mistral",
    wrong=(
        Wrong(
            "bed-words-beside-calls",
            "The model's words are beside calls, which it takes alone.",
            lambda it: fact(it, LONE_CALLS) and add(call_turns(it)[-1:], "content", {"text": "I look."}, at=0),
            "llama mistral",
        ),
    ),
)


@RULES.check("model", BED_31)
def calls_alone(request: ConverseRequest) -> Found:
    """BED-31. Reasoning does not count: nobody reported models that answer with reasoning and a call."""
    certainty = request.fact(LONE_CALLS)
    if not certainty:
        return
    for entry in request.entries:
        if entry.calls and any(block.kind == "text" for block in entry.blocks):
            at, got = f"{entry.at}.content", "text beside them"
            yield BED_31.broken(at, expected="toolUses alone", got=got, certainty=certainty)


def _reason(posted: Posted, **more: str) -> bool:
    turns = call_turns(posted)
    if not turns:
        return False
    text = {"reasoningText": {"text": "A file.", **more}}
    turns[-1]["content"] = [{"reasoningContent": text}, *without_reasoning(turns[-1])]
    return True


BED_38: Final = WireRule(
    "BED-38",
    "Reasoning goes back without a signature.",
    "A history of Claude's has signatures; with another model it is refused.",
    "certain",
    ("https://github.com/earendil-works/pi/issues/686",),
    (
        verbatim(
            "This model doesn't support the reasoningContent.reasoningText.signature field. Remove "
            "reasoningContent.reasoningText.signature and try again."
        ),
    ),
    applies="gpt-oss",
    wrong=(
        Wrong(
            "bed-signed",
            "Reasoning is signed that the model takes unsigned.",
            lambda it: fact(it, NO_SIGNATURE) and _reason(it, signature="EqQB"),
            "gpt-oss",
        ),
    ),
)


@RULES.check("model", BED_38)
def no_signature(request: ConverseRequest) -> Found:
    """BED-38."""
    if request.fact(NO_SIGNATURE):
        yield from _with_member(request, BED_38, "signature")


BED_39: Final = WireRule(
    "BED-39",
    "Reasoning goes back as redactedContent, or not at all, but not as text.",
    "A history of another model's has reasoning in plain words.",
    "certain",
    ("https://github.com/UKGovernmentBEIS/inspect_ai/issues/5217",),
    (
        verbatim(
            "This model doesn't support the reasoningContent.reasoningText.text field for assistant messages. "
            "Remove reasoningContent.reasoningText.text and try again."
        ),
    ),
    applies="GPT-5",
    wrong=(
        Wrong(
            "bed-reasoning-in-words",
            "Reasoning is in words, which the model does not take.",
            lambda it: fact(it, NO_REASONING_TEXT) and _reason(it),
            "gpt",
        ),
    ),
    right=(
        Right(
            "bed-reasoning-as-bytes",
            "Reasoning as bytes.",
            lambda it: (
                add(call_turns(it)[-1:], "content", {"reasoningContent": {"redactedContent": "aGk="}}, at=0) or True
            ),
            "gpt",
        ),
    ),
)


@RULES.check("model", BED_39)
def no_reasoning_text(request: ConverseRequest) -> Found:
    """BED-39."""
    if request.fact(NO_REASONING_TEXT):
        yield from _with_member(request, BED_39, "text")


def _with_member(request: ConverseRequest, rule: WireRule, name: str) -> Found:
    for entry in request.entries:
        for block in entry.reasoning:
            text = members(members(block.value).get("reasoningText"))
            if name in text:
                at = f"{block.at}.reasoningContent.reasoningText.{name}"
                yield rule.broken(at, expected=f"no {name}", got=brief(text[name]))


def _mark_the_end(posted: Posted) -> bool:
    mark = {"cachePoint": {"type": "default"}}
    return add([tool_config(posted)], "tools", mark) and add(messages(posted)[-1:], "content", mark)


BED_16: Final = WireRule(
    "BED-16",
    "In front of a cachePoint its message has something to cache.",
    "A mark that is set by position is left alone where the message it was for has become empty.",
    "certain",
    ("recording: an assistant message of a cachePoint only",),
    (verbatim("There is nothing available to cache. Please remove the invalid cache point and try again."),),
    wrong=(
        Wrong(
            "bed-cache-point-first",
            "A cachePoint is in front.",
            lambda it: add(messages(it)[-1:], "content", {"cachePoint": {"type": "default"}}, at=0),
            "texts one-call foreign",
        ),
    ),
    right=(Right("bed-cache-points", "Two marks.", _mark_the_end, "two-calls steps nova"),),
)


@RULES.check("model", BED_16)
def cache_points_behind_something(request: ConverseRequest) -> Found:
    """BED-16."""
    for entry in request.entries:
        if entry.blocks and entry.blocks[0].kind == "cachePoint":
            yield BED_16.broken(entry.blocks[0].at, expected="a block in front", got="the cachePoint first")


BED_41: Final = WireRule(
    "BED-41",
    "The last message is the user's.",
    "A loop that begins the answer for the model, or asks again after an answer that broke off, is refused.",
    "certain",
    (
        "https://github.com/NousResearch/hermes-agent/issues/105780",
        "https://platform.claude.com/docs/en/api/errors#prefill-not-supported",
    ),
    (
        ErrorTemplate(
            f"{FROM_THE_MODEL}This model does not support assistant message prefill. The conversation must end "
            "with a user message.",
            seen="…This model does not support assistant message prefill. The conversation must end with a user "
            "message.",
        ),
    ),
    applies="Claude 4.6 and later",
    wrong=(
        Wrong(
            "bed-prefill",
            "The model's answer is begun for it.",
            lambda it: (
                fact(it, NO_PREFILL)
                and add([it.body], "messages", {"role": "assistant", "content": [{"text": "The file"}]})
            ),
            "sonnet-4-6",
            also=("BED-11",),
        ),
    ),
)


@RULES.check("maker", BED_41)
def no_prefill(request: ConverseRequest) -> Found:
    """BED-41. A history that ends with a call is BED-01's."""
    last = request.entries[-1] if request.entries else None
    if request.fact(NO_PREFILL) and last is not None and last.role == "assistant" and not last.calls:
        yield BED_41.broken(last.at, expected="a user message last", got="an assistant message last")


BED_32: Final = WireRule(
    "BED-32",
    "A document or a video in a toolResult is sent, and not named by its place in S3.",
    "A tool that returns a large file names the place where it lies. An image may be named so.",
    "certain",
    ("recordings test_multimodal_tool_return_matrix, direct-uploaded_file-document-bedrock_nova",),
    (
        ErrorTemplate(
            f"{FROM_THE_MODEL}Malformed input request: #/{{at}}: extraneous key [toolResult] is not permitted, "
            "please reformat your input and try again.",
            seen="The model returned the following errors: Malformed input request: #/messages/2/content/0: "
            "extraneous key [toolResult] is not permitted, please reformat your input and try again.",
        ),
    ),
    applies="Nova",
    wrong=(
        Wrong(
            "bed-document-of-s3",
            "A result names a document by its place.",
            lambda it: (
                fact(it, NO_S3_RESULTS)
                and add(
                    last_answers(it)[-1:], "content", {"document": {"format": "txt", "name": "notes", "source": _IN_S3}}
                )
            ),
            "nova",
        ),
        Wrong(
            "bed-video-of-s3",
            "A result names a video by its place.",
            lambda it: (
                fact(it, NO_S3_RESULTS)
                and add(last_answers(it)[-1:], "content", {"video": {"format": "mp4", "source": _IN_S3}})
            ),
            "nova",
        ),
    ),
)


@RULES.check("maker", BED_32)
def no_s3_results(request: ConverseRequest) -> Found:
    """BED-32."""
    if not request.fact(NO_S3_RESULTS):
        return
    for entry in request.entries:
        for block in entry.results:
            inside = objects(members(block.value).get("content"))
            if any(_is_in_s3(inner, kind) for inner in inside for kind in ("document", "video")):
                at = block.at.replace(".", "/")
                yield BED_32.broken(at, expected="bytes", got="an s3Location")


BED_47: Final = WireRule(
    "BED-47",
    "With thinking, toolChoice forces no call.",
    "Structured output by way of a tool forces its call.",
    "certain",
    ("https://github.com/can1357/oh-my-pi/pull/333",),
    (
        ErrorTemplate(
            f"{FROM_THE_MODEL}Thinking may not be enabled when tool_choice forces tool use.",
            seen="…Thinking may not be enabled when tool_choice forces tool use…",
        ),
    ),
    applies="Claude",
    wrong=(
        Wrong(
            "bed-thinker-forced",
            "A call is forced of a model that is to think.",
            lambda it: fact(it, CLAUDE) and thinks(it) and _force(it, {"any": {}}),
            "thinking sonnet-4-6 foreign",
        ),
    ),
)


@RULES.check("maker", BED_47)
def no_forced_call_with_thinking(request: ConverseRequest) -> Found:
    """BED-47."""
    if request.fact(CLAUDE) and request.thinking in ("enabled", "adaptive") and request.choice in _FORCED:
        yield BED_47.broken("toolConfig.toolChoice", expected="auto", got=f"{request.choice}, and thinking")
