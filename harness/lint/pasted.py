"""The body of one request, out of a file that somebody pasted it into: a log, a bug report, an HTTP capture."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.errors import BadInput
from harness.ground.json_places import Step
from harness.lint.guess import guess_wires, history_names_of, no_request
from harness.lint.json_file import JsonFile, decoded, path_of
from harness.lint.judging import LintedRequest, host_of
from harness.wire import Route, WireName, aside_of, route_of, wires
from harness.wire import wire as wire_named
from harness.wire.base import Json

_WRAPPERS = ("request", "body")
"""Members under which HTTP captures keep a body: ``{"body": {...}}``, ``{"request": {"url": ..., "body": {...}}}``."""


@dataclass(frozen=True, slots=True)
class Pasted:
    """A request as it can be judged. ``warnings`` are about the file, not about the request."""

    asked: LintedRequest
    warnings: tuple[str, ...]
    _file: JsonFile
    _inside: tuple[Step, ...]

    def line(self, at: str) -> int | None:
        """The line in the file of a place in the body; None where the file is one line, or the place is not there."""
        return None if self._file.is_one_line else self._file.line((*self._inside, *path_of(at)))


def read_pasted(
    name: str, content: bytes, wire: WireName | None = None, model: str = "", headers: Mapping[str, str] | None = None
) -> Pasted:
    """Read the content of a file as a request of ``wire``, or of the wire that the body clearly belongs to.

    ``model`` is for bodies that do not name their model, and ``headers`` (lower case) are the request's. Raises
    ``BadInput`` when the content is no request, or not one of ``wire``.
    """
    text = decoded(name, content)
    if kind := no_request(text):
        raise BadInput(f"{name}: expected the JSON body of a request, got {kind}")
    file = JsonFile(name, text)
    body, inside, url = _unwrapped_body(name, file.value)
    request_headers = dict(headers or {})
    route = _route(name, body, request_headers, wire, url)
    body = {**body, "model": model} if model and not body.get("model") and route.model is None else body
    route = Route(route.wire, _model(name, body, route, model), route.stream)
    warnings = tuple(
        f"{name}:{line}: the member {member!r} is twice in its object; the last one is judged"
        for member, line in file.repeated
    )
    sent = json.dumps(body).encode("utf-8", "surrogatepass")
    asked = LintedRequest(route, request_headers, sent, host=host_of(url))
    return Pasted(asked, warnings, file, inside)


def _unwrapped_body(name: str, value: Any) -> tuple[Json, tuple[Step, ...], str]:
    """The body, the path to it, and the URL that stands beside it (``""`` for none)."""
    inside: list[Step] = []
    url = ""
    while True:
        if not isinstance(value, dict):
            where = f"{'.'.join(map(str, inside))}: " if inside else ""
            raise BadInput(f"{name}: {where}expected the body of a request, which is an object, got {_shown(value)}")
        if kind := no_request(value):
            raise BadInput(f"{name}: expected the JSON body of a request, got {kind}")
        url = next((str(value[member]) for member in ("url", "uri") if member in value), url)
        within = [member for member in _WRAPPERS if member in value]
        if len(within) != 1 or any(member in value for each in wires() for member in history_names_of(each)):
            return value, tuple(inside), url
        inside.append(within[0])
        value = value[within[0]]


def _shown(value: Any) -> str:
    kinds = {list: "a list", str: "text", bool: "true or false", type(None): "null"}
    return f"{kinds.get(type(value), 'a number')}: {json.dumps(value):.40}"


def _route(name: str, body: Json, headers: Mapping[str, str], wire: WireName | None, url: str) -> Route:
    found = (route_of("POST", url) or aside_of("POST", url)) if url else None
    if found is not None and wire in (None, found.wire):
        return found
    guessed = guess_wires(body, headers)
    if wire is not None:
        if guessed and not any(member in body for member in history_names_of(wire_named(wire))):
            raise BadInput(f"{name}: expected a request of {wire}, got what looks like one of {_one_of(guessed)}")
        return Route(wire)
    if len(guessed) == 1:
        return Route(guessed[0])
    if guessed:
        raise BadInput(f"{name}: may be a request of {_one_of(guessed)}; say which with --wire")
    members = ", ".join(map(repr, list(body)[:6])) or "no member"
    raise BadInput(
        f"{name}: expected a request, which has 'messages', 'input' or 'contents'; got {members}. If it is one all the "
        "same, name its wire with --wire"
    )


def _one_of(wires: Sequence[WireName]) -> str:
    return " or ".join(wires)


def _model(name: str, body: Json, route: Route, model: str) -> str | None:
    """A wire may say the model in the path, so that the body alone does not say it."""
    spoken = wire_named(route.wire)
    named = str(body.get(spoken.model_member) or body.get("model") or route.model or "").removeprefix("models/")
    if model and named and named != model:
        raise BadInput(f"{name}: is a request to the model {named}, not to {model}; leave --model out")
    if not spoken.model_in_path:
        return route.model
    if not named:
        raise BadInput(
            f"{name}: a {route.wire} request has its model in the path, not in the body; name it with --model"
        )
    return named
