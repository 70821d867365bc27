"""Why a recorded loop is not replayed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

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

OBSTACLES: Mapping[Obstacle, str] = {
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
    "results of the server": "the loop answers calls of a built-in tool, or allows them, which our adapters do not",
    "turn edited": "the loop sent other calls or text back than the model gave, or the recorder changed one of them",
}
"""Every reason for which a loop is not replayed."""

assert get_args(Obstacle) == tuple(OBSTACLES)  # noqa: S101
