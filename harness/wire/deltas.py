"""How a renderer splits text and arguments into deltas (``turn.Deltas``)."""

from __future__ import annotations

import re

from harness.wire.turn import Deltas

# A leading space belongs to the word that follows it, long words come in pieces, everything else comes singly:
# near enough to how the providers' tokenisers cut, and the same on every run.
_TOKEN = re.compile(r" ?[^\W\d_]{1,6}|\d{1,3}|\s{1,8}|.")


def split(text: str, deltas: Deltas) -> list[str]:
    """The deltas of ``text``; none for an empty text. Joined they are ``text`` again.

    With ``utf16`` the halves of a surrogate pair are separate deltas, each a lone surrogate.
    """
    if not text:
        return []
    if deltas == "whole":
        return [text]
    if deltas == "token":
        return _TOKEN.findall(text)
    if deltas == "character":
        return list(text)
    units = text.encode("utf-16-be", "surrogatepass")
    return [units[at : at + 2].decode("utf-16-be", "surrogatepass") for at in range(0, len(units), 2)]
