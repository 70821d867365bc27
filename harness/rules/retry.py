"""What is tried again, and how often: calls that the model can mend, and requests that got no answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from harness.finding import Finding, broken
from harness.rules.arguments import fault, members
from harness.rules.contracts import CONTRACTS
from harness.rules.evidence import difference, quote
from harness.rules.model import rule
from harness.rules.pressure import is_too_long
from harness.rules.returned import added_results, own_steps
from harness.rules.steps import Step
from harness.rules.trace_view import TraceView
from harness.rules.turns import Ask
from harness.trace import ToolResult
from harness.wire import Call, Part, Refusal, Result, Text, ThinkingPart
from harness.wire.channels import words

_SDKS = "the official SDKs, measured: the OpenAI and Anthropic ones make three attempts, at 408, 409, 429 and 5xx"

_MOST_ATTEMPTS = 11
"""How often loops ask at most that wait longer from one attempt to the next: LlamaIndex tries 10 times again."""

_AT_ONCE = 0.25
"""A loop with a shorter pause, in seconds, has not waited before it asked again."""

_REFUSED = frozenset({400, 401, 403, 404, 413, 422})
"""Status codes that are about the request itself, or about its sender."""


@rule(
    "retry/tool",
    "MUST",
    "unsafe",
    "If a tool fails in more turns in a row than the contract retries, the run ends with an error. This counts only "
    "failures that the model could mend: no such tool, or arguments that are no JSON object or not of the declared "
    "types.",
    why="A model that cannot mend a call makes the same mistake until the turn limit, and each attempt costs money.",
    source="Tool Call Flow Diagrams, Detailed Tool Execution Flow: retry prompts; pydantic-ai 2: one retry by default",
    needs=("events", "exchanges"),
    profiles=tuple([name for name, contract in CONTRACTS.items() if contract.tool_retries is not None]),
    scope="run",
    proof="""
    wires: [openai-chat]
    run: {turns: [[{call: depth, id: call_1}], [{call: depth, id: call_2}], Yes.], failing: [depth],
        case: {profile: pydantic-ai}}
    wrong:
      fault-in-a-turn-that-is-asked-for-again: [A tool fails in two turns; the second was asked for twice.,
          {resend: 1}]
    """,
)
def _tool(view: TraceView) -> Iterator[Finding]:
    """A tool that did not fail in a turn begins anew, as does one that was not called."""
    allowed = view.contract.tool_retries
    if allowed is None or not view.emits(ToolResult):
        return
    failing: dict[str, int] = {}
    for attempts, following in pairwise(view.attempts):
        faults = _faults(view, attempts[-1])
        failing = {name: failing.get(name, 0) + 1 for name in faults}
        for name, turns in failing.items():
            if turns > allowed:
                expected = f"an error: {name!r} failed in {turns} consecutive turns, with at most {allowed} retries"
                yield broken(following[0].at, expected, "another request to the model", f"the last time {faults[name]}")
                return


def _faults(view: TraceView, ask: Ask) -> dict[str, str]:
    """By tool, what was wrong with a call of it that was not executed, where the model could mend it."""
    offered = ask.full.tools if ask.full is not None else ()
    found: dict[str, str] = {}
    for call in view.calls_of(ask) if ask.runnable else ():
        if call.tool is None or call.tool.ran_at is None:
            wrong = fault(call.call, offered)
            if wrong is not None:
                found[call.call.name] = wrong
    return found


@rule(
    "retry/request",
    "SHOULD",
    "unsafe",
    "A request that got an error or a broken stream is sent again unchanged at most twice. Up to ten times is an "
    "INFO where the loop waits before each attempt, or the provider has said how long it need wait.",
    why="Retries without a bound keep an overloaded provider down, and a user waiting for an error that never comes.",
    source=_SDKS,
    needs=("exchanges",),
    proof="""
    run: {turns: [[Let me look., {call: depth, with: {basin: north}}], Yes.]}
    right: {resent-twice: [A request is sent three times., {resend: 1, times: 2}]}
    wrong: {resent-able: [A loop that does., {resend: 1, times: 3}, {case: {capabilities: [retry]}}]}
    """,
)
def _request(view: TraceView) -> Iterator[Finding]:
    if not view.case.promises("retry"):
        return
    allowed = 1 + view.contract.request_retries
    for attempts in view.attempts:
        for same in _series(attempts):
            if len(same) <= allowed:
                continue
            waits = all(_has_waited(view, *pair) for pair in pairwise(same[:_MOST_ATTEMPTS]))
            too_many = len(same) > _MOST_ATTEMPTS
            most = _MOST_ATTEMPTS if waits and too_many else allowed
            expected = f"at most {most} attempts at one request"
            yield broken(
                same[most].at, expected, f"attempt {most + 1}", level="INFO" if waits and not too_many else None
            )


def _series(attempts: Sequence[Ask]) -> Iterator[list[Ask]]:
    """The attempts at one turn, apart where a request says something else than the one before."""
    same = [attempts[0]]
    for before, ask in pairwise(attempts):
        if not ask.same_as(before):
            yield same
            same = []
        same.append(ask)
    yield same


def _has_waited(view: TraceView, before: Ask, ask: Ask) -> bool:
    """Whether the loop has waited before it asked again, or the provider has said how long it need not."""
    response = before.exchange.response
    if response is None:
        return False
    if ask.exchange.request.at - response.at >= _AT_ONCE or "retry-after" in response.headers:
        return True
    return view.wire.wait_in_error(members(response.body.decode(errors="replace")) or {}) is not None


@rule(
    "retry/refused",
    "SHOULD",
    "style",
    "A request that was refused for what it says (HTTP 400, 401, 403, 404, 413, 422) is not sent again unchanged.",
    why="It will be refused again; the user waits for nothing.",
    source=_SDKS,
    needs=("exchanges",),
    proof="""
    run: {turns: [[Let me look., {call: depth, with: {basin: north}}], Yes.]}
    right: {resent-408: [A request that got HTTP 408 is sent again., {resend: 1, status: 408}]}
    wrong: {resent-400: [A request that got HTTP 400 is sent again., {resend: 1, status: 400}]}
    """,
)
def _refused_request(view: TraceView) -> Iterator[Finding]:
    for attempts in view.attempts:
        for before, ask in pairwise(attempts):
            response = before.exchange.response
            if response is not None and response.status in _REFUSED and ask.same_as(before):
                expected = f"another request, or an error: the request got HTTP {response.status}"
                yield broken(ask.at, expected, "the same request again")
                break


@rule(
    "retry/failed-attempt",
    "MUST",
    "unsafe",
    "After an answer that broke, the next request has nothing of it. Text alone is a SHOULD.",
    why="Thinking that was cut is refused for its signature, and a call that was cut is none: the model goes on from "
    "what it has not said.",
    source="https://platform.claude.com/docs/en/build-with-claude/streaming, Error recovery: tool use and thinking "
    "blocks cannot be partially recovered; https://github.com/anthropics/claude-code/issues/21289",
    needs=("exchanges",),
    proof="""
    wires: [anthropic-messages]
    run: {turns: [[{ThinkingPart: The tide is high.}, Well], Yes.], acts: {2: [{say: 'So?'}]}}
    right:
      broken-text-dropped: [Nothing of an answer that broke is sent back., {cut: 0, end: cut},
          {lacking: ThinkingPart}, {part: Text, become: [], role: assistant}]
    wrong:
      broken-text-kept: [The text of an answer that broke is sent back., {cut: 0, end: cut},
          {lacking: ThinkingPart}]
    """,
)
def _failed_attempt(view: TraceView) -> Iterator[Finding]:
    for step in own_steps(view):
        if step.answered.whole or step.parting is not None or added_results(step):
            continue  # calls of it that are answered are the business of final/failed-turn
        if view.was_left(step.answered, step.ask):
            continue  # what the user has seen of it may stay
        kept = [part for part in step.went if any(_is_of(part, came) for came in step.came)]
        if kept:
            grave = any(not isinstance(part, Text | Refusal) for part in kept)
            if not grave and _is_stopped(view, step):
                continue
            yield broken(
                step.ask.at,
                f"nothing of the answer to request {step.answered.number + 1}, which broke",
                f"{_part_words(kept[0])}{', ...' if kept[1:] else ''}",
                level=None if grave else "SHOULD",
            )


def _is_stopped(view: TraceView, step: Step) -> bool:
    """Whether a program whose prompt nobody knows has broken the answer off itself, as at a stop button: its user has
    seen what it shows of it."""
    response = step.answered.exchange.response
    return not view.case.is_handed and response is not None and response.end == "closed"


def _is_of(part: Part, came: Part) -> bool:
    """Whether a part of a request is the received part, or the beginning that was received."""
    if isinstance(part, Call) and isinstance(came, Call):
        return part.name == came.name and (part.id == came.id if came.id else part.arguments == came.arguments)
    if isinstance(part, Text | Refusal | ThinkingPart) and type(part) is type(came):
        return bool(part.text.strip()) and (came.text.startswith(part.text) or part.text.startswith(came.text))
    return False


def _part_words(part: Part) -> str:
    if isinstance(part, Call):
        return f"the call {quote(f'{part.name}({part.arguments})')}"
    return f"the {'thinking' if isinstance(part, ThinkingPart) else 'text'} {quote(part.text)}"


@rule(
    "retry/same-results",
    "MUST",
    "unsafe",
    "A request that is sent again after an HTTP error, or after its "
    f"{words('label')} was lost, has the same results under the same ids.",
    why="Another result means that the tool has run twice: what it does has been done twice.",
    source="https://github.com/agno-agi/agno/issues/10366: a run that was tried again ran its tools again",
    needs=("exchanges",),
    proof="""
    wires: [openai-chat]
    run: {turns: [[Let me look., {call: depth, id: call_1, with: {basin: n}},
        {call: tide, id: call_2, with: {basin: s}}], Yes.]}
    right: {results-sent-again: [A request that got an error is sent again., {resend: -1}]}
    wrong:
      other-result-sent-again: ['A request that got an error is sent again, and one result is another.',
          {sent_again_with: '{"done": "once more"}'}]
    """,
)
def _same_results(view: TraceView) -> Iterator[Finding]:
    for before, ask in pairwise(view.asks):
        if not _is_lost(before) or view.edited(before):
            continue
        sent = {part.id: part for part in _results(before) if part.id}
        for result in _results(ask):
            first = sent.get(result.id)
            if first is not None and result.output != first.output and not is_too_long(before):
                expected, got = difference(first.output, result.output)
                yield broken(ask.at, f"the result of {result.id} as it was sent before: {expected}", got)
                break


def _is_lost(ask: Ask) -> bool:
    """Whether a request got no answer: an error, or none that came to its end before its connection was lost."""
    lives_there = ask.full is not None and ask.full.connection
    return ask.reply is None or bool(lives_there and not ask.sound)


def _results(ask: Ask) -> Iterator[Result]:
    messages = ask.full.messages if ask.full is not None else ()
    return (part for message in messages for part in message.parts if isinstance(part, Result))
