"""Reads spans of running agents from exported files, and judges the requests that they show.

readers    the spans of a file in any known format, one at a time
elements   the elements of a JSON file of any size
otlp, rows   how an element of each format is read

judging    a file of spans, conversation by conversation
kinds, whole, parts, messages, tool_runs   what a span shows of a request, source by source
scenarios, cassettes   a broken conversation as a scenario, and its answers as a cassette
index, links   which spans there are, and which request continues which
"""

from __future__ import annotations

from harness.spans.model import NO_SCOPE, NOWHERE, Scope, SpanPlace, TraceSpan
from harness.spans.readers import ChangedFile, again, read_spans

__all__ = ["NOWHERE", "NO_SCOPE", "ChangedFile", "Scope", "SpanPlace", "TraceSpan", "again", "read_spans"]
