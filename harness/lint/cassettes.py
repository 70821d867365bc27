"""Every request to a model that a cassette holds, judged in its order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from harness.cassette import Interaction, read_cassette
from harness.lint.judging import Judge, Judgement, LintedRequest, host_of
from harness.wire import aside_of, route_of

__all__ = ["CassetteReport", "JudgedInteraction", "judge_cassette"]


@dataclass(frozen=True, slots=True)
class JudgedInteraction:
    """An interaction with its number in the file, from 1, and what its request breaks."""

    number: int
    interaction: Interaction
    judgement: Judgement


@dataclass(frozen=True, slots=True)
class CassetteReport:
    """``beside`` counts the interactions that ask no model for anything: files, models, telemetry."""

    path: Path
    judged: tuple[JudgedInteraction, ...]
    beside: int


def judge_cassette(path: Path, *, server: str = "") -> CassetteReport:
    """Judge a cassette's requests to ``server``, or to the one that each of them tells.

    What the harness's own endpoint has answered from a script settles nothing.

    Raises ``BadInput`` when the file is no readable cassette, or nobody knows a server with this name.
    """
    cassette = read_cassette(path)
    is_scripted = cassette.provenance is not None and cassette.provenance.source != "live"
    judge = Judge(server=server, settles=not is_scripted)
    interactions = cassette.interactions
    judged = tuple(_judged(interactions, judge))
    return CassetteReport(path, judged, len(interactions) - len(judged))


def _judged(interactions: tuple[Interaction, ...], judge: Judge) -> Iterator[JudgedInteraction]:
    for number, interaction in enumerate(interactions, 1):
        method, url = interaction.method, interaction.url
        route = route_of(method, url) or aside_of(method, url)
        if route is not None and interaction.request is not None:
            headers = {name: ", ".join(values) for name, values in interaction.request_headers.items()}
            kind = ", ".join(interaction.response_headers.get("content-type", ()))
            asked = LintedRequest(
                route,
                headers,
                interaction.request,
                interaction.status,
                kind,
                interaction.response,
                host_of(url),
                frozenset(interaction.response_headers),
            )
            yield JudgedInteraction(number, interaction, judge.judge(asked))
