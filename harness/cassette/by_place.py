"""A source that answers from a cassette by place: the third request of a conversation gets the third answer in it.

So it can answer a newer version of an agent, whose prompt, tools and history differ from the recording. The beginning
of a conversation decides which recorded one it is (``harness.endpoint.likeness``); for the main one the case's prompt
decides. Differences in the requests are not judged here: ``harness diff`` shows them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from harness.cassette import Cassette, Interaction
from harness.cassette.folders import in_folders
from harness.cassette.match_key import Key, matchable, matchable_of
from harness.cassette.replay import recorded
from harness.endpoint import BuiltInModel, CaseConversation, Conversations, ModelRequest, SourceResponse, Unknown
from harness.endpoint.likeness import Beginning, beginning_of, most_alike
from harness.endpoint.recognition import RecognisedRequest
from harness.trace import MAIN
from harness.wire import UnreadableRequest, route_of, wire


@dataclass(slots=True)
class _Recorded:
    """A conversation of the cassette. ``played`` are its answers that have been played."""

    beginning: Beginning
    answers: list[tuple[Key, Interaction]] = field(default_factory=list)
    played: int = 0
    asked: Key = ""

    def next(self, key: Key) -> Interaction | None:
        """The answer to a request; None if all have been played.

        A request that is repeated unchanged gets the next answer if the recorded request was repeated, too. Otherwise
        it gets the same answer again: how often an agent retries depends on the network.
        """
        again = self.played > 0 and key == self.asked
        if again and not (self.played < len(self.answers) and self._key() == self.answers[self.played - 1][0]):
            return self.answers[self.played - 1][1]
        if self.played == len(self.answers):
            return None
        self.asked = key
        self.played += 1
        return self.answers[self.played - 1][1]

    def _key(self) -> Key:
        return self.answers[self.played][0]


class PlaceSource:
    """The answers of one case. ``conversations`` distinguishes the conversations of the cassette, like the endpoint
    those of the run; ``folders`` are the folders of the run.

    The built-in model answers a side conversation that begins like no recorded one.
    """

    repeats: Final = True

    def __init__(
        self,
        cassette: Cassette,
        conversations: Callable[[], Conversations],
        folders: Mapping[str, str],
        *,
        timed: bool = False,
    ) -> None:
        self._folders = folders
        self._timed = timed
        self._unrecorded = BuiltInModel()
        self._recorded = _by_conversation(cassette, conversations())
        self._partners: dict[int | None, _Recorded | None] = {MAIN: self._recorded.pop(MAIN, None)}

    def next(self, request: ModelRequest) -> SourceResponse:
        """Return the recorded answer at the place of the request, or ``Unknown`` if the main conversation has none
        left."""
        partner = self._partner(request)
        found = partner.next(matchable(request.method, request.path, request.body).key) if partner else None
        if found is not None:
            return recorded(in_folders(found, self._folders), timed=self._timed)
        if request.number != MAIN:
            return self._unrecorded.next(request)
        count = len(partner.answers) if partner else 0
        many = f"{count} answer{'' if count == 1 else 's'}"
        why = f"The recording has {many} for the main conversation, and the loop asks once more; record it again."
        return Unknown(why, "", many, f"request {count + 1}")

    def left(self) -> Sequence[str]:
        """Return the unplayed answers of the main conversation, one line each. Whether an agent still asks for a title
        is left to a comparison."""
        main = self._partners[MAIN]
        unplayed = main.answers[main.played :] if main else []
        return [f"{each.method} {each.url}" + (f" (line {each.line})" if each.line else "") for _, each in unplayed]

    def _partner(self, request: ModelRequest) -> _Recorded | None:
        if request.number not in self._partners:
            begins = beginning_of(RecognisedRequest(request.conversation))
            found = most_alike(begins, {number: each.beginning for number, each in self._recorded.items()})
            self._partners[request.number] = None if found is None else self._recorded.pop(found)
        return self._partners[request.number]


def _by_conversation(cassette: Cassette, conversations: Conversations) -> dict[int | None, _Recorded]:
    """The interactions of a cassette by conversation, each in the order of the file."""
    found: list[tuple[CaseConversation, _Recorded]] = []
    for asked, interaction in _model_requests(cassette):
        within = conversations.assign(asked)
        known = next((each for owner, each in found if owner is within), None)
        if known is None:
            known = _Recorded(beginning_of(asked))
            found.append((within, known))
        known.answers.append((matchable_of(interaction).key, interaction))
        _remember(conversations, within, asked, interaction)
    return {owner.number: each for owner, each in found}


def _remember(
    conversations: Conversations, within: CaseConversation, asked: RecognisedRequest, interaction: Interaction
) -> None:
    """Note the model's answer, if it is a turn, so that the next request of the conversation is recognised."""
    speaks = wire(asked.conversation.wire)
    try:
        kind = ", ".join(interaction.response_headers.get("content-type", ()))
        reply = speaks.parse(kind, interaction.response) if interaction.status < 300 else None
    except ValueError:
        return
    if reply is not None:
        resolved = speaks.resolve(asked.conversation, within.issued.of(asked.conversation.wire))
        conversations.remember(within, resolved, reply)


def _model_requests(cassette: Cassette) -> Iterator[tuple[RecognisedRequest, Interaction]]:
    """The readable requests to a model."""
    for interaction in cassette.interactions:
        route = route_of(interaction.method, interaction.url)
        if route is not None and interaction.request is not None:
            headers = {name: ", ".join(values) for name, values in interaction.request_headers.items()}
            try:
                conversation = wire(route.wire).read(route, interaction.request, headers)
            except UnreadableRequest:
                continue
            yield RecognisedRequest(conversation), interaction
