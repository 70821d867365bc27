"""The exception that ends a case because its driver breaks the protocol."""

from __future__ import annotations

from harness.errors import HarnessError


class TargetFailed(HarnessError):
    """The target cannot be driven any further. The text explains why, for the author of the target."""
