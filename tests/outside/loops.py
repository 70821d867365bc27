"""Right programs with tools: loops, extraction, examples with calls, histories that a test has written."""

from __future__ import annotations

from random import Random

from tests.outside.conversing import Ask, Calls, Do, Gives, Message, Says
from tests.outside.playing import (
    ADD,
    CUSTOMER,
    NOTHING,
    PLAN,
    PNG,
    SIGNED,
    WEATHER,
    Playing,
    added,
    an_id,
    example,
    left_open,
    program,
    question,
    whole_or_streamed,
    word,
)


@program
def a_summary_beside_a_loop(draw: Random) -> Playing:
    """The history so far, with another question, and then the loop goes on."""
    history: list[Message] = [Says("system", "Plan."), question(draw)]
    while isinstance(turn := (yield Ask(history, [WEATHER])), Calls):
        history = [*history, turn, *(Gives(call, "dry") for call in turn.calls)]
    history = [*history, turn]
    yield Ask([*history, Says("user", "Sum up what was said.")], [WEATHER], choice="none")
    history = [*history, question(draw)]
    answer = yield Ask(history, [WEATHER], choice="none")
    yield Ask([*history, answer, question(draw)], [WEATHER], choice="none")


@program
def an_answer_that_is_mended(draw: Random) -> Playing:
    """The program does not take what the model has called a tool with, and says so."""
    history: list[Message] = [question(draw)]
    while isinstance(turn := (yield Ask(history, [ADD], choice=("add",))), Calls):
        history = [*history, turn, *(Gives(call, "b must be 7", failed=True) for call in turn.calls)]
    yield Ask([*history, turn, Says("user", "b is not 7: answer in the form.")], form=PLAN)


@program
def a_call_that_is_forced(draw: Random) -> Playing:
    """Extraction: the call is the answer, and nobody answers it."""
    asked = [Says("user", f"Add what you find in: 1 {word(draw)}, 2 {word(draw)}s.")]
    tools = draw.sample([ADD, WEATHER, NOTHING, CUSTOMER], 2)
    yield Ask(asked, tools, choice="any", stream=whole_or_streamed(draw))
    yield Ask(asked, tools, choice=(tools[1].name,), stream=whole_or_streamed(draw))


@program
def calls_that_are_forbidden(draw: Random) -> Playing:
    yield Ask([question(draw)], [ADD], choice="none")


@left_open
def calls_that_nobody_answers(draw: Random) -> Playing:
    yield Ask([question(draw)], [draw.choice([ADD, NOTHING])], stream=whole_or_streamed(draw))


@program
def a_written_call_with_its_result(draw: Random) -> Playing:
    """The same question before it each time; the call has text beside it, or has failed, or another id."""
    for text, failed in draw.sample([("", False), ("some text", False), ("", True), ("other text", False)], 3):
        yield Ask(example(draw, text=text, failed=failed), [ADD])


@program
def a_written_call_that_was_wrong(draw: Random) -> Playing:
    for arguments in ({"a": 1}, {"a": 1, "b": 2}):
        call = added(draw, **arguments)
        error = Gives(call, "Error: 'b' is missing.", failed=True)
        yield Ask([Says("user", "What is 1 + 2?"), Calls([call]), error], [ADD])


@program
def written_calls_in_parallel(draw: Random) -> Playing:
    calls = [Do(f"{an_id(draw)}-{number}", "add", {"a": number, "b": 2}) for number in range(draw.randint(2, 3))]
    results = [Gives(call, str(number + 2)) for number, call in enumerate(calls)]
    yield Ask([Says("user", "Add them."), Calls(calls, word(draw)), *results], [ADD, WEATHER])


@program
def examples_with_calls(draw: Random) -> Playing:
    for _ in range(2):
        shown = [*example(draw), Says("assistant", "3")]
        yield Ask([*shown, Says("user", f"What is {draw.randint(3, 9)} + 4?")], [ADD], choice="any")


@program
def a_result_that_is_a_picture(draw: Random) -> Playing:
    call = Do(an_id(draw), "ping", {})
    for picture in (PNG, ""):
        yield Ask([Says("user", "Draw."), Calls([call]), Gives(call, "drawn", picture=picture)], [NOTHING])


@program
def thinking_of_another_day(draw: Random) -> Playing:
    """A log with signed thinking of a run before, which this endpoint has not sent."""
    call = added(draw)
    thought = Calls([call], "I add.", (f"The {word(draw)} says add.", SIGNED))
    yield Ask([Says("user", "What is 1 + 2?"), thought, Gives(call, "3")], [ADD])


@program
def a_loop(draw: Random) -> Playing:
    history: list[Message] = [question(draw)]
    for _ in range(draw.randint(1, 2)):
        while isinstance(turn := (yield Ask(history, [WEATHER, ADD])), Calls):
            history = [*history, turn, *(Gives(call, f"{call.tool}: fine") for call in turn.calls)]
        history = [*history, turn, question(draw)]


@program
def a_loop_after_examples(draw: Random) -> Playing:
    history = [*example(draw), Says("assistant", "3"), question(draw)]
    while isinstance(turn := (yield Ask(history, [ADD])), Calls):
        history = [*history, turn, *(Gives(call, "7") for call in turn.calls)]


@program
def a_loop_that_is_asked_for_a_form_at_its_end(draw: Random) -> Playing:
    history: list[Message] = [Says("system", "Plan."), question(draw)]
    while isinstance(turn := (yield Ask(history, [WEATHER])), Calls):
        history = [*history, turn, *(Gives(call, "dry") for call in turn.calls)]
    yield Ask([*history, turn, Says("user", "As JSON, please.")], [WEATHER], form=PLAN, choice="none")


@left_open
def a_question_that_is_sent_again(draw: Random) -> Playing:
    """The first answer is thrown away with its calls: the user has pressed a button."""
    asked = [question(draw)]
    yield Ask(asked, [WEATHER])
    history: list[Message] = [*asked]
    while isinstance(turn := (yield Ask(history, [WEATHER])), Calls):
        history = [*history, turn, *(Gives(call, "dry") for call in turn.calls)]
