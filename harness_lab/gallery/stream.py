"""Known-bad readers of streams: published mistakes, each built into a reader that is otherwise right.

All of them read the four wires of providers. ``right`` makes no mistake that is known; it shares no code with ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from harness_lab.gallery.stream_fold import Fold

Answer = Mapping[str, Any]
Events = Iterable[tuple[str, str]]


def right(wire: str, chunks: Iterable[bytes]) -> Answer:
    """No mistake."""
    return _read(wire, _events(_lines(_text(chunks))))


_ENDS_LINES_WITH_CRLF = frozenset({"gemini-generate"})


def splits_at_lf(wire: str, chunks: Iterable[bytes]) -> Answer:
    """Ends lines at LF, with or without a CR before it, and not at a CR alone.

    https://github.com/a2aproject/a2a-js/issues/714
    """
    return _read(wire, _events([line.removesuffix("\r") for line in _text(chunks).split("\n")]))


def splits_at_two_lf(wire: str, chunks: Iterable[bytes]) -> Answer:
    """Ends events at two LF and nowhere else. So it reads no stream of Gemini, and was not written for it.

    https://github.com/hey-api/hey-api/issues/3054, https://github.com/mpetazzoni/sse.js/issues/17
    """
    if wire in _ENDS_LINES_WITH_CRLF:
        return {}
    blocks = _text(chunks).split("\n\n")
    return _read(wire, [event for block in blocks for event in _events(filter(None, _lines(block)))])


def decodes_each_chunk(wire: str, chunks: Iterable[bytes]) -> Answer:
    """Decodes every chunk by itself, so a character that is cut in two is lost.

    https://github.com/api7/aisix/issues/111, https://github.com/mpetazzoni/sseclient/issues/8
    """
    return _read(wire, _events(_lines("".join([chunk.decode("utf-8", "replace") for chunk in chunks]))))


def splits_lines_of_each_chunk(wire: str, chunks: Iterable[bytes]) -> Answer:
    """Ends a line where a chunk ends.

    https://github.com/spiceai/spiceai/issues/12588, https://github.com/brave/brave-browser/issues/52830
    """
    return _read(wire, _events([line for chunk in chunks for line in chunk.decode("utf-8", "replace").splitlines()]))


def assumes_one_event_a_chunk(wire: str, chunks: Iterable[bytes]) -> Answer:
    """Takes every chunk for an event: right as long as the network does what the server did.

    https://github.com/zoedsoupe/anubis-mcp/issues/232, https://github.com/brainlid/langchain/pull/540
    """
    return _read(wire, [event for chunk in chunks for event in list(_events(_lines(_text([chunk]))))[:1]])


def ends_a_line_twice(wire: str, chunks: Iterable[bytes]) -> Answer:
    """Takes a CR LF that is cut in two for two line ends, and so for the end of an event.

    https://github.com/rexxars/eventsource-parser/issues/17
    """
    marked = [chunk + b"\n" if chunk.endswith(b"\r") else chunk for chunk in chunks]
    return _read(wire, _events(_lines(_text(marked))))


def splits_as_python_does(wire: str, chunks: Iterable[bytes]) -> Answer:
    """Ends lines where ``str.splitlines`` does, at U+2028 and U+0085, too, which JSON need not escape.

    https://github.com/florimondmanca/httpx-sse/issues/34, https://github.com/langgenius/dify/pull/39008
    """
    return _read(wire, _events([*_text(chunks).splitlines(), ""]))


def wants_a_space(wire: str, chunks: Iterable[bytes]) -> Answer:
    """Knows a field only by its colon and a space, which may be left out.

    https://github.com/openai/openai-python/issues/498
    """
    return _read(wire, _events(_lines(_text(chunks)), colon=": "))


def keeps_the_last_data_line(wire: str, chunks: Iterable[bytes]) -> Answer:
    """Of several data lines it keeps the last.

    https://github.com/elysiajs/eden/issues/250, https://github.com/gatling/gatling/issues/4678
    """
    return _read(wire, _events(_lines(_text(chunks)), join=lambda lines: lines[-1]))


def finds_done_anywhere(wire: str, chunks: Iterable[bytes]) -> Answer:
    """Takes ``[DONE]`` for the end of the stream wherever it is, even in the model's text.

    Of its own making: the check that many clients write as ``"[DONE]" in line``.
    """
    return _read(wire, _until_done(_events(_lines(_text(chunks)))))


def strips_deltas(wire: str, chunks: Iterable[bytes]) -> Answer:
    """Strips every piece of text, so that words run together.

    https://github.com/EricLBuehler/mistral.rs/issues/63, https://github.com/diegosouzapw/OmniRoute/pull/8341
    """
    return _read(wire, _events(_lines(_text(chunks))), Fold(piece=str.strip))


def drops_the_first_delta(wire: str, chunks: Iterable[bytes]) -> Answer:
    """Takes the first piece of text for the sign that text begins.

    https://github.com/ivangabriele/mistralai-client-rs/issues/22, https://github.com/callstackincubator/ai/pull/167
    """
    begun = iter([""])
    return _read(wire, _events(_lines(_text(chunks))), Fold(piece=lambda text: next(begun, text)))


def keeps_halves_apart(wire: str, chunks: Iterable[bytes]) -> Answer:
    """Leaves the halves of a surrogate pair apart that came in two deltas: a text that cannot be sent back.

    https://github.com/elizaOS/eliza/issues/30904, https://github.com/elie222/rakazo/issues/416
    """
    return _read(wire, _events(_lines(_text(chunks))), Fold(whole=str))


def takes_the_end_for_completion(wire: str, chunks: Iterable[bytes]) -> Answer:
    """A stream that ends is whole to it, wherever it ends.

    https://github.com/dotflow-io/pycodeloop/issues/64, https://github.com/griffinwork40/agent-afk/pull/635
    """
    return {**_read(wire, _readable(_events(_lines(_text(chunks))))), "complete": True} if wire in Fold.WIRES else {}


def passes_over_errors(wire: str, chunks: Iterable[bytes]) -> Answer:
    """Passes over an error that comes within the stream; on Chat it may come behind the reason to stop.

    https://github.com/BerriAI/litellm/issues/40578, https://github.com/farzaa/clicky/issues/132
    """
    return _read(wire, _events(_lines(_text(chunks))), Fold(raises=False))


def passes_over_broken_json(wire: str, chunks: Iterable[bytes]) -> Answer:
    """Passes over events that it cannot read, and with them over what they say.

    https://github.com/miruamel/xuan/issues/194
    """
    return _read(wire, _readable(_events(_lines(_text(chunks)))))


KNOWN_BAD: Final[Mapping[Callable[[str, Iterable[bytes]], Answer], str]] = {
    splits_at_lf: "variation",
    splits_at_two_lf: "variation",
    decodes_each_chunk: "chunking",
    splits_lines_of_each_chunk: "chunking",
    assumes_one_event_a_chunk: "chunking",
    ends_a_line_twice: "chunking",
    splits_as_python_does: "raises",
    wants_a_space: "variation",
    keeps_the_last_data_line: "variation",
    finds_done_anywhere: "agreement",
    strips_deltas: "agreement",
    drops_the_first_delta: "agreement",
    keeps_halves_apart: "agreement",
    takes_the_end_for_completion: "completion",
    passes_over_errors: "completion",
    passes_over_broken_json: "completion",
}
"""Every known-bad reader, and the oracle that finds it."""


# --- what a reader consists of --------------------------------------------------------------------------------


def _read(wire: str, events: Events, fold: Fold | None = None) -> Answer:
    folded = fold or Fold()
    return folded.read(wire, events) if wire in Fold.WIRES else {}


def _text(chunks: Iterable[bytes]) -> str:
    return b"".join(chunks).decode("utf-8", "replace").removeprefix("\ufeff")


def _lines(text: str) -> list[str]:
    return re.split("\r\n|\n|\r", text)


def _events(
    lines: Iterable[str], colon: str = ":", join: Callable[[list[str]], str] = "\n".join
) -> Iterator[tuple[str, str]]:
    """Name and data of each event; the last one also where its blank line is missing."""
    name, data = "", list[str]()
    for line in [*lines, ""]:
        field, _, value = line.partition(colon)
        if line and field == "event":
            name = value.removeprefix(" ")
        elif line and field == "data":
            data.append(value.removeprefix(" "))
        elif not line:
            if data:
                yield name, join(data)
            name, data = "", []


def _until_done(events: Events) -> Iterator[tuple[str, str]]:
    for name, data in events:
        if "[DONE]" in data:
            return
        yield name, data


def _readable(events: Events) -> Iterator[tuple[str, str]]:
    return ((name, data) for name, data in events if Fold.is_readable(data))
