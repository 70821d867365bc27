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
from harness.wire.bedrock_converse.rules.request import ConverseRequest, Found, brief
from harness.wire.bedrock_converse.rules.table import (
    BED_30,
    BED_31,
    BED_32,
    BED_33,
    BED_34,
    BED_35,
    BED_36,
    BED_38,
    BED_39,
    BED_41,
    BED_47,
)
from harness.wire.lenient import members, objects
from harness.wire.rule import Certainty, WireRule

_FORCED: Final = ("any", "tool")
_MARKS: Final = ("cachePoint",)
"""Blocks that say nothing."""


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


def calls_alone(request: ConverseRequest) -> Found:
    """BED-31. Reasoning is no conversation: models that answer with it and a call were not reported."""
    certainty = request.fact(LONE_CALLS)
    if not certainty:
        return
    for entry in request.entries:
        if entry.calls and any(block.kind == "text" for block in entry.blocks):
            at, got = f"{entry.at}.content", "text beside them"
            yield BED_31.broken(at, expected="toolUses alone", got=got, certainty=certainty)


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
    """Whether a file of a kind is named by its place, and not sent."""
    return "s3Location" in members(members(native.get(kind)).get("source"))


def no_streamed_tools(request: ConverseRequest) -> Found:
    """BED-34."""
    certainty = request.fact(NO_STREAMED_TOOLS)
    if certainty and request.conversation.stream and request.tool_config:
        yield BED_34.broken("toolConfig", expected="no tools, or no stream", got="both", certainty=certainty)


def no_tools(request: ConverseRequest) -> Found:
    """BED-35."""
    if request.fact(NO_TOOLS) and request.tool_config:
        yield BED_35.broken("toolConfig", expected="no tools", got=brief(list(request.tool_config)))


def no_forced_call(request: ConverseRequest) -> Found:
    """BED-36."""
    if request.fact(NO_FORCED_CALL) and request.choice in _FORCED:
        at = f"toolConfig.toolChoice.{request.choice}"
        certainty: Certainty | None = None if request.choice == "any" else "likely"
        yield BED_36.broken(at, expected="auto", got=request.choice, choice=request.choice, certainty=certainty)


def no_forced_call_with_thinking(request: ConverseRequest) -> Found:
    """BED-47."""
    if request.fact(CLAUDE) and request.thinking in ("enabled", "adaptive") and request.choice in _FORCED:
        yield BED_47.broken("toolConfig.toolChoice", expected="auto", got=f"{request.choice}, and thinking")


def no_signature(request: ConverseRequest) -> Found:
    """BED-38."""
    if request.fact(NO_SIGNATURE):
        yield from _with_member(request, BED_38, "signature")


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


def no_prefill(request: ConverseRequest) -> Found:
    """BED-41. A history that ends with a call is BED-01's."""
    last = request.entries[-1] if request.entries else None
    if request.fact(NO_PREFILL) and last is not None and last.role == "assistant" and not last.calls:
        yield BED_41.broken(last.at, expected="a user message last", got="an assistant message last")
