"""The text that a run returns (the text of the model's last turn, without thoughts), and the code.

Nothing is expected of a run that returns no text (``Final.text`` is None): its user gets it in another way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from harness.finding import Finding, Level, broken
from harness.rules.evidence import difference, quote
from harness.rules.model import rule
from harness.rules.steps import letters
from harness.rules.trace_view import SCREENSHOT_TO_CODE, TraceView
from harness.rules.turns import Ask
from harness.trace import Assistant, Final, SetCode, ToolResult, ToolStart
from harness.wire import FinishReason, Text, ThinkingPart

_LEAST = 8
"""Characters, without white space, of thinking that cannot stand in another text by chance."""

_HALF = "\ufffd"
"""What half a surrogate pair is read as."""


@dataclass(frozen=True, slots=True)
class _ReturnedText:
    """What the run returned (``text``, reported at ``at``), and the request whose answer it should be."""

    at: int
    text: str
    ask: Ask


@rule(
    "final/text",
    "MUST",
    "unsafe",
    "The text that a run returns contains that of the model's last turn, white space apart, and does not "
    "say each text twice; a run that reported the text by events may return the empty text, and another one is a "
    "SHOULD. Nothing is expected of a run that returns no text at all, or the result of an output tool.",
    why="The model's answer is lost, or its user reads another one.",
    source="Agent Tool-Calling Flow, Core Tool-Calling Loop, step 3: the text of the last turn is the result",
    needs=("events", "exchanges"),
    scope="run",
    proof="""
    wires: [openai-chat]
    run: {turns: [[Let me look., {call: depth, with: {basin: north}}], [{ThinkingPart: The basin is deep enough.},
        'Yes, you may.', ' Mind the tide.']]}
    right: {returned-empty: [The empty text., {alter: Final, text: ''}]}
    wrong: {returned-number: [A number., {alter: Final, text: '5'}]}
    """,
)
def _text(view: TraceView) -> Iterator[Finding]:
    answer = _answer(view)
    if answer is None:
        return
    reported = bool(view.emitted(Assistant))
    if reported and not answer.text.strip():
        return  # the user has the text from the events
    if _is_doubled(view, answer.text):
        got = quote(answer.text)
        yield broken(answer.at, "the text of the model's turns once", got, "each text of the run was returned twice")
        return
    returned = _all_letters(answer.text)
    for text in _answer_texts(answer.ask):
        # Half a character at an end is whole in the answer whose other half came in the turn before.
        if letters(text).strip(_HALF) not in returned and not _is_structured(text):
            level: Level = "SHOULD" if reported else "MUST"
            expected = f"the text of the model's last turn: {quote(text)}"
            yield broken(answer.at, expected, quote(answer.text), "the text that the run returned", level=level)
            return


def _is_doubled(view: TraceView, returned: str) -> bool:
    """Whether the run returned nothing but the last texts of its turns, each twice, or all of them and then once more.

    A text that is short, or says something twice itself, is not judged.
    """
    plain, texts_so_far = letters(returned), ""
    texts = [text for text in (letters(ask.turn.text) for ask in view.asks) if text]
    for start in reversed(range(len(texts))):
        texts_so_far = texts[start] + texts_so_far
        if (
            len(plain) != 2 * len(texts_so_far)
            or len(texts_so_far) < _LEAST
            or texts_so_far[: len(texts_so_far) // 2] * 2 == texts_so_far
        ):
            continue
        if plain in (texts_so_far * 2, "".join(text * 2 for text in texts[start:])):
            return True
    return False


@rule(
    "final/thinking",
    "MUST",
    "unsafe",
    "The text that a run returns does not contain the thinking of the model's last turn.",
    why="The user reads what the model thought as a part of its answer.",
    source="Gemini API, thinking: parts with thought are summaries, not the answer; other providers mark them "
    "by a type",
    needs=("events", "exchanges"),
    scope="run",
    proof="""
    wires: [openai-responses, anthropic-messages]
    run: {turns: [[{ThinkingPart: Low tides}, Yes.]], end: {Final: '', text: Low tides Yes.}}
    wrong: {thought-of-8-returned: 'A run returns what was thought, in so many characters without the space.'}
    """,
)
def _thinking(view: TraceView) -> Iterator[Finding]:
    thoughts = [part for part in view.last.turn.parts if isinstance(part, ThinkingPart)]
    answer = _answer(view) if thoughts else None
    if answer is None or _is_structured(answer.text):
        return
    returned = letters(answer.text)
    texts = "".join([letters(part.text) for part in _texts(view)])
    for part in thoughts:
        thought = letters(part.text)
        if len(thought) >= _LEAST and thought in returned and thought not in texts:
            expected = f"no thinking of the model in the text that the run returned: {quote(part.text)}"
            yield broken(answer.at, expected, quote(answer.text))
            return


def _answer(view: TraceView) -> _ReturnedText | None:
    """The returned text; None if there is none, or if it need not be the text of the last turn.

    It must be after a sound turn that came to its end without a call. A result of an output tool is a text of its own.
    """
    last, final = view.last, view.final
    if final is None or "output" in view.case.kinds.values():
        return None
    at, event = final
    if event.text is None or event.outcome != "completed" or at < last.at:
        return None
    ended = last.sound and last.stopped is None and not last.calls and last.turn.stop is not FinishReason.PAUSE
    return _ReturnedText(at, event.text, last) if ended and not view.edited(last) else None


def _answer_texts(ask: Ask) -> list[str]:
    """The texts of the turn; without what the model calls commentary, which need not be a part of the answer."""
    return [part.text for part in ask.turn.parts if isinstance(part, Text) and part.phase != "commentary"]


def _texts(view: TraceView) -> Iterator[Text]:
    for ask in view.asks:
        yield from (part for part in ask.turn.parts if isinstance(part, Text))


def _all_letters(text: str) -> str:
    """All that the text says; what it says as JSON, too."""
    return "\n".join([letters(text), *map(letters, _leaves(_json(text)))])


def _json(text: str) -> object:
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value


def _is_structured(text: str) -> bool:
    """Whether it is JSON: a loop may return such a text in another form, or a history in which thinking belongs."""
    return isinstance(_json(text), dict | list)


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _leaves(inner)


# --- the code: what a call has set, or a page of the last text, and nothing that is no page ------------------

_PAGE = re.compile(r"^(?:<!doctype\s[^<>]*>\s*)?<html[\s>].*?</html\s*>", re.IGNORECASE | re.DOTALL | re.MULTILINE)
_WHOLE_PAGE = re.compile(r"\s*(?:<!doctype\s[^<>]*>\s*)?<html[\s>].*</html\s*>\s*", re.IGNORECASE | re.DOTALL)

_RAW_TEXT = (
    ("<!--", "-->"),
    ("<script", "</script"),
    ("<style", "</style"),
    ("<textarea", "</textarea"),
    ("<title", "</title"),
)
"""What a tag in it is not one of the page."""


@rule(
    "final/code",
    "MUST",
    "unsafe",
    "The final code is the code last set by a call; where none was, the file that was there before the run, the "
    "complete HTML page of the last text, or nothing. What is set outside any call is that code too.",
    why="Prose, a refusal or half a page is not code, and does not become code by being shown as such before the end.",
    source="Agent Tool-Calling Flow, Finalization",
    needs=("events", "exchanges"),
    profiles=(SCREENSHOT_TO_CODE,),
    scope="run",
    proof="""
    wires: [openai-chat]
    run: {turns: [[Let me look., {call: depth, id: call_1, with: {basin: n}}], Yes.],
        case: {profile: screenshot-to-code}, end: {Final: <html><p>One</p></html>}}
    right: {code-set-and-returned: [The code that was set is returned., {code_set: <html><p>One</p></html>}]}
    wrong:
      code-set-twice-and-first-returned: [The code that was set first is returned.,
          {code_set: <html><p>One</p></html>}, {code_set: <html><p>Two</p></html>}]
    """,
)
def _code(view: TraceView) -> Iterator[Finding]:
    called, loose = _codes(view)
    text = _last_text(view)
    last = called[-1] if called else None
    wanted = "a complete HTML page of the last text" if last is None else f"what a call set last: {quote(last)}"
    for at, code in loose:
        if code == called[-1] if called else _is_page_of(text, code):
            last = code
        else:
            yield broken(at, f"{wanted}, if a code is set outside any call", quote(code))
    if view.final is not None:
        yield from _final_code(*view.final, last, text, (view.trace.case.files or {}).values())


def _final_code(at: int, final: Final, last: str | None, text: str, before: Collection[str]) -> Iterator[Finding]:
    """``before`` are the files that were there before the run: where nothing has changed one, it is what there is."""
    if last is not None:
        if final.code != last:
            expected, got = difference(last, final.code)
            yield broken(at, f"the code last set: {expected}", got)
    elif final.code:
        if final.code not in before and not _is_page_of(text, final.code):
            yield broken(at, "no code, or a complete HTML page of the last text", quote(final.code))
    elif final.outcome == "completed" and (page := _page(text)):
        yield broken(at, f"the page in the last text: {quote(page)}", "no code")


def _is_page_of(text: str, code: str) -> bool:
    return code in text and _WHOLE_PAGE.fullmatch(code) is not None


def _page(text: str) -> str | None:
    """A page that begins on a line of its own. Text after the last ``</html>`` is ignored: no page can end there.

    None where that tag may be part of a script or the like, which has not ended.
    """
    closing = text.lower().rfind("</html")
    match = _PAGE.search(text[: text.find(">", closing) + 1]) if closing >= 0 else None
    page = match.group() if match else ""
    tags = page.lower()
    return page if not any(tags.count(begin) > tags.count(end) for begin, end in _RAW_TEXT) else None


def _codes(view: TraceView) -> tuple[list[str], list[tuple[int, str]]]:
    """The codes that calls have set, and those that were reported outside any call: no id, and no call is open."""
    called: list[str] = []
    loose: list[tuple[int, str]] = []
    open_calls: set[str] = set()
    for at, record in view.trace.events:
        event = record.event
        if isinstance(event, ToolStart):
            open_calls.add(event.id)
        elif isinstance(event, ToolResult):
            open_calls.discard(event.id)
        elif not isinstance(event, SetCode) or event.preview:
            continue
        elif event.id is not None or open_calls:
            called.append(event.code)
        else:
            loose.append((at, event.code))
    return called, loose


def _last_text(view: TraceView) -> str:
    return view.last.turn.text
