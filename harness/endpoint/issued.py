"""Finds what a request continues: only something that an endpoint has issued counts.

An id, a signature, the name of a response: none of these occurs in two conversations by chance. Texts and calls without
ids may. Programs write assistant messages themselves, such as few-shot examples, and one of them may equal model output
from elsewhere. So such a part counts only if it answers the same words as when it was issued.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from harness.endpoint.recognition import RecognisedRequest, is_certain, marks_of_reply, plain
from harness.wire import Conversation, Message, Reply

Owner = TypeVar("Owner", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Issued(Generic[Owner]):
    """Where something was issued: its owner, the owner's turn (from 0), and the words that it answered."""

    owner: Owner
    turn: int
    asked: Sequence[Message] = field(compare=False, repr=False)

    def answers(self, words: str) -> bool:
        """Whether it was issued in answer to these words."""
        return _last_words(self.asked) == words


class IssuedIndex(Generic[Owner]):
    """Everything that was issued, indexed by the marks that identify it when a request sends it back.

    An owner is a conversation, or anything else that has turns.
    """

    def __init__(self) -> None:
        self._by_mark: dict[str, list[Issued[Owner]]] = {}
        self._turns: dict[Owner, int] = {}

    def __bool__(self) -> bool:
        return bool(self._by_mark)

    def add(self, owner: Owner, turn: int, asked: Conversation, reply: Reply) -> Sequence[str]:
        """Note what turn number ``turn`` of ``owner`` issued in answer to ``asked``. Returns its marks."""
        issued = Issued(owner, turn, asked.messages)
        self._turns[owner] = turn
        marks = marks_of_reply(reply)
        for mark in marks:
            known = self._by_mark.setdefault(mark, [])
            if not known or known[-1] != issued:
                known.append(issued)
        return marks

    def owners(self, mark: str) -> list[Owner]:
        """The owners that issued something with this mark, each once."""
        return list(dict.fromkeys(each.owner for each in self._by_mark.get(mark, ())))

    def named(self, reply_id: str) -> Issued[Owner] | None:
        """Where the reply with this id was first issued."""
        return next(iter(self._by_mark.get(f"reply {reply_id}", ())), None)

    def latest(self, asked: RecognisedRequest, among: Collection[Owner] | None = None) -> Issued[Owner] | None:
        """Where the latest part that the request sends back was issued, ``among`` these owners; None without one.

        Several owners may have issued the same text. Then other parts of the same turn in the request decide, and
        otherwise the first owner that has issued nothing since.
        """
        if not self._by_mark:
            return None
        for places in asked.places:
            found: list[Issued[Owner]] = []
            for place in places:
                here = self._meant(asked, place)
                if among is not None:
                    here = [each for each in here if each.owner in among]
                found = ([each for each in found if each in here] or found) if found else here
                if len(found) == 1:
                    break
            if len(found) == 1:
                return found[0]
            if found:
                open_ones = [each for each in found if each.turn == self._turns[each.owner]]
                return next(iter(open_ones), max(found, key=lambda each: each.turn))
        return None

    def last_turn(self, asked: RecognisedRequest, owner: Owner) -> int:
        """The latest turn of ``owner`` from which the request sends anything back; -1 for none."""
        found = (
            each.turn
            for place in range(len(asked.conversation.messages))
            for each in self._meant(asked, place)
            if each.owner == owner
        )
        return max(found, default=-1)

    def _meant(self, asked: RecognisedRequest, place: int) -> list[Issued[Owner]]:
        """Where the parts of a message were issued. Parts that may be equal by chance count only without others."""
        certain: list[Issued[Owner]] = []
        alike: list[Issued[Owner]] = []
        for mark in asked.marks_at(place):
            if known := self._by_mark.get(mark):
                (certain if is_certain(mark) else alike).extend(known)
        if certain:
            if len(certain) == 1 or all(each is certain[0] for each in certain):
                return certain[:1]
            most = Counter(certain).most_common()
            return [each for each, times in most if times == most[0][1]]
        words = _last_words(asked.conversation.messages[:place]) if alike else ""
        return list(dict.fromkeys(each for each in alike if each.answers(words)))


def _last_words(messages: Sequence[Message]) -> str:
    """The last words that are not the model's: a text, or the results of calls."""
    last = next((message for message in reversed(messages) if message.role not in ("assistant", "system")), None)
    return "" if last is None else plain(" ".join([last.text, *(result.output for result in last.results)]))
