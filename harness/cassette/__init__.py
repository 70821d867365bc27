"""Cassettes: HTTP exchanges as recorders keep them in files, read without running anything that stands there."""

from __future__ import annotations

from harness.cassette.failures import Missed, Unplayed
from harness.cassette.interaction import Cassette, Delivery, Headers, Interaction, Provenance
from harness.cassette.read import read_cassette
from harness.cassette.use import use

__all__ = [
    "Cassette",
    "Delivery",
    "Headers",
    "Interaction",
    "Missed",
    "Provenance",
    "Unplayed",
    "read_cassette",
    "use",
]
