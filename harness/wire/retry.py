"""How an answer says when to ask again, on the wires that say it in headers."""

from __future__ import annotations

import math


def retry_headers(seconds: float | None) -> dict[str, str]:
    """``retry-after`` has whole seconds, so a fraction is also sent in milliseconds, which the SDKs prefer."""
    if seconds is None:
        return {}
    headers = {"retry-after": str(math.ceil(seconds))}
    if seconds % 1:
        headers["retry-after-ms"] = f"{seconds * 1000:.0f}"
    return headers
