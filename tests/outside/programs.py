"""Right programs, request by request, as standard tests of frameworks and ordinary scripts send them.

Each is a generator: it yields a request (``conversing.Ask``) and is sent the turn that the model has answered with.
Words, ids and numbers are drawn, so that the same program can be tried with others. None of them loses or changes what
a model has said to it: where a model's turn is in a later request, it is there as it came.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from random import Random
from typing import Any

from tests.outside.conversing import Ask, Calls, Do, Gives, Message, Says, Tool

__all__ = ["PROGRAMS", "REWRITERS", "Program", "Turn", "leaves_calls_open"]

Turn = Says | Calls
Program = Callable[[Random], Generator[Ask, Turn, None]]
PROGRAMS: dict[str, Program] = {}
REWRITERS: dict[str, Program] = {}
"""Programs that go on from what the model has said with another history before it, on purpose. Nobody can tell them
from a loop that loses its history by looking at their requests."""

OBJECT = {"type": "object"}
ADD = Tool(
    "add", {**OBJECT, "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "required": ["a", "b"]}
)
WEATHER = Tool("get_weather", {**OBJECT, "properties": {"place": {"type": "string"}}, "required": ["place"]})
CUSTOMER = Tool("customer", {**OBJECT, "properties": {"名前": {"type": "string"}, "name": {"type": "string"}}})
NOTHING = Tool("ping", {**OBJECT, "properties": {}})
PLAN = {
    **OBJECT,
    "properties": {"title": {"type": "string"}, "aside": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
    "required": ["title", "aside"],
    "additionalProperties": False,
}
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
PDF = "JVBERi0xLjEKdHJhaWxlcjw8Pj4KJSVFT0YK"
SIGNED = "EqQBCkYICxgCKkBCaWxnZSBwdW1wIG9uIHRoZSBsZWUgc2lkZQ=="

WORDS = ["tide", "reef", "pilot", "harbour", "lantern", "oar", "cargo", "gale", "mooring", "sextant", "log", "keel"]
OPEN: set[str] = set()


def program(play: Program) -> Program:
    PROGRAMS[play.__name__] = play
    return play


def rewriter(play: Program) -> Program:
    REWRITERS[play.__name__] = play
    return play


def left_open(play: Program) -> Program:
    """A program that asks for calls and does not answer them: a test of what the model can do, no loop."""
    OPEN.add(play.__name__)
    return program(play)


def leaves_calls_open(name: str) -> bool:
    """Whether the program never answers calls that it has not forced."""
    return name in OPEN


def word(draw: Random) -> str:
    return draw.choice(WORDS)


def question(draw: Random) -> Says:
    return Says("user", f"What of the {word(draw)} and the {word(draw)}?")


def an_id(draw: Random) -> str:
    """As tests write them, as clients make them up, and as other providers do."""
    return draw.choice(["1", "abc123", "foo", f"call_{draw.getrandbits(60):x}", f"toolu_{draw.getrandbits(60):x}"])


def added(draw: Random, **some: Any) -> Do:
    arguments: Mapping[str, Any] = some or {"a": draw.randint(0, 2), "b": 2}
    return Do(an_id(draw), "add", arguments)


def example(draw: Random, *, text: str = "", failed: bool = False) -> list[Message]:
    """A question, a call and its result that no model has said."""
    call = added(draw)
    return [Says("user", "What is 1 + 2?"), Calls([call], text), Gives(call, '{"sum": 3}', failed)]


def whole_or_streamed(draw: Random) -> bool:
    return draw.random() < 0.5


# --- without tools ------------------------------------------------------------------------------------------------------


@program
def hello(draw: Random) -> Iterator[Any]:
    for _ in range(draw.randint(1, 4)):
        yield Ask([Says("user", draw.choice(["Hello", "Hey"]))], stream=whole_or_streamed(draw))


@program
def hello_to_other_models(draw: Random) -> Iterator[Any]:
    asked = [question(draw)]
    yield Ask(asked)
    yield Ask(asked, stop="you", stream=whole_or_streamed(draw))


@program
def a_user_with_a_name(draw: Random) -> Iterator[Any]:
    yield Ask([Says("user", "hello", name="example_user")])


@program
def a_written_conversation(draw: Random) -> Iterator[Any]:
    yield Ask([Says("user", "hello"), Says("assistant", "hello"), Says("user", f"how is the {word(draw)}")])


@program
def a_written_conversation_with_two_messages_in_a_row(draw: Random) -> Iterator[Any]:
    twice = [
        each for each in (Says("system", "hello"), Says("user", "hello"), Says("assistant", "hello")) for _ in "ab"
    ]
    yield Ask([*twice, Says("user", f"how is the {word(draw)}")])


@program
def a_classifier_with_examples(draw: Random) -> Iterator[Any]:
    """The same beginning each time, and another text at the end."""
    shown = [Says("system", "Say A or B."), Says("user", "reef"), Says("assistant", "A")]
    for _ in range(draw.randint(2, 4)):
        yield Ask([*shown, Says("user", word(draw))])


@program
def a_classifier_with_more_and_more_examples(draw: Random) -> Iterator[Any]:
    shown: list[Message] = [Says("system", "Say A or B.")]
    for _ in range(3):
        shown = [*shown, Says("user", word(draw)), Says("assistant", draw.choice("AB"))]
        yield Ask([*shown, Says("user", word(draw))])


@program
def a_classifier_whose_examples_are_chosen(draw: Random) -> Iterator[Any]:
    for _ in range(3):
        shown = [each for _ in range(2) for each in (Says("user", word(draw)), Says("assistant", draw.choice("AB")))]
        yield Ask([Says("system", "Say A or B."), *shown, Says("user", word(draw))])


@program
def documents_one_by_one(draw: Random) -> Iterator[Any]:
    for _ in range(3):
        yield Ask([Says("system", "Sum it up."), Says("user", f"Report of the day: {word(draw)}.")])


@program
def samples_of_one_question(draw: Random) -> Iterator[Any]:
    asked = [Says("system", "Vote."), question(draw)]
    for _ in range(3):
        yield Ask(asked)


@program
def a_chat(draw: Random) -> Iterator[Any]:
    history: list[Message] = [Says("system", f"You know the {word(draw)}."), question(draw)]
    for _ in range(3):
        answer = yield Ask(history)
        history = [*history, answer, question(draw)]


@program
def a_chat_with_answers_of_its_own(draw: Random) -> Iterator[Any]:
    """Some questions are answered by the program itself, from a cache or by another model."""
    history: list[Message] = [question(draw)]
    for _ in range(3):
        answer = yield Ask(history)
        own = [question(draw), Says("assistant", f"It is closed: {word(draw)}.")] * draw.randint(0, 2)
        history = [*history, answer, *own, question(draw)]


@program
def a_loop_with_answers_of_its_own(draw: Random) -> Iterator[Any]:
    history: list[Message] = [question(draw)]
    for _ in range(2):
        while isinstance(turn := (yield Ask(history, [WEATHER, ADD])), Calls):
            history = [*history, turn, *(Gives(call, f"{call.tool}: fine") for call in turn.calls)]
        own = added(draw)
        done = [Calls([own], "I add."), Gives(own, "3"), Says("assistant", "It is 3.")]
        history = [*history, turn, question(draw), *done, question(draw)]


@program
def a_chain_of_prompts(draw: Random) -> Iterator[Any]:
    """What the model has said is quoted in the next prompt."""
    first = yield Ask([question(draw)])
    second = yield Ask([Says("system", "Translate."), Says("user", f"Translate this: {first.text}")])
    yield Ask([Says("user", f"Which is better: {first.text} or {second.text}?")])


@program
def a_log_of_a_chat_and_its_title(draw: Random) -> Iterator[Any]:
    asked = question(draw)
    answer = yield Ask([asked])
    yield Ask(
        [Says("system", "A title of three words."), Says("user", f"user: {asked.text}\nassistant: {answer.text}")]
    )
    yield Ask([asked, answer, question(draw)])


@program
def pictures_and_papers(draw: Random) -> Iterator[Any]:
    yield Ask([Says("user", "What is it?", picture=PNG)])
    yield Ask([Says("user", "What is it?", paper=PDF)])
    yield Ask([Says("user", f"Is it a {word(draw)}?", picture=PNG, paper=PDF)])


@program
def an_answer_in_a_form(draw: Random) -> Iterator[Any]:
    asked = [Says("user", f"A plan of the {word(draw)} in JSON.")]
    for form in (PLAN, PLAN, {}):
        yield Ask(asked, form=form, stream=whole_or_streamed(draw))


# --- with tools -----------------------------------------------------------------------------------------------------------


@program
def a_call_that_is_forced(draw: Random) -> Iterator[Any]:
    """Extraction: the call is the answer, and nobody answers it."""
    asked = [Says("user", f"Add what you find in: 1 {word(draw)}, 2 {word(draw)}s.")]
    tools = draw.sample([ADD, WEATHER, NOTHING, CUSTOMER], 2)
    yield Ask(asked, tools, choice="any", stream=whole_or_streamed(draw))
    yield Ask(asked, tools, choice=(tools[1].name,), stream=whole_or_streamed(draw))


@program
def calls_that_are_forbidden(draw: Random) -> Iterator[Any]:
    yield Ask([question(draw)], [ADD], choice="none")


@left_open
def calls_that_nobody_answers(draw: Random) -> Iterator[Any]:
    yield Ask([question(draw)], [draw.choice([ADD, NOTHING])], stream=whole_or_streamed(draw))


@program
def a_written_call_with_its_result(draw: Random) -> Iterator[Any]:
    """The same question before it each time; the call has text beside it, or has failed, or another id."""
    for text, failed in draw.sample([("", False), ("some text", False), ("", True), ("other text", False)], 3):
        yield Ask(example(draw, text=text, failed=failed), [ADD])


@program
def a_written_call_that_was_wrong(draw: Random) -> Iterator[Any]:
    for arguments in ({"a": 1}, {"a": 1, "b": 2}):
        call = added(draw, **arguments)
        error = Gives(call, "Error: 'b' is missing.", failed=True)
        yield Ask([Says("user", "What is 1 + 2?"), Calls([call]), error], [ADD])


@program
def written_calls_in_parallel(draw: Random) -> Iterator[Any]:
    calls = [Do(f"{an_id(draw)}-{number}", "add", {"a": number, "b": 2}) for number in range(draw.randint(2, 3))]
    results = [Gives(call, str(number + 2)) for number, call in enumerate(calls)]
    yield Ask([Says("user", "Add them."), Calls(calls, word(draw)), *results], [ADD, WEATHER])


@program
def examples_with_calls(draw: Random) -> Iterator[Any]:
    for _ in range(2):
        shown = [*example(draw), Says("assistant", "3")]
        yield Ask([*shown, Says("user", f"What is {draw.randint(3, 9)} + 4?")], [ADD], choice="any")


@program
def a_result_that_is_a_picture(draw: Random) -> Iterator[Any]:
    call = Do(an_id(draw), "ping", {})
    for picture in (PNG, ""):
        yield Ask([Says("user", "Draw."), Calls([call]), Gives(call, "drawn", picture=picture)], [NOTHING])


@program
def thinking_of_another_day(draw: Random) -> Iterator[Any]:
    """A log with signed thinking of a run before, which this endpoint has not sent."""
    call = added(draw)
    thought = Calls([call], "I add.", (f"The {word(draw)} says add.", SIGNED))
    yield Ask([Says("user", "What is 1 + 2?"), thought, Gives(call, "3")], [ADD])


@program
def a_loop(draw: Random) -> Iterator[Any]:
    history: list[Message] = [question(draw)]
    for _ in range(draw.randint(1, 2)):
        while isinstance(turn := (yield Ask(history, [WEATHER, ADD])), Calls):
            history = [*history, turn, *(Gives(call, f"{call.tool}: fine") for call in turn.calls)]
        history = [*history, turn, question(draw)]


@program
def a_loop_after_examples(draw: Random) -> Iterator[Any]:
    history = [*example(draw), Says("assistant", "3"), question(draw)]
    while isinstance(turn := (yield Ask(history, [ADD])), Calls):
        history = [*history, turn, *(Gives(call, "7") for call in turn.calls)]


@program
def a_loop_that_is_asked_for_a_form_at_its_end(draw: Random) -> Iterator[Any]:
    history: list[Message] = [Says("system", "Plan."), question(draw)]
    while isinstance(turn := (yield Ask(history, [WEATHER])), Calls):
        history = [*history, turn, *(Gives(call, "dry") for call in turn.calls)]
    yield Ask([*history, turn, Says("user", "As JSON, please.")], [WEATHER], form=PLAN, choice="none")


@left_open
def a_question_that_is_sent_again(draw: Random) -> Iterator[Any]:
    """The first answer is thrown away with its calls: the user has pressed a button."""
    asked = [question(draw)]
    yield Ask(asked, [WEATHER])
    history: list[Message] = [*asked]
    while isinstance(turn := (yield Ask(history, [WEATHER])), Calls):
        history = [*history, turn, *(Gives(call, "dry") for call in turn.calls)]


# --- what goes on from something else than the last turn ------------------------------------------------------------------


@rewriter
def examples_that_the_model_has_given(draw: Random) -> Iterator[Any]:
    """Each answer is an example in the prompts after it."""
    orders = Says("system", "Classify.")
    shown: list[Message] = []
    for _ in range(4):
        asked = Says("user", f"{word(draw)} {word(draw)}")
        answer = yield Ask([orders, *shown, asked])
        shown = draw.sample([[*shown, asked, answer], [asked, answer]], 2)[0]


@program
def a_chat_that_is_told_more_each_time(draw: Random) -> Iterator[Any]:
    """The orders name the time, or what was looked up."""
    history: list[Message] = [question(draw)]
    for number in range(3):
        answer = yield Ask([Says("system", f"It is {number} o'clock. Known: {word(draw)}."), *history])
        history = [*history, answer, question(draw)]


@rewriter
def a_loop_that_is_told_more_each_time(draw: Random) -> Iterator[Any]:
    history: list[Message] = [question(draw)]
    number = 0
    while isinstance(turn := (yield Ask([Says("system", f"Step {number}."), *history], [WEATHER])), Calls):
        number += 1
        history = [*history, turn, *(Gives(call, "dry") for call in turn.calls)]


@program
def two_that_talk_with_each_other(draw: Random) -> Iterator[Any]:
    """What one says the other hears as the user's."""
    first: list[Message] = [Says("system", f"You sell a {word(draw)}."), Says("user", "Good morning.")]
    second: list[Message] = [Says("system", "You want to buy."), Says("assistant", "Good morning.")]
    for _ in range(2):
        answer = yield Ask(first)
        second = [*second, Says("user", answer.text)]
        reply = yield Ask(second)
        first = [*first, answer, Says("user", reply.text)]
        second = [*second, reply]


@program
def the_best_of_three(draw: Random) -> Iterator[Any]:
    asked = [question(draw)]
    answers = []
    for number in range(3):
        answers.append((yield Ask(asked, model="", stop=["", "x"][number % 2])))
    yield Ask([*asked, draw.choice(answers), question(draw)])


@program
def a_chat_that_is_taken_up_twice(draw: Random) -> Iterator[Any]:
    """From a log, or because the user has changed the last question."""
    history: list[Message] = [question(draw)]
    for _ in range(2):
        answer = yield Ask(history)
        history = [*history, answer, question(draw)]
    for _ in range(2):
        other = [*history[:-1], question(draw)]
        answer = yield Ask(other)
        yield Ask([*other, answer, question(draw)])


@program
def a_summary_beside_a_loop(draw: Random) -> Iterator[Any]:
    """The history so far, with another question, and then the loop goes on."""
    history: list[Message] = [Says("system", "Plan."), question(draw)]
    while isinstance(turn := (yield Ask(history, [WEATHER])), Calls):
        history = [*history, turn, *(Gives(call, "dry") for call in turn.calls)]
    history = [*history, turn]
    yield Ask([*history, Says("user", "Sum up what was said.")], [WEATHER], choice="none")
    answer = yield Ask([*history, question(draw)], [WEATHER], choice="none")
    yield Ask([*history, question(draw), answer, question(draw)][-3:], choice="none")


@program
def an_answer_that_is_mended(draw: Random) -> Iterator[Any]:
    """The program does not take what the model has called a tool with, and says so."""
    history: list[Message] = [question(draw)]
    while isinstance(turn := (yield Ask(history, [ADD], choice=("add",))), Calls):
        history = [*history, turn, *(Gives(call, "b must be 7", failed=True) for call in turn.calls)]
    yield Ask([*history, turn, Says("user", "b is not 7: answer in the form.")], form=PLAN)


# --- what a program leaves out, or writes anew, on purpose ----------------------------------------------------------------


@rewriter
def a_chat_that_keeps_the_last_messages(draw: Random) -> Iterator[Any]:
    history: list[Message] = [question(draw)]
    for _ in range(5):
        answer = yield Ask([Says("system", "Be brief."), *history[-3:]])
        history = [*history, answer, question(draw)]


@rewriter
def a_chat_that_keeps_answers_and_no_calls(draw: Random) -> Iterator[Any]:
    """A memory of what was said, without how it was found."""
    memory: list[Message] = []
    for _ in range(3):
        asked = question(draw)
        history: list[Message] = [*memory, asked]
        while isinstance(turn := (yield Ask(history, [WEATHER])), Calls):
            history = [*history, turn, *(Gives(call, "dry") for call in turn.calls)]
        memory = [*memory, asked, turn]


@rewriter
def a_chat_with_what_was_looked_up_in_its_last_question(draw: Random) -> Iterator[Any]:
    memory: list[Message] = []
    for _ in range(3):
        asked = question(draw)
        answer = yield Ask([*memory, Says("user", f"Known: {word(draw)}.\n{asked.text}")])
        memory = [*memory, asked, answer]


@rewriter
def a_chat_that_keeps_no_pictures(draw: Random) -> Iterator[Any]:
    asked = question(draw)
    answer = yield Ask([Says("user", asked.text, picture=PNG)])
    yield Ask([asked, answer, question(draw)])


@rewriter
def a_loop_that_sums_up_its_beginning(draw: Random) -> Iterator[Any]:
    """The latest turn stays as it is."""
    history: list[Message] = [Says("system", "Plan."), question(draw)]
    first = yield Ask(history, [WEATHER])
    assert isinstance(first, Calls)
    results = [Gives(call, "dry") for call in first.calls]
    second = yield Ask([history[0], Says("user", f"So far: {word(draw)}."), first, *results], [WEATHER])
    yield Ask([history[0], Says("user", "So far: all dry."), second, question(draw)], [WEATHER], choice="none")


@rewriter
def a_loop_that_shortens_old_results(draw: Random) -> Iterator[Any]:
    history: list[Message] = [question(draw)]
    for _ in range(2):
        while isinstance(turn := (yield Ask(history, [WEATHER])), Calls):
            history = [*history, turn, *(Gives(call, f"dry, {word(draw)}") for call in turn.calls)]
        old = [Gives(each.call, "[cleared]") if isinstance(each, Gives) else each for each in history]
        history = [*old, turn, question(draw)]
