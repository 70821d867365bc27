"""Values that a file writes once for many: templates, and what takes the places in them.

``{for: {name: values, ...}, make: [template, ...]}``, an element of a list, makes each template with each choice of
values, the first name slowest; a number is all numbers below it. A text ``$name`` is the value itself, and a longer
text has it in its words. ``{all of: list}`` in a list is its elements, and a member ``+`` of a mapping the members of
another one. ``{repeat: x, times: 64, and: y}`` is a text of so many with what is behind them, ``{many: 24, of: ...}``
the schema of an object with so many members.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from string import Template
from typing import Any


def filled(template: Any, chosen: Mapping[str, Any]) -> Any:
    """What a template makes with these values."""
    match template:
        case str():
            return _text(template, chosen)
        case list():
            return [made for each in template for made in _elements(each, chosen)]
        case {"repeat": text, "times": times}:
            return text * filled(times, chosen) + template.get("and", "")
        case {"many": count, "of": schema}:
            return _many(count, filled(schema, chosen))
        case dict():
            made: dict[str, Any] = {}
            for name, each in template.items():
                value = filled(each, chosen)
                made |= value if name == "+" else {_text(name, chosen): value}
            return made
    return template


def _text(template: str, chosen: Mapping[str, Any]) -> Any:
    if template[:1] == "$" and template[1:] in chosen:
        return chosen[template[1:]]
    return Template(template).safe_substitute(chosen) if "$" in template else template


def _elements(element: Any, chosen: Mapping[str, Any]) -> Iterator[Any]:
    if isinstance(element, dict) and "for" in element:
        names = element["for"]
        for values in product(*(_values(each, chosen) for each in names.values())):
            yield from filled(element["make"], {**chosen, **dict(zip(names, values, strict=True))})
    elif isinstance(element, dict) and "all of" in element:
        yield from filled(element["all of"], chosen)
    else:
        yield filled(element, chosen)


def _values(values: Any, chosen: Mapping[str, Any]) -> list[Any]:
    found = filled(values, chosen)
    return list(range(found)) if isinstance(found, int) else found


def _many(count: int, schema: Any) -> dict[str, Any]:
    properties = {f"p{number}": schema for number in range(count)}
    return {"type": "object", "properties": properties, "required": [], "additionalProperties": False}
