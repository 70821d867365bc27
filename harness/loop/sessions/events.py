"""The event models of the SDKs of OpenAI and Anthropic, built by pydantic.

Both SDKs build their models in Python, member by member, or try an event against every model of a union: most of the
time of a streamed turn. pydantic's own validator gives the same model many times sooner. An event that is not valid is
left to the SDK, which builds something of any event.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypeVar, get_args

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

__all__ = ["model_reader", "read_with", "union_reader"]

_Stream = TypeVar("_Stream")
_Read = Callable[[object], Any]


def read_with(reader: type, stream: _Stream) -> _Stream:
    """The same SDK stream, whose events ``reader`` builds.

    A type with a method ``build`` is asked for its instances (``ModelBuilderProtocol`` in both SDKs); the resources
    that open streams have no parameter for the type of their events, so the stream is given it.
    """
    vars(stream)["_cast_to"] = reader
    return stream


def model_reader(model: type[BaseModel], construct: _Read) -> type:
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

    return _reader(read)


def union_reader(union: Any, construct: _Read) -> type:
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

    return _reader(read)


def _reader(read: _Read) -> type:
    class Reader:
        @classmethod
        def build(cls, *, response: object, data: object) -> Any:  # noqa: ARG003 - as the SDKs call it
            return read(data)

    return Reader
