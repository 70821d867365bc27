"""Measures a parser's work without a clock: the same text has the same count on any machine."""

from __future__ import annotations

import json.decoder
import re
import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any, Final

_RESCANNING: Final[dict[CodeType, str]] = {
    json.decoder.JSONDecoder.raw_decode.__code__: "s",
    **{
        function.__code__: "string"
        for function in (re.match, re.fullmatch, re.search, re.split, re.findall, re.finditer, re.sub)
    },
}
"""Functions of Python that begin at the start of a text, and the name of that argument."""

_WHOLE_TEXT: Final = frozenset({"encode", "replace", "split", "splitlines", "strip", "translate", "decode", "count"})
"""Methods of texts that read the whole text."""

_PARSERS: Final = frozenset(
    {("jiter.jiter", "from_json"), ("pydantic_core._pydantic_core", "from_json"), ("orjson", "loads")}
)
"""Parsers in other languages: their input cannot be seen, but it is the text so far."""


class _Steps:
    """Counts while it traces. ``come`` returns how many characters the parser has received."""

    def __init__(self, come: Callable[[], int]) -> None:
        self.count = 0
        self._come = come

    def profile(self, frame: FrameType, event: str, argument: Any) -> None:
        if event == "call":
            self.count += 1
            if (name := _RESCANNING.get(frame.f_code)) is not None:
                self.count += len(frame.f_locals[name]) - frame.f_locals.get("idx", 0)
        elif event == "c_call":
            self.count += 1
            text = getattr(argument, "__self__", None)
            if isinstance(text, str | bytes | bytearray):
                self.count += len(text) if argument.__name__ in _WHOLE_TEXT else 0
            elif (argument.__module__, argument.__name__) in _PARSERS:
                self.count += self._come()

    def trace(self, _: FrameType, event: str, __: Any) -> Any:
        self.count += event == "line"
        return self.trace


def work(run: Callable[[], object], come: Callable[[], int]) -> int:
    """The calls (of Python and of C) and lines that ``run`` executes, and the characters that it reads repeatedly.

    Work in C is counted when a text is passed to ``json``, ``re``, ``jiter``, ``pydantic_core`` or ``orjson``, or
    encoded, replaced or split. Appending to a text costs nothing, nor does asking for its end.
    """
    steps = _Steps(come)
    tracing, profiling = sys.gettrace(), sys.getprofile()
    sys.settrace(steps.trace)
    sys.setprofile(steps.profile)
    try:
        run()
    finally:
        sys.setprofile(profiling)
        sys.settrace(tracing)
    return steps.count
