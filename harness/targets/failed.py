"""What ends a case because its driver does not keep to what the harness has agreed with it."""

from __future__ import annotations

from harness.errors import HarnessError


class TargetFailed(HarnessError):
    """The target cannot be driven any further; the text says why, for the person who wrote it."""
