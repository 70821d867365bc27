"""Features that are real and not rendered, and why the fake leaves them out: ``features.yaml``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from harness.ground.data_files import read_data
from harness.imports.comparison import Reason
from harness_lab.recorded.drift.shapes import ServedShapes
from harness_lab.recorded.reading.servers import Server


def feature(name: str, why: str, patterns: Sequence[str], server: Server | None = None) -> Reason[ServedShapes]:
    """Something that providers send, and why it is not rendered. ``server`` is the only one that sends it; None:
    any."""
    return Reason(why, lambda served: patterns if server in (None, served.server) else (), name=name)


def _headers(*names: str) -> tuple[str, ...]:
    return tuple(f"* headers | {name}" for name in names)


def _items(*kinds: str) -> tuple[str, ...]:
    """Everything about output items, blocks or parts of these kinds, on every wire."""
    return tuple(pattern for kind in kinds for pattern in (f"*<{kind}*", f"* -> *{kind}*", f"stream | *{kind}* -> *"))


def _events(*beginnings: str) -> tuple[str, ...]:
    return tuple(
        pattern
        for name in beginnings
        for pattern in (f"stream | {name}*", f"stream | * -> {name}*", f"stream | event: {name}*")
    )


def _shapes(*patterns: str) -> tuple[str, ...]:
    return patterns


_PATTERNS: Final = {"headers": _headers, "items": _items, "events": _events, "shapes": _shapes}


def _read(path: Path) -> Iterator[Reason[ServedShapes]]:
    for entry in read_data(path):
        with entry.at("feature"):
            members = {"name": entry.pop("feature"), "why": entry.pop("why"), "server": entry.pop("server", None)}
            patterns = [pattern for form, words in entry.items() for pattern in _PATTERNS[form](*words)]
        yield feature(**members, patterns=patterns)


FEATURES: Final = tuple(_read(Path(__file__).with_name("features.yaml")))
"""All of them, in the order of the file."""
