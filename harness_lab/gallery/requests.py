"""Known-bad validators of requests, for the campaign ``requests``: each makes one mistake that was published.

All are ``complaints(wire, request)`` of the campaign's signature, and right but for their mistake:
``--target harness_lab.gallery.requests:any_result_anywhere`` fuzzes one. Where the mistake was seen stands behind
it as ``repository#number``; nothing is taken from there. ``right`` makes none.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from harness.finding import Finding
from harness.lint import Judge, LintedRequest
from harness.wire import Message, Route, Text, UnreadableRequest, wire

Request = Mapping[str, Any]
Validator = Callable[[str, Request], list[str]]

PAIRING: Final = frozenset(
    (
        *("OAI-10", "OAI-11", "OAI-12", "OAI-13", "OAC-03", "OAC-04", "OAC-05", "OAC-06"),
        *("ANT-01", "ANT-02", "ANT-03", "ANT-04", "GEM-05", "GEM-06", "GEM-07"),
    )
)
"""The rules by which calls and results belong together."""

DUPLICATES: Final = frozenset(["OAI-12", "OAC-06", "ANT-04"])
"""The rules of these that demand one result for a call."""

EMPTY: Final = frozenset(["OAC-09", "ANT-11", "ANT-12", "GEM-02"])
"""The rules against empty content."""

ROLES: Final = frozenset(["OAC-13", "OAC-ROLE", "ANT-06", "ANT-ROLE", "GEM-03", "GEM-05", "OAI-20"])
"""The rules about roles."""


def right(wire: str, request: Request) -> list[str]:
    """The rules of the harness: no mistake that is known."""
    return _complaints(_broken(wire, request))


# --- calls and results --------------------------------------------------------------------------------------------


def any_result_anywhere(wire: str, request: Request) -> list[str]:
    """Every call must have a result somewhere. Its place, and whether a result has a call, are not checked.

    Seen in NousResearch/hermes-agent#97203, NousResearch/hermes-agent#24405.
    """
    calls, results = _ids(wire, request)
    return _without(PAIRING, wire, request) + [f"{id} is not answered" for id in calls if id not in results]


def results_before_calls(wire: str, request: Request) -> list[str]:
    """Calls and results are collected first and compared as sets, so that a result may precede its call.

    Seen in CopilotKit/CopilotKit#7277, NorthlandPositronics/Cogtrix#2436.
    """
    calls, results = map(set, _ids(wire, request))
    return _without(PAIRING, wire, request) + [f"{id} stands alone" for id in calls ^ results]


def order_forgotten(wire: str, request: Request) -> list[str]:
    """A result may come any time after its call, and anything may be said before it.

    Seen in TokenRhythm/opensquilla#154, router-for-me/CLIProxyAPI#4577.
    """
    waiting: list[str] = []
    complaints = _without(PAIRING, wire, request)
    for message in _messages(wire, request):
        waiting += [_id(call.id, call.name) for call in message.calls]
        for result in message.results:
            if (answered := _id(result.id, result.name)) in waiting:
                waiting.remove(answered)
            else:
                complaints.append(f"{answered} answers nothing")
    return complaints + [f"{id} is not answered" for id in waiting]


def duplicates_accepted(wire: str, request: Request) -> list[str]:
    """A call may have several results, as after a retry.

    Seen in NousResearch/hermes-agent#54594, QwenLM/qwen-code#8163.
    """
    return _without(DUPLICATES, wire, request)


def predecessor_only(wire: str, request: Request) -> list[str]:
    """A message of results must directly follow the one with the calls, also the second of several results.

    Seen in sipeed/picoclaw#730.
    """
    messages = _messages(wire, request)
    orphans = [after.at for before, after in pairwise(messages) if _orphan(before, after)]
    return right(wire, request) + [f"{at} follows no call" for at in orphans]


def _orphan(before: Message, after: Message) -> bool:
    return bool(after.results) and not before.calls


# --- what is said -------------------------------------------------------------------------------------------------


def nothing_behind_results(wire: str, request: Request) -> list[str]:
    """The user may say nothing behind the results.

    Seen in 8monkey-ai/hebo-gateway#162.
    """
    messages = _messages(wire, request)
    beside = [each.at for each in messages if each.results and any(isinstance(part, Text) for part in each.parts)]
    pairs = [(before, after) for before, after in pairwise(messages) if before.results and not after.results]
    behind = [after.at for _, after in pairs if after.role == "user"]
    return right(wire, request) + [f"{at} has text where results are" for at in beside + behind]


def empty_content_ignored(wire: str, request: Request) -> list[str]:
    """A message may be empty, as a silent turn or a tool without output leaves one.

    Seen in dirge-code/dirge#757, HKUDS/nanobot#949.
    """
    return _without(EMPTY, wire, request)


def roles_ignored(wire: str, request: Request) -> list[str]:
    """Roles are not checked: calls of the user, results of the model, and unknown roles are accepted.

    Seen in router-for-me/CLIProxyAPI#4577, maximhq/bifrost#2222.
    """
    return _without(ROLES, wire, request)


def ask_for_ids(wire: str, request: Request) -> list[str]:
    """Every call must have an id; Gemini's models send some without one.

    Seen in agentscope-ai/agentscope#1883, microsoft/agent-framework-go#597.
    """
    calls = [call for message in _messages(wire, request) for call in message.calls]
    return right(wire, request) + [f"a call of {call.name} has no id" for call in calls if not call.id]


def last_message_only(wire: str, request: Request) -> list[str]:
    """Only the last message and the settings are checked.

    Seen in RooCodeInc/Roo-Code#10469.
    """
    messages = _messages(wire, request)
    older = [message.at for message in messages[:-1] if message.at]
    broken = _broken(wire, request)
    return _complaints(each for each in broken if not any(_within(each.answered.place, at) for at in older))


def _within(at: str, place: str) -> bool:
    return at.startswith(place) and not at[len(place) : len(place) + 1].isdigit()


GALLERY: Final[tuple[Validator, ...]] = (
    *(any_result_anywhere, results_before_calls, order_forgotten, duplicates_accepted, predecessor_only),
    *(nothing_behind_results, empty_content_ignored, roles_ignored, ask_for_ids, last_message_only),
)
"""All that make a mistake."""


# --- what they consist of -----------------------------------------------------------------------------------------


def _broken(name: str, request: Request) -> Sequence[Finding]:
    asked = LintedRequest(_route(name, request), request["headers"], _body(request))
    return Judge(memory=False).judge(asked).violations


def _without(rules: Collection[str], wire: str, request: Request) -> list[str]:
    return _complaints(each for each in _broken(wire, request) if each.id not in rules)


def _complaints(broken: Iterator[Finding] | Sequence[Finding]) -> list[str]:
    return [f"{each.answered.place}: {each.answered.message}" for each in broken if each.level != "INFO"]


def _ids(wire: str, request: Request) -> tuple[list[str], list[str]]:
    """The ids of all calls and of all results."""
    messages = _messages(wire, request)
    calls = [_id(call.id, call.name) for message in messages for call in message.calls]
    return calls, [_id(result.id, result.name) for message in messages for result in message.results]


def _id(id: str | None, name: str) -> str:
    """The id of a call or a result; without an id, the name of its tool."""
    return id or name


def _messages(name: str, request: Request) -> Sequence[Message]:
    """The history; empty if the request only names it, or is malformed."""
    try:
        asked = wire(name).read(_route(name, request), _body(request), request["headers"])
    except UnreadableRequest:
        return ()
    named = asked.continues or "conversation" in asked.body or "item_reference" in str(asked.body)
    return () if named else asked.messages


def _route(name: str, request: Request) -> Route:
    route = wire(name).route(request["method"], request["path"])
    if route is None:
        raise ValueError(f"{request['path']} is no path of {name}")
    return route


def _body(request: Request) -> bytes:
    return json.dumps(request["body"]).encode()
