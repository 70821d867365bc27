"""How a recorded loop goes on from one step to the next: what it sent back of the turn, and the result of each call.

Only a loop that sent back the model's own words and answered the model's calls can be a model for ours. Otherwise the
first obstacle is the reason why it is not replayed.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from harness.cassette.recordings.raw import unasked_form
from harness.imports.continuation import Continuation, ModelTurn, history, model_turn
from harness.imports.loops import LoopStep, RecordedLoop
from harness.imports.obstacles import Obstacle
from harness.wire import Call, Message, Opaque, Reply, Result
from harness.wire.lenient import string

PLACEHOLDER: Final = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="
"""Google's documented value for a call that Gemini has not signed itself (``skip_thought_signature_validator``)."""


class NotReplayable(Exception):
    """A loop that cannot be replayed, with the reason and the exchange that shows it."""

    def __init__(self, obstacle: Obstacle, step: LoopStep) -> None:
        super().__init__(obstacle)
        self.obstacle = obstacle
        self.at = step.exchange.name


@dataclass(frozen=True, slots=True)
class Link:
    """The way from one step to ``step``.

    ``turn`` is the turn of the model, and ``sent`` is what the loop sent for it; ``results`` has one per call of the
    turn, in call order. ``ids`` are the ids of the calls of earlier turns.
    """

    step: LoopStep
    turn: ModelTurn
    sent: Continuation
    results: tuple[Result, ...]
    ids: frozenset[str]


def links_of(loop: RecordedLoop) -> tuple[Link, ...]:
    """The links of a loop, one fewer than its steps. Raises ``NotReplayable``."""
    first = loop.steps[0]
    if first.asked.continues is not None:
        raise NotReplayable("named turn not recorded", first)
    if len(loop.steps) < 2:
        raise NotReplayable("history changed" if loop.earlier else "beginning not recorded", first)
    links = []
    ids: frozenset[str] = frozenset()
    for before, step in pairwise(loop.steps):
        links.append(_link(before, step, ids))
        ids |= {call.id for call in links[-1].turn.calls if call.id}
    forms = {before.responses[0].streamed for before in loop.steps[:-1]}
    if len(forms) > 1:
        raise NotReplayable("streamed and whole", first)
    return tuple(links)


def _link(before: LoopStep, step: LoopStep, ids: frozenset[str]) -> Link:
    reply = _usable(before)
    if step.exchange.status >= 400:
        raise NotReplayable("error response", step)
    named = step.asked.continues is not None
    behind = history(step.asked)
    new = behind if named else behind[len(history(before.asked)) :]
    sent = Continuation.of(new, named=named)
    if sent.again:
        raise NotReplayable("turn not recorded", step)
    if sent.beside:
        raise NotReplayable("results without words", step)
    model = model_turn(reply.turn.parts)
    if _answers_the_server(new, reply):
        raise NotReplayable("results of the server", step)
    if sent.turn is not None and (_is_edited(sent.turn, model) or _added_kinds(sent.turn, reply)):
        raise NotReplayable("turn edited", step)
    results = answering(sent.turn.calls if sent.turn else model.calls, sent.results)
    if results is None:
        raise NotReplayable("results missing", step)
    return Link(step, model, sent, results, ids)


def _usable(step: LoopStep) -> Reply:
    if step.exchange.status >= 400:
        raise NotReplayable("error response", step)
    if step.reply is None:
        raise NotReplayable("unreadable response", step)
    if not step.reply.complete and not step.reply.turn.error:
        raise NotReplayable("cut response", step)
    if step.reply.turn.error:
        raise NotReplayable("failed response", step)
    response = step.responses[0]
    if response.wire == "gemini-generate" and unasked_form(response.body, streamed=response.streamed):
        raise NotReplayable("form not asked for", step)
    return step.reply


# --- the turn -------------------------------------------------------------------------------------------------


def _is_edited(sent: ModelTurn, model: ModelTurn) -> bool:
    """Whether the loop sent back anything that is not from the model, or other calls."""
    return (
        sent.text.strip() not in ("", model.text.strip())
        or sent.thinking.strip() not in ("", model.thinking.strip())
        or [call.name for call in sent.calls] != [call.name for call in model.calls]
        or not all(map(same_arguments, sent.calls, model.calls))
        or not {*sent.proofs} <= {*model.proofs, PLACEHOLDER}
    )


def _added_kinds(sent: ModelTurn, reply: Reply) -> Counter[str]:
    """The kinds of native items that the loop sent and the model did not."""
    return Counter(sent.others) - Counter(_kinds_in(reply))


def _answers_the_server(sent: Iterable[Message], reply: Reply) -> bool:
    """Whether the loop sent an answer or an approval for a call of a built-in tool that is not in the model's reply."""
    kinds = Counter(part.kind for message in sent for part in message.parts if isinstance(part, Opaque))
    return any(kind.endswith(("_output", "_response")) for kind in kinds - Counter(_kinds_in(reply)))


def _kinds_in(reply: Reply) -> Iterator[str]:
    """The kinds of a reply's native items: their types, or the names of their members on a wire without types."""
    for item in reply.items:
        yield from [string(item["type"])] if "type" in item else item


def same_arguments(one: Call, other: Call) -> bool:
    """Whether two texts of arguments mean the same; no text at all is an empty object."""
    return one.arguments == other.arguments or _arguments(one) == _arguments(other)


def _arguments(call: Call) -> Any:
    try:
        return json.loads(call.arguments or "{}")
    except ValueError:
        return call.arguments


# --- the results ----------------------------------------------------------------------------------------------


def answering(calls: Sequence[Call], results: Sequence[Result]) -> tuple[Result, ...] | None:
    """The result of each call, by its id, or by name and order if results have no ids; None if they do not fit."""
    if len(calls) != len(results):
        return None
    by_id = {result.id: result for result in results}
    ids = [call.id or "" for call in calls]
    if len(by_id) == len(results) and set(ids) == set(by_id) and "" not in by_id:
        return tuple(by_id[each] for each in ids)
    left = list(results)
    found: list[Result] = []
    for call in calls:
        result = next((each for each in left if each.name in ("", call.name) and each.id in ("", call.id)), None)
        if result is None:
            return None
        left.remove(result)
        found.append(result)
    return tuple(found)
