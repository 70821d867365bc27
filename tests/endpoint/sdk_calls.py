"""Calls of every method of an SDK's resources, made from the methods' signatures.

Each method is called with its required arguments only, and with all that it has, in the three ways that an SDK offers:
for the value, for the raw response, and for the response as it arrives. What an argument must name (an id, a model) is
given by its name; any other value is made from its type.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired, Required, Union, get_args, get_origin

from typing_extensions import get_type_hints

_OWN = ("extra_headers", "extra_query", "extra_body", "timeout")
_UNSET = ("Omit", "NotGiven", "NoneType")
_HELPERS = ("connect", "stream", "parse", "thread", "tool_runner")
"""Methods that are no requests of their own: they make one that another method makes, and read the answer."""

Way = Literal["value", "raw", "streaming"]


@dataclass(frozen=True)
class SdkCall:
    """One call: ``resource`` is the path of the resource in the client, ``arguments`` what is given by name."""

    resource: str
    method: str
    filled: Literal["required", "all"]
    way: Way
    streams: bool = False

    def __str__(self) -> str:
        stream = "-stream" if self.streams else ""
        return f"{self.resource}.{self.method}-{self.filled}-{self.way}{stream}"

    def on(self, client: Any) -> Any:
        """The method of a client."""
        for name in self.resource.split("."):
            client = getattr(client, name)
        return getattr(client, self.method)

    def called(self, client: Any) -> Any:
        """The method of a client in the way of this call."""
        owner = self.on(client).__self__
        owner = owner if self.way == "value" else getattr(owner, f"with_{_WAYS[self.way]}")
        return getattr(owner, self.method)

    def arguments(self, client: Any, given: Mapping[str, Any], left_out: Iterable[str] = ()) -> dict[str, Any]:
        """The arguments of the call; those that are ``left_out`` only where they are not required."""
        made: dict[str, Any] = {}
        method = self.on(client)
        for name, parameter in inspect.signature(method).parameters.items():
            if name in _OWN or parameter.kind is inspect.Parameter.VAR_KEYWORD:
                continue
            required = parameter.default is inspect.Parameter.empty
            if not required and (self.filled == "required" or name in left_out) and name not in _ALWAYS:
                continue
            if name == "stream":
                made |= {"stream": True} if self.streams else {}
            elif name in given:
                made[name] = given[name]
            elif not (name in _ALWAYS and self.filled == "required"):
                made[name] = value_of(_annotation(method, parameter), given)
        return made


_WAYS: dict[Way, str] = {"raw": "raw_response", "streaming": "streaming_response"}
_ALWAYS = ("model", "input", "stream")
"""What a request for an answer needs, though the SDK requires it not, or has it in an overload."""


def calls_of(client: Any, resources: Iterable[str]) -> Iterator[SdkCall]:
    """Every call of every method of these resources."""
    for resource in resources:
        owner = client
        for name in resource.split("."):
            owner = getattr(owner, name)
        for method, function in inspect.getmembers(owner, callable):
            if method.startswith(("_", "with_")) or method in _HELPERS or not inspect.ismethod(function):
                continue
            streams = (False, True) if "stream" in inspect.signature(function).parameters else (False,)
            for stream in streams:
                for filled in ("required", "all"):
                    yield SdkCall(resource, method, filled, "value", stream)
                for way in ("raw", "streaming"):
                    yield SdkCall(resource, method, "required", way, stream)


def _annotation(method: Any, parameter: inspect.Parameter) -> Any:
    function = inspect.unwrap(method)
    module = inspect.getmodule(function)
    annotation = parameter.annotation
    return eval(annotation, vars(module)) if isinstance(annotation, str) else annotation  # noqa: S307 - of an SDK


def value_of(kind: Any, given: Mapping[str, Any]) -> Any:
    """A value of a type: the first of a union, the first word of a literal, what a typed dictionary requires."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Annotated, Required, NotRequired):
        return value_of(inner[0], given)
    if origin in (Union, types.UnionType):
        members = [each for each in inner if getattr(each, "__name__", "") not in _UNSET]
        literals = [each for each in members if get_origin(each) is Literal]
        return value_of((literals or members)[0], given)
    if origin is Literal:
        return inner[0]
    if origin is dict or (origin is not None and issubclass(origin, Mapping)):
        return {"key": value_of(inner[1], given)}
    if origin is not None and issubclass(origin, Iterable):
        return [value_of(inner[0], given)]
    if hasattr(kind, "__required_keys__"):
        members = get_type_hints(kind, include_extras=True).items()
        needed = {name: hint for name, hint in members if get_origin(hint) is Required} or dict(members)
        return {name: given.get(name) or value_of(hint, given) for name, hint in needed.items()}
    return {str: "text", int: 1, float: 1.0, bool: True, object: {}}.get(kind, "text")
