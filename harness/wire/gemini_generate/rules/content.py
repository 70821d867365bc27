"""Rules that a content or a part breaks alone: GEM-01, 02, 03, 11 and GEM-PART."""

from __future__ import annotations

from harness.wire.base import Certainty, Json
from harness.wire.gemini_generate.models import ROLE_NAMES
from harness.wire.gemini_generate.rules.history import Placed, place
from harness.wire.gemini_generate.rules.request import Found, Request
from harness.wire.gemini_generate.rules.table import GEM_01, GEM_02, GEM_03, GEM_11, GEM_PART
from harness.wire.gemini_generate.schema import DATA, KINDS, both_spellings

_ROLES = {"user", "model", "function"}

_DATA = frozenset(DATA)

_NAMED = (("functionCall", "function_call"), ("functionResponse", "function_response"))


def contents_present(request: Request) -> Found:
    """GEM-01: there are contents."""
    if request.body.get("contents") in (None, []):
        yield GEM_01.broken("contents", expected="at least one content", got="none")


def parts_present(request: Request) -> Found:
    """GEM-02: every content has parts."""
    for content in request.contents:
        if not content.parts:
            yield GEM_02.broken(place(content), expected="at least one part", got="no parts")


def one_thing_each(request: Request) -> Found:
    """GEM-PART: every part holds one thing. One of a kind that is not known here is left alone."""
    for placed in request.history.parts:
        held = _held(placed.part)
        if len(held) > 1:
            got, name = " and ".join(held), both_spellings(held[-1])[-1]
            yield GEM_PART.broken(placed.at, template="two", expected="one thing", got=got, name=name)
        elif not held and placed.part.keys() <= KINDS:
            yield from _nothing(placed)


def _held(part: Json) -> list[str]:
    """The kinds of data in a part."""
    return [kind for kind in part if kind in _DATA and part[kind] is not None]


def _nothing(placed: Placed) -> Found:
    got = ", ".join(placed.part) or "an empty part"
    yield GEM_PART.broken(
        placed.at, expected="text, a call or other data", got=got, certainty="likely" if placed.part else None
    )


def names_present(request: Request) -> Found:
    """GEM-11: calls and responses have a name."""
    for placed in request.history.parts:
        for kind, field in _NAMED:
            if isinstance(named := placed.part.get(kind), dict) and not named.get("name"):
                yield GEM_11.broken(placed.at, expected="the function's name", got="no name", field=field)


def roles(request: Request) -> Found:
    """GEM-03: roles are user and model; function is tolerated."""
    names = None if request.vertex else request.fact(ROLE_NAMES)
    for content in request.contents:
        if content.role in _ROLES:
            continue
        at, expected, got = place(content), "user or model", content.role
        if names is None:
            yield GEM_03.broken(at, expected=expected, got=got)
        else:
            certainty: Certainty | None = "likely" if content.role.upper() in names else None
            roles = ", ".join(names)
            yield GEM_03.broken(
                at, template="listed", expected=expected, got=got, certainty=certainty, role=content.role, roles=roles
            )
