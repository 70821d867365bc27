"""Requests that cannot be read behind what a caller does, and callers that do several things."""

from __future__ import annotations

from dataclasses import replace

from harness.trace import (
    CallerRecord,
    ToolResult,
    ToolStart,
)
from harness.wire import Call, Result, Text, ThinkingPart, Turn
from harness_lab.mutants.traces.edits import drop
from harness_lab.mutants.traces.plain import PlainRun, call, says
from harness_lab.mutants.traces.small_run import SmallRun
from harness_lab.mutants.traces.small_runs.acting import (
    CALLS,
    CANCELLING,
    EARLY_MESSAGE,
    LOSE,
    WORDS,
    act,
    acting,
    acting_before,
    appended,
    before_results,
    begins,
    in_request,
    put,
    say_again,
    say_first_again,
)
from harness_lab.mutants.traces.small_runs.cancelled import THOUGHT, UNENDED, says_first, unthought
from harness_lab.mutants.traces.small_runs.changes import (
    ANTHROPIC,
    CHAT,
    cut,
    gone,
    having,
    moved,
    part,
    unanswered,
    unreadable,
)

_CANCELLED_ON = PlainRun((CALLS, Turn((call("enter", "call_3", basin="n"),)), says("No.")), acts={2: CANCELLING})
_CANCELLED_TWICE = PlainRun(
    (says("Yes, the basin is deep."), says("Well, the tide is low."), says("No.")),
    acts={2: CANCELLING, 3: (CallerRecord("cancel"), CallerRecord("run", "So?"))},
)
_THOUGHT_TWICE = PlainRun(
    (
        Turn((ThinkingPart("First of all, I wait."), Text("Yes."))),
        Turn((ThinkingPart(THOUGHT), Text("Well,"))),
        says("No."),
    ),
    acts=_CANCELLED_TWICE.acts,
)
_CALLED_TWICE = PlainRun((CALLS, Turn((call("enter", "call_3", basin="n"),)), says("No.")), acts=_CANCELLED_TWICE.acts)

SEVERAL_ACTS: tuple[SmallRun, ...] = (
    *acting(
        "caller/cancelled-result",
        _CANCELLED_ON,
        ("unreadable-behind-a-cancel", "The first request of the next run cannot be read.", [*UNENDED, unreadable(1)]),
        ("unreadable-later", "The second request of the next run cannot be read.", [*UNENDED, unreadable(2)]),
        ("unreadable-before-a-cancel", "The cancelled request cannot be read.", [*UNENDED, unreadable(0)]),
        wires=CHAT,
    ),
    *acting(
        "caller/cancelled-result",
        _CALLED_TWICE,
        (
            "cut-and-then-cancelled",
            "Of two cancelled turns the first broke off, and the second has a result that reads like success.",
            [acting_before("cancel", ToolResult, -1, which_act=-1), drop(ToolResult, -1), cut(0, end="cut")],
        ),
        (
            "ended-behind-one-that-had-not",
            "The first call had not ended, and its result says so; the second had, and is said to have been cancelled.",
            [
                moved(ToolStart, 1, ToolResult, 0),
                drop(ToolResult, 0),
                part(Result, having(output="Cancelled by the user.", is_error=True), 0),
                part(Result, having(output="Cancelled by the user.", is_error=True), 1),
            ],
        ),
    ),
    *acting(
        "caller/shown",
        _CANCELLED_TWICE,
        (
            "shown-in-the-second-run",
            "Of two cancelled answers the first was whole; what was shown of the second is lost.",
            [cut(1, end="closed"), part(Text, gone, -1, "assistant")],
        ),
        (
            "shown-in-the-first-run",
            "What was shown of the first is lost in the request behind it alone.",
            [cut(0, end="closed"), in_request(1, part(Text, gone, -1, "assistant"))],
        ),
        ("shown-in-both", "What was shown of both goes back.", [cut(0, end="closed"), cut(1, end="closed")]),
        ("shown-and-unreadable", "The request behind it cannot be read.", [cut(0, end="closed"), unreadable(1)]),
        (
            "shown-and-compacted-before",
            "The history was compacted before the second answer, which is lost.",
            [
                cut(1, end="closed"),
                part(Text, gone, -1, "assistant"),
                act("run", 0, compacted=True),
            ],
        ),
        (
            "shown-in-two-without-a-space",
            "What was shown goes back in two messages, without the space between them.",
            [
                cut(1, end="closed"),
                part(
                    Text,
                    lambda old: [replace(old, text=old.text[:9]), replace(old, text=old.text[10:])],
                    -1,
                    "assistant",
                ),
            ],
        ),
        (
            "shown-in-two-messages",
            "What was shown goes back in two messages.",
            [
                cut(1, end="closed"),
                part(
                    Text,
                    lambda old: [replace(old, text=old.text[:9]), replace(old, text=old.text[9:])],
                    -1,
                    "assistant",
                ),
            ],
        ),
    ),
    *acting(
        "caller/thought",
        _THOUGHT_TWICE,
        (
            "thought-in-the-second-run",
            "Of two cancelled answers the first was whole; what was thought in the second goes back as said.",
            [cut(1, end="closed"), unthought, says_first(THOUGHT)],
        ),
        (
            "thought-and-unanswered",
            "Nothing came of the first answer; what was thought in the second goes back as said.",
            [unanswered(0), cut(0, end="closed"), unthought, says_first(THOUGHT)],
        ),
        (
            "thought-and-unreadable",
            "The request behind it cannot be read.",
            [cut(0, end="closed"), unreadable(1), unthought, says_first("First of all, I wait.")],
        ),
        wires=ANTHROPIC,
    ),
    *acting(
        "caller/message-sent",
        EARLY_MESSAGE,
        ("said-and-unreadable", "The next request cannot be read, and the one behind it has it.", [unreadable(1)]),
        (
            "said-and-unreadable-and-lost",
            "The next request cannot be read, and the one behind it lacks it.",
            [unreadable(1), LOSE],
        ),
        ("said-and-unreadable-later", "The request behind the one that has it cannot be read.", [unreadable(2)]),
        ("said-behind-an-unreadable", "The request before it cannot be read.", [unreadable(0)]),
        (
            "said-behind-an-unreadable-twice",
            "The request before it cannot be read, and the next one has it twice.",
            [unreadable(0), in_request(1, say_again)],
        ),
        wires=CHAT,
    ),
    *acting(
        "caller/message-sent",
        EARLY_MESSAGE,
        (
            "said-and-echoed",
            "The model says the same words.",
            [put("assistant", Text(WORDS), before=Call)],
        ),
    ),
    *acting(
        "caller/message-sent",
        PlainRun(
            (CALLS, says("Yes."), says("No.")),
            acts={3: (CallerRecord("say", WORDS), *CANCELLING)},
        ),
        ("said-then-cancelled", "What was said before a cancel is in the next run.", []),
        (
            "said-then-cancelled-and-lost",
            "What was said before a cancel is not in the next run.",
            [part(Text, gone, -2, "user")],
        ),
    ),
    *acting(
        "caller/message-sent",
        _CANCELLED_ON,
        ("said-again-behind-a-cancel", "What begins the run behind a cancel is sent once more.", [say_first_again]),
    ),
    *acting(
        "caller/message-sent",
        PlainRun(
            (CALLS, says("Yes."), says("Well."), says("No.")),
            acts={3: (CallerRecord("say", WORDS), *begins()), 4: begins("So?")},
        ),
        (
            "said-to-a-cut-and-then-lost",
            "What was said while an answer was cut short is lost, and so is what begins a later run.",
            [cut(1, end="cut"), part(Text, gone, -1, "user"), part(Text, gone, -2, "user")],
        ),
        ("second-words-lost", "What begins the last run is lost, and all before it is there.", [LOSE]),
        (
            "first-words-lost",
            "What was said is lost in all requests.",
            [in_request(2, part(Text, gone, -2, "user")), part(Text, gone, -3, "user")],
        ),
        (
            "both-words-twice",
            "What was said and what began a run are both sent once more at last: one finding.",
            [part(Text, lambda old: [old, old], -2, "user"), part(Text, lambda old: [old, old], -4, "user")],
        ),
    ),
    *acting(
        "caller/message-last",
        PlainRun(
            (CALLS, Turn((call("enter", "call_3", basin="n"),)), says("No.")),
            acts={2: (CallerRecord("say", WORDS),), 3: (CallerRecord("say", "And the rain."),)},
        ),
        (
            "said-twice-one-in-front",
            "What is said first is right, and what is said then is in front of the result.",
            [before_results(-1)],
        ),
        (
            "said-twice-one-lost",
            "What is said first is lost, and what is said then is in front of the result.",
            [in_request(1, LOSE), part(Text, gone, -2, "user"), before_results(-1)],
        ),
        (
            "said-twice-unreadable",
            "The request behind what is said first cannot be read.",
            [unreadable(1), before_results(-1)],
        ),
    ),
    *acting(
        "caller/message-role",
        PlainRun(
            (CALLS, Turn((call("enter", "call_3", basin="n"),)), says("No.")),
            acts={2: (CallerRecord("say", WORDS),), 3: (CallerRecord("say", "And the rain."),)},
        ),
        (
            "said-twice-one-as-the-models",
            "What is said first is right, and what is said then is sent as an order.",
            [LOSE, lambda draft: appended(draft, "system", "And the rain.")],
        ),
        (
            "said-twice-one-unreadable",
            "The first request cannot be read, and what is said then is sent as an order.",
            [unreadable(1), LOSE, lambda draft: appended(draft, "system", "And the rain.")],
        ),
    ),
)
