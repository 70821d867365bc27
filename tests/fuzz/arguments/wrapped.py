"""Parsers of others, wrapped as a user would."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import jiter


def reparsed(deltas: Iterable[str]) -> Iterator[dict[str, Any]]:
    """A function that reads everything anew. jiter refuses half a surrogate pair, and shows what it showed before."""
    text, shown = "", {}
    for delta in deltas:
        text += delta
        try:
            parsed = jiter.from_json(text.encode(), partial_mode="trailing-strings")
        except ValueError:
            parsed = None
        shown = parsed if isinstance(parsed, dict) else shown
        yield shown


def stateful(deltas: Iterable[str]) -> Iterator[dict[str, Any]]:
    """A parser that shows one and the same dict, as it is just now; it knows whole texts only."""
    text, shown = "", {}
    for delta in deltas:
        text += delta
        try:
            parsed = json.loads(text)
        except ValueError:
            parsed = {}
        shown.update(parsed if isinstance(parsed, dict) else {})
        yield shown


def all_at_once(deltas: Iterable[str]) -> list[dict[str, Any]]:
    return list(reparsed(deltas))


def silent(deltas: Iterable[str]) -> list[dict[str, Any]]:
    return list(reparsed(deltas))[:1]


def twice_as_often(deltas: Iterable[str]) -> Iterator[dict[str, Any]]:
    for shown in reparsed(deltas):
        yield shown
        yield shown


def main() -> None:
    """The same as a command."""
    for line in sys.stdin:
        print(json.dumps({"shown": all_at_once(json.loads(line)["deltas"])}), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
