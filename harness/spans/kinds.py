"""Determines what a span is about (a request to a model, a run of a tool, or neither), and its source.

Sources are recognised by the attributes that they write; if two of them use the same attributes differently, by the
name of the instrumentation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal

from harness.spans import TraceSpan

SpanKind = Literal["inference", "tool", "other"]

_OPENINFERENCE: Final = "openinference.span.kind"
_OPERATION: Final = "gen_ai.operation.name"
_LANGFUSE: Final = "langfuse.observation.type"
_TRACELOOP: Final = "traceloop.span.kind"

_METADATA: Final = re.compile(r'"response_metadata":\s*\{[^{}]{0,400}?"id":\s*"([^"]{1,200})"')

_INFERENCE_OPERATIONS: Final = frozenset(["chat", "generate_content", "text_completion", "responses"])
_BY_ATTRIBUTE: Final[tuple[tuple[str, Mapping[str, SpanKind]], ...]] = (
    (_OPENINFERENCE, {"LLM": "inference", "TOOL": "tool"}),
    (_LANGFUSE, {"generation": "inference", "tool": "tool"}),
    (_OPERATION, {**dict.fromkeys(_INFERENCE_OPERATIONS, "inference"), "execute_tool": "tool"}),
    (_TRACELOOP, {"tool": "tool"}),
    ("llm.request.type", {"chat": "inference", "completion": "inference"}),
)
"""The attributes for the kind, the most reliable first, with the meanings of values; other values mean neither."""

_FRAMEWORKS: Final = ("pydantic-ai", "langchain", "langfuse", "llama", "crewai", "agno", "smolagents", "haystack")
"""Parts of the names of instrumentations that record what a framework passes on, not what it sends."""


def kind_of(span: TraceSpan) -> SpanKind:
    """What the span is about."""
    for name, kinds in _BY_ATTRIBUTE:
        value = span.attributes.get(name)
        if isinstance(value, str) and value:
            found = kinds.get(value, "other")
            if found != "other" or name != _TRACELOOP:
                return found
    return "other"


def response_id(span: TraceSpan) -> str:
    """The id of the model's response, ``""`` if the span has none."""
    if id := span.attributes.get("gen_ai.response.id"):
        return str(id)
    for name in ("output.value", "langfuse.observation.output"):  # LangChain has it in what it calls metadata
        text = span.attributes.get(name)
        found = _METADATA.search(text) if isinstance(text, str) else None
        if found:
            return found[1]
    return ""


def label_of(span: TraceSpan) -> str:
    """The writer of the span, for people: the instrumentation and its version."""
    name = span.scope.name or "an unnamed instrumentation"
    return f"{name} {span.scope.version}".rstrip()


def sent_by_framework(span: TraceSpan) -> bool:
    """Whether the span records what a framework passed on: its request to the provider may differ."""
    name = span.scope.name.lower().replace("_", "-")
    return any(part in name for part in _FRAMEWORKS) or span.attributes.get(_LANGFUSE) is not None


def content_variable(span: TraceSpan) -> str:
    """How to turn on the recording of content, if the instrumentation's name determines it; else ``""``."""
    if span.scope.name.startswith("opentelemetry."):
        return (
            "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY with "
            "OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental"
        )
    return ""
