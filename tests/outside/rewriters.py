"""Programs that go on from what the model has said with another history before it, on purpose: a window, a memory of
answers, a summary, orders that say the time."""

from __future__ import annotations

from random import Random

from tests.outside.conversing import Ask, Calls, Gives, Message, Says
from tests.outside.playing import PNG, WEATHER, Playing, question, rewriter, word


@rewriter
def examples_that_the_model_has_given(draw: Random) -> Playing:
    """Each answer is an example in the prompts after it."""
    orders = Says("system", "Classify.")
    shown: list[Message] = []
    for _ in range(4):
        asked = Says("user", f"{word(draw)} {word(draw)}")
        answer = yield Ask([orders, *shown, asked])
        shown = draw.sample([[*shown, asked, answer], [asked, answer]], 2)[0]


@rewriter
def a_loop_that_is_told_more_each_time(draw: Random) -> Playing:
    history: list[Message] = [question(draw)]
    number = 0
    while isinstance(turn := (yield Ask([Says("system", f"Step {number}."), *history], [WEATHER])), Calls):
        number += 1
        history = [*history, turn, *(Gives(call, "dry") for call in turn.calls)]


@rewriter
def a_chat_that_keeps_the_last_messages(draw: Random) -> Playing:
    history: list[Message] = [question(draw)]
    for _ in range(5):
        answer = yield Ask([Says("system", "Be brief."), *history[-3:]])
        history = [*history, answer, question(draw)]


@rewriter
def a_chat_that_keeps_answers_and_no_calls(draw: Random) -> Playing:
    """A memory of what was said, without how it was found."""
    memory: list[Message] = []
    for _ in range(3):
        asked = question(draw)
        history: list[Message] = [*memory, asked]
        while isinstance(turn := (yield Ask(history, [WEATHER])), Calls):
            history = [*history, turn, *(Gives(call, "dry") for call in turn.calls)]
        memory = [*memory, asked, turn]


@rewriter
def a_chat_with_what_was_looked_up_in_its_last_question(draw: Random) -> Playing:
    memory: list[Message] = []
    for _ in range(3):
        asked = question(draw)
        answer = yield Ask([*memory, Says("user", f"Known: {word(draw)}.\n{asked.text}")])
        memory = [*memory, asked, answer]


@rewriter
def a_chat_that_keeps_no_pictures(draw: Random) -> Playing:
    asked = question(draw)
    answer = yield Ask([Says("user", asked.text, picture=PNG)])
    yield Ask([asked, answer, question(draw)])


@rewriter
def a_loop_that_sums_up_its_beginning(draw: Random) -> Playing:
    """The latest turn stays as it is."""
    history: list[Message] = [Says("system", "Plan."), question(draw)]
    first = yield Ask(history, [WEATHER])
    assert isinstance(first, Calls)
    results = [Gives(call, "dry") for call in first.calls]
    second = yield Ask([history[0], Says("user", f"So far: {word(draw)}."), first, *results], [WEATHER])
    yield Ask([history[0], Says("user", "So far: all dry."), second, question(draw)], [WEATHER], choice="none")


@rewriter
def a_loop_that_shortens_old_results(draw: Random) -> Playing:
    history: list[Message] = [question(draw)]
    for _ in range(2):
        while isinstance(turn := (yield Ask(history, [WEATHER])), Calls):
            history = [*history, turn, *(Gives(call, f"dry, {word(draw)}") for call in turn.calls)]
        old = [Gives(each.call, "[cleared]") if isinstance(each, Gives) else each for each in history]
        history = [*old, turn, question(draw)]
