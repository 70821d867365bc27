"""The campaign ``http`` finds every server of its gallery, and nothing in ours; its examples survive a file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import islice

import pytest

from harness.fuzz.campaign import Falsified
from harness.fuzz.http.campaign import CAMPAIGN
from harness.fuzz.http.client import FuzzedAnswer, FuzzedServer
from harness.fuzz.http.example import HttpExample, Unit
from harness.fuzz.http.kinds import KINDS
from harness.fuzz.http.oracles import ORACLES, hold
from harness.fuzz.shrink import objection_to, shrunk
from harness.fuzz.strategies.choices import Choices
from harness_lab.gallery import http as gallery

OFFENDED = {
    "silent_refusals": {"answers"},
    "half_requests_ignored": {"answers"},
    "pipelined_requests_lost": {"answers"},
    "closed_at_once": {"answers"},
    "any_host": {"right"},
    "heads_unchecked": {"right", "answers"},
    "trailers_are_headers": {"right"},
    "bodies_for_head": {"reads"},
    "bodies_without_end": {"reads"},
    "lengths_in_decimal": {"reads"},
    "deep_bodies_followed": {"raises"},
    "tasks_left": {"leaves"},
}
"""The oracles one of which must object."""


def unit(kind: str) -> Unit:
    return Unit(kind, KINDS[kind].make(Choices(b"")))


def whole_kinds() -> Iterator[HttpExample]:
    """The part of the enumeration in which nothing is cut, and an answer with much behind it."""
    yield from (example for example in CAMPAIGN.enumerated() if not example.sizes)
    yield HttpExample((unit("closing"), *[unit("chat")] * 2_000))


def server_of(name: str) -> closing[FuzzedServer]:
    """A server of the gallery, which ends with the block."""
    return closing(CAMPAIGN.open(f"harness_lab.gallery.http:{name}"))


def first_objection(server: FuzzedServer, examples: Iterator[HttpExample]) -> tuple[HttpExample, Falsified] | None:
    objections = ((example, objection_to(example, CAMPAIGN, server)) for example in examples)
    return next(((example, found) for example, found in objections if found is not None), None)


def test_the_whole_gallery_is_looked_at() -> None:
    assert list(OFFENDED) == list(gallery.GALLERY)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", OFFENDED)
def test_every_broken_server_is_found(name: str) -> None:
    with server_of(name) as server:
        found = first_objection(server, whole_kinds())
    assert found is not None
    assert found[1].oracle in OFFENDED[name]


def test_the_right_one_is_not() -> None:
    with server_of("right") as server:
        assert first_objection(server, islice(whole_kinds(), 0, None, 5)) is None


def test_a_finding_is_shrunk_to_the_request_that_matters() -> None:
    example = HttpExample((unit("chat"), Unit("chat-in-chunks", chunks_with_host()), unit("models")), (7, 3))
    with server_of("trailers_are_headers") as server:
        with pytest.raises(Falsified) as objection:
            CAMPAIGN.check(example, server)
        small, _ = shrunk(CAMPAIGN, server, example, objection.value)
    assert ([each.kind for each in small.units], small.sizes) == (["chat-in-chunks"], ())


def chunks_with_host() -> bytes:
    """A chat in chunks whose trailer names a foreign host."""
    texts = (KINDS["chat-in-chunks"].make(Choices(bytes([number] * 8))) for number in range(256))
    return next(text for text in texts if text.endswith(b"0\r\nhost: evil.example\r\n\r\n"))


def test_the_enumeration_has_every_kind_and_every_cut() -> None:
    examples = list(CAMPAIGN.enumerated())
    assert {each.kind for example in examples for each in example.units} == set(KINDS)
    cuts = [example.sizes for example in examples if [each.kind for each in example.units] == ["two-lengths"]]
    assert len([sizes for sizes in cuts if len(sizes) == 2]) == len(unit("two-lengths").data) - 1


# --- oracles ----------------------------------------------------------------------------------------------------------

OK = b"HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\n" + b'{"data"}'
MODELS = HttpExample((unit("models"),))
DAMAGED = HttpExample((Unit("damaged", b"GET"),))


@pytest.mark.parametrize(
    ("oracle", "example", "answered"),
    [
        ("raises", MODELS, FuzzedAnswer(OK, True, 0, ("ZeroDivisionError",))),
        ("raises", MODELS, FuzzedAnswer(OK.replace(b"200", b"500"), True, 0)),
        ("raises", DAMAGED, FuzzedAnswer(OK.replace(b"200", b"500"), True, 0)),
        ("answers", MODELS, FuzzedAnswer(OK, False, 0)),
        ("answers", MODELS, FuzzedAnswer(b"", True, 0)),
        ("answers", DAMAGED, FuzzedAnswer(b"", True, 0)),
        ("reads", MODELS, FuzzedAnswer(b"nothing", True, 0)),
        ("reads", MODELS, FuzzedAnswer(OK[:-1], True, 0)),
        ("reads", DAMAGED, FuzzedAnswer(OK + b"x", True, 0)),
        ("right", MODELS, FuzzedAnswer(OK.replace(b"200", b"404"), True, 0)),
        ("right", MODELS, FuzzedAnswer(OK.replace(b"data", b"date"), True, 0)),
        ("closes", MODELS, FuzzedAnswer(OK * 2, True, 0)),
        ("records", MODELS, FuzzedAnswer(OK, True, 1)),
        ("leaves", MODELS, FuzzedAnswer(OK, True, 0, left=1)),
    ],
)
def test_each_oracle_objects(oracle: str, example: HttpExample, answered: FuzzedAnswer) -> None:
    with pytest.raises(Falsified) as objection:
        hold(example, answered)
    assert objection.value.oracle == oracle
    assert oracle in ORACLES


def test_a_right_answer_is_one() -> None:
    assert hold(MODELS, FuzzedAnswer(OK, True, 0)) == 1
    assert hold(DAMAGED, FuzzedAnswer(OK * 3, True, 7)) == 3


# --- files ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change", [{"units": 5}, {"sizes": [0]}, {"sizes": ["x"]}, {"units": [{"kind": "nothing-like-it", "data": ""}]}]
)
def test_another_file_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="expected"):
        CAMPAIGN.from_json({**CAMPAIGN.to_json(MODELS), **change})  # type: ignore[dict-item]


def test_no_scenario_says_what_a_client_sends() -> None:
    assert CAMPAIGN.scenario(MODELS, "name", "summary") is None


def test_smaller_examples_are_smaller() -> None:
    example = HttpExample((unit("chat"), Unit("damaged", b"abcdef")), (3, 4))
    for smaller in CAMPAIGN.smaller(example):
        assert smaller != example
        assert len(smaller.pieces()) <= len(replace(example, sizes=(1,)).pieces())
