"""The message with the results, and the demand for an answer after it: TAG-02, 03, 04, 06."""

from __future__ import annotations

from typing import Final

from harness.wire.base import Message
from harness.wire.openai_chat.rules.places import insert, leave_out, messages
from harness.wire.posted import Posted, Right, Wrong, add, put
from harness.wire.rule import ErrorTemplate, WireRule
from harness.wire.text_tags.prompt import ANSWER_NOW
from harness.wire.text_tags.results import HEADER, Entries, read_results
from harness.wire.text_tags.rules.book import TURNS
from harness.wire.text_tags.rules.places import entries, name, result_message, results, say_more, several, user, write
from harness.wire.text_tags.rules.turn import Found, ReturnedTurn, quoted

_FLOW: Final = "Hugind Tool Calling Flow, section"
_TWO_TOOLS: Final = "measured case result-message-two-tools"


def _answer_what_nobody_asked(posted: Posted) -> bool:
    for before, message in zip(messages(posted), messages(posted)[1:], strict=False):
        if message["content"] == "Go on." and before["role"] == "assistant":
            return write([message], "read_file] ok")
    return False


TAG_02: Final = WireRule(
    "TAG-02",
    "One user message with the results of all calls directly follows it, and none where it made no call.",
    "The model takes whatever follows its calls for their results. What comes later, or in pieces, answers nothing.",
    "certain",
    (f"{_FLOW} 4a", _TWO_TOOLS),
    (
        ErrorTemplate("The calls have no results.", status=200, name="none"),
        ErrorTemplate("A text between calls and results is read as their answer.", status=200, name="late"),
        ErrorTemplate("The model gets results twice, or in pieces.", status=200, name="several"),
        ErrorTemplate(
            "The model gets results, though it has called nothing.", status=200, certainty="likely", name="uncalled"
        ),
    ),
    about=("results",),
    wrong=(
        Wrong(
            "tags-results-forgotten",
            "The results are not sent.",
            lambda it: leave_out(it, results(it)[-1:]),
            "one-call turns demanded",
        ),
        Wrong(
            "tags-speech-before-results",
            "A user message is between calls and results.",
            lambda it: insert(it, results(it)[:1], user("Look: a map."), behind=False),
            "one-call turns",
            says="late",
        ),
        Wrong(
            "tags-results-in-pieces",
            "Each result is a message of its own.",
            lambda it: [
                insert(it, [each], *map(result_message, entries(each))) and leave_out(it, [each])
                for each in several(it)[:1]
            ],
            "three-calls demanded",
            also=("TAG-03", "TAG-01"),
            says="several",
        ),
        Wrong(
            "tags-results-in-other-words",
            "The user says something else where the results are expected.",
            lambda it: put(results(it)[-1:], content="Here you are."),
            "demanded",
        ),
        Wrong(
            "tags-results-uncalled",
            "Results follow a message that called nothing.",
            _answer_what_nobody_asked,
            "turns",
            says="uncalled",
        ),
    ),
    right=(
        Right(
            "tags-speech-behind-results",
            "The user says something behind the results.",
            lambda it: insert(it, results(it)[-1:], user("Look: a map.")),
            "one-call turns",
        ),
    ),
)


@TURNS.check("turn", TAG_02)
def results_are_one_message(turn: ReturnedTurn) -> Found:
    """TAG-02."""
    if turn.has_calls:
        yield from _one_message(turn)
    elif turn.is_back and turn.results[:1] == [1]:
        yield turn.broken(TAG_02, 1, "uncalled", "no results", quoted(turn.messages[1].text))


def _one_message(turn: ReturnedTurn) -> Found:
    calls = f"{len(turn.names)} call{'s' if len(turn.names) > 1 else ''}"
    expected = f"one user message that begins '{HEADER}' directly behind the {calls}"
    if not turn.results:
        got = f"{_description_of(turn.messages[1])} there" if len(turn.messages) > 1 else "nothing behind them"
        yield turn.broken(TAG_02, min(1, len(turn.messages) - 1), "none", expected, got)
        return
    if turn.results[0] != 1:
        yield turn.broken(TAG_02, 1, "late", expected, f"{_description_of(turn.messages[1])} between them")
    if len(turn.results) > 1:
        yield turn.broken(TAG_02, turn.results[1], "several", expected, f"{len(turn.results)} messages of results")


def _description_of(message: Message) -> str:
    return f"{'an' if message.role == 'assistant' else 'a'} {message.role} message"


def _answer_in_another_order(posted: Posted) -> bool:
    """As the results were ready."""
    for message in results(posted):
        first, *others = entries(message)
        if [*map(name, (*others, first))] != [*map(name, (first, *others))]:
            return write([message], *others, first)
    return False


TAG_03: Final = WireRule(
    "TAG-03",
    "That message has one entry for each call, in call order, under the call's name.",
    "A loop that runs its tools at once and sends what is ready first gives the model the wrong result for each call.",
    "certain",
    (f"{_FLOW} 4a", _TWO_TOOLS),
    (
        ErrorTemplate(
            "Without ids only order and name say which result is whose: the model takes one for another's.",
            status=200,
            name="order",
        ),
    ),
    about=("results",),
    wrong=(
        Wrong(
            "tags-result-forgotten",
            "One of several results is missing.",
            lambda it: [write([each], *entries(each)[:-1]) for each in several(it)[-1:]],
            "three-calls turns",
        ),
        Wrong(
            "tags-results-reordered",
            "The results come in the order in which they were ready.",
            _answer_in_another_order,
            "three-calls demanded",
            also=("TAG-04",),
        ),
        Wrong(
            "tags-result-renamed",
            "A result has the name of a tool that was not called.",
            lambda it: [write([each], "shell] ok", *entries(each)[1:]) for each in results(it)[-1:]],
            "one-call turns",
        ),
        Wrong(
            "tags-results-numbered",
            "The results have numbers in place of the names of their calls.",
            lambda it: write(results(it)[-1:], "1] nothing"),
            "one-call",
        ),
    ),
)

TAG_04: Final = WireRule(
    "TAG-04",
    "It has no other entry, and no result looks like one.",
    "A tool whose output quotes this protocol, a log or a test for example, adds results that no tool has produced.",
    "likely",
    (f"{_FLOW} 4a", "a result may quote the protocol, so this is only likely"),
    (
        ErrorTemplate(
            "A result was added, or the text of one looks like another; the model cannot distinguish them.",
            status=200,
            name="surplus",
        ),
    ),
    about=("results",),
    wrong=(
        Wrong(
            "tags-result-quoted",
            "A result quotes one that looks like another.",
            lambda it: [write([each], *entries(each), f"{name(entries(each)[0])}] again") for each in results(it)[-1:]],
            "one-call three-calls",
        ),
    ),
    right=(
        Right(
            "tags-footnote",
            "A result says something in brackets that is no tool's name.",
            lambda it: say_more(results(it)[-1:], "[1] a footnote"),
            "three-calls",
        ),
    ),
)


@TURNS.check("turn", TAG_03, TAG_04)
def entries_are_those_of_the_calls(turn: ReturnedTurn) -> Found:
    """TAG-03, TAG-04, if there is one message of results."""
    if not turn.has_calls or len(turn.results) != 1:
        return
    (at,) = turn.results
    found = read_results(turn.text(at), turn.names) or Entries(())
    named = [each for each, _ in found.results]
    if named != turn.names:
        yield turn.broken(TAG_03, at, "order", _list_of(turn.names), _list_of(named))
    if found.surplus:
        yield turn.broken(TAG_04, at, "surplus", f"no other entry than {_list_of(turn.names)}", f"{found.surplus} more")


def _list_of(names: list[str]) -> str:
    return " ".join(f"[{each}]" for each in names) or "no entry"


TAG_06: Final = WireRule(
    "TAG-06",
    "The demand for an answer is a user message of its own, behind the results.",
    "A loop that ends after its last turn demands an answer. In one message with the results it reads like one of "
    "them, and in front of them the model answers without them.",
    "certain",
    (f"{_FLOW} 7", "measured case max-turns-nudge"),
    (
        ErrorTemplate("The demand for an answer is read as part of a result.", status=200, name="inside"),
        ErrorTemplate("The demand for an answer is made before the results are there.", status=200, name="before"),
    ),
    wrong=(
        Wrong(
            "tags-demand-inside",
            "The demand for an answer is in the message with the results.",
            lambda it: say_more(results(it)[-1:], ANSWER_NOW),
            "one-call turns",
        ),
        Wrong(
            "tags-demand-before",
            "The demand for an answer is in front of the results.",
            lambda it: insert(it, results(it)[-1:], user(ANSWER_NOW), behind=False),
            "one-call turns",
            also=("TAG-02",),
            says="before",
        ),
    ),
    right=(
        Right(
            "tags-demand-behind",
            "The demand for an answer is the last message.",
            lambda it: add([it.body], "messages", user(ANSWER_NOW)),
            "one-call three-calls",
        ),
    ),
)


@TURNS.check("turn", TAG_06)
def demand_follows_results(turn: ReturnedTurn) -> Found:
    """TAG-06."""
    if not turn.has_calls or not turn.results:
        return
    at = turn.results[0]
    if ANSWER_NOW in turn.text(at):
        yield turn.broken(TAG_06, at, "inside", "a user message of its own behind the results", "in their message")
    for place in range(1, at):
        if ANSWER_NOW in turn.messages[place].text:
            yield turn.broken(TAG_06, place, "before", f"behind the results ({turn.place(at)})", "before them")
