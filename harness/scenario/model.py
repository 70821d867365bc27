"""A compiled, checked and frozen scenario, as the rest of the harness uses it.

The entries that a person writes (``authored``) have short forms and defaults; here everything is explicit.
``loader.py`` turns entries into scenarios.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from harness.scenario.automaton import EventExpression
from harness.scenario.callers import CallerAction, Round
from harness.scenario.timeline import CallerAct, NextRun
from harness.trace import JsonValue
from harness.wire import ThinkingPart, ToolDeclaration, Turn, WireName
from harness.wire.chunking import CHUNKINGS, Chunking
from harness.wire.failures import FailureKind
from harness.wire.text_tags.prompt import Skill

__all__ = [
    "CHUNKINGS",
    "CODING_AGENT",
    "PROFILES",
    "RESILIENT",
    "SUITES",
    "Chunking",
    "Cut",
    "Expect",
    "ExpectedError",
    "FileExpect",
    "FinalExpect",
    "HttpErrorStep",
    "NativeAnswer",
    "OfferedExpect",
    "Outcome",
    "ReportedExpect",
    "ResultExpect",
    "Scenario",
    "ScenarioLines",
    "SideConversation",
    "SocketFault",
    "Step",
    "Suite",
    "Tool",
    "ToolRun",
    "TurnStep",
    "ValueExpect",
]

CODING_AGENT: Final = "coding-agent"
"""The profile of agents that bring their own tools and work on files."""

RESILIENT: Final = "resilient"
"""The profile of loops that go on where others give up."""

PROFILES: Mapping[str, str] = {
    "universal": "applies to every agent loop",
    "screenshot-to-code": "create_file and edit_file on one page, previews while arguments arrive, 20 turns",
    "pydantic-ai": "tools in parallel, output, external and unapproved tools, bounded retries, 50 requests",
    "tool-runner": "turn by turn, and the caller may change the history in between",
    "hugind": "tool calls as text, skills, 10 turns and then one for the answer",
    RESILIENT: "asked again without a stream where one broke, compacted by itself, six retries",
    CODING_AGENT: "a program with a prompt and tools of its own, which works on files in a directory",
}
"""The contracts that a scenario can belong to."""

Suite = Literal["core", "robustness", "situations", "dialects"]

SUITES: Mapping[Suite, str] = {
    "core": "what the official providers send and refuse",
    "robustness": "broken streams, retries, odd or missing ids, characters cut in half",
    "situations": "what callers do: cancel, speak while the loop works, go on, resume, switch the model",
    "dialects": "what servers send that are not the provider's own",
}
"""The parts of the profile ``universal``. The scenarios of any other profile are the suite of that name."""

Outcome = Literal["completed", "truncated", "refused", "failed", "turn-limit", "deferred"]
"""How a run ends. ``turn-limit`` is an error or a final event, by the loop's contract; ``deferred`` waits for a
resolution that the scenario does not have."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that the loop may run.

    The loop under test brings the ``canonical`` tools itself. Any other tool answers every call with ``returns``,
    or fails with the message ``raises``. ``kind`` says who runs it: the loop (``function``), nobody (``output``),
    somebody else (``external``), or the loop once somebody has approved the call (``unapproved``). ``extra`` is text
    beside its result. ``finishes_after`` names a tool that must have ended a call first. ``{{fresh}}`` in ``returns``
    is a different word for each call, made from ``fresh``, which is the name of the scenario.
    """

    declaration: ToolDeclaration
    returns: JsonValue = None
    raises: str | None = None
    canonical: bool = False
    kind: Literal["function", "output", "external", "unapproved"] = "function"
    extra: str = ""
    finishes_after: str | None = None
    fresh: str = ""


@dataclass(frozen=True, slots=True)
class Cut:
    """The connection breaks after this many SSE events: closed in mid-answer (``cut``) or by a TCP reset.

    With ``parts`` it breaks after this many complete parts of the turn, before the next one begins. ``garbled``: the
    next event has only half of its data, so that it is no JSON, and the body ends behind it. A WebSocket may also be
    closed with ``code`` (``close``), or end because it has lasted too long (``limit``); over HTTP both are a ``cut``.
    Over a WebSocket ``reset`` and ``garbled`` are a ``cut``.
    """

    after: int = 0
    how: Literal["cut", "reset", "garbled", "close", "limit"] = "cut"
    parts: int | None = None
    code: int = 1011


@dataclass(frozen=True, slots=True)
class SocketFault:
    """What happens to the WebSocket around an answer. Over HTTP nothing happens.

    Before the answer: opening a connection is refused with the status ``refuse`` (0: it is closed without an
    answer, None: it is not refused), or with ``hangs`` never answered, ``times`` times (0: always). With ``compresses``
    the messages of an open connection are compressed. With ``forgets`` a request that goes on from an earlier response
    gets once the answer that there is no such response. In the answer: with ``unknown`` there is an event of a type
    that no client knows, with ``elsewhere`` there are events of another stream, and with ``steerable`` the client may
    send input. Behind the answer: with ``limit`` the error comes that the connection has lasted too long, and with
    ``close`` the connection is closed with this code (0: not at all, 1006: broken without a close frame).
    """

    refuse: int | None = None
    times: int = 0
    forgets: bool = False
    unknown: bool = False
    limit: bool = False
    hangs: bool = False
    compresses: bool = False
    elsewhere: bool = False
    steerable: bool = False
    close: int = 0


@dataclass(frozen=True, slots=True)
class NativeAnswer:
    """An answer in the provider's own words: frames for a request for a stream, or a document for any other.

    ``beyond`` names its contents without a neutral part: code that the provider has run, a search.
    """

    frames: tuple[bytes, ...]
    stream: bool
    beyond: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnStep:
    """The endpoint answers with a model turn, perhaps not to its end.

    ``uses_results``: its texts or arguments name members of results, which are taken from the request.
    ``native`` is the answer if the file has the provider's own words, and ``turn`` is then its neutral form. ``socket``
    is what happens to the WebSocket around it.
    """

    turn: Turn
    cut: Cut | None = None
    uses_results: bool = False
    native: NativeAnswer | None = None
    socket: SocketFault | None = None

    @property
    def has_more_than_parts(self) -> bool:
        """Whether the answer has pieces that only one provider has, in any form of the script."""
        return bool(self.turn.natives or (self.native and self.native.beyond))

    @property
    def is_whole(self) -> bool:
        """Whether the turn comes to its end."""
        return self.cut is None and self.turn.error is None and self.turn.ending == "complete"


@dataclass(frozen=True, slots=True)
class HttpErrorStep:
    """The endpoint answers with an HTTP error in the provider's own form. ``retry_after`` is in seconds;
    ``retry_date`` is a header value instead of seconds.

    ``body`` replaces the provider's own; the connection may break behind it (``breaks``). With a ``kind`` the provider
    decides the whole error, even its status; ``status`` is then the one that most providers send. With a ``connection``
    there is no answer, and ``status`` is 0: the connection is ``closed``, or ``reset``, before the first byte of an
    answer.
    """

    status: int
    retry_after: float | None = None
    body: str | None = None
    kind: FailureKind | None = None
    connection: Literal["closed", "reset"] | None = None
    retry_date: str = ""
    breaks: Literal["closed", "reset"] | None = None


Step = TurnStep | HttpErrorStep


@dataclass(frozen=True, slots=True)
class SideConversation:
    """A conversation that the loop may begin beside the main one: a title, a sub-agent.

    It is recognised by ``says``, a part of its system prompt or of its user's text. ``steps`` answer it; a built-in
    model answers further requests. ``needed``: the case must begin it. ``sent`` is what its requests must contain, if
    it is begun.
    """

    says: str
    steps: tuple[Step, ...]
    needed: bool
    sent: tuple[SentExpect, ...] = ()


@dataclass(frozen=True, slots=True)
class SentExpect:
    """What request number ``request`` (from 1) must contain: texts that are in it, and texts that are not.

    Each text of ``once`` is in it exactly once, in this order. ``values`` of its body are by JSON Pointers, and
    ``without`` are member names that do not occur in it. ``waits`` are the seconds since the previous answer: the
    minimum, and perhaps the maximum.
    """

    request: int
    contains: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    once: tuple[str, ...] = ()
    values: Mapping[str, JsonValue] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    waits: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class OfferedExpect:
    """Tools that request number ``request`` (from 1) must declare, and tools that it must not."""

    request: int
    tools: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ValueExpect:
    """What a JSON value must be, or contain. ``equals`` has one value, or none if the value may differ.

    ``members`` are members that an object must have; it may have others. null also fits a missing member.
    """

    equals: tuple[JsonValue, ...] = ()
    contains: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    members: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReportedExpect:
    """What the user is shown of call number ``nth`` (from 1) of ``tool``, in the order of the ``toolResult`` events.

    ``input`` is the input of its ``toolStart``. The rest is about its ``toolResult``. None: not checked.
    """

    tool: str
    nth: int
    ok: bool | None = None
    input: ValueExpect | None = None
    output: ValueExpect | None = None


@dataclass(frozen=True, slots=True)
class ResultExpect:
    """What goes back to the model as the result of call number ``call`` (from 1), which is a call of ``tool``.

    ``failed``: whether it is marked as a failure, on wires that mark failures. None: not checked. ``unless_ran``: it is
    marked exactly if the trace does not report that the call has run and succeeded.
    """

    call: int
    tool: str
    value: ValueExpect
    failed: bool | Literal["unless_ran"] | None = None


@dataclass(frozen=True, slots=True)
class FileExpect:
    """What a file of the work directory must contain at the end of the case; ``absent``: it must not exist."""

    path: str
    absent: bool = False
    value: ValueExpect = field(default_factory=ValueExpect)


@dataclass(frozen=True, slots=True)
class ToolRun:
    """A run of ``tool``: on exactly these ``arguments``, None for any."""

    tool: str
    arguments: Mapping[str, JsonValue] | None = None


@dataclass(frozen=True, slots=True)
class FinalExpect:
    """What the code of the ``final`` event must be, and what its text must contain if it has one.

    ``usage`` and ``output`` are members of the usage and of the output, and ``history`` has members of each message of
    the history, if the run returns these. null also fits a missing member.
    """

    equals: str | None = None
    contains: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    says: str = ""
    usage: Mapping[str, JsonValue] = field(default_factory=dict)
    history: tuple[Mapping[str, JsonValue], ...] = ()
    output: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ExpectedError:
    """The ``error`` event that must end the run: its kind, a part of its message (``""``: any), and no part of it."""

    kind: str
    contains: str = ""
    lacks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Expect:
    """What must be true of the trace beyond the rules that hold for every trace. None: not checked.

    ``outcome`` has the ends that are right, one or several. ``turns`` counts the model turns that the endpoint
    answered, ``requests`` every request, retries included. ``ran`` are required runs of tools, ``not_ran`` are
    forbidden ones. ``offered`` are tools of requests, ``reported`` is what the user sees of calls, ``results`` is what
    goes back of them. ``uses_results``: texts name members of results, as the tools return them. ``files`` are the
    expected files in the work directory of a coding agent.
    """

    outcome: tuple[Outcome, ...]
    turns: int | None = None
    requests: int | None = None
    events: EventExpression | None = None
    final: FinalExpect | None = None
    error: ExpectedError | None = None
    sent: tuple[SentExpect, ...] = ()
    ran: tuple[ToolRun, ...] = ()
    not_ran: tuple[ToolRun, ...] = ()
    offered: tuple[OfferedExpect, ...] = ()
    reported: tuple[ReportedExpect, ...] = ()
    results: tuple[ResultExpect, ...] = ()
    uses_results: bool = False
    files: tuple[FileExpect, ...] = ()


@dataclass(frozen=True, slots=True)
class ScenarioLines:
    """The lines of a scenario's file, counted from 1: of its ``steps``, in order; of its expectations; of each
    ``expected`` thing by its key; of the conversations ``beside`` the main one."""

    steps: tuple[int, ...]
    expect: int
    expected: Mapping[str, int]
    beside: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Scenario:
    """One declared test.

    ``prompt`` are (role, text) pairs, role ``system`` or ``user``. ``steps`` are the endpoint's answers, in order.
    ``turn_limit`` None leaves the limit to the profile. ``options`` are the codes that ``retrieve_option`` reads.
    ``resolve`` has the resolutions of calls that wait, one entry for every time that the run is deferred. ``caller`` is
    what the caller does between turns, by the number of the turn; ``acts`` is what it does while a run goes on.
    ``runs`` are the runs of the loop after the first. ``beside`` are the scripted conversations beside the main one.
    ``answer_schema`` is the schema of the object that the last text must be. ``lines`` None: it was not read from a
    file. ``suite`` is the suite of most of its cases if the profile is ``universal``
    (``harness.scenario.suites.suite_of``). ``plays`` is the model that its cases ask for, if that is not the wire's
    own. ``dialects`` are further dialects in which its streams are sent, each on the wires that have it.
    ``files`` are in the work directory of a coding agent when it begins, by their paths in it. It has cases only on
    ``transport``, which is ``http`` or ``websocket``; empty: both.
    """

    name: str
    profile: str
    summary: str
    wires: tuple[WireName, ...]
    prompt: tuple[tuple[str, str], ...]
    tools: tuple[Tool, ...]
    steps: tuple[Step, ...]
    expect: Expect
    path: Path
    chunkings: tuple[Chunking, ...] = ("event",)
    dialects: tuple[str, ...] = ()
    stream: bool = True
    turn_limit: int | None = None
    options: tuple[str, ...] = ()
    skills: Mapping[str, Skill] = field(default_factory=dict)
    resolve: tuple[Round, ...] = ()
    caller: Mapping[int, tuple[CallerAction, ...]] = field(default_factory=dict)
    acts: tuple[CallerAct, ...] = ()
    runs: tuple[NextRun, ...] = ()
    beside: tuple[SideConversation, ...] = ()
    answer_schema: Mapping[str, JsonValue] | None = None
    lines: ScenarioLines | None = field(default=None, compare=False)
    suite: Suite = "core"
    plays: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    transport: str = ""

    @property
    def is_of_agent(self) -> bool:
        """Whether it drives a program that brings its own prompt and tools, and works on files."""
        return self.profile == CODING_AGENT

    @property
    def has_timeline(self) -> bool:
        """Whether a caller does something while the loop runs, or has it run again."""
        return bool(self.acts or self.runs)

    @property
    def thinks(self) -> bool:
        """Whether the scripted model thinks in any of its turns."""
        turns = (step.turn for step in self.steps if isinstance(step, TurnStep))
        return any(isinstance(part, ThinkingPart) for turn in turns for part in turn.parts)
