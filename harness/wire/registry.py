"""Wires by their names: the harness's own, imported when they are first asked for, and wires of other packages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache, lru_cache, partial
from importlib import import_module
from typing import Final
from urllib.parse import urlsplit

from harness.errors import BadInput
from harness.finding import Finding
from harness.plugins import load
from harness.wire.base import Conversation, IssuedState, Route, Wire
from harness.wire.names import (
    OWN_NATIVE_WIRES,
    OWN_WIRES,
    NativeWireName,
    WireName,
    added_wires,
    known_wire,
    module_of,
    wire_names,
)
from harness.wire.rule import Subject, WireRule
from harness.wire.servers import KnownServer, weighed

_FROM_VERSION: Final = re.compile(r".*(/v\d\w*/.*)")
_SIGNS_OF_LIFE: Final = ("ping", "keepalive")
"""Events that may come before the first real event of a stream."""


@cache
def wire(name: WireName, declines: tuple[str, ...] = (), server: KnownServer | None = None) -> Wire:
    """The wire with this name, for an endpoint that declines requests with the members ``declines``.

    Its rules have the certainty that they have on ``server``; None: on the provider's own. Raises ``BadInput`` if no
    such wire is installed, or if it cannot be loaded.
    """
    found: Wire = import_module(module_of(name)).WIRE if name in OWN_WIRES else added_wire(name)
    for member in declines:
        if member in found.declined:
            found = found.declined[member](found)
    return found if server is None else replace(found, violations=partial(_on_server, found, server))


def _on_server(found: Wire, known: KnownServer, conversation: Conversation, issued: IssuedState) -> list[Finding]:
    """``violations`` of a wire on a server. The wire itself knows a server that only the model's name shows."""
    is_asked = found.minds_server and known.by != "model"
    asked = replace(conversation, server=known.server.name) if is_asked else conversation
    return weighed(found.violations(asked, issued), known, found.dialect_of or found.name, conversation.model)


@cache
def native_wires() -> tuple[NativeWireName, ...]:
    """The names of the installed wires with tool calls of their own."""
    return (*OWN_NATIVE_WIRES, *(name for name in wire_names() if name not in OWN_WIRES and wire(name).native))


def added_wire(name: WireName) -> Wire:
    """The wire that another package adds under this name. Raises ``BadInput`` if it is no wire or a wrong one."""
    plugin = added_wires()[known_wire(name)]
    found = load(plugin)
    if problem := _problem(name, found):
        raise BadInput(f"{plugin.place}: {problem}")
    added: Wire = found
    return added


def _problem(name: WireName, found: object) -> str:
    """What is wrong with an added wire; empty if nothing is."""
    if not isinstance(found, Wire):
        return f"expected a harness.wire.Wire, got {type(found).__name__}; name one"
    if found.name != name:
        return f"the wire has the name {found.name!r}; use it there"
    prefix = found.rule_prefix
    if prefix in _prefixes_before(name):
        return f"the ids of another wire's rules begin with {prefix}; choose other letters"
    odd = next((rule.id for rule in found.rules if not rule.id.startswith(f"{prefix}-")), "")
    return f"expected rules whose ids begin with {prefix}-, got {odd}; rename it" if odd else ""


def _prefixes_before(name: WireName) -> Iterator[str]:
    """The prefixes that a wire cannot have. If two added wires have the same prefix, the later one is wrong."""
    yield from (wire(each).rule_prefix for each in OWN_WIRES)
    for other in sorted(added_wires()):
        if other >= name:
            return
        with suppress(BadInput):  # it is wrong itself, which is reported where it is asked for
            yield wire(other).rule_prefix


def wires() -> Iterator[Wire]:
    """All installed wires, the harness's own first."""
    return map(wire, wire_names())


@lru_cache(maxsize=256)
def recognise(method: str, path: str) -> Route | None:
    """The wire that a request belongs to, by its method and path; None if no wire knows it.

    A dialect has the path of its wire, so it is never recognised by the path.
    """
    routes = (wire(name).route(method, path) for name in native_wires())
    return next((route for route in routes if route is not None), None)


def route_of(method: str, url: str) -> Route | None:
    """The wire of a recorded request to ``url``, which may be a path only; None if the request is not for a model.

    A proxy's own path may be in front of the provider's. Paths that only recordings have are recognised, too.
    """
    try:
        split = urlsplit(url)
    except ValueError:  # http://[ and the like
        return None
    path = f"{split.path}?{split.query}" if split.query else split.path
    found = recognise(method.upper(), path) or _elsewhere(method.upper(), split.path)
    if found is None and (behind := _FROM_VERSION.fullmatch(path)):
        return recognise(method.upper(), behind[1])
    return found


def _elsewhere(method: str, path: str) -> Route | None:
    routes = (wire(name).elsewhere(method, path) for name in native_wires())
    return next((route for route in routes if route is not None), None)


def wire_of_answer(documents: Iterable[object]) -> WireName | None:
    """The wire of a response with the JSON values ``documents``: a single document, or the events of a stream in order.

    None if no wire knows them. Only pings may come before the first event of a stream.
    """
    alive = (each for each in documents if not (isinstance(each, dict) and each.get("type") in _SIGNS_OF_LIFE))
    first = next(alive, None)
    if not isinstance(first, dict):
        return None
    return next((name for name in native_wires() if wire(name).begins_answer(first)), None)


def aside_of(method: str, url: str) -> Route | None:
    """The wire of a recorded request that has a history but does not ask for the model's answer; None for any other."""
    try:
        path = urlsplit(url).path
    except ValueError:
        return None
    routes = (wire(name).aside(method.upper(), path) for name in native_wires())
    return next((route for route in routes if route is not None), None)


@cache
def history_members() -> frozenset[str]:
    """The members of requests that contain the history, for all wires."""
    return frozenset(each.history for each in wires())


@cache
def key_headers() -> frozenset[str]:
    """The headers that carry the key of a request, for all wires, in lower case."""
    providers = [each.provider for each in wires()]
    return frozenset(name.lower() for each in providers for name in (each.key_header, *each.other_key_headers))


@cache
def wire_rules() -> dict[str, WireRule]:
    """Every rule of every wire by its id (``ANT-01``)."""
    return {rule.id: rule for each in wires() for rule in each.rules}


def subjects_of(reference: str) -> tuple[Subject, ...]:
    """The subjects of a wire's rule; none if ``reference`` is no id of a wire's rule."""
    rule = wire_rules().get(reference)
    return rule.about if rule is not None else ()


def wire_of_rule(reference: str) -> WireName | None:
    """The wire whose rule table has an id such as ``ANT-01``; None if ``reference`` is no id of a wire's rule."""
    prefix, hyphen, number = reference.partition("-")
    return _prefixes().get(prefix) if hyphen and number else None


@cache
def _prefixes() -> dict[str, WireName]:
    return {each.rule_prefix: each.name for each in wires()}
