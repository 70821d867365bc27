"""``background: true``: the response is queued, then in progress, then done.

Source: https://platform.openai.com/docs/guides/background: poll while the status is ``queued`` or ``in_progress``. If
such a response is also streamed, the stream has everything.
"""

from __future__ import annotations

from typing import Final

from harness.wire.background import Background
from harness.wire.lenient import Json

_UNFINISHED: Final = ("queued", "in_progress")


def _is_in_background(body: Json) -> bool:
    return body.get("background") is True and not body.get("stream")


def _unfinished_document(document: Json, times: int) -> Json:
    status = _UNFINISHED[min(times, 1)]
    return {**document, "status": status, "background": True, "output": [], "completed_at": None, "usage": None}


BACKGROUND: Final = Background(
    asked=_is_in_background,
    path=lambda id: f"/responses/{id}",
    unfinished=_unfinished_document,
    is_unfinished=lambda document: document.get("status") in _UNFINISHED,
)
