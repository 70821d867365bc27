"""The turn limit: overrun, reached in silence, or cried where there is none."""

from __future__ import annotations

from dataclasses import replace

from harness.rules import TraceView
from harness.rules.limit import LONGEST
from harness.trace import Failure, Final, Record, TurnStart
from harness.wire import Call, Identity, Part, Result, wire
from harness_lab.mutants.traces.draft import NothingToBreak, TraceDraft, place, places
from harness_lab.mutants.traces.edits import end_as, stop_before


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
