"""The events of the SDKs of OpenAI and Anthropic, read sooner than the SDKs read them themselves.

Both SDKs build their event models in Python, member by member, or try an event against every model of a union: most of
the time of a streamed turn. The folds of the wires take the JSON that came. For Responses, pydantic's own validator
gives the same model many times sooner. An event that is not valid is left to the SDK, which builds something of any.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypeVar, get_args

from pydantic import Field, TypeAdapter, ValidationError

_Stream = TypeVar("_Stream")
Read = Callable[[Any], Any]
"""Builds an event of its JSON."""


def as_json(stream: _Stream) -> _Stream:
    """The same SDK stream, whose events are the JSON that came.

    The resources that open streams have no parameter for the type of their events, so the stream is given it: for
    ``object`` both SDKs build nothing.
    """
    vars(stream)["_cast_to"] = object
    return stream


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
