"""Breakages of the text protocol: how the model's text is read."""

from __future__ import annotations

from harness.loop import EditableSession
from harness.wire.text_tags import TextTags
from harness.wire.text_tags.reader import Reader
from harness.wire.text_tags.tags import ENDS, Tag
from harness_lab.mutants.declared import breaks, seen_in


class CutsStrings(TextTags):
    """Ends a call at the first end tag, be it inside a string: the program behind the design document does."""

    def __init__(self) -> None:
        super().__init__()
        self._reader = _BlindToStrings()


class _BlindToStrings(Reader):
    def _take_in_call(self, token: Tag | str) -> Reader:
        if isinstance(token, Tag) and token in ENDS:
            return self._close(token)
        return super()._take_in_call(token)


@breaks("session", "string-with-a-tag-cut", "stream/text")
@seen_in("tag-in-a-string")
def cuts_strings(session: EditableSession) -> EditableSession:
    """Ends a call of the text protocol at an end tag inside a string of its arguments."""
    # Imported here because it takes an SDK with it.
    from harness.loop.sessions.text_tags import TextTagsSession

    if isinstance(session, TextTagsSession):
        session.parser = CutsStrings
    return session
