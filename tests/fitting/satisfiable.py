"""Schemas that are certain to accept something, drawn at random: a value first, and then a schema around it."""

from __future__ import annotations

import json
import re
import string
from collections.abc import Sequence
from random import Random
from typing import Any, Final

from tests.fitting.validity import D4, D6, D7, D19, D20, fits

Drawn = tuple[dict[str, Any], Any]
"""A schema, and a value that it accepts."""

NAMES: Final = ("a", "b", "kind", "x-1", "x-2", "Name", "")
DEEPEST: Final = 3


def drawn(random: Random) -> Drawn:
    """A schema of a draft that it names."""
    draft = random.choice((D4, D6, D7, D19, D20, D20))
    builder = _Builder(random, draft)
    value = _value(random, 0, is_object=True)
    schema = builder.around(value, 0)
    whole = {"$schema": draft, **schema, **({builder.word: builder.named} if builder.named else {})}
    assert fits(whole, value), (whole, value)
    return whole, value


def _value(random: Random, depth: int, *, is_object: bool = False) -> Any:
    kind = (
        "object" if is_object else random.choice(("text", "text", "whole", "number", "truth", "null", "list", "object"))
    )
    if kind in ("list", "object") and depth >= DEEPEST:
        kind = "text"
    match kind:
        case "text":
            return "".join(
                random.choices(random.choice((string.ascii_lowercase, "abAB09 -_.é", "01")), k=random.randint(0, 9))
            )
        case "whole":
            return random.choice((random.randint(-20, 20), random.randint(-(10**6), 10**6)))
        case "number":
            return random.randint(-400, 400) / 8
        case "truth":
            return random.random() < 0.5
        case "null":
            return None
        case "list":
            return [_value(random, depth + 1) for _ in range(random.randint(0, 4))]
    return {name: _value(random, depth + 1) for name in random.sample(NAMES, random.randint(0, 4))}


class _Builder:
    def __init__(self, random: Random, draft: str) -> None:
        self._random = random
        self._draft = draft
        self.named: dict[str, Any] = {}

    def around(self, value: Any, depth: int) -> dict[str, Any]:
        """A schema that accepts ``value``."""
        match value:
            case bool() | None:
                schema = {"type": "null" if value is None else "boolean"}
            case int() | float():
                schema = self._of_number(value)
            case str():
                schema = self._of_text(value)
            case list():
                schema = self._of_list(value, depth)
            case _:
                schema = self._of_object(value, depth)
        if self._seldom(6):
            schema = {"enum": self._mixed([value, *(_value(self._random, DEEPEST) for _ in range(2))])}
        if self._seldom(20) and self._draft != D4:
            schema = {"const": value}
        return self._combined(schema, value, depth)

    def _combined(self, schema: dict[str, Any], value: Any, depth: int) -> dict[str, Any]:
        if depth > DEEPEST:
            return schema
        others = [self._other(depth) for _ in range(2)]
        unfit = [each for each in others if not self._fits(each, value)]
        if self._seldom(8):
            schema = {**schema, "anyOf": self._mixed([self.around(value, depth + 2), *others])}
        if self._seldom(10):
            schema = {**schema, "oneOf": self._mixed([self.around(value, depth + 2), *unfit])}
        if self._seldom(8):
            schema = {"allOf": [schema, self.around(value, depth + 2)]}
        if self._seldom(8) and unfit:
            schema = {**schema, "not": unfit[0]}
        if self._seldom(8) and self._draft not in (D4, D6):
            way = "then" if self._fits(others[0], value) else "else"
            schema = {**schema, "if": others[0], way: self.around(value, depth + 2)}
            if self._seldom(2):
                schema["else" if way == "then" else "then"] = self._other(depth)
        if self._seldom(8):
            name = f"n{len(self.named)}"
            self.named[name] = schema
            schema = {"$ref": f"#/{self.word}/{name}"}
        return schema

    def _other(self, depth: int) -> dict[str, Any]:
        """A schema of something else, without references: it is asked about by itself."""
        apart = _Builder(self._random, self._draft)
        found = apart.around(_value(self._random, depth + 2), depth + 3)
        return found if not apart.named else {"type": "boolean"}

    def _fits(self, schema: dict[str, Any], value: Any) -> bool:
        return fits({**schema, self.word: self.named}, value, self._draft)

    @property
    def word(self) -> str:
        return "definitions" if self._draft in (D4, D6, D7) else "$defs"

    def _of_number(self, value: float) -> dict[str, Any]:
        schema: dict[str, Any] = {"type": "integer" if isinstance(value, int) and not self._seldom(3) else "number"}
        if self._seldom(3):
            schema["minimum"] = value - self._random.choice((0, 1, 30))
        if self._seldom(3):
            schema["maximum"] = value + self._random.choice((0, 1, 30))
        if self._seldom(4) and self._draft != D4:
            schema["exclusiveMinimum"] = value - self._random.choice((0.5, 1, 7))
        elif self._draft == D4 and schema.get("minimum", value) < value:
            schema["exclusiveMinimum"] = True
        if self._seldom(4) and self._draft != D4:
            schema["exclusiveMaximum"] = value + self._random.choice((0.5, 1, 7))
        factors = [each for each in (0.125, 0.5, 2, 3, 7) if (value / each).is_integer()]
        if factors and self._seldom(4):
            schema["multipleOf"] = self._random.choice(factors)
        return schema

    def _of_text(self, value: str) -> dict[str, Any]:
        schema: dict[str, Any] = {"type": "string"}
        if self._seldom(3):
            schema["minLength"] = self._random.randint(0, len(value))
        if self._seldom(3):
            schema["maxLength"] = len(value) + self._random.choice((0, 0, 3))
        if self._seldom(3):
            schema["pattern"] = self._pattern(value)
        if not schema.keys() - {"type"} and self._seldom(4):
            schema["not"] = {"pattern": "^e"} if not value.startswith("e") else {"maxLength": 0}
        return schema

    def _pattern(self, value: str) -> str:
        classes = "".join(
            "[a-z]"
            if each.islower() and each.isascii()
            else r"\d"
            if each.isdecimal()
            else re.escape(each).replace("\\ ", " ").replace("\\-", "-")
            for each in value
        )
        half = classes if len(value) < 2 else f"^{classes}"
        return self._random.choice(
            (f"^{classes}$", half, f"{classes}$", f"^.{{{len(value)}}}$", "^(?!zz).*$", "^[^!]*$")
        )

    def _of_list(self, value: list[Any], depth: int) -> dict[str, Any]:
        schema: dict[str, Any] = {"type": "array"}
        insides = [self.around(each, depth + 1) for each in value]
        if self._seldom(2):
            schema["minItems"] = self._random.randint(0, len(value))
        if self._seldom(3):
            schema["maxItems"] = len(value) + self._random.choice((0, 2))
        if self._seldom(2):
            schema |= self._prefixed(insides)
        elif insides:
            schema["items"] = insides[0] if len(insides) == 1 else {"anyOf": insides}
        if insides and self._seldom(3) and self._draft != D4:
            schema["contains"] = self._random.choice(insides)
        if self._seldom(3) and len({json.dumps(each) for each in value}) == len(value):
            schema["uniqueItems"] = True
            if not self._fits(schema, value):  # 1 and 1.0
                del schema["uniqueItems"]
        return schema

    def _prefixed(self, insides: list[dict[str, Any]]) -> dict[str, Any]:
        if not insides:
            return {}
        first, rest = insides[:2], insides[2:]
        after: Any = {"anyOf": rest} if rest else False
        if self._draft == D20:
            return {"prefixItems": first, "items": after}
        return {"items": first, "additionalItems": after}

    def _of_object(self, value: dict[str, Any], depth: int) -> dict[str, Any]:
        schema: dict[str, Any] = {"type": "object"}
        insides = {name: self.around(each, depth + 1) for name, each in value.items()}
        known = {name: each for name, each in insides.items() if not self._seldom(5)}
        schema["properties"] = {**known, **({"other": self._other(depth)} if self._seldom(3) else {})}
        if required := [name for name in value if not self._seldom(4)]:
            schema["required"] = required
        self._close(schema, value, insides)
        if self._seldom(4):
            schema["minProperties"] = self._random.randint(0, len(value))
        if self._seldom(4):
            schema["maxProperties"] = len(value) + self._random.choice((0, 1))
        if self._seldom(5) and self._draft != D4:
            schema["propertyNames"] = {"maxLength": max(map(len, value), default=0) + 3}
        if len(value) > 1 and self._seldom(3):
            first, second = list(value)[:2]
            old = self._draft in (D4, D6, D7)
            if self._seldom(2):
                schema["dependencies" if old else "dependentRequired"] = {first: [second]}
            else:
                schema["dependencies" if old else "dependentSchemas"] = {first: {"required": [second]}}
        return schema

    def _close(self, schema: dict[str, Any], value: dict[str, Any], insides: dict[str, Any]) -> None:
        """Say something of the members that have no schema of their own yet."""
        left = [name for name in value if name not in schema["properties"]]
        if any(name.startswith("x-") for name in value) and self._seldom(2):
            ways = [insides[name] for name in value if name.startswith("x-")]
            schema["patternProperties"] = {"^x-": {"anyOf": ways}}
            left = [name for name in left if not name.startswith("x-")]
        if self._seldom(3):
            word = "unevaluatedProperties" if self._draft in (D19, D20) and self._seldom(3) else "additionalProperties"
            schema[word] = {"anyOf": [insides[name] for name in left]} if left else False

    def _seldom(self, one_in: int) -> bool:
        return self._random.randrange(one_in) == 0

    def _mixed(self, schemas: Sequence[Any]) -> list[Any]:
        return self._random.sample(list(schemas), len(schemas))
