"""Runs that tell a thing from one beside it: a prompt that is there in other words, a history that had to become
shorter, what is reported first, whose result it is, and what of a page comes last."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from harness.trace import EventRecord, Final, ResponseRecord, SetCode, ToolArguments, ToolResult, ToolStart
from harness.wire import Call, FinishReason, Result, StreamError, Text, ToolDeclaration, Turn
from harness_lab.mutants.traces.draft import TraceDraft, event_record, place, places, rewrite
from harness_lab.mutants.traces.edits import alter, drop
from harness_lab.mutants.traces.mutant import Edit
from harness_lab.mutants.traces.plain import SYSTEM, USER, PlainRun, call, says
from harness_lab.mutants.traces.small_run import SmallRun
from harness_lab.mutants.traces.small_runs.acting import acting
from harness_lab.mutants.traces.small_runs.changes import (
    CHAT,
    cut,
    emit,
    gone,
    having,
    part,
    passed,
    previewed,
    resend,
    respond,
    runs,
    unanswered,
    unreadable,
)


def _without_tools(number: int) -> Edit:
    """A request declares no tools."""
    return lambda draft: rewrite(draft.records, number, lambda body: body.pop("tools"))


# --- tools that are offered ---------------------------------------------------------------------------------------

_OFFERED = (
    *acting(
        "offered/tools",
        PlainRun(runs("depth"), case=passed()),
        (
            "tools-unreadable-and-not-declared",
            "The first request cannot be read, and the next one declares no tools.",
            [unreadable(0), _without_tools(1)],
        ),
        ("tools-in-no-readable-request", "No request can be read.", [unreadable(0), unreadable(1)]),
        wires=CHAT,
    ),
    *acting(
        "offered/tools",
        PlainRun(runs("depth"), case=passed()),
        ("tools-in-the-prompt", "The wire describes tools in the prompt, and declares none.", []),
        wires=("text-tags",),
    ),
)


# --- the prompt ---------------------------------------------------------------------------------------------------

_QUESTION = 'May we enter the "Nordbäcken" before noon?'
_TIDE = "And the tide?"


def _asked(
    name: str, summary: str, prompt: Sequence[tuple[str, str]], sent: Sequence[tuple[str, str]], *edits: Edit
) -> tuple[SmallRun, ...]:
    run = PlainRun(runs("depth"), prompt=tuple(sent), case={"prompt": tuple(prompt)})
    return acting("offered/prompt", run, (f"prompt-{name}", summary, edits), wires=CHAT)


def _as_json(text: str, *, ascii_only: bool = False) -> str:
    """The text among others, in JSON."""
    return json.dumps({"channel": 9, "said": f"Harbour: {text} Over."}, ensure_ascii=ascii_only)


_PROMPT = (("system", SYSTEM), ("user", _QUESTION))
_TWICE = (("system", SYSTEM), ("user", USER), ("user", "before noon?"))

_PROMPTS = (
    *_asked("in-json", "It is in JSON.", _PROMPT, (("system", SYSTEM), ("user", _as_json(_QUESTION)))),
    *_asked(
        "in-escapes",
        "It is in JSON, its letters in escapes.",
        _PROMPT,
        (("system", SYSTEM), ("user", _as_json(_QUESTION, ascii_only=True))),
    ),
    *_asked(
        "in-json-but-the-first-letter",
        "It is in JSON without its first letter.",
        _PROMPT,
        (("system", SYSTEM), ("user", _as_json(_QUESTION[1:]))),
    ),
    *_asked(
        "in-json-but-the-last-mark",
        "It is in JSON without the mark at its end.",
        _PROMPT,
        (("system", SYSTEM), ("user", _as_json(_QUESTION[:-1]))),
    ),
    *_asked(
        "first-words-apart",
        "Its first words are in two messages, and there are other orders.",
        (("system", SYSTEM), ("user", USER)),
        (("system", "Be good."), ("user", "May we"), ("user", "enter the basin before noon?")),
    ),
    *_asked(
        "blank-and-of-its-own",
        "A blank order was given, and the loop asks something else.",
        (("system", " "), ("user", USER)),
        (("system", "Be good."), ("user", "Well?")),
    ),
    *_asked(
        "end-said-again",
        "The user says the end of the question again, which is lost.",
        _TWICE,
        (("system", SYSTEM), ("user", f"Good day, harbour master, this is the Swan calling. {USER}")),
    ),
    *_asked(
        "quoted-at-the-end",
        "A question is quoted in JSON behind the one that follows it.",
        (*_PROMPT, ("user", _TIDE)),
        (("system", SYSTEM), ("user", _QUESTION), ("user", _TIDE), ("user", _as_json(_QUESTION))),
    ),
    *acting(
        "offered/prompt",
        PlainRun(runs("depth"), case={"prompt": (("system", SYSTEM), ("user", USER))}),
        (
            "prompt-behind-an-unreadable-request",
            "The first request cannot be read, and the next one lacks the question.",
            [unreadable(0), part(Text, gone, 0, "user")],
        ),
        wires=CHAT,
    ),
)


# --- a history that had to become shorter ---------------------------------------------------------------------------

_ONE = PlainRun(runs("depth"))
_FORGOTTEN = part(Text, gone, 0, "user")
_MOVED = {"content-type": "text/plain"}


def _too_long(name: str, summary: str, run: PlainRun, *edits: Edit) -> tuple[SmallRun, ...]:
    words = f"{summary} Then the question is gone."
    return acting("history/append-only", run, (f"shorter-{name}", words, [*edits, _FORGOTTEN]), wires=CHAT)


def _refused(name: str, summary: str, status: int, body: bytes) -> tuple[SmallRun, ...]:
    """The second request is refused in such words, and sent again without the question."""
    refusal = respond(1, status=status, headers=_MOVED, body=body)
    return _too_long(name, summary, _ONE, resend(1), refusal)


def _failed(name: str, summary: str, error: StreamError) -> tuple[SmallRun, ...]:
    """The second answer is an error that arrives in the stream."""
    return _too_long(name, summary, PlainRun((_ONE.turns[0], Turn(error=error), says("Yes."))))


_TOO_LONG = (
    *_refused("as-refused", "A request is refused as too long.", 400, b"prompt is too long"),
    *_refused("as-refused-in-bytes", "It is so in bytes that are no UTF-8.", 400, b"D\xe9sol\xe9: prompt is too long"),
    *_refused("as-refused-otherwise", "A request is refused for something else.", 400, b"no such model"),
    *_refused("below-400", "An answer that is no error says that the prompt is too long.", 399, b"prompt is too long"),
    *_too_long("behind-no-answer", "A request gets no answer.", _ONE, resend(1), unanswered(1)),
    *_too_long(
        "behind-words-of-it",
        "The model has talked of the context window.",
        PlainRun((Turn((Text("The context window is wide."), call("depth", basin="n"))), says("Yes."))),
    ),
    *_failed("by-the-kind", "The error is known as one of the length.", StreamError("context_length", "Too much.")),
    *_failed("by-the-words", "The error says so.", StreamError("server_error", "The prompt is too long.")),
    *_failed("by-nothing", "The error is another.", StreamError("server_error", "It broke.")),
    *acting(
        "history/append-only",
        PlainRun((*runs("depth")[:1], *runs("tide"))),
        (
            "shorter-long-before",
            "The second request was refused as too long and sent again as it was; the question is gone later.",
            [resend(1), respond(1, status=400, headers=_MOVED, body=b"prompt is too long"), _FORGOTTEN],
        ),
        wires=CHAT,
    ),
)


# --- what is reported ---------------------------------------------------------------------------------------------

_TWO = PlainRun((Turn((Text("Let me look."), call("depth", basin="n"), call("tide", basin="s"))), says("Yes.")))


def _arguments_first(draft: TraceDraft) -> None:
    """The arguments of a call are emitted in front of its toolStart."""
    at = place(draft.records, ToolStart, 0)
    record = event_record(draft.records, at)
    assert isinstance(record.event, ToolStart)  # noqa: S101 - what place() looks for
    draft.records.insert(at, replace(record, event=ToolArguments(record.event.id, '{"basin"')))


def _again(kind: type[ToolStart] | type[ToolResult], behind: type[ToolResult], which: int) -> Edit:
    """The first of these events is emitted once more behind a result."""

    def edit(draft: TraceDraft) -> None:
        first = draft.records[place(draft.records, kind, 0)]
        draft.records.insert(place(draft.records, behind, which) + 1, first)

    return edit


def _under(id: str) -> Edit:
    """Tools are reported under this id."""

    def edit(draft: TraceDraft) -> None:
        for kind in (ToolStart, ToolResult):
            for at in places(draft.records, kind):
                record = event_record(draft.records, at)
                assert isinstance(record.event, ToolStart | ToolResult)  # noqa: S101 - what places() looks for
                draft.records[at] = replace(record, event=replace(record.event, id=id))

    return edit


_REPORTED = (
    *acting(
        "order/tool-start-first",
        PlainRun(runs("depth")),
        ("start-behind-arguments", "The arguments of a call are shown before it is.", [_arguments_first]),
        (
            "arguments-without-start",
            "The arguments of a call are shown, and it never is.",
            [_arguments_first, drop(ToolStart)],
        ),
        (
            "start-behind-result-again",
            "A call is shown, has a result, and is shown again.",
            [_again(ToolStart, ToolResult, 0)],
        ),
        wires=CHAT,
    ),
    *acting(
        "order/call-order",
        replace(_TWO, case={"profile": "tool-runner"}),
        (
            "first-result-again",
            "The result of the first call is reported again behind that of the second.",
            [_again(ToolResult, ToolResult, 1)],
        ),
        wires=CHAT,
    ),
    *acting(
        "order/tool-result-reported",
        PlainRun(
            (Turn((Text("Let me look."), call("depth", "", basin="n"))), says("Yes.")),
            case={"edits": (1,), "emits": ("toolStart", "toolResult", "final")},
        ),
        (
            "unnamed-result-of-an-edited-turn",
            "The caller has edited a turn: a result has no id, and neither has the call, which nobody reports.",
            [part(Result, having(id="")), drop(ToolResult)],
        ),
        wires=("openai-chat", "anthropic-messages"),
    ),
    *acting(
        "order/tool-result-reported",
        PlainRun((Turn((call("depth", "", basin="n"), call("tide", "", basin="s"))), says("Yes."))),
        (
            "two-unnamed-under-no-id",
            "Of two calls without ids one is reported, under none.",
            [drop(ToolStart, 1), drop(ToolResult, 1), _under("")],
        ),
        (
            "unnamed-under-another-name",
            "A call without an id is reported as one of a tool that the model has not called.",
            [alter(ToolStart, 0, name="enter"), alter(ToolResult, 0, name="enter")],
        ),
        wires=("openai-chat", "gemini-generate"),
    ),
    *acting(
        "order/tool-name",
        PlainRun((Turn((Text("Well."), Call("", "{}", "call_1"))), says("Yes."))),
        ("nameless-as-unknown", "A call without a name is reported as unknown.", [alter(ToolStart, 0, name="unknown")]),
        wires=CHAT,
    ),
)


# --- whose result it is ---------------------------------------------------------------------------------------------

_RETURNS: Mapping[str, Any] = {"depth": {"metres": 9}, "tide": {"high": "at noon"}}
_EXCHANGED = {"depth": _RETURNS["tide"], "tide": _RETURNS["depth"]}
_BOTH_CALLED = (call("depth", "call_1", basin="n"), call("tide", "call_2", basin="s"))
_BOTH_CALLED_AGAIN = (call("depth", "call_3", basin="e"), call("tide", "call_4", basin="w"))

_RESULTS = (
    *acting(
        "history/own-result",
        PlainRun(
            (
                Turn((Text("Let me look."), *_BOTH_CALLED), stop=FinishReason.MAX_TOKENS),
                Turn((Text("Once more."), *_BOTH_CALLED_AGAIN)),
                says("Yes."),
            ),
            outputs=_EXCHANGED,
            case={"returns": _RETURNS},
        ),
        (
            "exchanged-in-two-turns",
            "Two calls have each other's results in a turn that was cut short, and in the next one.",
            [],
        ),
    ),
)


# --- previews, and early runs -----------------------------------------------------------------------------------------

_SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}, "content": {"type": "string"}}}
_FILES = (
    ToolDeclaration("create_file", "Creates a file.", _SCHEMA),
    ToolDeclaration("edit_file", "Edits it.", _SCHEMA),
)
_HERE: Mapping[str, Any] = {"profile": "screenshot-to-code", "tools": {"create_file": {}, "edit_file": {}}}
_PAGE = "<html>\n<p>Brot</p>\n" + "<p>Wein</p>\n" * 20 + "</html>"


def _file(id: str, content: str = _PAGE, path: str = "index.html") -> Call:
    return Call("create_file", json.dumps({"path": path, "content": content}), id)


def _writing(*turns: Turn, code: str = _PAGE, **members: Any) -> PlainRun:
    return PlainRun((*turns, says("Done.")), tools=_FILES, case={**_HERE, **members}, end=Final(code))


def _coded(code: str, which: int = 0, behind: int = 0) -> Edit:
    """A tool sets the code, in front of its result."""

    def edit(draft: TraceDraft) -> None:
        at = place(draft.records, ToolResult, which)
        record = event_record(draft.records, at)
        assert isinstance(record.event, ToolResult)  # noqa: S101 - what place() looks for
        draft.records.insert(at + behind, replace(record, event=SetCode(code, record.event.id)))

    return edit


def _of_the_next(draft: TraceDraft) -> None:
    """The result is reported when the first bytes of the next response have come."""
    at = place(draft.records, ToolResult, 0)
    draft.records[at] = replace(event_record(draft.records, at), exchange=1, offset=5)


def _at_the_last_byte(draft: TraceDraft) -> None:
    """The result is reported with the last byte of the response."""
    length = len(next(each for each in draft.records if isinstance(each, ResponseRecord)).body)
    at = place(draft.records, ToolResult, 0)
    draft.records[at] = replace(event_record(draft.records, at), offset=length)


_TWICE_CONTENT = Call("create_file", '{"content": "<p>one</p>", "content": "<p>two</p>"}', "call_2")


def _unreported(id: str) -> Edit:
    """Nothing is reported of a call."""

    def edit(draft: TraceDraft) -> None:
        draft.records[:] = [
            each
            for each in draft.records
            if not (isinstance(each, EventRecord) and getattr(each.event, "id", "") == id)
        ]

    return edit


_PREVIEWS = (
    *acting(
        "preview/arrived",
        _writing(Turn((Text("A page."), _file("call_1"))), Turn((Text("Another."), _file("call_2")))),
        (
            "preview-in-time-and-early",
            "The first page is shown when it is there, and the second before.",
            [_coded(_PAGE), _coded(_PAGE, 1), previewed((_PAGE, 1)), previewed((_PAGE, 0), call_number=1)],
        ),
        wires=CHAT,
    ),
    *acting(
        "preview/grows",
        _writing(Turn((Text("A page."), _file("call_1"), _TWICE_CONTENT))),
        (
            "preview-beside-an-unreported-call",
            "A call whose content comes twice is not reported, and the previews of another one shrink.",
            [_coded(_PAGE), previewed((_PAGE[:9], 1), (_PAGE[:5], 1), (_PAGE, 1)), _unreported("call_2")],
        ),
        wires=CHAT,
    ),
    *acting(
        "order/tool-result-reported",
        _writing(Turn((Text("A page."), _file("call_1")))),
        (
            "code-without-result",
            "A call has set its code, and no result is reported.",
            [_coded(_PAGE), drop(ToolResult)],
        ),
        wires=CHAT,
    ),
    *acting(
        "preview/early-run",
        _writing(Turn((Text("A page."), _file("call_1"))), code=""),
        ("ran-while-the-next-arrives", "A result is reported while the next response arrives.", [_of_the_next]),
        (
            "ran-with-the-last-byte",
            "The answer broke off inside a call, which has run when the last byte was there.",
            [cut(0, events=9), _at_the_last_byte],
        ),
        wires=CHAT,
    ),
)


# --- the page at the end --------------------------------------------------------------------------------------------

_BEGINNINGS = "<html>\n" * 20_000
_SPACED = "<html>\n<p>Brot</p>\n</html \n>"
_CAPITALS = "<HTML>\n<P>Brot</P>\n</HTML>"

_PAGES = (
    *acting(
        "final/code",
        _writing(Turn((Text("A page."), _file("call_1")))),
        (
            "code-set-anew-and-shown",
            "A call sets two codes, and the last one is shown again outside of any call.",
            [_coded("<p>"), _coded(_PAGE), emit(Final, 0, SetCode(_PAGE))],
        ),
        wires=CHAT,
    ),
    *acting(
        "final/code",
        PlainRun((says(f"Here:\n{_CAPITALS}\nBye."),), end=Final(""), case=_HERE, tools=_FILES),
        ("page-in-capitals-missing", "A page in capitals is not taken.", []),
        wires=CHAT,
    ),
    *acting(
        "final/code",
        PlainRun((says(f"Here:\n{_SPACED}\nBye."),), end=Final(""), case=_HERE, tools=_FILES),
        (
            "page-with-a-spaced-end-missing",
            "A page whose last tag has a space and a break in it is not taken.",
            [],
        ),
        wires=CHAT,
    ),
    *acting(
        "final/code",
        PlainRun((Turn((Text(_BEGINNINGS),), deltas="whole"),), end=Final(""), case=_HERE, tools=_FILES),
        ("page-begun-over-and-over", "A page begins in every line, and none ends.", []),
        wires=CHAT,
    ),
)

IN_ORDER = (
    *_OFFERED,
    *_PROMPTS,
    *_TOO_LONG,
    *_REPORTED,
    *_RESULTS,
    *_PREVIEWS,
    *_PAGES,
)
