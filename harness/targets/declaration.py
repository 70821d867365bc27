"""What a system under test declares: its wires, the contracts that it keeps, what it can do and what it reports.

A missing ability is no fault: cases that need it are skipped, with the reason.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from harness.scenario import CODING_AGENT, AgentTool, HttpErrorStep, Scenario, Step, TurnStep, called_tools
from harness.trace.kinds import EVENTS
from harness.wire import NATIVE_WIRES, Call, FinishReason, Turn, WireName
from harness.wire import wire as wire_named

Capability = Literal[
    "streaming",
    "non-streaming",
    "thinking",
    "parallel",
    "limit",
    "retry",
    "outcomes",
    "server-tools",
    "answer-schema",
    "follow-up",
    "cancel",
    "steer",
    "resume",
    "compact",
    "switch-model",
    "switch-wire",
    "switch-key",
    "approve",
]

CAPABILITIES: Final[Mapping[Capability, str]] = {
    "streaming": "asks for answers as streams of events",
    "non-streaming": "asks for non-streaming answers",
    "thinking": "takes models that think before they answer",
    "parallel": "takes several calls in one turn",
    "limit": "stops after a number of turns that is given to it",
    "retry": "sends a request again after HTTP 408, 409, 429 or 5xx, or after a broken connection",
    "outcomes": "reports how a run ended: completed, truncated or refused",
    "server-tools": "sends back what the provider's own tools have done, though it has declared none of them",
    "answer-schema": "asks for a text that fits a JSON Schema that is given to it, and again where one does not",
    "follow-up": "goes on with its conversation when the user says something more after a run",
    "cancel": "ends a run when its caller cancels it",
    "steer": "takes what the user says while it works",
    "resume": "goes on, in a new process, with a conversation that it has stored",
    "compact": "compacts its history when its user asks for it",
    "switch-model": "goes on with a conversation on another model",
    "switch-wire": "goes on with a conversation at another provider",
    "switch-key": "goes on with a conversation under another key",
    "approve": "asks its user before it runs a call of a tool that needs approval",
}
"""What a loop may be able to do, or not."""

EVERY_CAPABILITY: Final[frozenset[Capability]] = frozenset(CAPABILITIES)

EVERY_EVENT: Final = frozenset(EVENTS)
"""Every kind of event."""

_USUAL: Final[frozenset[Capability]] = frozenset({"streaming", "non-streaming", "thinking", "parallel"})
"""What a loop without a declaration can do: it keeps to its provider's API, and promises no more than that."""

_WORTH_A_RETRY: Final = frozenset({408, 409, 429})
"""Status codes below 500 after which the SDKs of OpenAI and Anthropic send a request again."""

_UNIVERSAL: Final = frozenset({"universal"})


@dataclass(frozen=True, slots=True)
class Declaration:
    """What a target declares.

    ``wires`` are the wires that it speaks. ``profiles`` are the contracts that it claims to keep, ``universal`` among
    them. ``capabilities`` are what it can do; it is not judged by anything else (``Case.promises``). ``emits`` are the
    kinds of events that its user gets, by their names in traces (``toolStart``); expectations about other kinds do not
    count. With ``emits`` None every kind counts, and the harness reports the tools that it runs. ``declines`` are
    members of requests that its endpoint must decline, like servers that are not the provider's own: ``thread`` on
    Anthropic's wire. ``wires_declared`` is false if nobody has declared what the loop speaks: ``wires`` then has all
    candidates, and a probe finds out. ``allow_refused`` are hosts beside the endpoint that it may try to ask, in vain.
    ``models`` are pairs of a wire and the model for cases on it, if that is not the harness's own choice.
    ``isolate`` is false if the loop needs a service on this machine, and so cannot be sealed off.

    ``tools`` are the tools of a coding agent by the neutral ones that scenarios call. ``thoughtless`` are the wires on
    which its model never thinks. ``timeout`` is how many seconds one of its cases may take; 0 means the default.
    ``transport`` is the only channel on which it asks; empty means HTTP. ``is_server``: it is a server that the harness
    itself asks, so it has no driver, and its own system prompt; with ``own_tools`` it also has the scenarios' tools.
    """

    wires: frozenset[WireName] = field(default=frozenset(NATIVE_WIRES))
    profiles: frozenset[str] = _UNIVERSAL
    capabilities: frozenset[Capability] = _USUAL
    emits: frozenset[str] | None = None
    declines: frozenset[str] = frozenset()
    wires_declared: bool = True
    allow_refused: frozenset[str] = frozenset()
    models: tuple[tuple[WireName, str], ...] = ()
    isolate: bool = True
    tools: tuple[tuple[str, AgentTool], ...] = ()
    thoughtless: frozenset[WireName] = frozenset()
    timeout: float = 0.0
    transport: str = ""
    is_server: bool = False
    own_tools: bool = False

    @property
    def is_agent(self) -> bool:
        """Whether it brings its own prompt and tools, so that the harness passes it none."""
        return CODING_AGENT in self.profiles

    def lacks(self, scenario: Scenario, wire: WireName | None = None) -> str:
        """Why the target cannot run ``scenario`` on ``wire`` (None: on any wire), in words; empty if it can."""
        unmapped = sorted(called_tools(scenario) - {name for name, _ in self.tools}) if scenario.is_of_agent else []
        if unmapped:
            return f"the target file maps no tool of the agent to {', '.join(unmapped)}, which the script calls"
        if scenario.thinks and wire in self.thoughtless:
            return f"the target's model on {wire} never thinks: the scripted model does"
        for needed, why in _needs(scenario, wire):
            if needed not in self.capabilities:
                return f"needs {why}; declare `{needed}` to run it"
        if unspoken := {run.wire for run in scenario.runs if run.wire} - self.wires:
            return f"the target does not speak {', '.join(sorted(unspoken))}: the scenario switches to it"
        if self.emits is not None and "setCode" not in self.emits and _previews(scenario):
            return "the target does not emit 'setCode' (previews): the scenario is about them"
        return ""


def _needs(scenario: Scenario, wire: WireName | None) -> list[tuple[Capability, str]]:
    turns = [step.turn for step in scenario.steps if isinstance(step, TurnStep)]
    needs: list[tuple[Capability, str]] = []
    if not scenario.stream:
        needs.append(("non-streaming", "requests that do not stream"))
    elif any(_breaks(step) for step in scenario.steps):
        needs.append(("streaming", "a stream, which the scenario breaks"))
    elif _needs_a_stream(wire) and any(_is_broken(call) for turn in turns for call in _runnable(turn)):
        needs.append(("streaming", "a stream: on this wire nothing else carries arguments that are no JSON"))
    elif any(_is_more_in_a_stream(step) for step in scenario.steps):
        needs.append(("streaming", "a stream: the answer is written as one"))
    if scenario.thinks:
        needs.append(("thinking", "a model that thinks"))
    if any(len(turn.calls) > 1 for turn in turns):
        needs.append(("parallel", "several calls in one turn"))
    if any(turn.stop is FinishReason.PAUSE for turn in turns) and not _go_on_by_tokens(scenario, wire):
        needs.append(("server-tools", "a model that pauses while the provider searches the web"))
    if any(isinstance(step, TurnStep) and step.has_more_than_parts for step in scenario.steps):
        needs.append(("server-tools", "the provider's own tools"))
    if scenario.answer_schema is not None:
        needs.append(("answer-schema", "a schema for the answer"))
    if scenario.turn_limit is not None:
        needs.append(("limit", "a configurable turn limit"))
    needs += _needs_of_the_caller(scenario)
    if (at := _retry_step(scenario)) is not None:
        needs.append(("retry", f"another attempt after the HTTP error that answers request {at + 1}"))
    return needs


def _is_more_in_a_stream(step: Step) -> bool:
    """Whether the answer has something that only a stream can carry."""
    native = step.native if isinstance(step, TurnStep) else None
    return native is not None and native.stream and bool(native.beyond)


def _needs_of_the_caller(scenario: Scenario) -> Iterator[tuple[Capability, str]]:
    """What the timeline of the scenario needs."""
    done = {each.does for each in scenario.acts}
    if "cancel" in done:
        yield "cancel", "runs that can be cancelled"
    if "say" in done:
        yield "steer", "a user who speaks while a run goes on"
    if any(each.when.characters or each.when.thinking for each in scenario.acts):
        yield "streaming", "a stream: the caller acts while an answer arrives"
    if scenario.runs:
        yield "follow-up", "another run in the same conversation"
    if any(run.resumed for run in scenario.runs):
        yield "resume", "a run that goes on from what was stored"
    if any(run.compacted for run in scenario.runs):
        yield "compact", "a history that can be compacted"
    if any(run.model for run in scenario.runs):
        yield "switch-model", "a switch of the model"
    if any(run.wire for run in scenario.runs):
        yield "switch-wire", "a switch of the provider"
    if any(run.key for run in scenario.runs):
        yield "switch-key", "another key in the middle of a conversation"
    if scenario.profile == "universal" and any(tool.kind == "unapproved" for tool in scenario.tools):
        yield "approve", "a tool that needs approval"


def _needs_a_stream(name: WireName | None) -> bool:
    """Whether only a stream of the wire can carry arguments that are no JSON."""
    return name is not None and wire_named(name).documents_need_valid_arguments


def _go_on_by_tokens(scenario: Scenario, name: WireName | None) -> bool:
    """Whether answers that go on in another request are only long ones on this wire, and have no part in tool use."""
    return all(wire_named(each).goes_on_by_token for each in ((name,) if name is not None else scenario.wires))


def _retry_step(scenario: Scenario) -> int | None:
    """The first step, counted from 0, that answers with an HTTP error, or not at all, after which the loop must send
    the same request again."""
    expect = scenario.expect
    for at, step in enumerate(scenario.steps):
        goes_on = "failed" not in expect.outcome or (expect.requests or 0) > at + 1
        if isinstance(step, HttpErrorStep) and goes_on and _is_worth_a_retry(step):
            return at
    return None


def _is_worth_a_retry(step: HttpErrorStep) -> bool:
    return bool(step.connection) or is_asked_again(step.status)


def is_asked_again(status: int) -> bool:
    """Whether loops send a request again after this status."""
    return status in _WORTH_A_RETRY or status >= 500


def _runnable(turn: Turn) -> tuple[Call, ...]:
    return turn.calls if turn.stop is FinishReason.TOOL_CALLS else ()


def _is_broken(call: Call) -> bool:
    """Whether the arguments of the call are a text that is no JSON. An empty text means an empty object."""
    try:
        json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        return True
    return False


def _breaks(step: object) -> bool:
    if not isinstance(step, TurnStep):
        return False
    return step.cut is not None or step.turn.error is not None or step.turn.ending != "complete"


def _previews(scenario: Scenario) -> bool:
    events = scenario.expect.events
    return events is not None and events.names("setCode")
