"""What the columns of reports are called."""

from __future__ import annotations

from harness.wire import wire, wire_names


def label_of(name: str) -> str:
    """The wire in a few letters; its name as it is where no such wire is installed, as in the results of others."""
    return wire(name).label if name in wire_names() else name
