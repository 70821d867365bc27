"""Reads the events of the SDKs of OpenAI and Anthropic faster than the SDKs themselves.

Both SDKs build their event models in Python, member by member, or try an event against every model of a union. That is
most of the time of a streamed turn. The folds of the wires take the received JSON.
"""

from __future__ import annotations

from typing import TypeVar

_Stream = TypeVar("_Stream")


def as_json(stream: _Stream) -> _Stream:
    """The same SDK stream, but its events are the received JSON.

    The resources that open streams have no parameter for the type of their events, so it is set on the stream: for
    ``object`` both SDKs build nothing.
    """
    vars(stream)["_cast_to"] = object
    return stream
