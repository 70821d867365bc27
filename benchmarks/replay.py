"""Replaying a cassette: finding the recording of a request, and opening the file.

    python benchmarks/replay.py

Finding: requests of 1 kB, as many conversations in one cassette as it has interactions, asked from all over it; beside
vcrpy with its own matchers and ``body``. Found by meaning, a recording takes as long in a cassette of any length.
Opening: a cassette of 1 MB with 100 interactions of a streamed answer each, opened for the second time, so with its
index, by a process that has not read it; beside vcrpy's load of the same file. CPU time; both sides take turns within a
round, and a ratio is the median over rounds. Goals: at most 0.1 ms for a request among 400, 500 times faster than
vcrpy there; 20 times faster to open.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median

from _measure import exponent, interleaved, ratio
from vcr.cassette import Cassette as VcrCassette
from vcr.matchers import body, host, method, path, port, query, scheme
from vcr.request import Request

from harness.cassette import Cassette, Interaction, index
from harness.cassette.matching import Player, whole
from harness.cassette.write import document, written

URL = "https://api.openai.com/v1/chat/completions"
PATH = "/v1/chat/completions"
JSON = {"content-type": ("application/json",)}
MATCHERS = (method, scheme, host, port, path, query, body)

LENGTHS = (40, 400, 4000)
AMONG = 400
ASKED = 8
OPENED = 5
"""Times a file is opened in a round: one is too short to be measured."""

ROUNDS = 9

MOST_SECONDS = 0.1e-3
LEAST_FINDING = 500
LEAST_OPENING = 20
MOST_GROWTH = 0.1


def asking(number: int, size: int) -> bytes:
    """A request of ``size`` bytes; its conversation differs from the others in a word."""
    tool = {"type": "function", "function": {"name": "create_file", "parameters": {"type": "object", "properties": {}}}}
    messages = [{"role": "system", "content": "You build web pages."}, {"role": "user", "content": f"Page {number}. "}]
    request = {"model": "gpt-5", "messages": messages, "tools": [tool], "stream": True, "temperature": 0.5}
    messages[1]["content"] += "Bread, daily. " * ((size - len(json.dumps(request))) // 14)
    return json.dumps(request).encode()


def interaction(number: int, size: int, events: int) -> Interaction:
    answer = b"".join(b'data: {"choices":[{"index":0,"delta":{"content":"word %d"}}]}\n\n' % at for at in range(events))
    return Interaction("POST", URL, JSON, asking(number, size), 200, {"content-type": ("text/event-stream",)}, answer)


# --- finding ------------------------------------------------------------------------------------------------


def ours(cassette: Cassette, bodies: Sequence[bytes]) -> Callable[[], object]:
    """Each of the ``bodies`` is found once; what a cassette needs before the first of them is not counted."""
    recordings = whole(cassette)
    players = iter([Player(recordings) for _ in range(ROUNDS + 1)])

    def find() -> None:
        player = next(players)
        for each in bodies:
            assert player.take("POST", PATH, each) is not None

    return find


def theirs(cassette: Cassette, bodies: Sequence[bytes]) -> Callable[[], object]:
    """What vcrpy does with a request: it asks whether one is there, and plays it."""
    requests = [Request("POST", URL, each, {"content-type": "application/json"}) for each in bodies]

    def find() -> None:
        recorded = VcrCassette("none", match_on=MATCHERS, record_mode="none")
        recorded.data = [
            (Request("POST", URL, each.request, {"content-type": "application/json"}), {})
            for each in cassette.interactions
        ]
        recorded.rewound = True
        for request in requests:
            assert recorded.can_play_response_for(request)
            recorded.play_response(request)

    return find


def finding() -> bool:
    print("interactions   ours us   vcrpy us      ratio")
    each: dict[int, float] = {}
    good = True
    for length in LENGTHS:
        cassette = Cassette(Path("x.yaml"), tuple(interaction(number, 1024, 1) for number in range(length)))
        bodies = [recording.request or b"" for recording in cassette.interactions[:: length // ASKED]]
        every = [recording.request or b"" for recording in cassette.interactions]
        works = {"ours": ours(cassette, every)}
        if length == AMONG:
            works["vcrpy"] = theirs(cassette, bodies)
        for work in works.values():
            work()
        times = interleaved(works, ROUNDS)
        mine = [seconds / len(every) for seconds in times["ours"]]
        each[length] = median(mine)
        row = f"{length:12} {each[length] * 1e6:9.1f}"
        if length == AMONG:
            vcrpys = [seconds / len(bodies) for seconds in times["vcrpy"]]
            ahead = ratio(vcrpys, mine)
            row += f" {median(vcrpys) * 1e6:10.0f} {ahead:9.0f}x"
            good = ahead >= LEAST_FINDING and each[length] <= MOST_SECONDS
        print(row)
    growth = exponent(each[LENGTHS[0]], each[LENGTHS[-1]], LENGTHS[-1] / LENGTHS[0])
    good &= growth <= MOST_GROWTH
    print(
        f"goal: at most {MOST_SECONDS * 1e6:.0f} us, {LEAST_FINDING} times faster, growth at most length^{MOST_GROWTH} "
        f"(is {growth:.2f}): {_met(good)}"
    )
    return good


# --- opening ------------------------------------------------------------------------------------------------


def opening() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "long.yaml"
        file.write_text(document(None, [written(interaction(number, 3500, 110)) for number in range(100)]))
        index.open_player(file)
        works: dict[str, Callable[[], object]] = {
            "ours": partial(_opened_anew, file),
            "vcrpy": partial(VcrCassette.load, path=str(file)),
        }
        for work in works.values():
            work()
        times = interleaved(works, ROUNDS)
        size = file.stat().st_size
    mine = [seconds / OPENED for seconds in times["ours"]]
    ahead = ratio(times["vcrpy"], mine)
    print(f"\n{size / 1e6:.2f} MB: ours {median(mine) * 1e3:.2f} ms, vcrpy {median(times['vcrpy']) * 1e3:.1f} ms")
    print(f"goal: {LEAST_OPENING} times faster (is {ahead:.0f}): {_met(ahead >= LEAST_OPENING)}")
    return ahead >= LEAST_OPENING


def _opened_anew(file: Path) -> None:
    for _ in range(OPENED):
        index._OPENED.clear()  # what a new process does not know
        index.open_player(file)


def _met(good: bool) -> str:
    return "met" if good else "NOT met"


if __name__ == "__main__":
    finding()
    opening()
