"""Reads the interactions of a cassette on their wires."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from harness.cassette import Cassette, Interaction
from harness.lint import message_of
from harness.wire import Conversation, Reply, Route, UnreadableRequest, WireName, route_of, wire, wire_names


@dataclass(frozen=True, slots=True)
class ReadInteraction:
    """An interaction with its number, from 1, and its content as its wire reads it.

    ``wire`` is None for a request that does not go to a model. ``conversation`` or ``reply`` is None if the request or
    the response cannot be read or is an error; ``problem`` then says so.
    """

    number: int
    interaction: Interaction
    wire: WireName | None = None
    conversation: Conversation | None = None
    reply: Reply | None = None
    problem: str = ""


def read_interactions(cassette: Cassette) -> Iterator[ReadInteraction]:
    """The interactions of a cassette, each read on its wire."""
    for number, interaction in enumerate(cassette.interactions, 1):
        route = _route(cassette, interaction)
        if route is None:
            yield ReadInteraction(number, interaction)
        else:
            conversation, asked_wrongly = _conversation(route, interaction)
            reply, answered_wrongly = _reply(route, interaction)
            problem = "; ".join(filter(None, (asked_wrongly, answered_wrongly)))
            yield ReadInteraction(number, interaction, route.wire, conversation, reply, problem)


def _route(cassette: Cassette, interaction: Interaction) -> Route | None:
    """The route of a request. The path does not show a dialect, but the cassette may name it."""
    route = route_of(interaction.method, interaction.url)
    spoken = cassette.provenance.wire if cassette.provenance else ""
    return route if route is None or not _is_dialect(spoken, route.wire) else replace(route, wire=spoken)


def _is_dialect(name: str, of: WireName) -> bool:
    return name in wire_names() and wire(name).dialect_of == of


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
