"""Reads the events of the SDKs of OpenAI and Anthropic faster than the SDKs themselves.

Both SDKs build their event models in Python, member by member, or try an event against every model of a union. That is
most of the time of a streamed turn. The folds of the wires take the received JSON. For Responses, pydantic's own
validator builds the same model many times faster. Invalid events go to the SDK, which builds something from any event.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypeVar, get_args

from pydantic import Field, TypeAdapter, ValidationError

_Stream = TypeVar("_Stream")
Read = Callable[[Any], Any]
"""Builds an event from its JSON."""


def as_json(stream: _Stream) -> _Stream:
    """The same SDK stream, but its events are the received JSON.

    The resources that open streams have no parameter for the type of their events, so it is set on the stream: for
    ``object`` both SDKs build nothing.
    """
    vars(stream)["_cast_to"] = object
    return stream


def union_reader(union: Any, construct: Read) -> Read:
    """Builds events of a union of models, each with a ``type`` of its own. ``construct`` is the SDK's own function.

    The SDK validates the union, too, but without a discriminator, so pydantic tries every model.
    """
    tagged: Any = Annotated[get_args(union)[0], Field(discriminator="type")]
    validate = TypeAdapter[Any](tagged).validate_python

    def read(data: object) -> Any:
        try:
            return validate(data)
        except ValidationError:
            return construct(data)

    return read
