"""A scenario that is served again and again: every fresh conversation is a new case.

A person who tries their loop against a served scenario runs it more than once. A request that goes on with a
conversation, or sends its request again, belongs to the round in which that began. One that begins a main conversation
opens a new round as soon as the round before has answered one; any other is a side conversation of the latest round.

The tests of a suite (``harness.endpoint.suite``) are programs of their own here: the latest round is that of the test
in which the request is made, and no test begins a conversation of another one anew.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from harness.endpoint.case_endpoint import CaseEndpoint
from harness.endpoint.grouping import GroupedRound, TestsOfRounds, Twins
from harness.endpoint.parked import DiskFull, Issuer, Parked, ParkedRound
from harness.endpoint.recognition import Opening, RecognisedRequest, is_certain
from harness.endpoint.request import ReceivedRequest
from harness.endpoint.stored import Stored
from harness.wire import Route, UnreadableRequest, WireName, wire

_LARGEST_KEPT: Final = 1024 * 1024
"""Bytes of a request that is kept beside its round."""


class Rounds:
    """The endpoints of one served scenario, one per round. ``open_endpoint`` makes the endpoint of round 1, 2, ...

    A request is compared with few of the rounds before, however many there have been. The latest are in memory, at most
    ``most`` of them, and with at most about ``most_bytes`` of bodies; the others are parked on disk, and opened again
    when a request goes on with one.
    """

    def __init__(
        self, open_endpoint: Callable[[int], CaseEndpoint], *, most: int = 200, most_bytes: int = 16 * 1024 * 1024
    ) -> None:
        self._open_endpoint = open_endpoint
        self._most = most
        self._most_bytes = most_bytes
        self._known = _Known()
        self._live: dict[int, CaseEndpoint] = {}
        self._parked: Parked | None = None
        self._sizes: dict[int, int] = {}
        self._size = 0
        self._count = 0
        self._fresh: ReceivedRequest | None = None
        self._tests = TestsOfRounds()
        self._twins = Twins()
        self._stored: Stored | None = None
        self._begin()

    @property
    def endpoints(self) -> list[CaseEndpoint]:
        """The endpoints of all rounds, in memory."""
        return list(self.each())

    @property
    def live(self) -> list[CaseEndpoint]:
        """The endpoints that are in memory anyway."""
        return list(self._live.values())

    @property
    def latest(self) -> CaseEndpoint:
        """The endpoint of the round that was begun last. It is always in memory."""
        return self._live[self._count - 1]

    def each(self) -> Iterator[CaseEndpoint]:
        """The endpoints of all rounds, in their order. One that is parked is opened for as long as somebody has it."""
        for number in range(self._count):
            yield self._live[number] if number in self._live else self._reopened(number)

    def grouped(self) -> Iterator[Iterator[GroupedRound]]:
        """The rounds of each test, and each round outside of them, as ``each`` has them."""
        for numbers in self._tests.groups(self._count):
            yield map(self._grouped, numbers)

    def _grouped(self, number: int) -> GroupedRound:
        endpoint = self._live[number] if number in self._live else self._reopened(number)
        return GroupedRound(endpoint, self._tests.began(number), self._tests.other(number), self._twins.went_on(number))

    def route(self, method: str, path: str) -> Route | None:
        """A request to this scenario (``CaseEndpoint.route``)."""
        return self.latest.route(method, path)

    def endpoint_for(self, request: ReceivedRequest) -> CaseEndpoint:
        """The endpoint that answers this request."""
        asked = self._read(request)
        number = self._round_for(request, asked)
        endpoint = self._live[number]
        if next(reversed(self._live)) != number:
            self._goes_on(number, endpoint)
        self._tests.note(number, endpoint.recorder.exchanges, request.test)
        if asked is not None:
            self._twins.note(number, endpoint.recorder.exchanges, asked, request.test)
        return endpoint

    def _round_for(self, request: ReceivedRequest, asked: RecognisedRequest | None) -> int:
        """The number of the round that this request belongs to, which is in memory."""
        latest = self._latest_of(request.test)
        if asked is None:
            return self._begun() if latest is None else latest
        tried: set[int] = set()
        for number in self._candidates(asked, request.test, latest):
            if number in tried:
                continue
            tried.add(number)
            endpoint = self._live[number] if number in self._live else self._reopened(number)
            if (found := endpoint.apart.find(asked)) is not None and not found.restarted_by(asked):
                self._goes_on(number, endpoint)
                return number
        if latest is None:
            return self._begun()
        if request.route.aside:
            return latest
        apart = self._live[latest].apart
        return self._begun() if apart.main.issued.turns and apart.begins_main(asked) else latest

    def _latest_of(self, test: str) -> int | None:
        """The latest round of a test, in memory; None where it has none. One that nobody has asked is anybody's."""
        if not self.latest.recorder.exchanges:
            return self._count - 1
        number = self._tests.latest(test)
        if number is not None and number not in self._live:
            self._goes_on(number, self._reopened(number))
        return number

    def _begun(self) -> int:
        self._begin()
        return self._count - 1

    def _read(self, request: ReceivedRequest) -> RecognisedRequest | None:
        """What the request says; None where it cannot be read.

        A loop that is run again begins with the request with which it has begun before.
        """
        if self._fresh is not None:
            request.read_as(self._fresh)
        try:
            asked = request.asked(wire(request.route.wire))
        except UnreadableRequest:
            return None
        if asked.is_fresh and len(request.body) <= _LARGEST_KEPT:
            self._fresh = request
        return asked

    def _begin(self) -> None:
        self._count += 1
        self._put_last(self._count - 1, self._opened(self._count))
        self._park()

    def _opened(self, number: int) -> CaseEndpoint:
        """The endpoint of a round, with what the provider stores for all of them."""
        endpoint = self._open_endpoint(number)
        if self._stored is not None:
            endpoint.share(self._stored)
        self._stored = endpoint.stored
        return endpoint

    def holder(self, reply: str) -> CaseEndpoint | None:
        """The endpoint of the round in which the reply with this id was sent; in memory from now on."""
        found = self._issuer(f"reply {reply}")
        if found is None:
            return None
        if found[0] not in self._live:
            self._goes_on(found[0], self._reopened(found[0]))
        return self._live[found[0]]

    def _goes_on(self, number: int, endpoint: CaseEndpoint) -> None:
        """A request belongs to this round: it is in memory."""
        if number not in self._live and self._parked is not None:
            self._parked.take(number)
        self._put_last(number, endpoint)

    def _put_last(self, number: int, endpoint: CaseEndpoint) -> None:
        """Of all in memory this round will be parked last."""
        self._measure()
        self._live.pop(number, None)
        self._live[number] = endpoint
        endpoint.apart.on_change = partial(self._note, number, endpoint)

    def _note(self, number: int, endpoint: CaseEndpoint, opening: Opening, marks: Sequence[str]) -> None:
        """In this round a conversation that opens so has begun, or has been answered with what has these marks."""
        again = endpoint.apart.may_be_begun_again(opening)
        self._known.note(number, _in_test(self._tests.began(number), opening), marks, again=again)

    # --- the rounds that are at rest --------------------------------------------------------------------------

    def _measure(self) -> None:
        """Note how large the round has become that a request has gone on with last."""
        if self._live:
            number = next(reversed(self._live))
            size = self._live[number].recorder.size
            self._size += size - self._sizes.get(number, 0)
            self._sizes[number] = size

    def _park(self) -> None:
        """Put on disk what is too much, beginning with the round that no request has gone on with for longest."""
        if len(self._live) <= self._most and self._size <= self._most_bytes:
            return
        resting = self._resting()
        if not resting:
            return
        self._parked = self._parked or Parked()
        try:
            self._parked.put(resting)
        except DiskFull:  # they stay in memory, until there are twice as many: each try costs as much as all of them
            self._most, self._most_bytes = 2 * len(self._live), 2 * max(self._size, self._most_bytes)
            return
        for number in resting:
            self._size -= self._sizes.pop(number, 0)
            self._known.forget(number)
            endpoint = self._live.pop(number)
            endpoint.apart.on_change = None  # it holds the endpoint, which is free at once without it

    def _resting(self) -> dict[int, ParkedRound]:
        """The rounds that are to be put on disk, of those at rest, by their numbers."""
        most = self._most - self._most // 4  # many at once cost less than one after another
        left, size = len(self._live), self._size
        resting: dict[int, ParkedRound] = {}
        for number, endpoint in list(self._live.items())[:-1]:
            if left <= most and size <= self._most_bytes:
                break
            if endpoint.at_rest:
                left, size = left - 1, size - self._sizes.get(number, 0)
                resting[number] = ParkedRound(
                    endpoint.lasting_records, *self._known.of(number), endpoint.lasting_source
                )
        return resting

    def _reopened(self, number: int) -> CaseEndpoint:
        """The endpoint of a parked round, as it was."""
        assert self._parked is not None  # noqa: S101 - what is not in memory is there
        endpoint = self._opened(number + 1)
        endpoint.apart.on_change = partial(self._note, number, endpoint)
        endpoint.replay(self._parked.records(number), self._parked.source(number))
        return endpoint

    def _candidates(self, asked: RecognisedRequest, test: str, latest: int | None) -> Iterator[int]:
        """The rounds that the request may belong to, the likeliest first, some of them more than once.

        Nearly always the first is the one, so no more of a long history is looked at than that takes.
        """
        parked, opening = self._parked, _in_test(test, asked.opening)
        if asked.is_fresh:
            again = self._known.unanswered(opening)
            yield from sorted({*again, *(parked.unanswered(opening) if parked else ())}, reverse=True)
        else:
            yield from self._issuers(asked)
            found = [self._known.opened(opening), parked.opened(opening) if parked else None]
            yield from sorted((number for number in found if number is not None), reverse=True)[:1]
        if latest is not None:
            yield latest

    def _issuers(self, asked: RecognisedRequest) -> Iterator[int]:
        """Those that have issued what the request sends back, and last the one that may not have been the only one."""
        latest: int | None = None
        for mark in asked.marks():
            found = self._issuer(mark)
            if found is not None:
                number, by_others = found
                latest = number if latest is None else latest
                if not by_others:
                    yield number
        if latest is not None:
            yield latest

    def _issuer(self, mark: str) -> Issuer | None:
        here = self._known.issuer(mark)
        if here is not None and not here[1] and is_certain(mark):  # no round on disk has issued it, too
            return here
        parked = None if self._parked is None else self._parked.issuer(mark)
        if here is None or parked is None:
            return here or parked
        return max(here[0], parked[0]), here[1] or parked[1] or here[0] != parked[0]


def _in_test(test: str, opening: Opening) -> Opening:
    """An opening as rounds are found by it: tests that begin alike begin conversations of their own."""
    system, prompt = opening
    return (f"{test}\0{system}", prompt) if test else opening


class _Known:
    """By what the rounds in memory are recognised."""

    def __init__(self) -> None:
        self._issued: dict[str, Issuer] = {}
        self._opened: dict[Opening, int] = {}
        self._unanswered: defaultdict[Opening, set[int]] = defaultdict(set)
        self._of: defaultdict[int, tuple[set[str], set[Opening]]] = defaultdict(lambda: (set(), set()))

    def note(self, number: int, opening: Opening, marks: Sequence[str], *, again: bool) -> None:
        """In this round a conversation that opens so has begun, or has been answered with what has these marks.

        ``again``: it may be begun again.
        """
        noted, openings = self._of[number]
        for mark in marks:
            of, by_others = self._issued.get(mark, (number, False))
            self._issued[mark] = max(of, number), by_others or of != number
        noted.update(marks)
        openings.add(opening)
        self._opened[opening] = max(self._opened.get(opening, 0), number)
        if again:
            self._unanswered[opening].add(number)
        else:
            self._unanswered[opening].discard(number)

    def of(self, number: int) -> tuple[list[tuple[str, Issuer]], list[tuple[Opening, bool]]]:
        """The marks of a round, each with what is known of it, and its openings."""
        noted, opened = self._of.get(number, (set(), set()))
        marks = [(mark, self._issued.get(mark, (number, True))) for mark in noted]
        return marks, [(opening, number in self._unanswered.get(opening, ())) for opening in opened]

    def forget(self, number: int) -> None:
        """Drop what is known of a round."""
        noted, opened = self._of.pop(number, (set(), set()))
        for mark in noted:
            if self._issued.get(mark, (number, True))[0] == number:
                self._issued.pop(mark, None)
        for opening in opened:
            self._unanswered[opening].discard(number)
            if not self._unanswered[opening]:
                del self._unanswered[opening]
            if self._opened.get(opening) == number:
                del self._opened[opening]

    def issuer(self, mark: str) -> Issuer | None:
        """Which round has issued what has this mark."""
        return self._issued.get(mark)

    def opened(self, opening: Opening) -> int | None:
        """The latest round with a conversation that opens so."""
        return self._opened.get(opening)

    def unanswered(self, opening: Opening) -> Collection[int]:
        """The rounds with a conversation that opens so and may be begun again."""
        return self._unanswered.get(opening, ())


class ByWire:
    """One scenario served on several wires under one address: a request is answered on the wire that its path says.

    ``wires`` has the rounds of each; none of them is a dialect, which has the path of another wire.
    """

    def __init__(self, wires: Mapping[WireName, Rounds]) -> None:
        self._wires = wires

    @property
    def endpoints(self) -> list[CaseEndpoint]:
        """The endpoints of all wires, round by round, in memory."""
        return list(self.each())

    @property
    def live(self) -> list[CaseEndpoint]:
        """The endpoints that are in memory anyway."""
        return [endpoint for rounds in self._wires.values() for endpoint in rounds.live]

    @property
    def latest(self) -> CaseEndpoint:
        """The endpoint of the latest round on the first wire."""
        return next(iter(self._wires.values())).latest

    def each(self) -> Iterator[CaseEndpoint]:
        """The endpoints of all wires, round by round (``Rounds.each``)."""
        for rounds in self._wires.values():
            yield from rounds.each()

    def grouped(self) -> Iterator[Iterator[GroupedRound]]:
        """The rounds of each test on each wire (``Rounds.grouped``)."""
        for rounds in self._wires.values():
            yield from rounds.grouped()

    def route(self, method: str, path: str) -> Route | None:
        """A request to this scenario; None for one that is on none of its wires."""
        for rounds in self._wires.values():
            route = rounds.route(method, path)
            if route is not None and route.wire in self._wires:
                return route
        return None

    def holder(self, reply: str) -> CaseEndpoint | None:
        """The endpoint in which the reply with this id was sent (``Rounds.holder``)."""
        return next((found for rounds in self._wires.values() if (found := rounds.holder(reply)) is not None), None)

    def endpoint_for(self, request: ReceivedRequest) -> CaseEndpoint:
        """The endpoint that answers this request."""
        return self._wires[request.route.wire].endpoint_for(request)
