"""What is computed once for each object: ``cached_property`` without a lock, and the same for a function, ``kept``.

Python 3.11 takes a lock whenever a cached property is computed, which costs more than most of the properties of a
request that is judged. Python 3.12 has none any more (https://github.com/python/cpython/issues/87634).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any, Generic, TypeVar, overload

__all__ = ["cached_property", "kept"]

_T = TypeVar("_T")
_Holder = TypeVar("_Holder")


def kept(compute: Callable[[_Holder], _T]) -> Callable[[_Holder], _T]:
    """A function of one object that is called once for each. The value is kept in the object's ``__dict__``."""
    name = f"{compute.__module__}.{compute.__qualname__}"

    @wraps(compute)
    def get(holder: _Holder) -> _T:
        values: dict[str, Any] = holder.__dict__
        if name not in values:
            values[name] = compute(holder)
        value: _T = values[name]
        return value

    return get


if sys.version_info >= (3, 12):
    from functools import cached_property
else:

    class cached_property(Generic[_T]):  # noqa: N801 - it stands in for that of functools
        """A method that is called once for each instance. The value is kept in the instance's ``__dict__``.

        Threads that ask at the same time may each compute it.
        """

        def __init__(self, compute: Callable[[Any], _T]) -> None:
            self.func = compute
            self.__doc__ = compute.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self._name = name

        @overload
        def __get__(self, instance: None, owner: type | None = None) -> cached_property[_T]: ...
        @overload
        def __get__(self, instance: object, owner: type | None = None) -> _T: ...
        def __get__(self, instance: object | None, owner: type | None = None) -> cached_property[_T] | _T:
            if instance is None:
                return self
            value = instance.__dict__[self._name] = self.func(instance)
            return value
