"""Loops that run their own tools and do not report it, and go on after a turn whose calls must not run.

Only their requests are left of such a run. The request that goes on is made of the model's turn as its wire sends it
back, and of a result for each call.
"""

from __future__ import annotations

import json
from dataclasses import replace

from harness.rules import TraceView
from harness.rules.arguments import is_object
from harness.rules.turns import Ask
from harness.trace import RequestRecord, ResponseRecord
from harness.wire import Call, Message, Opaque, Part, Result, wire
from harness_lab.mutants.traces.conversations import read_request
from harness_lab.mutants.traces.draft import NothingToBreak, TraceDraft
from harness_lab.mutants.traces.mutant import draft_edit


@draft_edit
def goes_on_with(
    draft: TraceDraft, output: str, *, arguments: str | None = None, strips_ids: bool = False, is_error: bool = False
) -> None:
    """Nothing is reported, and the first turn whose calls must not run is answered by results that say ``output``.

    ``arguments`` go back in place of the model's own. ``strips_ids``: neither calls nor results have ids.
    """
    ask = next(filter(_must_not_run, TraceView(draft.trace).asks), None)
    if ask is None or ask.full is None or ask.reply is None:
        raise NothingToBreak
    speaker = wire(draft.case.wire)
    ids = [call.id or f"call-{at}" for at, call in enumerate(ask.calls)]
    results = [Result(id, json.dumps(output), is_error=is_error) for id in ids]
    added = (*speaker.returned(ask.reply, ids), *speaker.answers(ask.reply, ids, results))
    # The conversation as its own request says it, part by part.
    written = speaker.write(replace(ask.full, messages=(*ask.full.messages, *added))).body
    _, longer = read_request(draft, replace(ask.exchange.request, body=written))
    known = len(ask.full.messages)
    changed = [_message(message, arguments, strips_ids) for message in longer.messages[known:]]
    body = speaker.write(replace(longer, messages=(*longer.messages[:known], *changed))).body
    request = replace(ask.exchange.request, exchange=ask.number + 1, body=body)
    before = draft.records[: (ask.exchange.response_at or ask.at) + 1]
    draft.records[:] = [*(each for each in before if isinstance(each, RequestRecord | ResponseRecord)), request]
    draft.case = replace(draft.case, emits=())


def _must_not_run(ask: Ask) -> bool:
    return bool(ask.calls) and not (ask.runnable and all(is_object(call.arguments) for call in ask.calls))


def _message(message: Message, arguments: str | None, strips_ids: bool) -> Message:
    return replace(message, parts=tuple([_part(part, arguments, strips_ids) for part in message.parts]))


def _part(part: Part | Result | Opaque, arguments: str | None, strips_ids: bool) -> Part | Result | Opaque:
    if isinstance(part, Call) and arguments is not None:
        part = replace(part, arguments=arguments)
    return replace(part, id="") if strips_ids and isinstance(part, Call | Result) else part
