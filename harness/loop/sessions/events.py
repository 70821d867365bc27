"""The events of the SDKs of OpenAI and Anthropic, read sooner than the SDKs read them themselves.

Both SDKs build their event models in Python, member by member, or try an event against every model of a union: most of
the time of a streamed turn. pydantic's own validator gives the same model many times sooner. An event that is not valid
is left to the SDK, which builds something of any event.

The decoders of both SDKs keep the pieces of a line until its end has come. Where a response comes in pieces of a byte,
that takes longer than all the rest of the run, so the pieces are joined before.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, Callable
from typing import Annotated, Any, Protocol, TypeVar, get_args

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

__all__ = ["Read", "as_json", "lines_at_once", "model_reader", "union_reader"]

_Stream = TypeVar("_Stream")
Read = Callable[[Any], Any]
"""Builds an event of its JSON."""


class _Decoder(Protocol):
    def aiter_bytes(self, iterator: AsyncIterable[bytes], /) -> AsyncGenerator[Any, None]: ...


def as_json(stream: _Stream) -> _Stream:
    """The same SDK stream, whose events are the JSON that came.

    The resources that open streams have no parameter for the type of their events, so the stream is given it: for
    ``object`` both SDKs build nothing.
    """
    members = vars(stream)
    members["_cast_to"] = object
    members["_decoder"] = _LinesAtOnce(members["_decoder"])
    return stream


class _LinesAtOnce:
    """An SDK's decoder of server-sent events that is given no part of a line."""

    def __init__(self, decoder: _Decoder) -> None:
        self._decoder = decoder

    def aiter_bytes(self, pieces: AsyncIterable[bytes]) -> AsyncGenerator[Any, None]:
        return self._decoder.aiter_bytes(lines_at_once(pieces))


async def lines_at_once(pieces: AsyncIterable[bytes]) -> AsyncGenerator[bytes, None]:
    """The pieces of a body, each joined with those before it that end no line.

    An event ends with a line, so whoever reads these learns of every event after the same piece.
    """
    begun: list[bytes] = []
    async for piece in pieces:
        if b"\n" not in piece and b"\r" not in piece:
            begun.append(piece)
        elif begun:
            begun.append(piece)
            joined = b"".join(begun)
            begun.clear()
            yield joined
        else:
            yield piece
    if begun:
        yield b"".join(begun)


def model_reader(model: type[BaseModel], construct: Read) -> Read:
    """For events of one model. ``construct`` is how the SDK builds it.

    The SDK converts nothing in a model that is no union, and pydantic does, for example ``"0"`` to 0. An event whose
    model is not equal to what came is therefore built by the SDK, too.
    """

    def read(data: object) -> Any:
        try:
            event = model.model_validate(data)
        except ValidationError:
            return construct(data)
        same = event.model_dump(exclude_unset=True, by_alias=True, warnings=False) == data
        return event if same else construct(data)

    return read


def union_reader(union: Any, construct: Read) -> Read:
    """For events of a union of models, each with a ``type`` of its own. ``construct`` is how the SDK builds it.

    The SDK has the union validated, too, but without a discriminator: pydantic then tries every model.
    """
    tagged: Any = Annotated[get_args(union)[0], Field(discriminator="type")]
    validate = TypeAdapter[Any](tagged).validate_python

    def read(data: object) -> Any:
        try:
            return validate(data)
        except ValidationError:
            return construct(data)

    return read
