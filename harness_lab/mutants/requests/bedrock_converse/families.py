"""What the models of some makers do not take: BED-30 to 36, 38, 39, 47."""

from __future__ import annotations

from typing import Final

from harness.wire.base import Json
from harness.wire.bedrock_converse.models import (
    CLAUDE,
    LONE_CALLS,
    LONE_RESULTS,
    NO_FORCED_CALL,
    NO_REASONING_TEXT,
    NO_S3_RESULTS,
    NO_SIGNATURE,
    NO_STREAMED_TOOLS,
    NO_TOOLS,
)
from harness.wire.posted import Posted
from harness_lab.mutants.requests.bedrock_converse.base_requests import (
    DEEPSEEK,
    FOREIGN,
    FOREIGN_TEXTS,
    GPT,
    GPT_OSS,
    LLAMA,
    LLAMA_ALOUD,
    MISTRAL,
    NOVA,
    ONE_CALL,
    SONNET_4_6,
    TEXTS,
    THINKING,
    TWO_CALLS,
)
from harness_lab.mutants.requests.bedrock_converse.finding import (
    call_turns,
    fact,
    last_answers,
    messages,
    result_turns,
    tool_config,
)
from harness_lab.mutants.requests.mutant import RequestMutant

_IN_S3: Final = {"s3Location": {"uri": "s3://files/1", "bucketOwner": "111122223333"}}


def speak_beside_results(posted: Posted) -> bool:
    """Send the user's next words with the results, to a model that takes results alone."""
    turns = result_turns(posted)
    if not turns or not fact(posted, LONE_RESULTS):
        return False
    turns[-1]["content"].append({"text": "And quickly."})
    return True


def speak_beside_calls(posted: Posted) -> bool:
    """Let the model have said something beside its calls, which it takes alone."""
    turns = call_turns(posted)
    if not turns or not fact(posted, LONE_CALLS):
        return False
    turns[-1]["content"].insert(0, {"text": "I look."})
    return True


def ask_for_a_stream(posted: Posted) -> bool:
    """Ask for a stream, with tools, a model that streams no calls."""
    if not fact(posted, NO_STREAMED_TOOLS) or not tool_config(posted) or posted.path.endswith("-stream"):
        return False
    posted.path += "-stream"
    return True


def declare_tools_all_the_same(posted: Posted) -> bool:
    """Declare a tool to a model that has none."""
    if not fact(posted, NO_TOOLS):
        return False
    spec = {"name": "look", "inputSchema": {"json": {"type": "object", "properties": {}}}}
    posted.body["toolConfig"] = {"tools": [{"toolSpec": spec}]}
    return True


def _force(posted: Posted, choice: Json) -> bool:
    config = tool_config(posted)
    if config:
        config["toolChoice"] = choice
    return bool(config)


def force_any_call(posted: Posted) -> bool:
    """Force a call of a model that cannot be forced."""
    return bool(fact(posted, NO_FORCED_CALL)) and _force(posted, {"any": {}})


def force_a_call(posted: Posted) -> bool:
    """Force the call of one tool of a model that cannot be forced."""
    return bool(fact(posted, NO_FORCED_CALL)) and _force(posted, {"tool": {"name": "read_file"}})


def force_a_call_of_a_thinker(posted: Posted) -> bool:
    """Force a call of a Claude that is asked to think."""
    thinks = posted.body.get("additionalModelRequestFields", {}).get("thinking")
    return bool(fact(posted, CLAUDE)) and bool(thinks) and _force(posted, {"any": {}})


def sign_the_reasoning(posted: Posted) -> bool:
    """Send a signature to a model that signs nothing."""
    return bool(fact(posted, NO_SIGNATURE)) and _reason(posted, signature="EqQB")


def reason_in_plain_words(posted: Posted) -> bool:
    """Send reasoning in plain words to a model that takes it only as it sent it."""
    return bool(fact(posted, NO_REASONING_TEXT)) and _reason(posted)


def _reason(posted: Posted, **more: str) -> bool:
    turns = call_turns(posted)
    if not turns:
        return False
    kept = [block for block in turns[-1]["content"] if "reasoningContent" not in block]
    turns[-1]["content"] = [{"reasoningContent": {"reasoningText": {"text": "A file.", **more}}}, *kept]
    return True


# --- files --------------------------------------------------------------------------------------------------


def return_a_document_of_s3(posted: Posted) -> bool:
    """Name a document in the last result by its place in S3, to a Nova."""
    answers = last_answers(posted)
    if not answers or not fact(posted, NO_S3_RESULTS):
        return False
    answers[-1]["content"].append({"document": {"format": "txt", "name": "notes", "source": _IN_S3}})
    return True


def return_a_video_of_s3(posted: Posted) -> bool:
    """Name a video in the last result by its place in S3, to a Nova."""
    answers = last_answers(posted)
    if not answers or not fact(posted, NO_S3_RESULTS):
        return False
    answers[-1]["content"].append({"video": {"format": "mp4", "source": _IN_S3}})
    return True


def _shown_to_claude(posted: Posted, block: Json) -> bool:
    if not fact(posted, CLAUDE):
        return False
    messages(posted)[0]["content"].append(block)
    return True


def show_a_video(posted: Posted) -> bool:
    """Show Claude a video."""
    return _shown_to_claude(posted, {"video": {"format": "mp4", "source": {"bytes": "aGk="}}})


def return_a_video(posted: Posted) -> bool:
    """Return a video to Claude from a tool."""
    answers = last_answers(posted) if fact(posted, CLAUDE) else []
    for answer in answers[-1:]:
        answer["content"].append({"video": {"format": "mp4", "source": {"bytes": "aGk="}}})
    return bool(answers)


def show_an_image_of_s3(posted: Posted) -> bool:
    """Name an image by its place in S3, to a Claude."""
    return _shown_to_claude(posted, {"image": {"format": "png", "source": _IN_S3}})


def show_a_document_of_s3(posted: Posted) -> bool:
    """Name a document by its place in S3, to a Claude, beside a text."""
    return _shown_to_claude(posted, {"document": {"format": "txt", "name": "notes", "source": _IN_S3}})


FAMILIES: Final = (
    RequestMutant(
        "bed-words-beside-results",
        "The user's words are beside results, which the model takes alone.",
        ("BED-30",),
        speak_beside_results,
        (LLAMA, LLAMA_ALOUD, FOREIGN_TEXTS, MISTRAL),
    ),
    RequestMutant(
        "bed-words-beside-calls",
        "The model's words are beside calls, which it takes alone.",
        ("BED-31",),
        speak_beside_calls,
        (LLAMA, MISTRAL),
    ),
    RequestMutant(
        "bed-streamed-tools",
        "A stream is asked for with tools.",
        ("BED-34",),
        ask_for_a_stream,
        (LLAMA, LLAMA_ALOUD),
    ),
    RequestMutant("bed-tools-of-none", "The model has no tools.", ("BED-35",), declare_tools_all_the_same, (DEEPSEEK,)),
    RequestMutant(
        "bed-any-forced", "A call is forced of a model that cannot be.", ("BED-36",), force_any_call, (LLAMA,)
    ),
    RequestMutant(
        "bed-one-forced", "One call is forced of a model that cannot be.", ("BED-36",), force_a_call, (LLAMA_ALOUD,)
    ),
    RequestMutant(
        "bed-thinker-forced",
        "A call is forced of a model that is to think.",
        ("BED-47",),
        force_a_call_of_a_thinker,
        (THINKING, SONNET_4_6, FOREIGN),
    ),
    RequestMutant(
        "bed-signed", "Reasoning is signed that the model takes unsigned.", ("BED-38",), sign_the_reasoning, (GPT_OSS,)
    ),
    RequestMutant(
        "bed-reasoning-in-words",
        "Reasoning is in words, which the model does not take.",
        ("BED-39",),
        reason_in_plain_words,
        (GPT,),
    ),
    RequestMutant(
        "bed-document-of-s3",
        "A result names a document by its place.",
        ("BED-32",),
        return_a_document_of_s3,
        (NOVA,),
    ),
    RequestMutant(
        "bed-video-of-s3", "A result names a video by its place.", ("BED-32",), return_a_video_of_s3, (NOVA,)
    ),
    RequestMutant("bed-video", "The user shows a video.", ("BED-33",), show_a_video, (TEXTS, TWO_CALLS)),
    RequestMutant("bed-video-returned", "A tool returns a video.", ("BED-33",), return_a_video, (TWO_CALLS, ONE_CALL)),
    RequestMutant("bed-image-of-s3", "An image is named by its place.", ("BED-33",), show_an_image_of_s3, (TEXTS,)),
    RequestMutant(
        "bed-shown-document-of-s3",
        "A document is named by its place.",
        ("BED-33",),
        show_a_document_of_s3,
        (TEXTS, TWO_CALLS),
    ),
)
