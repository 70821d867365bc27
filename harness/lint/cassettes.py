"""Judges every request to a model in a cassette, in order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from harness.cassette import Interaction, read_recording
from harness.lint.judging import Judge, Judgement, LintedRequest, host_of
from harness.wire import aside_of, route_of


@dataclass(frozen=True, slots=True)
class JudgedInteraction:
    """An interaction with its number in the file, from 1, and the findings about its request."""

    number: int
    interaction: Interaction
    judgement: Judgement


@dataclass(frozen=True, slots=True)
class CassetteReport:
    """``beside`` counts interactions without a request to a model: files, lists of models, telemetry.

    ``left_out`` has the place and the reason for each entry of the file that is no exchange.
    """

    path: Path
    judged: tuple[JudgedInteraction, ...]
    beside: int
    left_out: tuple[str, ...] = ()


def judge_cassette(path: Path, *, server: str = "") -> CassetteReport:
    """Judge the requests in a recording of any known format, for ``server`` or for the server that each request shows.

    Scripted answers of the harness's own endpoint are no evidence.

    Raises ``BadInput`` if the file is no recording or is broken, and for an unknown server.
    """
    recorded = read_recording(path)
    is_scripted = recorded.provenance is not None and recorded.provenance.source != "live"
    judge = Judge(server=server, settles=not is_scripted)
    interactions = recorded.interactions
    judged = tuple(_judged_interactions(interactions, judge))
    return CassetteReport(path, judged, len(interactions) - len(judged), recorded.left_out)


def _judged_interactions(interactions: tuple[Interaction, ...], judge: Judge) -> Iterator[JudgedInteraction]:
    for number, interaction in enumerate(interactions, 1):
        method, url = interaction.method, interaction.url
        route = route_of(method, url) or aside_of(method, url)
        if route is not None and interaction.request is not None:
            headers = {name: ", ".join(values) for name, values in interaction.request_headers.items()}
            kind = ", ".join(interaction.response_headers.get("content-type", ()))
            socket = interaction.socket
            asked = LintedRequest(
                route,
                headers,
                interaction.request,
                interaction.status,
                kind,
                interaction.response,
                host_of(url),
                frozenset(interaction.response_headers),
                socket.connection if socket is not None else 0,
                socket.lane if socket is not None else "",
            )
            yield JudgedInteraction(number, interaction, judge.judge(asked))
