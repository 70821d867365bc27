"""Spans of running agents: read out of the files of exporters, and judged as far as they show what was sent.

readers    the spans of a file, one at a time, whichever of the known formats it has
elements   the elements of a JSON file of any size
otlp, rows   what an element of each format says

judging    a file of spans, conversation by conversation
kinds, whole, parts, messages, tool_runs   what a span shows of a request, source by source
scenarios, cassettes   a conversation that broke, as a scenario, and its answers as a cassette
index, links   which spans there are, and which request goes on from which
"""

from __future__ import annotations

from harness.spans.model import NO_SCOPE, NOWHERE, Scope, SpanPlace, TraceSpan
from harness.spans.readers import ChangedFile, again, read_spans

__all__ = ["NOWHERE", "NO_SCOPE", "ChangedFile", "Scope", "SpanPlace", "TraceSpan", "again", "read_spans"]
