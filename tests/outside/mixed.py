"""Right programs whose history has turns that this endpoint has not issued: the program has answered by itself, from a
cache, or somebody else has."""

from __future__ import annotations

from random import Random

from tests.outside.conversing import Ask, Calls, Gives, Message, Says
from tests.outside.playing import ADD, WEATHER, Playing, added, mixed, question, word


@mixed
def a_chat_with_answers_of_its_own(draw: Random) -> Playing:
    """Some questions are answered by the program itself, from a cache or by another model."""
    history: list[Message] = [question(draw)]
    for _ in range(3):
        answer = yield Ask(history)
        own = [question(draw), Says("assistant", f"It is closed: {word(draw)}.")] * draw.randint(0, 2)
        history = [*history, answer, *own, question(draw)]


@mixed
def a_loop_with_answers_of_its_own(draw: Random) -> Playing:
    history: list[Message] = [question(draw)]
    for _ in range(2):
        while isinstance(turn := (yield Ask(history, [WEATHER, ADD])), Calls):
            history = [*history, turn, *(Gives(call, f"{call.tool}: fine") for call in turn.calls)]
        own = added(draw)
        done = [Calls([own], "I add."), Gives(own, "3"), Says("assistant", "It is 3.")]
        history = [*history, turn, question(draw), *done, question(draw)]
