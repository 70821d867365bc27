"""What a loop sends back, wrong in one thing: the last request of a run, changed in neutral words.

The request is read and written anew by its wire, so one edit is made on every wire. That a request which is only read
and written breaks no rule is one of the equivalent mutants (``spell_anew``).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from itertools import groupby
from typing import Any, Concatenate, ParamSpec, cast

from harness.trace import RequestRecord
from harness.wire import Call, Conversation, Message, Opaque, Part, Result, Text, ThinkingPart, Wire, recognise, wire
from harness.wire.base import Role
from harness_lab.mutants.traces.draft import NothingToBreak, TraceDraft, numbered, requests
from harness_lab.mutants.traces.mutant import Edit, for_later

_P = ParamSpec("_P")
Entry = tuple[Role, Part | Result | Opaque, str]
"""A part of the history: who says it, what it is, and in which entry of the request it stands."""


def _last_request(draft: TraceDraft) -> tuple[int, RequestRecord, Wire, Conversation]:
    """The last request, with its place, its wire and what it says."""
    at, request = numbered(draft.records, RequestRecord, -1)
    return at, request, *read_request(draft, request)


def read_request(draft: TraceDraft, request: RequestRecord) -> tuple[Wire, Conversation]:
    """The wire of a request, which may be one to which the caller has switched, and what it says."""
    speaker = wire(draft.case.wire)
    route = speaker.route(request.method, request.path) or recognise(request.method, request.path)
    if route is None:
        raise NothingToBreak
    speaker = wire(route.wire) if route.wire != speaker.name else speaker
    return speaker, speaker.read(route, request.body, request.headers)


def asking(change: Callable[[Conversation], Conversation]) -> Edit:
    """The last request of the run asks for something else. Raises ``NothingToBreak`` where it says the same."""

    def edit(draft: TraceDraft) -> None:
        at, request, speaker, conversation = _last_request(draft)
        body = speaker.write(change(conversation)).body
        if body == speaker.write(conversation).body:
            raise NothingToBreak
        draft.records[at] = replace(request, body=body)

    return edit


def rewriting(change: Callable[[list[Entry]], None]) -> Edit:
    """The history of the last request is another one."""

    def changed(conversation: Conversation) -> Conversation:
        entries = [(message.role, part, message.at) for message in conversation.messages for part in message.parts]
        change(entries)
        grouped = groupby(entries, key=lambda entry: (entry[0], entry[2]))
        messages = [Message(role, tuple([part for _, part, _ in group]), at) for (role, at), group in grouped]
        return replace(conversation, messages=tuple(messages))

    return asking(changed)


def history_edit(change: Callable[Concatenate[list[Entry], _P], None]) -> Callable[_P, Edit]:
    """A word for another history of the last request, which needs more than its entries."""
    made = for_later(change)

    @wraps(made)
    def edit(*args: _P.args, **members: _P.kwargs) -> Edit:
        return rewriting(made(*args, **members))

    return edit


def spell_anew(draft: TraceDraft) -> None:
    """The last request of the run is read and written, and its JSON spelled with other white space."""
    at, request, speaker, conversation = _last_request(draft)
    body = json.dumps(json.loads(speaker.write(conversation).body), indent=1).encode()
    draft.records[at] = replace(request, body=body)


def ask_anew_without_a_broken_turn(draft: TraceDraft) -> None:
    """The first turn of the model, and what answers it, is in none of the requests."""
    for number in range(1, len(requests(draft.records))):
        at, request = numbered(draft.records, RequestRecord, number)
        speaker, asked = read_request(draft, request)
        roles = [message.role for message in asked.messages]
        first = roles.index("assistant")
        following = roles[first + 1 :]
        end = first + 1 + (following.index("assistant") if "assistant" in following else len(following))
        kept = replace(asked, messages=(*asked.messages[:first], *asked.messages[end:]))
        draft.records[at] = replace(request, body=speaker.write(kept).body)


# --- where things are in a history --------------------------------------------------------------------------


def _places(entries: list[Entry], kind: Any, role: Role | None = None) -> list[int]:
    return [at for at, (who, part, _) in enumerate(entries) if isinstance(part, kind) and role in (None, who)]


def _place(entries: list[Entry], kind: Any, which: int = -1, role: Role | None = None) -> int:
    found = _places(entries, kind, role)
    if not -len(found) <= which < len(found):
        raise NothingToBreak
    return found[which]


def _turn(entries: list[Entry]) -> slice:
    """The last turn of the model."""
    end = _place(entries, object, role="assistant") + 1
    start = next((at + 1 for at in reversed(range(end)) if entries[at][0] != "assistant"), 0)
    return slice(start, end)


def _put(entries: list[Entry], at: int, **members: Any) -> None:
    who, part, where = entries[at]
    entries[at] = (who, replace(part, **members), where)


# --- the edits ----------------------------------------------------------------------------------------------


@rewriting
def squeeze_text(entries: list[Entry]) -> None:
    """Remove the white space inside a text of the model."""
    at = _place(entries, Text, role="assistant")
    _put(entries, at, text="".join(cast(Text, entries[at][1]).text.split()))


@rewriting
def swap_case_of_arguments(entries: list[Entry]) -> None:
    """Write the arguments of a call in the other case, and leave their names."""
    at = _place(entries, Call)
    arguments = json.loads(cast(Call, entries[at][1]).arguments)
    swapped = {name: each.swapcase() if isinstance(each, str) else each for name, each in arguments.items()}
    _put(entries, at, arguments=json.dumps(swapped))


@rewriting
def ask_again(entries: list[Entry]) -> None:
    """Append the question once more, behind the results."""
    entries.append((*entries[_place(entries, Text, 0, "user")][:2], "asked again"))


@rewriting
def alter_arguments(entries: list[Entry]) -> None:
    """Change an argument of a call that is sent back."""
    at = _place(entries, Call)
    call = cast(Call, entries[at][1])
    _put(entries, at, arguments=json.dumps({**json.loads(call.arguments), "path": "other.html"}))


@rewriting
def drop_thinking(entries: list[Entry]) -> None:
    """Of the last turn: its thinking, and the signatures of its calls."""
    turn = _turn(entries)
    kept = [entry for entry in entries[turn] if not isinstance(entry[1], ThinkingPart)]
    entries[turn] = [
        (who, replace(part, signature="") if isinstance(part, Call | Text) else part, where)
        for who, part, where in kept
    ]


@rewriting
def text_behind_calls(entries: list[Entry]) -> None:
    """Move the model's text behind its calls."""
    turn = _turn(entries)
    entries[turn] = sorted(entries[turn], key=lambda entry: isinstance(entry[1], Text))


@rewriting
def answer_nobody(entries: list[Entry]) -> None:
    """Give the first result the id of no call."""
    at = _place(entries, Result)
    _put(entries, at, id=f"{cast(Result, entries[at][1]).id[:-1]}_")


@rewriting
def answer_twice(entries: list[Entry]) -> None:
    """Send the first result twice."""
    at = _place(entries, Result)
    who, part, where = entries[at]
    entries.insert(at + 1, (who, part, f"{where} once more"))


@rewriting
def answer_one_too_many(entries: list[Entry]) -> None:
    """Add a result with the id of no call."""
    at = _place(entries, Result)
    who, part, where = entries[at]
    unknown = replace(cast(Result, part), id=f"{cast(Result, part).id[:-1]}_")
    entries.insert(at + 1, (who, unknown, f"{where} and one more"))


@rewriting
def answer_before_the_call(entries: list[Entry]) -> None:
    """Move the first result in front of the turn with its call."""
    result = entries.pop(_place(entries, Result))
    entries.insert(_turn(entries).start, result)


@rewriting
def swap_results(entries: list[Entry]) -> None:
    """Exchange the ids of the last two results, whose contents stay in place."""
    first, second = (_place(entries, Result, which) for which in (-2, -1))
    one, other = entries[first], entries[second]
    entries[first], entries[second] = (*other[:2], one[2]), (*one[:2], other[2])


@rewriting
def say_text_first(entries: list[Entry]) -> None:
    """Move the model's text in front of its calls."""
    turn = _turn(entries)
    entries[turn] = sorted(entries[turn], key=lambda entry: isinstance(entry[1], Call))


@rewriting
def use_own_ids(entries: list[Entry]) -> None:
    """Calls have other ids than the model gave them, all through the history, and so have their results."""
    for at, (_, part, _) in enumerate(entries):
        if isinstance(part, Call | Result) and part.id:
            _put(entries, at, id=f"call_own{part.id[-12:]}")


@rewriting
def give_the_call_another_id(entries: list[Entry]) -> None:
    """Change the id of a call and leave that of its result."""
    at = _place(entries, Call)
    _put(entries, at, id=f"{cast(Call, entries[at][1]).id[:-1]}_")  # type: ignore[index]


@rewriting
def leave_ids_out(entries: list[Entry]) -> None:
    """Remove the ids of all calls and results."""
    for at, (_, part, _) in enumerate(entries):
        if isinstance(part, Call | Result):
            _put(entries, at, id="")


@rewriting
def send_one_id_once(entries: list[Entry]) -> None:
    """Of two calls with one id the first goes back with its result, under that id."""
    for kind in (Result, Call):
        del entries[_place(entries, kind)]


@rewriting
def exchange_results(entries: list[Entry]) -> None:
    """The last two results of the turn say each what the other should."""
    first, second = (_place(entries, Result, which) for which in (-2, -1))
    one, other = cast(Result, entries[first][1]), cast(Result, entries[second][1])
    _put(entries, first, output=other.output, is_error=other.is_error)
    _put(entries, second, output=one.output, is_error=one.is_error)


@rewriting
def mark_otherwise(entries: list[Entry]) -> None:
    """A result that was marked as an error no longer is, or one that was not."""
    at = _place(entries, Result)
    _put(entries, at, is_error=not cast(Result, entries[at][1]).is_error)


@rewriting
def drop_words_of_user(entries: list[Entry]) -> None:
    """Remove a message of the user that is followed by others."""
    at = _place(entries, Text, role="user")
    if at < len(entries) - 1:
        raise NothingToBreak
    del entries[at]


@asking
def withdraw_tool(conversation: Conversation) -> Conversation:
    """Declare one tool less in a later request."""
    return replace(conversation, tools=conversation.tools[:-1])


@history_edit
def remark(entries: list[Entry], *, behind: bool) -> None:
    """The user says something in front of the last result, or behind it."""
    at = _place(entries, Result)
    entries.insert(at + behind, ("user", Text("It is sunny."), entries[at][2]))
