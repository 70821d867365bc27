"""Events, exchanges and traces: what the rules judge.

``model`` holds the facts and ``kinds`` their names, ``files`` and ``reading`` their JSON Lines form, ``canonical`` the
form in which two runs compare.
"""

from harness.trace.canonical import canonical, naming
from harness.trace.files import TraceError, dump, dumps, load, loads
from harness.trace.model import (
    MAIN,
    RAISED,
    AgUiRecord,
    Assistant,
    BesideRecord,
    CallerDid,
    CallerRecord,
    Case,
    End,
    Event,
    EventRecord,
    Exchange,
    Failure,
    Final,
    JsonValue,
    Record,
    RequestRecord,
    ResponseRecord,
    SetCode,
    SocketDid,
    SocketRecord,
    Thinking,
    ToolArguments,
    ToolResult,
    ToolStart,
    Trace,
    TurnStart,
)
from harness.trace.parsing import problem_of
from harness.trace.vocabulary import FAILURES, OUTCOMES

__all__ = [
    "FAILURES",
    "MAIN",
    "OUTCOMES",
    "RAISED",
    "AgUiRecord",
    "Assistant",
    "BesideRecord",
    "CallerDid",
    "CallerRecord",
    "Case",
    "End",
    "Event",
    "EventRecord",
    "Exchange",
    "Failure",
    "Final",
    "JsonValue",
    "Record",
    "RequestRecord",
    "ResponseRecord",
    "SetCode",
    "SocketDid",
    "SocketRecord",
    "Thinking",
    "ToolArguments",
    "ToolResult",
    "ToolStart",
    "Trace",
    "TraceError",
    "TurnStart",
    "canonical",
    "dump",
    "dumps",
    "load",
    "loads",
    "naming",
    "problem_of",
]
