"""What a run reports of itself at its end: usage, history, thinking."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.trace import (
    Failure,
    Final,
)
from harness.wire import Text, ThinkingPart, Turn, Usage
from harness_lab.mutants.traces.draft import rewrite
from harness_lab.mutants.traces.edits import alter, end_as
from harness_lab.mutants.traces.mutant import Edit
from harness_lab.mutants.traces.plain import MODELS, SYSTEM, USER, PlainRun, call, says
from harness_lab.mutants.traces.small_run import SmallRun, small_runs
from harness_lab.mutants.traces.small_runs import reported
from harness_lab.mutants.traces.small_runs.changes import (
    ANTHROPIC,
    CHAT,
    beside,
    case,
    cut,
    resend,
    runs,
)

_ONE = PlainRun(runs("depth"))


_USED = PlainRun(
    (
        Turn((call("depth", basin="n"),), usage=Usage(100, 20, reasoning=5, cached=10)),
        Turn((Text("Yes."),), usage=Usage(200, 30)),
    ),
)


def _lost_result_of(number: int) -> Edit:
    """A request of Chat without the result that it ends with."""

    def shorten(request: Any) -> None:
        del request["messages"][-1]

    return lambda draft: rewrite(draft.records, number, shorten)


def _usage(name: str, summary: str, usage: Any, *edits: Any) -> SmallRun:
    return SmallRun(
        f"usage-{name}", "reported/usage", summary, _USED, (alter(Final, 0, usage=usage), *edits), ("openai-responses",)
    )


_THOUGHT = PlainRun(
    (
        Turn(
            (ThinkingPart("The tide is "), ThinkingPart("low."), Text("Let me look."), call("depth", "c1", basin="n"))
        ),
        says("Yes."),
    ),
    case={"prompt": (("system", SYSTEM), ("user", USER))},
)


def _histories() -> Iterator[SmallRun]:
    """Histories whose entries say more than texts and calls."""
    asked: dict[str, Any] = {"role": "user", "text": USER, "results": []}
    looked: dict[str, Any] = {"role": "assistant", "text": "Let me look.", "calls": [{"name": "depth", "id": "c1"}]}
    looked |= {"thinking": "The tide is low.", "model": MODELS["openai-responses"]}
    answered: dict[str, Any] = {"role": "user", "text": "", "results": [{"id": "c1", "ok": True}]}
    ended = {"role": "assistant", "text": "Yes.", "calls": [], "thinking": "", "model": MODELS["openai-responses"]}
    right = (asked, looked, answered, ended)
    for name, summary, at, change in (
        ("right", "All of it is so.", 0, {}),
        ("another-model", "Another model.", 1, {"model": "tide-1"}),
        ("no-model", "No name where the answer has one.", 3, {"model": ""}),
        ("model-of-nobody", "What is no text is no name.", 1, {"model": None}),
        ("no-thinking", "The thinking is left out.", 1, {"thinking": ""}),
        ("half-thinking", "The end of the thinking is left out.", 1, {"thinking": "The tide is "}),
        ("thinking-in-paragraphs", "Pieces may be apart.", 1, {"thinking": "The tide is \n\nlow.\n"}),
        ("thinking-before", "Something in front of the thinking.", 1, {"thinking": "Hm. The tide is low."}),
        ("thinking-behind", "Something behind the thinking.", 1, {"thinking": "The tide is low. Hm."}),
        ("thinking-between", "Something between the pieces.", 1, {"thinking": "The tide is not low."}),
        ("thinking-of-nobody", "Thinking where there is none.", 3, {"thinking": "Hm."}),
        ("no-result", "The call has no result.", 2, {"results": []}),
        ("other-result", "The result of another call.", 2, {"results": [{"id": "c2", "ok": True}]}),
        ("two-results", "Two results of one call.", 2, {"results": [{"id": "c1"}, {"id": "c1"}]}),
        ("results-unsaid", "Nothing is said of results.", 2, {"results": None}),
        ("other-words", "Other words of the user.", 0, {"text": "May we leave?"}),
        ("more-words", "The words among others.", 0, {"text": f"{SYSTEM}\n{USER}"}),
        ("no-text", "The words are in no entry; what is no text says none.", 0, {"text": None}),
    ):
        history = [{**entry, **change} if number == at else entry for number, entry in enumerate(right)]
        edits = (alter(Final, 0, history=history),)
        yield SmallRun(f"history-says-{name}", "reported/history", summary, _THOUGHT, edits, ("openai-responses",))
    for name, history in (("without-texts", [looked, answered, ended]), ("with-one-more", [*right, ended])):
        edits = (alter(Final, 0, history=[{**entry, "model": "tide-1"} for entry in history]),)
        words = f"A history {name.replace('-', ' ')} whose entries name another model."
        yield SmallRun(f"history-says-{name}", "reported/history", words, _THOUGHT, edits, ("openai-responses",))


_SIDE = PlainRun((says("Aside."),), silent=True, prompt=(("user", "Sum it up."),))
_LONGER = PlainRun(runs("tide"), silent=True, prompt=(("user", "Sum it up."),))
_RUN = (
    *_histories(),
    *(
        SmallRun(
            f"beside-{each.name}",
            each.rule,
            f"{each.summary} Another conversation was before.",
            each.run,
            (*each.edits, beside(side)),
            CHAT,
        )
        for side, names in ((_SIDE, ("result-missing", "two-ends", "text-short")), (_LONGER, ("turns-skip",)))
        for each in reported.SMALL_RUNS
        if each.name in names
    ),
    _usage(
        "beside", "The run may count what another conversation has used.", {"input": 600, "output": 90}, beside(_SIDE)
    ),
    _usage("beside-low", "It may not leave out its own.", {"input": 100, "output": 90}, beside(_SIDE)),
    SmallRun(
        "beside-broken",
        "history/results",
        "What is wrong in another conversation is reported of it.",
        _ONE,
        (
            beside(PlainRun((runs("depth")[0], says("Yes.")), silent=True, prompt=(("user", "Aside?"),))),
            _lost_result_of(1),
        ),
        CHAT,
    ),
    SmallRun(
        "beside-broken-at-once",
        "continuation/openai-chat",
        "What is wrong in the first request of another conversation has no answer before it.",
        _ONE,
        (
            beside(PlainRun((runs("depth")[0], says("Yes.")), silent=True, prompt=(("user", "Aside?"),))),
            _lost_result_of(0),
        ),
        CHAT,
    ),
    SmallRun(
        "usage-broken-answer-left-out",
        "reported/usage",
        "An answer that broke may be left out of the sum.",
        PlainRun(_USED.turns, end=Failure("stream", "cut")),
        (cut(1), end_as(Final("", usage={"input": 100, "output": 20}))),
        ANTHROPIC,
    ),
    _usage("sum", "The sum over the answers.", {"input": 300, "output": 50}),
    _usage("without-cached", "Cached tokens may be counted beside the others, or not.", {"input": 290, "output": 45}),
    _usage("with-cached", "They may be counted twice.", {"input": 310, "output": 55}),
    _usage("low", "One token less than that.", {"input": 289, "output": 44}),
    _usage("high", "One token more than that.", {"input": 311, "output": 56}),
    _usage("of-the-last", "The usage of the last answer.", {"input": 200, "output": 30}),
    _usage("input-only", "A run may return one of both.", {"input": 299}),
    *(
        _usage(
            f"all-{name}", summary, {"input": 300, "output": 50, "reasoning": 5, "cached": 10, "requests": 2, **more}
        )
        for name, summary, more in (
            ("right", "All that a usage may say.", {}),
            ("reasoning-low", "A token of reasoning is missing.", {"reasoning": 4}),
            ("reasoning-high", "A token of reasoning too many.", {"reasoning": 6}),
            ("cached-low", "A cached token is missing.", {"cached": 9}),
            ("cached-high", "A cached token too many.", {"cached": 11}),
            ("requests-low", "A request is missing.", {"requests": 1}),
            ("requests-high", "A request too many.", {"requests": 3}),
        )
    ),
    *(
        _usage(
            f"requests-{count}-sent-again",
            "A request that is sent again may count, or not.",
            {"requests": count},
            resend(1),
        )
        for count in (1, 2, 3, 4)
    ),
    SmallRun(
        "usage-below-none",
        "reported/usage",
        "The server says that more was cached than came in, and the loop counts the one without the other.",
        PlainRun((Turn((Text("Yes."),), usage=Usage(5, 2, cached=8)),)),
        (alter(Final, 0, usage={"input": -3}),),
        ("openai-responses",),
    ),
    _usage("words", "What is no number is no usage.", {"input": "300", "output": None}),
    _usage("list", "What is no object is no usage.", [300, 50]),
    _usage(
        "cut",
        "An answer that broke may count, or not.",
        {"input": 100, "output": 20},
        cut(1),
        end_as(Final("", usage={"input": 100, "output": 20})),
    ),
    *small_runs(
        "reported/history",
        _ONE,
        (
            "history-whole",
            "Every answer of the model, in order.",
            [
                alter(
                    Final,
                    0,
                    history=[
                        {"role": "user"},
                        {"role": "assistant", "text": "Let me look.", "calls": ["depth"]},
                        {"role": "assistant", "text": "Yes."},
                    ],
                )
            ],
        ),
        (
            "history-of-the-last",
            "Only the last answer.",
            [alter(Final, 0, history=[{"role": "assistant", "text": "Yes."}])],
        ),
        (
            "history-of-the-first",
            "Only the first answer.",
            [alter(Final, 0, history=[{"role": "assistant", "text": "Let me look.", "calls": ["depth"]}])],
        ),
        (
            "history-without-the-call",
            "The first answer without its call.",
            [
                alter(
                    Final,
                    0,
                    history=[{"role": "assistant", "text": "Let me look."}, {"role": "assistant", "text": "Yes."}],
                )
            ],
        ),
        (
            "history-swapped",
            "The answers in the other order.",
            [
                alter(
                    Final,
                    0,
                    history=[
                        {"role": "assistant", "text": "Yes."},
                        {"role": "assistant", "text": "Let me look.", "calls": ["depth"]},
                    ],
                )
            ],
        ),
        (
            "history-of-the-user",
            "What the user says is not the model's.",
            [
                alter(
                    Final,
                    0,
                    history=[{"role": "user", "text": "Let me look. depth"}, {"role": "assistant", "text": "Yes."}],
                )
            ],
        ),
        (
            "history-of-tools",
            "What a tool says is not the model's.",
            [
                alter(
                    Final,
                    0,
                    history=[
                        {"role": "tool", "text": "Let me look. depth"},
                        {"role": "developer", "text": "Yes."},
                        {"role": "system", "text": "Yes."},
                    ],
                )
            ],
        ),
        (
            "history-without-roles",
            "Entries of a provider may have no role.",
            [
                alter(
                    Final,
                    0,
                    history=[
                        {"type": "message", "text": "Let me look."},
                        {"type": "function_call", "name": "depth"},
                        {"text": "Yes."},
                    ],
                )
            ],
        ),
        ("history-of-texts", "Entries that are no objects.", [alter(Final, 0, history=["Let me look. depth", "Yes."])]),
        ("history-edited", "The caller has edited the history.", [alter(Final, 0, history=[]), case(edits=(1,))]),
        ("history-empty", "An empty history.", [alter(Final, 0, history=[])]),
        ("history-no-list", "A history that is no list is none.", [alter(Final, 0, history={"role": "assistant"})]),
    ),
)

SMALL_RUNS = (*_RUN,)
