"""Text and thinking on their way to the user: nothing lost, nothing doubled, each turn under ids of its own."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from harness.finding import Finding, broken
from harness.rules.evidence import difference
from harness.rules.model import rule
from harness.rules.shown_texts import TextKind, may_lack_its_end, of_the_model, shown_at_the_end, texts_of
from harness.rules.steps import canonical_arguments
from harness.rules.trace_view import TraceView
from harness.rules.turns import LoopTurn
from harness.trace import Assistant, Failure, Thinking, ToolArguments
from harness.trace.files import event_kind
from harness.trace.kinds import KINDS
from harness.wire.characters import sendable
from harness.wire.same_beginning import same_beginning

_TURN_STATE = "Agent Tool-Calling Flow, Core Tool-Calling Loop, step 1: event ids per turn"
_STREAM = "Agent Tool-Calling Flow, Response Streaming to Frontend: deltas are forwarded immediately"


@rule(
    "stream/one-id",
    "MUST",
    "style",
    "All assistant pieces of a turn carry one id, and all thinking pieces carry one. Where an answer broke and was "
    "asked for again, the next one may have other ids, and so may what the loop says itself.",
    why="The id says which bubble a piece is appended to.",
    source=_TURN_STATE,
    proof="""
    run: {turns: [[{ThinkingPart: Hm.}, Let me look., {call: depth, with: {basin: n}}],
        [{ThinkingPart: So.}, Yes.]]}
    right:
      text-without-ids: [Two pieces without ids., {alter: Assistant, text: 'Let me ', id: ''},
          &same {emit: [Assistant, 0, {Assistant: look., id: ''}], behind: true}]
    wrong: {text-without-an-id: [The second piece has no id., {alter: Assistant, text: 'Let me '}, *same]}
    """,
)
def _one_id(view: TraceView) -> Iterator[Finding]:
    if "ag-ui" in view.held:
        return  # there a turn may be several messages, each with an id of its own
    for turn in view.turns:
        asked = [ask.at for ask in turn.asks]
        for kind in (Assistant, Thinking):
            if turn.number in shown_at_the_end(view, kind):
                continue
            first: dict[int, str] = {}  # by the number of answers that were asked for before
            for at, event in of_the_model(view, turn, kind):
                answer = bisect_left(asked, at)
                id = first[answer] = first.get(answer) or event.id
                if event.id != id:
                    expected = f"the id {id} for every {event_kind(event)} event of turn {turn.number}"
                    yield broken(at, expected, f"an event with {f'the id {event.id}' if event.id else 'no id'}")
                    break


@rule(
    "stream/fresh-id",
    "MUST",
    "style",
    "The ids of assistant and thinking pieces differ from each other and from those of earlier turns.",
    why="Under a reused id the text of a new turn is glued to an old one.",
    source=_TURN_STATE,
    proof="""
    run: {turns: [[{ThinkingPart: Hm.}, Let me look., {call: depth, with: {basin: n}}],
        [{ThinkingPart: So.}, Yes.]]}
    right:
      no-ids-at-all: [Pieces without ids., {alter: Assistant, id: ''}, {alter: Assistant, which: 1, id: ''},
          {alter: Thinking, id: ''}, {alter: Thinking, which: 1, id: ''}]
    wrong:
      text-under-id-of-thinking: [Text under the id of the turn's thinking., {alter: Assistant, id: thinking-1}]
    """,
)
def _fresh_id(view: TraceView) -> Iterator[Finding]:
    seen: dict[str, str] = {}
    for turn in view.turns:
        for kind in (Assistant, Thinking):
            where = f"the {kind.__name__.lower()} text of turn {turn.number}"
            for at, event in turn.deltas(kind):
                earlier = seen.setdefault(event.id, where) if event.id else where
                if earlier != where:
                    yield broken(at, f"an id of its own for {where}", f"{event.id}, the id of {earlier}")
                    break


@rule(
    "stream/text",
    "MUST",
    "unsafe",
    "The assistant pieces of a turn, joined, are the text that the model sent. A loop may give the texts of all "
    "turns at the end of its run. A run that an error or a cancel has ended may lack the end of its text; one that "
    "a limit, a stop of the model or an error has ended may have a text of the loop's own behind it.",
    why="A lost, doubled or altered piece puts words into the model's mouth.",
    source=_STREAM,
    needs=("events", "exchanges"),
    proof="""
    run: {turns: [[{ThinkingPart: Hm.}, Let me look., {call: depth, with: {basin: n}}],
        [{ThinkingPart: So.}, Yes.]]}
    right: {text-never-emitted: [A loop that emits no text., {drop: Assistant}, {drop: Assistant}]}
    wrong: {text-missing: [The text of a turn is not reported., {drop: Assistant}]}
    """,
)
def _text(view: TraceView) -> Iterator[Finding]:
    yield from _complete(view, Assistant)


@rule(
    "stream/thinking",
    "MUST",
    "unsafe",
    "The thinking pieces of a turn, joined, are the thinking that the model sent.",
    why="A lost, doubled or altered piece puts words into the model's mouth.",
    source=_STREAM,
    needs=("events", "exchanges"),
    proof="""
    run: {turns: [[{ThinkingPart: Hm.}, Let me look., {call: depth, with: {basin: n}}],
        [{ThinkingPart: So.}, Yes.]]}
    right: {thinking-never-emitted: [A loop that emits no thinking., {drop: Thinking}, {drop: Thinking}]}
    wrong: {thinking-missing: [The thinking of a turn is not reported., {drop: Thinking}]}
    """,
)
def _thinking(view: TraceView) -> Iterator[Finding]:
    yield from _complete(view, Thinking)


def _complete(view: TraceView, kind: TextKind) -> Iterator[Finding]:
    if not view.emits(kind):
        return
    for turn in view.turns:
        if not turn.replies or turn.number in shown_at_the_end(view, kind):
            continue
        deltas = of_the_model(view, turn, kind)
        emitted = sendable("".join([event.text for _, event in deltas]))
        ways = list(zip(*[texts_of(reply, kind) for reply in turn.replies], strict=True))
        texts = [sendable("".join(way)) for way in ways]
        if kind is Thinking and view.case.dialect and not emitted:
            continue  # thinking where the provider has none may be left out, since that changes nothing of the run
        if emitted in texts:
            continue  # nearly always
        if may_lack_its_end(view, turn) and any(text.startswith(emitted) for text in texts):
            continue
        refused = _is_refused(view, turn)
        whole = [ask.sound and not refused for ask in turn.asks if ask.reply is not None]
        if any(_is_of(emitted, [*zip(map(sendable, way), whole, strict=True)]) for way in ways):
            continue
        expected, got = difference(texts[0], emitted)
        at = deltas[-1][0] if deltas else turn.at
        yield broken(at, f"the model's {expected}", got, f"turn {turn.number}, {kind.__name__.lower()} pieces joined")


@rule(
    "stream/arguments",
    "MUST",
    "unsafe",
    "The toolArguments pieces of a call, joined, are the arguments that the model sent: the same text, or the same "
    "JSON value. Of a call whose turn was cut off, refused or broken a beginning is enough.",
    why="The user watches, and perhaps approves of, a call with other arguments than the one that is made.",
    source=_STREAM,
    needs=("events", "exchanges"),
    proof="""
    wires: [openai-responses]
    run: {turns: [[I look., {call: depth, id: call_1, with: {basin: n}}], Yes.], outputs: {depth: {metres: 4}}}
    right: {arguments-in-pieces: [The arguments come in pieces., {agui_arguments: ['{"bas', 'in": ', '"n"}']}]}
    wrong: {arguments-not-whole: [The last piece is lost., {agui_arguments: ['{"bas', 'in": ']}]}
    """,
)
def _arguments(view: TraceView) -> Iterator[Finding]:
    if not _reports_arguments(view):
        return
    for turn in view.turns:
        for call in turn.calls:
            if call.tool is None or not (call.tool.starts or call.tool.arguments):
                continue
            shown = sendable("".join([event.text for _, event in call.tool.arguments]))
            written = sendable(call.call.arguments)
            if _same_arguments(written, shown) or (not call.ask.runnable and written.startswith(shown)):
                continue
            expected, got = difference(written, shown)
            at = (call.tool.arguments or call.tool.starts)[-1][0]
            words = f"{call.call.name} {call.call.id or '(no id)'}, toolArguments pieces joined"
            yield broken(at, f"the model's {expected}", got, words)


def _reports_arguments(view: TraceView) -> bool:
    """Whether the loop shows its user the arguments of calls. A contract never demands it, so it must have begun to."""
    declared = KINDS[ToolArguments] in (view.case.emits or ())
    return declared or bool(view.emitted(ToolArguments))


def _same_arguments(written: str, shown: str) -> bool:
    """Whether both are one text, or one value: a loop that holds arguments as a value writes them anew."""
    return written == shown or canonical_arguments(written) == canonical_arguments(shown)


def _is_of(emitted: str, answers: Sequence[tuple[str, bool]]) -> bool:
    """Whether the text consists of the answers to a turn, one after another. The end of a broken answer may be missing:
    the loop may not have read it, or may not show what it has requested again."""
    ends = {0}
    for text, whole in answers:
        if whole:
            ends = {end + len(text) for end in ends if emitted.startswith(text, end)}
        else:
            ends = {end + met for end in ends for met in range(_met(emitted, end, text) + 1)}
    return len(emitted) in ends


def _met(emitted: str, start: int, text: str) -> int:
    """How much of the text stands at a place of what was emitted. Most places have another character."""
    if emitted[start : start + 1] != text[:1]:
        return 0
    return same_beginning(emitted[start : start + len(text)], text)


def _is_refused(view: TraceView, turn: LoopTurn) -> bool:
    """Whether the run has ended with an error in a turn that came in a dialect, which a loop need not read."""
    if not view.case.dialect or turn is not view.turns[-1] or view.end is None:
        return False
    return isinstance(view.end[1], Failure)
