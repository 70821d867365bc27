"""When text, thinking and previews are emitted: soon after their bytes have arrived. No clock is read.

Every event notes how many bytes of the response had been delivered when it was emitted. It shows when the loop emitted
it only if the endpoint delivers a piece after the loop has taken the previous one (``Case.paced``): over a connection
the bytes may wait in buffers. A loop may collect the contents of a few events of the stream. If it waits much longer
it has not streamed.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from harness.finding import Finding, broken
from harness.ground.cached import cached_property, kept
from harness.rules.model import rule
from harness.rules.trace_view import SCREENSHOT_TO_CODE, TraceView
from harness.rules.turns import Ask, ReportedCall
from harness.trace import Assistant, EventRecord, ResponseRecord, SetCode, Thinking
from harness.trace.files import event_kind
from harness.wire import ThinkingPart

BATCH = 8
"""Events of the stream that a loop may collect before it emits what they say."""

STEP = 80
"""Characters of code that may have arrived without a preview (or an eighth of those shown, where that is more)."""

WHOLE = 40
"""Characters of code that a user may see for the first time when all of them are there; of more, some come before."""

_STREAM = "Agent Tool-Calling Flow, Response Streaming to Frontend: deltas are forwarded immediately"
_PREVIEW = "Agent Tool-Calling Flow, Live streamed create_file preview: incremental setCode as content grows"
_PREVIEWED = "create_file"


def _stream_of(view: TraceView, ask: Ask) -> ResponseRecord | None:
    """The response, where its bytes show when the loop could have emitted what they say."""
    response = ask.exchange.response
    if not view.case.paced or not view.wire.native or response is None or ask.reply is None:
        return None
    return response if view.wire.transport.is_stream(response.headers.get("content-type", "")) else None


class _Pace:
    """Where the pieces and the events of a response end, found once: a stream may have thousands of each."""

    def __init__(self, view: TraceView, response: ResponseRecord) -> None:
        self._response = response
        self._transport = view.wire.transport

    @cached_property
    def _pieces(self) -> list[int]:
        return list(accumulate(self._response.chunks))

    @cached_property
    def _events(self) -> list[int]:
        return self._transport.ends(self._response.body)

    def due(self, offset: int, evaluated: int = 0) -> int | None:
        """How many bytes a loop must have evaluated that emits something after ``offset`` bytes; None: it may be early.

        All that came in earlier pieces, but for the last ``BATCH`` events. It is None, too, where that is no more than
        the ``evaluated`` bytes: a loop that emits with every piece is asked for nothing else.
        """
        at = bisect_left(self._pieces, offset)
        start = self._pieces[at - 1] if at else 0
        if start <= evaluated:
            return None
        there = bisect_right(self._events, start)
        due = self._events[there - 1 - BATCH] if there > BATCH else 0
        return due if due > evaluated else None


@kept
def _paces(_view: TraceView) -> dict[int, _Pace]:
    """Those of the responses that have been looked at, by the numbers of their exchanges."""
    return {}


def _pace(view: TraceView, response: ResponseRecord) -> _Pace:
    paces = _paces(view)
    if response.exchange not in paces:
        paces[response.exchange] = _Pace(view, response)
    return paces[response.exchange]


# --- text and thinking --------------------------------------------------------------------------------------


@rule(
    "timing/text",
    "SHOULD",
    "style",
    f"Text is emitted while it arrives: at most {BATCH} events of the stream, and the piece at hand, later. It is "
    "judged where the endpoint delivers a piece only after the loop has taken the one before.",
    why="A user who waits for the end of the turn sees nothing for a minute, and may give up.",
    source=_STREAM,
    needs=("events", "exchanges"),
    proof="""
    run: {turns: [[{text of: [['The tide in the north basin is high. ', 30]]}]], case: {paced: true}}
    right: {text-in-few-pieces: [The endpoint has delivered all in one piece., {paced: {text: [1.0], pieces: 1}}]}
    wrong: {text-at-the-end: [It comes at the end., {paced: {text: [1.0]}}]}
    """,
)
def _text(view: TraceView) -> Iterator[Finding]:
    yield from _late(view, Assistant)


@rule(
    "timing/thinking",
    "SHOULD",
    "style",
    f"Thinking is emitted while it arrives, as text is (timing/text): at most {BATCH} events of the stream later.",
    why="Thinking that is shown after the answer explains nothing.",
    source=_STREAM,
    needs=("events", "exchanges"),
    proof="""
    run: {turns: [[{ThinkingPart: &same {text of: [['The tide in the north basin is high. ', 30]]}}, *same]],
        case: {paced: true}}
    wrong: {both-at-the-end: [Both come at the end., {paced: {thinking: [1.0], text: [1.0]}}]}
    """,
)
def _thinking(view: TraceView) -> Iterator[Finding]:
    yield from _late(view, Thinking)


def _late(view: TraceView, kind: type[Assistant] | type[Thinking]) -> Iterator[Finding]:
    for turn in view.turns:
        if not turn.deltas(kind) or len(turn.asks) != 1 or (response := _stream_of(view, turn.asks[0])) is None:
            continue
        emitted, last, pace = 0, 0, _pace(view, response)
        for at, event in turn.deltas(kind):
            record = view.trace.records[at]
            assert isinstance(record, EventRecord)  # noqa: S101 - it has the event
            due = pace.due(record.offset, last) if record.exchange == response.exchange else None
            if due is not None and (arrived := _arrived_characters(view, response, due, kind)) > emitted:
                where = f"{event_kind(event)} of turn {turn.number}"
                expected = f"{where} soon after it arrived: {arrived} characters had come by byte {due}"
                yield broken(at, expected, f"{emitted} emitted by then, the next piece at byte {record.offset}")
                break
            emitted, last = emitted + len(event.text), record.offset


def _arrived_characters(
    view: TraceView, response: ResponseRecord, due: int, kind: type[Assistant] | type[Thinking]
) -> int:
    """Characters of text, or of thinking, in the first ``due`` bytes."""
    try:
        turn = view.wire.parse(response.headers.get("content-type", ""), response.body[:due]).turn
    except ValueError:
        return 0
    if kind is Assistant:
        return len(turn.text)
    return sum(len(part.text) for part in turn.parts if isinstance(part, ThinkingPart))


# --- previews -----------------------------------------------------------------------------------------------


@rule(
    "timing/preview",
    "SHOULD",
    "style",
    f"The code of a create_file is previewed while it arrives: every {STEP} characters, or an eighth of what is "
    f"shown, at most {BATCH} events of the stream later; and where it has more than {WHOLE} characters, for the "
    "first time before all of it is there.",
    why="One preview at the end shows the user nothing that the result does not.",
    source=_PREVIEW,
    needs=("events", "exchanges"),
    profiles=(SCREENSHOT_TO_CODE,),
    proof="""
    wires: [openai-chat]
    run: {creates_pages: {text of: [[<p>Brot und Brezeln</p>, 40]]}}
    wrong:
      previewed-at-912-of-810: [A long page of which 810 characters are shown is shown anew when 912 are known.,
          {starts_and_previews: [{text of: [[<p>Brot und Brezeln</p>, 40]]}, 80, 160, 240, 320, 400, 480, 560, 640,
          720, 810, 912]}]
    """,
)
def _previews(view: TraceView) -> Iterator[Finding]:
    for call, response in _shown(view):
        shown, pace = 0, _pace(view, response)
        for at, record, code in _moments(view, call):
            there = _there(view, call, pace, record.offset) if record.exchange == call.ask.number else 0
            late = there > shown + max(STEP, shown // 8)
            if late or (there and not shown and _is_whole(view, call, record.offset)):
                expected = f"a preview of {call.call.id} by now: {there} characters of its code had arrived"
                yield broken(at, expected, f"{shown} shown before byte {record.offset}")
                break
            shown = len(code)


@rule(
    "timing/start",
    "SHOULD",
    "style",
    f"The toolStart of a create_file is emitted while its arguments arrive: before {STEP} characters of its code "
    f"have come, and before all of it where it has more than {WHOLE}; at most {BATCH} events of the stream later.",
    why="The user does not see what the agent is busy with.",
    source=_PREVIEW,
    needs=("events", "exchanges"),
    profiles=(SCREENSHOT_TO_CODE,),
    proof="""
    wires: [openai-chat]
    run: {creates_pages: <p>Brot und Brezeln</p><p>Brot und Brezeln</p><p>Brot und Brezeln</p><p>Brot und
        Brezeln</p><p>Brot und Brezeln</p><p>Brot und Brezeln</p>}
    wrong:
      started-at-81: [A create_file starts when 81 characters of its code are known.,
          {starts_and_previews: [<p>Brot und Brezeln</p><p>Brot und Brezeln</p><p>Brot und Brezeln</p><p>Brot und
          Brezeln</p><p>Brot und Brezeln</p><p>Brot und Brezeln</p>, 81]}]
    """,
)
def _start(view: TraceView) -> Iterator[Finding]:
    for call, response in _shown(view):
        assert call.tool is not None  # noqa: S101 - what _shown chose
        if not call.tool.starts:
            continue
        at = call.tool.starts[0][0]
        record = view.trace.records[at]
        if isinstance(record, EventRecord) and record.exchange == call.ask.number:
            there = _there(view, call, _pace(view, response), record.offset)
            if there > STEP or (there and _is_whole(view, call, record.offset)):
                expected = f"toolStart of {call.call.id} while its arguments arrive"
                yield broken(at, expected, f"{there} characters of its code had arrived before")


def _shown(view: TraceView) -> Iterator[tuple[ReportedCall, ResponseRecord]]:
    """The calls that a user must see while they arrive, with their responses."""
    if view.case.profile != SCREENSHOT_TO_CODE or not view.emits(SetCode):
        return
    for turn in view.turns:
        for call in turn.calls:
            response = _stream_of(view, call.ask)
            if response is None or call.call.name != _PREVIEWED or _PREVIEWED not in view.case.tools:
                continue
            ran = call.tool is not None and call.tool.ran_at is not None and call.ask.runnable
            if ran and not view.content(call).again:
                yield call, response


def _moments(view: TraceView, call: ReportedCall) -> Sequence[tuple[int, EventRecord, str]]:
    """The previews of a call, and its end, by which all of it is to be shown."""
    assert call.tool is not None  # noqa: S101 - what _shown chose
    moments = [(at, record, preview.code) for at, record, preview in call.tool.previews]
    ended = call.tool.ran_at
    record = view.trace.records[ended] if ended is not None else None
    if ended is not None and isinstance(record, EventRecord):
        moments.append((ended, record, ""))
    return moments


def _there(view: TraceView, call: ReportedCall, pace: _Pace, offset: int) -> int:
    """Characters of the call's code that a loop must know which emits something at ``offset``."""
    due = pace.due(offset)
    return _characters(view, call, due) if due is not None else 0


def _is_whole(view: TraceView, call: ReportedCall, offset: int) -> bool:
    """Whether all of the call's code had arrived by ``offset``, and is more than may be shown at once."""
    return _characters(view, call, offset) == len(view.content(call).text) > WHOLE


def _characters(view: TraceView, call: ReportedCall, offset: int) -> int:
    """Characters of the call's code in the first ``offset`` bytes; 0 where that is not known."""
    arrivals, content = view.arrivals(call.ask), view.content(call)
    if arrivals is None:
        return 0
    length = arrivals[call.index].length(offset)
    return len(content.text) if length is None else content.characters(length)
