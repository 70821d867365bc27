"""The turn limit: overrun, reached in silence, or cried where there is none."""

from __future__ import annotations

from dataclasses import replace

from harness.rules import TraceView
from harness.rules.limit import LONGEST
from harness.trace import Failure, Final, Record, TurnStart
from harness.wire import Call, Identity, Part, Result, WireName, wire
from harness_lab.mutants.traces import conversations
from harness_lab.mutants.traces.draft import NothingToBreak, TraceDraft, place, places
from harness_lab.mutants.traces.edits import alter, end_as, judged_by, stop_before
from harness_lab.mutants.traces.mutant import EquivalentTrace, TraceMutant, both


def one_turn_less(draft: TraceDraft) -> None:
    """The limit was one turn less than the run has taken."""
    turns = len(places(draft.records, TurnStart))
    if turns < 2:
        raise NothingToBreak
    draft.case = replace(draft.case, turn_limit=turns - 1)


def limit_cried(draft: TraceDraft) -> None:
    """The last turn that was allowed gave an answer, and the loop says that it was one too few."""
    turns = len(places(draft.records, TurnStart))
    draft.case = replace(draft.case, turn_limit=turns)
    end_as(Failure("turn-limit", f"not finished within {turns} turns"))(draft)


def no_demand(draft: TraceDraft) -> None:
    """The run ends with the results of the last turn that was allowed."""
    del draft.records[place(draft.records, TurnStart, -1) + 1 :]
    stop_before(TurnStart, -1, Final("", "turn-limit"))(draft)


def asked_for_ever(draft: TraceDraft) -> None:
    """The first answer of the model comes again and again, and the loop, which reports nothing, goes on each time."""
    ask = next(iter(TraceView(draft.trace).asks), None)
    if ask is None or ask.full is None or ask.reply is None or ask.exchange.response is None:
        raise NothingToBreak
    speaker, identity, conversation = wire(ask.full.wire), Identity(draft.case.id), ask.full
    turn = replace(ask.reply.turn, parts=tuple([_unsaid(part) for part in ask.reply.turn.parts]))
    records: list[Record] = []
    for number in range(LONGEST + 1):
        body = speaker.write(conversation).body
        rendered = speaker.render(turn, identity, conversation)
        records.append(replace(ask.exchange.request, exchange=number, body=body))
        records.append(replace(ask.exchange.response, exchange=number, body=rendered.body, chunks=()))
        ids = [call.id or call.name for call in rendered.reply.turn.calls]
        results = [Result(id, '"still busy"') for id in ids]
        added = (*speaker.returned(rendered.reply, ids), *speaker.answers(rendered.reply, ids, results))
        conversation = replace(conversation, messages=(*conversation.messages, *added))
    draft.records[:] = records
    draft.case = replace(draft.case, emits=())


def _unsaid(part: Part) -> Part:
    """The part as a script has it, without what the renderer adds."""
    return replace(part, id=None, signature="") if isinstance(part, Call) else part


_ENDLESS = "twenty-one-tool-turns"
_STOPS = "limit-stops-the-run"
_DEMANDS = "limit-of-two"
_ANTHROPIC: tuple[WireName, ...] = ("anthropic-messages",)

_OVERRUN = (
    TraceMutant(
        "one-turn-too-many",
        "The loop asks for one turn more than it may.",
        "guardrail/turn-limit",
        one_turn_less,
        "create-then-edit",
    ),
    TraceMutant(
        "limit-of-the-contract-overrun",
        "No limit was set, and the loop exceeds the one of its contract.",
        "guardrail/turn-limit",
        judged_by(profile="screenshot-to-code", turn_limit=None),
        "answer-in-the-fiftieth-turn",
    ),
    TraceMutant(
        "asked-on-after-the-answer",
        "The answer was due two requests ago.",
        "guardrail/turn-limit",
        judged_by(turn_limit=1),
        _DEMANDS,
        also=("guardrail/answer-now",),
    ),
    TraceMutant(
        "paused-beyond-the-limit",
        "A paused turn is sent back although it was the last that was allowed.",
        "guardrail/turn-limit",
        judged_by(turn_limit=1),
        "paused-turn",
        _ANTHROPIC,
    ),
)

_SILENT = (
    TraceMutant(
        "stopped-in-silence",
        "The limit ends the run as if the model had come to its end.",
        "guardrail/limit-reported",
        end_as(Final("")),
        _ENDLESS,
    ),
    TraceMutant(
        "paused-in-silence",
        "The limit ends the run at a paused turn without a report.",
        "guardrail/limit-reported",
        both(judged_by(turn_limit=1), stop_before(TurnStart, 1, Final(""))),
        "paused-turn",
        _ANTHROPIC,
    ),
    TraceMutant(
        "stop-called-completed",
        "A run that had to stop at its limit says that it is complete.",
        "guardrail/limit-reported",
        alter(Final, outcome="completed"),
        _STOPS,
    ),
    TraceMutant(
        "stop-called-an-error",
        "A run whose contract is to stop at its limit runs the last calls and fails.",
        "guardrail/limit-reported",
        judged_by(profile="tool-runner"),
        _ENDLESS,
        also=("execution/unnecessary",),
    ),
    TraceMutant(
        "demanded-answer-called-completed",
        "An answer that had to be demanded is passed off as one that the model gave by itself.",
        "guardrail/limit-reported",
        alter(Final, outcome="completed"),
        _DEMANDS,
    ),
)

_NO_DEMAND = (
    TraceMutant(
        "demand-not-said",
        "The last request does not ask for the answer.",
        "guardrail/answer-now",
        conversations.drop_words_of_user,
        _DEMANDS,
    ),
    TraceMutant(
        "demand-not-sent",
        "The run ends at its limit without the request that demands the answer.",
        "guardrail/answer-now",
        no_demand,
        _DEMANDS,
    ),
)

_CRIED = (
    TraceMutant(
        "limit-cried",
        "The loop complains of its limit although the model has answered in the last turn.",
        "guardrail/false-alarm",
        limit_cried,
        "create-then-edit",
    ),
    TraceMutant(
        "limit-cried-as-an-outcome",
        "The outcome is the turn limit although the model has answered in the last turn.",
        "guardrail/false-alarm",
        alter(Final, outcome="turn-limit"),
        "answer-in-the-last-turn",
    ),
)

_NO_LIMIT = (
    TraceMutant(
        "no-limit-of-its-own",
        "A loop without a limit goes on for as long as the model makes the same call.",
        "guardrail/no-limit",
        asked_for_ever,
        "calls-without-end",
    ),
)

MUTANTS = (*_OVERRUN, *_SILENT, *_NO_DEMAND, *_CRIED, *_NO_LIMIT)

EQUIVALENTS = (
    EquivalentTrace(
        "long-run-below-its-limit",
        "A loop with a high limit of its own goes on, though the model makes the same call.",
        both(asked_for_ever, judged_by(turn_limit=500)),
        "calls-without-end",
    ),
)
