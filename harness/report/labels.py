"""Names of the columns of reports."""

from __future__ import annotations

from harness.wire import wire, wire_names


def label_of(name: str) -> str:
    """The wire in a few letters; its full name if no such wire is installed, as in results of others."""
    return wire(name).label if name in wire_names() else name
