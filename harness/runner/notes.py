"""Notes for a reader of the results in addition to the findings; they are no mistakes of the loop."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from typing import Final

from harness.agui import TYPES
from harness.endpoint import AutomaticModel, CaseEndpoint
from harness.trace import AgUiRecord, Failure, Trace
from harness.wire import Conversation, wire

ENDED_IN: Final = "ended with an error in the dialect "
"""The beginning of the note on a case in a dialect whose loop ended with an error."""

_MOST_NAMED: Final = 8
"""Most tools that a note names."""


def notes_of(endpoint: CaseEndpoint, tools: Collection[str]) -> tuple[str, ...]:
    """The notes on a case: scripted calls of ``tools`` (the scenario's) that the request did not offer, and output that
    the automatic model could not generate because nothing fits the schema.

    A script that calls a tool outside of ``tools`` does so on purpose (``invalid: true``). A text protocol offers its
    tools in the prompt, which is not read.
    """
    if isinstance(model := endpoint.source, AutomaticModel):
        answered = (endpoint.conversations[number][1] for number in sorted(endpoint.replies))
        return tuple(dict.fromkeys(note for asked in answered for note in model.notes(asked)))
    if endpoint.case.source != "script" or not wire(endpoint.case.wire).declares_tools:
        return ()
    return tuple(_unoffered_calls(endpoint, tools))


def passed_over(trace: Trace) -> tuple[str, ...]:
    """The notes on unknown events of AG-UI: one for each type."""
    spoken = (record.type for record in trace.records if isinstance(record, AgUiRecord) and not record.wrong)
    unknown = Counter(type for type in spoken if type not in TYPES)
    return tuple(f"passed over: {count} of the unknown AG-UI event {type}" for type, count in unknown.items())


def ended_in_dialect(trace: Trace) -> tuple[str, ...]:
    """The note on a loop that refused a server's stream, as it may: its case shows little then."""
    failed = any(isinstance(record.event, Failure) for _, record in trace.events)
    return (f"{ENDED_IN}{trace.case.dialect}",) if failed and trace.case.dialect else ()


def _unoffered_calls(endpoint: CaseEndpoint, tools: Collection[str]) -> Iterator[str]:
    named: set[str] = set()
    for number, reply in sorted(endpoint.replies.items()):
        asked, full = endpoint.conversations[number]
        offered = _offered_tools(asked, full)
        for call in reply.turn.calls:
            if offered is not None and call.name in tools and call.name not in {*offered, *named}:
                named.add(call.name)
                yield f"the script calls {call.name}, which request {number + 1} does not offer: {_offer_text(offered)}"


def _offered_tools(asked: Conversation, full: Conversation) -> list[str] | None:
    """The tools that the model was offered; None if a request takes them from an earlier turn."""
    names = [tool.name for tool in (*asked.tools, *full.tools)]
    return None if asked.continues is not None and not names else list(dict.fromkeys(names))


def _offer_text(offered: list[str]) -> str:
    more = ", ..." if len(offered) > _MOST_NAMED else ""
    return f"offered are {', '.join(offered[:_MOST_NAMED])}{more}" if offered else "it offers no tools"
