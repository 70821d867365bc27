"""Cassettes: HTTP exchanges as recorders keep them in files, read without running anything that stands there."""

from __future__ import annotations

from harness.cassette.interaction import Cassette, Delivery, Headers, Interaction, Provenance
from harness.cassette.read import read_cassette

__all__ = ["Cassette", "Delivery", "Headers", "Interaction", "Provenance", "read_cassette"]
