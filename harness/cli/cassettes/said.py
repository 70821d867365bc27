"""What the interactions of a cassette say on their wires."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from harness.cassette import Cassette, Interaction
from harness.lint import message_of, route_of
from harness.wire import Conversation, Reply, Route, UnreadableRequest, WireName, wire

__all__ = ["Said", "said"]


@dataclass(frozen=True, slots=True)
class Said:
    """An interaction with its number, from 1, and what it says.

    ``wire`` is None for a request to anything but a model. ``conversation`` and ``reply`` are None where the request
    or the response cannot be read, or is an error; ``problem`` says so then.
    """

    number: int
    interaction: Interaction
    wire: WireName | None = None
    conversation: Conversation | None = None
    reply: Reply | None = None
    problem: str = ""


def said(cassette: Cassette) -> Iterator[Said]:
    """The interactions of a cassette, read."""
    for number, interaction in enumerate(cassette.interactions, 1):
        route = _route(cassette, interaction)
        if route is None:
            yield Said(number, interaction)
        else:
            conversation, asked_wrongly = _conversation(route, interaction)
            reply, answered_wrongly = _reply(route, interaction)
            problem = "; ".join(filter(None, (asked_wrongly, answered_wrongly)))
            yield Said(number, interaction, route.wire, conversation, reply, problem)


def _route(cassette: Cassette, interaction: Interaction) -> Route | None:
    """A dialect is not told by its path, but the cassette may say it."""
    route = route_of(interaction.method, interaction.url)
    spoken = cassette.provenance.wire if cassette.provenance else ""
    return replace(route, wire="text-tags") if route is not None and spoken == "text-tags" else route


def _conversation(route: Route, interaction: Interaction) -> tuple[Conversation | None, str]:
    if interaction.request is None:
        return None, "the request was not recorded"
    headers = {name: ", ".join(values) for name, values in interaction.request_headers.items()}
    try:
        return wire(route.wire).read(route, interaction.request, headers), ""
    except UnreadableRequest as unreadable:
        return None, f"the request cannot be read: {unreadable}"
    except RecursionError:
        return None, "the request cannot be read: it is nested too deeply"


def _reply(route: Route, interaction: Interaction) -> tuple[Reply | None, str]:
    if interaction.status >= 400:
        return None, message_of(interaction.response)
    try:
        return wire(route.wire).parse(
            ", ".join(interaction.response_headers.get("content-type", ())), interaction.response
        ), ""
    except ValueError as error:
        return None, f"the response cannot be read: {error}"
    except RecursionError:
        return None, "the response cannot be read: it is nested too deeply"
