"""Words that change a run in any way: what is reported, what is asked and answered, and what goes back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from harness.trace import Event, EventRecord, RequestRecord, ResponseRecord, SetCode, ToolResult, ToolStart
from harness.wire import Text, Turn, WireName
from harness_lab.mutants.json_edits import edit_json
from harness_lab.mutants.traces.conversations import Entry, history_edit, rewriting
from harness_lab.mutants.traces.draft import (
    NothingToBreak,
    TraceDraft,
    insert,
    later,
    numbered,
    place,
    reported,
    requests,
    rewrite,
    send_again,
)
from harness_lab.mutants.traces.mutant import Edit, draft_edit
from harness_lab.mutants.traces.plain import PlainRun, call, says

CHAT: tuple[WireName, ...] = ("openai-chat",)


def declared(parameters: Any, description: str = "A tool.") -> Mapping[str, Any]:
    """A tool as a case has it."""
    return {"description": description, "parameters": parameters}


def runs(*names: str, says_at_last: str = "Yes.", **arguments: Any) -> tuple[Turn, ...]:
    """A turn that calls these tools, and one that ends the run."""
    calls = tuple(call(name, **(arguments or {"basin": "north"})) for name in names)
    return (Turn((Text("Let me look."), *calls)), says(says_at_last))


def asks(number: int, **members: Any) -> Edit:
    """A request has these members."""
    return lambda draft: rewrite(draft.records, number, lambda body: body.update(members))


@draft_edit
def edit_body(draft: TraceDraft, /, number: int, **edit: Any) -> None:
    """The JSON of a request is edited (``json_edits``)."""
    rewrite(draft.records, number, lambda body: edit_json(body, edit))


@draft_edit
def case(draft: TraceDraft, /, **members: Any) -> None:
    """Another contract, or other facts of the case."""
    draft.case = replace(draft.case, **members)


@history_edit
def lacking(entries: list[Entry], *kinds: type) -> None:
    """The last request has no such parts."""
    entries[:] = [each for each in entries if not isinstance(each[1], kinds)]


@draft_edit
def emit(draft: TraceDraft, kind: type[Event], which: int, *events: Event, behind: bool = False) -> None:
    """Something is reported in front of an event, or behind it."""
    insert(draft.records, place(draft.records, kind, which) + behind, *events)


@draft_edit
def early_code(draft: TraceDraft, code: str, *, preview: bool = False, which: int = 0) -> None:
    """A code of a call is reported in front of its toolStart."""
    at, _, start = reported(draft.records, ToolStart, which)
    insert(draft.records, at, SetCode(code, start.id, preview=preview))


@draft_edit
def moved(draft: TraceDraft, kind: type[Event], which: int, to: type[Event], to_which: int) -> None:
    """An event is reported in front of another one."""
    target = draft.records[place(draft.records, to, to_which)]
    record = draft.records.pop(place(draft.records, kind, which))
    draft.records.insert(draft.records.index(target), record)


@draft_edit
def respond(draft: TraceDraft, /, number: int, **members: Any) -> None:
    """Another response."""
    at, record = numbered(draft.records, ResponseRecord, number)
    draft.records[at] = replace(record, **members)


@draft_edit
def unanswered(draft: TraceDraft, number: int) -> None:
    """A request without a response."""
    at, _ = numbered(draft.records, ResponseRecord, number)
    del draft.records[at]


@draft_edit
def unreadable(draft: TraceDraft, number: int) -> None:
    """A request that breaks off inside its JSON."""
    at, request = numbered(draft.records, RequestRecord, number)
    draft.records[at] = replace(request, body=request.body[:-1])


@draft_edit
def cut(draft: TraceDraft, number: int, *, end: str = "eof", events: int = 1) -> None:
    """A response without its last events; ``end`` is how its connection ended."""
    at, record = numbered(draft.records, ResponseRecord, number)
    found = re.findall(rb".*?(?:\r?\n){2}", record.body, re.DOTALL)
    # Chat has two events more at its end: the usage, and [DONE].
    left = found[: len(found) - events - 2 * (found[-1].strip() == b"data: [DONE]")] if events else found
    draft.records[at] = replace(record, body=b"".join(left), end=end)  # type: ignore[arg-type]


@draft_edit
def resend(draft: TraceDraft, number: int, times: int = 1, *, status: int = 529) -> None:
    """A request is refused so many times, and each time sent again at once."""
    send_again(draft.records, number, status, times)


@draft_edit
def asked_again(draft: TraceDraft, number: int) -> None:
    """A request is sent again although it got a sound answer: behind that answer."""
    _, request = numbered(draft.records, RequestRecord, number)
    at, answer = numbered(draft.records, ResponseRecord, number)
    draft.records[at + 1 :] = [later(each) for each in (request, answer, *draft.records[at + 1 :])]


def part(kind: type, become: Any, which: int = -1, role: str | None = None) -> Edit:
    """One part of the last request's history becomes another, or those of a list: a mapping has members that are
    otherwise than those of the part."""
    parts = become if isinstance(become, list) else [become]

    def edit(entries: list[Entry]) -> None:
        places = [at for at, (who, each, _) in enumerate(entries) if isinstance(each, kind) and role in (None, who)]
        if not -len(places) <= which < len(places):
            raise NothingToBreak
        at = places[which]
        who, old, where = entries[at]
        made = [replace(old, **each) if isinstance(each, dict) else each for each in parts]
        entries[at : at + 1] = [(who, each, where) for each in made]

    return rewriting(edit)


@draft_edit
def beside(draft: TraceDraft, run: PlainRun) -> None:
    """Another conversation of the loop in front of the main one, of which only requests are known."""
    asked = [each for each in run.on(draft.case.wire).records if isinstance(each, RequestRecord | ResponseRecord)]
    side = [replace(each, conversation=1) if isinstance(each, RequestRecord) else each for each in asked]
    first = len(requests(side))
    draft.records[:] = [*side, *(later(each, first) for each in draft.records)]


@draft_edit
def previewed(draft: TraceDraft, *shown: tuple[str, float], call_number: int = 0, early_start: bool = True) -> None:
    """Previews of a call: (code, when it is reported, as a share of the response's bytes), in front of its setCode."""
    at, start, event = reported(draft.records, ToolStart, call_number)
    _, response = numbered(draft.records, ResponseRecord, start.exchange or 0)
    made = [
        replace(start, event=SetCode(code, event.id, preview=True), offset=int(share * len(response.body)))
        for code, share in shown
    ]
    if early_start and made:
        draft.records[at] = replace(start, offset=made[0].offset)
    draft.records[at + 1 : at + 1] = made


@draft_edit
def request(draft: TraceDraft, /, number: int, **members: Any) -> None:
    """Another request."""
    at, record = numbered(draft.records, RequestRecord, number)
    draft.records[at] = replace(record, **members)


@history_edit
def swapped(entries: list[Entry], kind: type, one: int, other: int) -> None:
    """Two parts of this kind change places."""
    places = [at for at, (_, each, _) in enumerate(entries) if isinstance(each, kind)]
    first, second = places[one], places[other]
    entries[first], entries[second] = (
        (*entries[second][:2], entries[first][2]),
        (*entries[first][:2], entries[second][2]),
    )


@draft_edit
def coded(draft: TraceDraft, code: str, which: int = 0, behind: int = 0) -> None:
    """A tool sets the code, in front of its result."""
    at, record, result = reported(draft.records, ToolResult, which)
    draft.records.insert(at + behind, replace(record, event=SetCode(code, result.id)))


def sent_twice(draft: TraceDraft) -> None:
    """The second request is the first one once more."""
    _, first = numbered(draft.records, RequestRecord, 0)
    at, second = numbered(draft.records, RequestRecord, 1)
    draft.records[at] = replace(second, body=first.body)


def only_the_first_event(draft: TraceDraft) -> None:
    """Nothing is known behind the first event."""
    first = next((record for record in draft.records if isinstance(record, EventRecord)), None)
    if first is None:
        raise NothingToBreak
    draft.records[:] = [first]
