"""What all entries of a scenario file have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Discriminator, Field, model_validator
from pydantic_core import PydanticCustomError

from harness.wire import wire_names

if TYPE_CHECKING:
    KnownWire = str
else:  # a checker cannot read the names of what is installed
    KnownWire = Literal[wire_names()]


class _Nothing:
    """Stands for a key without a value, so that no field takes it for one that is absent."""

    def __repr__(self) -> str:
        return "nothing"


NOTHING = _Nothing()


class Authored(BaseModel):
    """Base of all entries: no unknown keys, no conversions, no empty keys.

    A field that is None was not written: null is refused, in files here and in the exported schema there.
    An entry must have exactly one of the keys in ``one_of``. null is a value for the keys in ``may_be_null``.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    one_of: ClassVar[tuple[str, ...]] = ()
    may_be_null: ClassVar[frozenset[str]] = frozenset()

    @model_validator(mode="before")
    @classmethod
    def _no_empty_keys(cls, data: Any) -> Any:
        if not isinstance(data, dict) or None not in data.values():
            return data
        return {key: NOTHING if value is None and key not in cls.may_be_null else value for key, value in data.items()}

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        present = self.model_fields_set.intersection(self.one_of)
        if self.one_of and len(present) != 1:
            raise PydanticCustomError("one_of", "one of", {"keys": list(self.one_of), "given": sorted(present)})
        return self


def one_key(names: tuple[str, ...]) -> dict[str, Any]:
    """The JSON Schema form of ``one_of``."""
    return {"oneOf": [{"required": [name]} for name in names]}


def by_shape(tag: Callable[[Any], str]) -> Discriminator:
    """Return the discriminator of a union whose member ``tag`` names from the shape of the data."""
    return Discriminator(tag)


Slug = Annotated[str, Field(pattern=r"^[a-z0-9]+(?:-[a-z0-9]+)*$", max_length=1_000)]
Words = Annotated[str, Field(min_length=1)]
Count = Annotated[int, Field(ge=0, le=10**15)]
