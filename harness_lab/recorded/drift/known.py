"""Shapes that the fake renders although no recording has them, and why that is right: ``known.yaml``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from harness.cassette.forms import FORMS
from harness.ground.data_files import read_data
from harness.imports.comparison import Reason
from harness.wire import NativeWireName
from harness_lab.recorded.drift.shapes import ServedShapes
from harness_lab.recorded.reading.servers import Server


def known(
    wire: NativeWireName, server: Server, patterns: Sequence[str], why: str, evidence: str
) -> Reason[ServedShapes]:
    """The reason for shapes of one wire as one server speaks it, in forms with enough recordings to judge.

    Raises ``ValueError`` for a pattern that does not begin with a form: it would never apply.
    """
    for form in (pattern.partition(" | ")[0] for pattern in patterns):
        if form not in FORMS:
            raise ValueError(f"expected one of the forms {', '.join(FORMS)}, got {form}")

    def explains(served: ServedShapes) -> Iterator[str]:
        if (served.wire, served.server) == (wire, server):
            yield from (pattern for pattern in patterns if pattern.partition(" | ")[0] in served.judged)

    return Reason(why, explains, evidence=evidence)


def _read(path: Path) -> Iterator[Reason[ServedShapes]]:
    for served in read_data(path):
        for entry in served["known"]:
            with entry.at("shapes"):
                reason = known(served["wire"], served["server"], entry["shapes"], entry["why"], entry["evidence"])
            yield reason


KNOWN: Final = tuple(_read(Path(__file__).with_name("known.yaml")))
"""All of them, in the order of the file."""
