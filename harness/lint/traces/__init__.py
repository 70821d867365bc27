"""Production traces: the requests to models that spans have recorded, judged as far as they show what was sent.

judging    a file of spans, conversation by conversation
kinds, whole, parts, messages, tool_runs   what a span shows, source by source
scenarios, cassettes   a conversation that broke, as a scenario, and its answers as a cassette
index, links   which spans there are, and which request goes on from which
"""

from __future__ import annotations

from harness.lint.traces.anonymise import anonymise
from harness.lint.traces.cassettes import RecordedConversation, conversation_of
from harness.lint.traces.judging import TraceFinding, TraceOptions, TraceTotals, judge_spans, turn_of
from harness.lint.traces.scenarios import RecordedTurn, write_scenario
from harness.lint.traces.tool_runs import RUN_RULES

__all__ = [
    "RUN_RULES",
    "RecordedConversation",
    "RecordedTurn",
    "TraceFinding",
    "TraceOptions",
    "TraceTotals",
    "anonymise",
    "conversation_of",
    "judge_spans",
    "turn_of",
    "write_scenario",
]
