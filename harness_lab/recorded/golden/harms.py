"""What would come of it if the preset did as the recorded engine does, for each deviation, and the table of that.

A deviation is a habit of the engine that stays out of the preset: a rule finds it, or a scenario of the preset expects
something else, or nobody would gain by it. Which recordings it is in is counted, so the table says how many recordings
can agree at all (``scripts/golden-table`` writes it into ``docs/golden.md``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap

from harness.rules import RULES, judge
from harness_lab.recorded.comparison import Comparison
from harness_lab.recorded.golden.happened import PlayedRun

_WIDTH = 120


@dataclass(frozen=True, slots=True)
class Harm:
    """What the ``engine`` does, and what would ``come`` of following it.

    ``rules`` find it, ``scenarios`` of the preset fail with it. Neither: there are no recordings in which nothing else
    is different.
    """

    engine: str
    come: str
    rules: tuple[str, ...] = ()
    scenarios: tuple[str, ...] = ()


HARMS: Mapping[str, Harm] = {
    "prose-is-the-page": Harm(
        "Takes the last text for the page where there is no file",
        '"All done." after a tool that failed, or a refusal, is stored and shown as the page, and changed next time.',
        ("final/code",),
    ),
    "previews-are-no-beginnings": Harm(
        "Searches the text of the arguments for the content",
        "A preview shows half an escape, half a character or the keys after the content.",
        ("preview/prefix",),
    ),
    "the-path-runs-on": Harm(
        "Searches the text of the arguments for the path",
        'The user reads `index.html", "content": ` as the name of the file.',
        ("preview/start-input",),
    ),
    "wrong-types-crash": Harm(
        "Dies of arguments of a wrong type",
        "One odd call ends the run, and the model never reads what is wrong with it.",
        ("final/open-call",),
    ),
    "what-was-cut-off-is-run": Harm(
        "Runs what had arrived at the token limit, or takes half a text for whole",
        "An edit without its new text deletes the old one; half a page is passed off as the whole.",
        ("final/stopped-call", "final/outcome", "final/code"),
    ),
    "what-was-cut-off-is-asked-for-again": Harm(
        "Refuses the call that the token limit cut, on OpenAI, and asks again with the same limit",
        "The same is written and cut up to twenty times, and the run says that it is complete.",
        scenarios=("truncated-edit", "truncated-create"),
    ),
    "one-id-is-one-call": Harm(
        "Takes two calls with one id for one",
        "One of the calls is not shown, or not run.",
        ("order/tool-result-once", "order/tool-result-reported"),
    ),
    "a-spelt-out-key-is-missed": Harm(
        "Misses a key that is spelled with an escape, and shows the page in 18 pieces at once",
        "The user sees nothing while the page arrives.",
        ("timing/preview", "timing/start"),
    ),
    "fences-are-taken-out": Harm(
        "Takes fences out of a page",
        "A page that shows code loses lines of it.",
        scenarios=("page-cut-out-of-content",),
    ),
    "an-object-becomes-a-page": Harm(
        "Stores an object as Python spells it",
        "The page is `{'html': '<p>'}`, and the model reads that it was created.",
        ("preview/prefix",),
    ),
    "a-call-stays-open": Harm(
        "Leaves a call open whose stream breaks",
        "A call that the user saw begin never ends, unless what shows it ends it at the error.",
        scenarios=("stream-breaks-inside-a-call",),
    ),
    "count-0-finds-nothing": Harm(
        'Says "old_text not found" for `count` 0',
        "User and model read that a text is missing which is there.",
        scenarios=("edits-of-the-wrong-type",),
    ),
    "an-empty-file-is-not-shown": Harm(
        "Does not show an edit that empties the file",
        "The screen keeps a page that is gone.",
        scenarios=("edit-to-empty",),
    ),
    "an-argument-marks-broken-json": Harm(
        "Marks broken arguments by an argument INVALID_JSON",
        "A sound call with such an argument is refused, and the last text is the page.",
        ("final/code",),
    ),
    "no-id-is-two-ids": Harm(
        "Starts a call without an id under two, on Anthropic",
        "The user sees two calls, of which one never ends.",
        ("order/tool-id",),
    ),
    "retries-are-the-sdk's": Harm(
        "Leaves retries to the SDKs: none on Gemini",
        "A run, with all that it has made, ends because of an overload that is over a second later.",
        scenarios=("retry-between-tools",),
    ),
    "a-broken-stream-is-whole": Harm(
        "Takes a stream that broke, or a response that failed, for whole",
        "Calls are run and texts taken for the answer that the model had not ended.",
        ("final/failed-turn",),
    ),
    "a-pause-is-the-end": Harm(
        "Takes a paused turn for the end",
        "Half of the answer is the result.",
        ("final/paused-turn",),
    ),
    "tools-are-not-brought": Harm(
        "Has `edit_image`, `extract_assets`, `screenshot_preview` and `save_assets`, and one word for disabled images",
        "No harm; but with these tools no recording more would agree.",
    ),
    "no-name-is-a-name": Harm(
        "Makes up a name for a call without one: `None`, `unknown_tool`",
        "The user reads a name that nobody called.",
    ),
    "no-json-is-shown-as-nothing": Harm(
        "Shows broken arguments as empty ones",
        "The user does not see what the model has sent.",
    ),
    "arguments-are-completed": Harm(
        "Runs what Anthropic's SDK makes of arguments that break off",
        "A call runs on a guess.",
    ),
}
"""By the names of the deviations."""


def table(comparisons: Sequence[Comparison[PlayedRun]]) -> str:
    """How many recordings agree, what keeps the others from it, and where several things do."""
    sets = Counter(frozenset(each.names) for each in comparisons if each.verdict != "agrees")
    return "\n".join([*_sums(comparisons), "", *_by_reason(sets), "", *_together(sets)]) + "\n"


def musts_broken(comparison: Comparison[PlayedRun]) -> set[str]:
    """The MUST rules that keep the habits of a recording out of the preset, and that find them in the recorded run.

    Other rules may find what the comparison does not look at, such as ids and requests.
    """
    found = {each.rule for each in judge(comparison.happened.trace) if each.level == "MUST"}
    return found & {rule for name in comparison.names for rule in HARMS[name].rules}


def _sums(comparisons: Sequence[Comparison[PlayedRun]]) -> Iterator[str]:
    differ = [each for each in comparisons if each.verdict != "agrees"]
    broken = sum(bool(musts_broken(each)) for each in differ)
    number = len(comparisons)
    words = (
        f"Of {number} recordings {number - len(differ)} agree and {len(differ)} do not. In {broken} of these a MUST",
        "rule finds in the engine's run what keeps it from agreeing: a loop that keeps the MUST rules agrees with",
        f"at most {number - broken}. In each of the other {len(differ) - broken} a scenario of the preset, or a SHOULD",
        "rule, expects something else.",
    )
    yield from wrap(" ".join(words), width=_WIDTH)


def _by_reason(sets: Mapping[frozenset[str], int]) -> Iterator[str]:
    yield "| the engine | in | alone in | what following it would do | found by |"
    yield "|---|---|---|---|---|"
    counts = {name: sum(number for names, number in sets.items() if name in names) for name in HARMS}
    for name in sorted(HARMS, key=lambda name: -counts[name]):
        harm = HARMS[name]
        row = (harm.engine, counts[name], sets.get(frozenset({name}), 0), harm.come, ", ".join(_found_by(harm)))
        yield f"| {' | '.join(map(str, row))} |"


def _found_by(harm: Harm) -> Iterator[str]:
    for rule in harm.rules:
        yield f"`{rule}` ({RULES[rule].level})"
    for scenario in harm.scenarios:
        yield f"the scenario `{scenario}`"


def _together(sets: Mapping[frozenset[str], int]) -> Iterator[str]:
    yield "| several at once | in |"
    yield "|---|---|"
    order = list(HARMS)
    several = [(sorted(names, key=order.index), number) for names, number in sets.items() if len(names) > 1]
    for names, number in sorted(several, key=lambda pair: (-pair[1], pair[0])):
        yield f"| {'; '.join(HARMS[name].engine for name in names)} | {number} |"
