"""What becomes of a loop. Each has exactly one outcome; what cannot be replayed and what differs has a name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from harness_lab.imports.loops import Loop

__all__ = ["DIFFERENCES", "OBSTACLES", "Difference", "Finding", "Obstacle", "Outcome", "Verdict"]

Verdict = Literal["replayed", "differs", "not replayable", "failed"]
"""``differs``: replayed with named differences. ``failed``: our adapter goes on otherwise, and nobody knows why."""

Obstacle = Literal[
    "beginning not recorded",
    "named turn not recorded",
    "history changed",
    "turn not recorded",
    "error response",
    "cut response",
    "failed response",
    "unreadable response",
    "form not asked for",
    "streamed and whole",
    "results missing",
    "results without words",
    "results of the server",
    "turn edited",
]

OBSTACLES: dict[Obstacle, str] = {
    "beginning not recorded": "the first recorded request already has turns of the model in its history",
    "named turn not recorded": "the first recorded request names a turn, or a conversation, that only the provider has",
    "history changed": "the history was edited or compacted: it does not begin with that of the request before",
    "turn not recorded": "the history has a turn of the model between two recorded ones",
    "error response": "the endpoint refused the request that goes on, so it is no model for any loop",
    "cut response": "a response ends without its terminal event",
    "failed response": "the response itself says that it failed, so there is no turn to go on from",
    "unreadable response": "a response was not recorded, is none of its wire, or is several in one body",
    "form not asked for": "Gemini's enums as numbers or arguments in pieces, which our adapter never asks for",
    "streamed and whole": "the loop asks for streams and for whole responses by turns; a session of ours does not",
    "results missing": "the loop did not answer every call of a turn, or answered calls that nobody made",
    "results without words": "a result has images, files or references in it; our tools return JSON",
    "results of the server": "the loop answers calls of a built-in tool, which our adapters do not run",
    "turn edited": "the loop sent other calls or text back than the model gave, or the recorder changed one of them",
}
"""Every reason for which a loop is not replayed."""

Difference = Literal[
    "thinking left out",
    "thinking without calls",
    "reasoning not stored",
    "proofs left out",
    "proofs repeated",
    "proof made up",
    "text left out",
    "text trimmed",
    "white space added",
    "server items left out",
    "turn named by its id",
    "ids changed",
    "arguments spelled otherwise",
    "results as JSON text",
    "results in an envelope",
    "results in another order",
    "parts in another order",
]

DIFFERENCES: dict[Difference, str] = {
    "thinking left out": "the recorded loop does not send thinking back; ours always does",
    "thinking without calls": "the recorded loop sends thinking of every turn back; on Chat ours only beside calls",
    "reasoning not stored": "the recorded loop did not ask for encrypted reasoning, as ours does, so what came is lost",
    "proofs left out": "the recorded loop does not send every signature back; ours always does",
    "proofs repeated": "the recorded loop gives every call the signature of one; ours sends each where it came",
    "proof made up": "the recorded loop sends Google's placeholder where the model signed nothing; ours sends nothing",
    "text left out": "the recorded loop drops what the model said beside its calls; ours never does",
    "text trimmed": "the recorded loop cuts white space off what the model said; ours sends it as it came",
    "white space added": "the recorded loop says white space where the model said nothing",
    "server items left out": "the recorded loop drops items of built-in tools; ours sends them back as they came",
    "turn named by its id": "the recorded loop names the turn (previous_response_id); ours sends it",
    "ids changed": "the recorded loop gives calls ids of its own; ours only where the model gives none or repeats one",
    "arguments spelled otherwise": "the same JSON value, written anew by the recorded loop",
    "results as JSON text": "the recorded loop sends text as it is; tools of ours return JSON, which is sent as such",
    "results in an envelope": "the recorded loop names the members of a Gemini response; ours sends output or error",
    "results in another order": "the recorded loop sends results as they came; ours in the order of the calls",
    "parts in another order": "the recorded loop has an order of its own for text and calls; ours has the model's",
}
"""Every way in which a recorded loop and ours may both be right."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Where our continuation is not what the recording has: ``exchange`` is the request that goes on."""

    exchange: str
    what: str
    expected: str
    got: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """``obstacle`` has one for what is not replayable, with the exchange ``at`` which it stands."""

    loop: Loop
    obstacle: Obstacle | None = None
    at: str = ""
    differences: tuple[Difference, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def verdict(self) -> Verdict:
        if self.findings:
            return "failed"
        if self.obstacle:
            return "not replayable"
        return "differs" if self.differences else "replayed"


assert get_args(Obstacle) == tuple(OBSTACLES) and get_args(Difference) == tuple(DIFFERENCES)  # noqa: S101, PT018
