"""Spans of running agents, read out of the files of exporters: bytes -> spans, and no judgement.

readers    the spans of a file, one at a time, whichever of the known formats it has
elements   the elements of a JSON file of any size
otlp, rows   what an element of each format says
"""

from __future__ import annotations

from harness.spans.model import NO_SCOPE, NOWHERE, Scope, SpanPlace, TraceSpan
from harness.spans.readers import ChangedFile, again, read_spans

__all__ = ["NOWHERE", "NO_SCOPE", "ChangedFile", "Scope", "SpanPlace", "TraceSpan", "again", "read_spans"]
