"""Every request to a model that a cassette holds, judged in its order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from harness.cassette import Interaction, read_recording
from harness.lint.judging import Judge, Judgement, LintedRequest, host_of
from harness.wire import aside_of, route_of


@dataclass(frozen=True, slots=True)
class JudgedInteraction:
    """An interaction with its number in the file, from 1, and what its request breaks."""

    number: int
    interaction: Interaction
    judgement: Judgement


@dataclass(frozen=True, slots=True)
class CassetteReport:
    """``beside`` counts the interactions that ask no model for anything: files, models, telemetry.

    ``left_out`` says of each entry of the file that is no exchange where it is and why.
    """

    path: Path
    judged: tuple[JudgedInteraction, ...]
    beside: int
    left_out: tuple[str, ...] = ()


def judge_cassette(path: Path, *, server: str = "") -> CassetteReport:
    """Judge the requests of a recording in any known format to ``server``, or to the one that each of them shows.

    What the harness's own endpoint has answered from a script settles nothing.

    Raises ``BadInput`` when the file is none, or broken, or nobody knows a server with this name.
    """
    recorded = read_recording(path)
    is_scripted = recorded.provenance is not None and recorded.provenance.source != "live"
    judge = Judge(server=server, settles=not is_scripted)
    interactions = recorded.interactions
    judged = tuple(_judged(interactions, judge))
    return CassetteReport(path, judged, len(interactions) - len(judged), recorded.left_out)


def _judged(interactions: tuple[Interaction, ...], judge: Judge) -> Iterator[JudgedInteraction]:
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
