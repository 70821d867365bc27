"""The JUnit format as Jenkins' schema has it, for no package for Python ships that schema.

Where its versions differ (the order of what stands in a test case, the attributes of the whole), the stricter one
counts, so that a document which is right here is right for all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree

_ANY = ".*"
_COUNT = "[0-9]+"
_SECONDS = r"[0-9]+(\.[0-9]{1,3})?"
_COUNTS = {"failures": _COUNT, "errors": _COUNT, "time": _SECONDS}


@dataclass(frozen=True)
class Element:
    """``needs`` and ``has`` are patterns of attributes by their names, ``holds`` is one of the names of the children,
    each with a blank behind it; ``text`` says whether there may be any."""

    needs: dict[str, str]
    has: dict[str, str]
    holds: str = ""
    text: bool = False


_PROBLEM = Element({}, {"type": _ANY, "message": _ANY}, text=True)
_SCHEMA = {
    "testsuites": Element({}, {"name": _ANY, "tests": _COUNT, **_COUNTS}, "(testsuite )*"),
    "testsuite": Element(
        {"name": _ANY, "tests": _COUNT},
        {"skipped": _COUNT, "timestamp": _ANY, **_COUNTS},
        "(properties )?(testcase )*(system-out )?(system-err )?",
    ),
    "testcase": Element(
        {"name": _ANY},
        {"classname": _ANY, "time": _SECONDS},
        "(skipped )?(error )*(failure )*(system-out )*(system-err )*",
    ),
    "skipped": _PROBLEM,
    "error": _PROBLEM,
    "failure": _PROBLEM,
    "system-out": Element({}, {}, text=True),
}


def faults(document: str) -> list[str]:
    """What a reader that goes by the schema would mind in a document."""
    root = ElementTree.fromstring(document.encode())  # noqa: S314 - nobody else has written it
    return [f"not testsuites but {root.tag}"] * (root.tag != "testsuites") + list(_faults(root))


def _faults(element: ElementTree.Element) -> Iterator[str]:
    schema = _SCHEMA.get(element.tag)
    if schema is None:
        yield f"{element.tag}: unknown"
        return
    yield from (f"{element.tag}: without {name}" for name in schema.needs.keys() - element.attrib.keys())
    patterns = schema.needs | schema.has
    for name, value in element.attrib.items():
        if not re.fullmatch(patterns.get(name, "(?!)"), value, re.DOTALL):
            yield f"{element.tag}: {name}={value[:50]!r}"
    if not re.fullmatch(schema.holds, held := "".join(f"{child.tag} " for child in element)):
        yield f"{element.tag}: holds {held}"
    if not schema.text and (element.text or "").strip():
        yield f"{element.tag}: has a text"
    for child in element:
        yield from _faults(child)
