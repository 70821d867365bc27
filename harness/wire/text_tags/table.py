"""The rules that a continuation in the text protocol must keep.

No server refuses a text, so these have no answer of a provider and no endpoint refuses them: their status is 200, and
their wordings say what comes of it. The level says how sure it is that the protocol is broken: ``C`` where the request
itself shows it, ``L`` where there is a harmless reading of the same text.

What the Chat API refuses is refused here, too, under its own ids (``OAC-01``).
"""

from __future__ import annotations

from typing import Final

from harness.wire.rule import Certainty, ErrorTemplate, WireRule

_FLOW: Final = "Hugind Tool Calling Flow, section"
_TWO_TOOLS: Final = "measured case result-message-two-tools"


def _comes_of_it(message: str, certainty: Certainty | None = None, *, name: str = "") -> ErrorTemplate:
    return ErrorTemplate(message, status=200, certainty=certainty, name=name)


TAG_01: Final = WireRule(
    "TAG-01",
    "The model's message goes back to the letter, with its tags and its thinking.",
    "A loop that shows the user a text without tags is tempted to send that text back. The model then finds a history "
    "in which it has called nothing, and stops using its tools or calls them again.",
    "certain",
    (f"{_FLOW} 3", _TWO_TOOLS),
    (
        _comes_of_it(
            "The model does not find its own words: it repeats them, or believes what it has not said.", name="altered"
        ),
        _comes_of_it("The model gets results without the message in which it asked for them.", name="lost"),
    ),
    about=("words",),
)

TAG_02: Final = WireRule(
    "TAG-02",
    "One user message with the results of all calls directly follows it, and none where it made no call.",
    "The model takes whatever follows its calls for their results. What comes later, or in pieces, answers nothing.",
    "certain",
    (f"{_FLOW} 4a", _TWO_TOOLS),
    (
        _comes_of_it("The calls have no results.", name="none"),
        _comes_of_it("A text between calls and results is read as their answer.", name="late"),
        _comes_of_it("The model gets results twice, or in pieces.", name="several"),
        _comes_of_it("The model gets results, though it has called nothing.", "likely", name="uncalled"),
    ),
    about=("results",),
)

TAG_03: Final = WireRule(
    "TAG-03",
    "That message has one entry for each call, in call order, under the call's name.",
    "A loop that runs its tools at once and sends what is ready first gives the model the wrong result for each call.",
    "certain",
    (f"{_FLOW} 4a", _TWO_TOOLS),
    (
        _comes_of_it(
            "Without ids only order and name say which result is whose: the model takes one for another's.",
            name="order",
        ),
    ),
    about=("results",),
)

TAG_04: Final = WireRule(
    "TAG-04",
    "It has no other entry, and no result looks like one.",
    "A tool whose output quotes this protocol, a log or a test for example, adds results that no tool has produced.",
    "likely",
    (f"{_FLOW} 4a", "a result may quote the protocol, so this is only likely"),
    (
        _comes_of_it(
            "A result was added, or the text of one looks like another; the model cannot distinguish them.",
            name="surplus",
        ),
    ),
    about=("results",),
)

TAG_05: Final = WireRule(
    "TAG-05",
    "There are no native tools, tool calls or tool messages.",
    "An adapter that falls back to native function calling for a model that has none loses every call.",
    "certain",
    (f"{_FLOW} 6",),
    (
        _comes_of_it(
            "A model that gets tools in two forms calls them in either; the loop reads its text alone.", name="native"
        ),
    ),
)

TAG_06: Final = WireRule(
    "TAG-06",
    "The demand for an answer is a user message of its own, behind the results.",
    "A loop that ends after its last turn demands an answer. In one message with the results it reads like one of "
    "them, and in front of them the model answers without them.",
    "certain",
    (f"{_FLOW} 7", "measured case max-turns-nudge"),
    (
        _comes_of_it("The demand for an answer is read as part of a result.", name="inside"),
        _comes_of_it("The demand for an answer is made before the results are there.", name="before"),
    ),
)

RULES: Final[tuple[WireRule, ...]] = (TAG_01, TAG_02, TAG_03, TAG_04, TAG_05, TAG_06)
"""In the order of their numbers."""
