"""A scenario that is served again and again: every fresh conversation is a new case.

A person who tries their loop against a served scenario runs it more than once. A request that continues a
conversation, or repeats its request, belongs to that conversation's round. A request that begins a main conversation
opens a new round if the previous round has answered one. Any other is a side conversation of the latest round.

The tests of a suite (``harness.endpoint.suite``) count as separate programs: the latest round is the latest one of the
test that makes the request, and no test restarts a conversation of another test.
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
"""Most bytes of a request that is kept with its round."""


class Rounds:
    """The endpoints of one served scenario, one per round. ``open_endpoint`` makes the endpoint of round 1, 2, ...

    A request is compared with only a few earlier rounds, however many there are. The latest rounds are in memory, at
    most ``most`` of them, with at most about ``most_bytes`` of bodies. The others are parked on disk, and reopened when
    a request continues one.
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
        """The endpoints of all rounds, loaded into memory."""
        return list(self.each())

    @property
    def live(self) -> list[CaseEndpoint]:
        """The endpoints that are already in memory."""
        return list(self._live.values())

    @property
    def latest(self) -> CaseEndpoint:
        """The endpoint of the round that was begun last. It is always in memory."""
        return self._live[self._count - 1]

    def each(self) -> Iterator[CaseEndpoint]:
        """The endpoints of all rounds, in order. A parked one is open only as long as the caller keeps it."""
        for number in range(self._count):
            yield self._live[number] if number in self._live else self._restored_endpoint(number)

    def grouped(self) -> Iterator[Iterator[GroupedRound]]:
        """The rounds of each test, and each round outside of tests, loaded as by ``each``."""
        for numbers in self._tests.groups(self._count):
            yield map(self._grouped_round, numbers)

    def _grouped_round(self, number: int) -> GroupedRound:
        endpoint = self._live[number] if number in self._live else self._restored_endpoint(number)
        return GroupedRound(endpoint, self._tests.began(number), self._tests.other(number), self._twins.went_on(number))

    def route(self, method: str, path: str) -> Route | None:
        """The route of a request to this scenario (``CaseEndpoint.route``)."""
        return self.latest.route(method, path)

    def endpoint_for(self, request: ReceivedRequest) -> CaseEndpoint:
        """The endpoint that answers this request."""
        asked = self._read(request)
        number = self._round_for(request, asked)
        endpoint = self._live[number]
        self._goes_on(number, endpoint)
        exchange = endpoint.recorder.exchanges
        self._tests.note(number, exchange, request.test)
        if asked is not None:
            self._twins.note(number, exchange, asked, request.test)
        return endpoint

    def _round_for(self, request: ReceivedRequest, asked: RecognisedRequest | None) -> int:
        """The number of the round that this request belongs to. That round is in memory on return."""
        latest = self._latest_of(request.test)
        if asked is None:
            return self._begun() if latest is None else latest
        tried: set[int] = set()
        for number in self._candidates(asked, request.test, latest):
            if number in tried:
                continue
            tried.add(number)
            endpoint = self._live[number] if number in self._live else self._restored_endpoint(number)
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
        """The latest round of a test, loaded into memory; None without one. A round without requests suits any test."""
        if not self.latest.recorder.exchanges:
            return self._count - 1
        number = self._tests.latest(test)
        if number is not None and number not in self._live:
            self._goes_on(number, self._restored_endpoint(number))
        return number

    def _begun(self) -> int:
        self._begin()
        return self._count - 1

    def _read(self, request: ReceivedRequest) -> RecognisedRequest | None:
        """The parsed request; None if it cannot be read.

        A loop that runs again often begins with the same request as before, which need not be parsed again.
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
        self._put_last(self._count - 1, self._new_endpoint(self._count))
        self._park()

    def _new_endpoint(self, number: int) -> CaseEndpoint:
        """The endpoint of a round, with the provider's storage that all rounds share."""
        endpoint = self._open_endpoint(number)
        if self._stored is not None:
            endpoint.share(self._stored)
        self._stored = endpoint.stored
        return endpoint

    def holder(self, reply: str) -> CaseEndpoint | None:
        """The endpoint of the round that sent the reply with this id, loaded into memory."""
        found = self._issuer(f"reply {reply}")
        if found is None:
            return None
        if found[0] not in self._live:
            self._goes_on(found[0], self._restored_endpoint(found[0]))
        return self._live[found[0]]

    def _goes_on(self, number: int, endpoint: CaseEndpoint) -> None:
        """Note that a request belongs to this round, which is in memory."""
        if number == next(reversed(self._live), None):
            return
        if number not in self._live and self._parked is not None:
            self._parked.take(number)
        self._put_last(number, endpoint)

    def _put_last(self, number: int, endpoint: CaseEndpoint) -> None:
        """Of all rounds in memory this one will be parked last."""
        self._measure()
        self._live.pop(number, None)
        self._live[number] = endpoint
        endpoint.apart.on_change = partial(self._note, number, endpoint)

    def _note(self, number: int, endpoint: CaseEndpoint, opening: Opening, marks: Sequence[str]) -> None:
        """Note that a conversation with this opening has begun in the round, or was answered with these marks."""
        again = endpoint.apart.may_be_begun_again(opening)
        self._known.note(number, _in_test(self._tests.began(number), opening), marks, again=again)

    # --- idle rounds ------------------------------------------------------------------------------------------

    def _measure(self) -> None:
        """Update the size of the round that the latest request belongs to."""
        if self._live:
            number = next(reversed(self._live))
            size = self._live[number].recorder.size
            self._size += size - self._sizes.get(number, 0)
            self._sizes[number] = size

    def _park(self) -> None:
        """Move rounds to disk until the limits are met, beginning with the longest unused one."""
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
        """The idle rounds that are to be moved to disk, by their numbers."""
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

    def _restored_endpoint(self, number: int) -> CaseEndpoint:
        """The endpoint of a parked round, restored."""
        assert self._parked is not None  # noqa: S101 - what is not in memory is there
        endpoint = self._new_endpoint(number + 1)
        endpoint.apart.on_change = partial(self._note, number, endpoint)
        endpoint.replay(self._parked.records(number), self._parked.source(number))
        return endpoint

    def _candidates(self, asked: RecognisedRequest, test: str, latest: int | None) -> Iterator[int]:
        """The rounds that the request may belong to, the likeliest first, some of them more than once.

        The first is nearly always right, so the iterator examines no more of a long history than is needed.
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
        """The rounds that issued what the request sends back; last the round that may not have been the only issuer."""
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
    """The key of an opening, which contains the test: tests that begin alike have separate conversations."""
    system, prompt = opening
    return (f"{test}\0{system}", prompt) if test else opening


class _Known:
    """Marks and openings by which the rounds in memory are recognised."""

    def __init__(self) -> None:
        self._issued: dict[str, Issuer] = {}
        self._opened: dict[Opening, int] = {}
        self._unanswered: defaultdict[Opening, set[int]] = defaultdict(set)
        self._of: defaultdict[int, tuple[set[str], set[Opening]]] = defaultdict(lambda: (set(), set()))

    def note(self, number: int, opening: Opening, marks: Sequence[str], *, again: bool) -> None:
        """Note that a conversation with this opening has begun in the round, or was answered with these marks.

        ``again``: it may begin again.
        """
        noted, openings = self._of[number]
        for mark in marks:
            known = self._issued.get(mark)
            if known is None:
                self._issued[mark] = number, False
            elif known[0] != number:
                self._issued[mark] = max(known[0], number), True
        noted.update(marks)
        openings.add(opening)
        self._opened[opening] = max(self._opened.get(opening, 0), number)
        if again:
            self._unanswered[opening].add(number)
        else:
            self._unanswered[opening].discard(number)

    def of(self, number: int) -> tuple[list[tuple[str, Issuer]], list[tuple[Opening, bool]]]:
        """The marks of a round, each with its issuer, and its openings, each with a flag whether it may begin again."""
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
        """Which round has issued the thing with this mark."""
        return self._issued.get(mark)

    def opened(self, opening: Opening) -> int | None:
        """The latest round with a conversation of this opening."""
        return self._opened.get(opening)

    def unanswered(self, opening: Opening) -> Collection[int]:
        """The rounds with a conversation of this opening that may begin again."""
        return self._unanswered.get(opening, ())


class ByWire:
    """One scenario served on several wires at one address: the path of a request determines its wire.

    ``wires`` has the rounds of each wire. No dialect is among them, because it has the path of another wire.
    """

    def __init__(self, wires: Mapping[WireName, Rounds]) -> None:
        self._wires = wires

    @property
    def endpoints(self) -> list[CaseEndpoint]:
        """The endpoints of all wires, round by round, loaded into memory."""
        return list(self.each())

    @property
    def live(self) -> list[CaseEndpoint]:
        """The endpoints that are already in memory."""
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
        """The route of a request to this scenario; None if it is on none of its wires."""
        for rounds in self._wires.values():
            route = rounds.route(method, path)
            if route is not None and route.wire in self._wires:
                return route
        return None

    def holder(self, reply: str) -> CaseEndpoint | None:
        """The endpoint that sent the reply with this id (``Rounds.holder``)."""
        return next((found for rounds in self._wires.values() if (found := rounds.holder(reply)) is not None), None)

    def endpoint_for(self, request: ReceivedRequest) -> CaseEndpoint:
        """The endpoint that answers this request."""
        return self._wires[request.route.wire].endpoint_for(request)
