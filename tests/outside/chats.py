"""Right programs that offer no tools: chats, classifiers, chains of prompts, agents that talk with each other."""

from __future__ import annotations

from random import Random

from tests.outside.conversing import Ask, Message, Says
from tests.outside.playing import PDF, PLAN, PNG, Playing, program, question, whole_or_streamed, word


@program
def hello(draw: Random) -> Playing:
    for _ in range(draw.randint(1, 4)):
        yield Ask([Says("user", draw.choice(["Hello", "Hey"]))], stream=whole_or_streamed(draw))


@program
def hello_to_other_models(draw: Random) -> Playing:
    asked = [question(draw)]
    yield Ask(asked)
    yield Ask(asked, stop="you", stream=whole_or_streamed(draw))


@program
def a_user_with_a_name(draw: Random) -> Playing:
    yield Ask([Says("user", "hello", name="example_user")])


@program
def a_written_conversation(draw: Random) -> Playing:
    yield Ask([Says("user", "hello"), Says("assistant", "hello"), Says("user", f"how is the {word(draw)}")])


@program
def a_written_conversation_with_two_messages_in_a_row(draw: Random) -> Playing:
    twice = [
        each for each in (Says("system", "hello"), Says("user", "hello"), Says("assistant", "hello")) for _ in "ab"
    ]
    yield Ask([*twice, Says("user", f"how is the {word(draw)}")])


@program
def a_classifier_with_examples(draw: Random) -> Playing:
    """The same beginning each time, and another text at the end."""
    shown = [Says("system", "Say A or B."), Says("user", "reef"), Says("assistant", "A")]
    for _ in range(draw.randint(2, 4)):
        yield Ask([*shown, Says("user", word(draw))])


@program
def a_classifier_with_more_and_more_examples(draw: Random) -> Playing:
    shown: list[Message] = [Says("system", "Say A or B.")]
    for _ in range(3):
        shown = [*shown, Says("user", word(draw)), Says("assistant", draw.choice("AB"))]
        yield Ask([*shown, Says("user", word(draw))])


@program
def a_classifier_whose_examples_are_chosen(draw: Random) -> Playing:
    for _ in range(3):
        shown = [each for _ in range(2) for each in (Says("user", word(draw)), Says("assistant", draw.choice("AB")))]
        yield Ask([Says("system", "Say A or B."), *shown, Says("user", word(draw))])


@program
def documents_one_by_one(draw: Random) -> Playing:
    for _ in range(3):
        yield Ask([Says("system", "Sum it up."), Says("user", f"Report of the day: {word(draw)}.")])


@program
def samples_of_one_question(draw: Random) -> Playing:
    asked = [Says("system", "Vote."), question(draw)]
    for _ in range(3):
        yield Ask(asked)


@program
def a_chat(draw: Random) -> Playing:
    history: list[Message] = [Says("system", f"You know the {word(draw)}."), question(draw)]
    for _ in range(3):
        answer = yield Ask(history)
        history = [*history, answer, question(draw)]


@program
def a_chain_of_prompts(draw: Random) -> Playing:
    """What the model has said is quoted in the next prompt."""
    first = yield Ask([question(draw)])
    second = yield Ask([Says("system", "Translate."), Says("user", f"Translate this: {first.text}")])
    yield Ask([Says("user", f"Which is better: {first.text} or {second.text}?")])


@program
def a_log_of_a_chat_and_its_title(draw: Random) -> Playing:
    asked = question(draw)
    answer = yield Ask([asked])
    yield Ask(
        [Says("system", "A title of three words."), Says("user", f"user: {asked.text}\nassistant: {answer.text}")]
    )
    yield Ask([asked, answer, question(draw)])


@program
def pictures_and_papers(draw: Random) -> Playing:
    yield Ask([Says("user", "What is it?", picture=PNG)])
    yield Ask([Says("user", "What is it?", paper=PDF)])
    yield Ask([Says("user", f"Is it a {word(draw)}?", picture=PNG, paper=PDF)])


@program
def an_answer_in_a_form(draw: Random) -> Playing:
    asked = [Says("user", f"A plan of the {word(draw)} in JSON.")]
    for form in (PLAN, PLAN, {}):
        yield Ask(asked, form=form, stream=whole_or_streamed(draw))


@program
def a_chat_that_is_told_more_each_time(draw: Random) -> Playing:
    """The orders name the time, or what was looked up."""
    history: list[Message] = [question(draw)]
    for number in range(3):
        answer = yield Ask([Says("system", f"It is {number} o'clock. Known: {word(draw)}."), *history])
        history = [*history, answer, question(draw)]


@program
def two_that_talk_with_each_other(draw: Random) -> Playing:
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
def the_best_of_three(draw: Random) -> Playing:
    asked = [question(draw)]
    answers: list[Message] = []
    for stop in ("", "x", ""):
        answers.append((yield Ask(asked, stop=stop)))
    yield Ask([*asked, draw.choice(answers), question(draw)])


@program
def a_chat_that_is_taken_up_twice(draw: Random) -> Playing:
    """From a log, or because the user has changed the last question."""
    history: list[Message] = [question(draw)]
    for _ in range(2):
        answer = yield Ask(history)
        history = [*history, answer, question(draw)]
    for _ in range(2):
        other = [*history[:-1], question(draw)]
        answer = yield Ask(other)
        yield Ask([*other, answer, question(draw)])
