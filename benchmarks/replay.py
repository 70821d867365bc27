"""Replaying a cassette: finding the recording of a request, and opening the file.

Finding: requests of 1 kB, as many conversations in one cassette as it has interactions, asked from all over it; beside
vcrpy with its own matchers and ``body``. Found by meaning, a recording takes as long in a cassette of any length.
Opening: a cassette of 1 MB with 100 interactions of a streamed answer each, opened for the second time, so with its
index, by a process that has not read it; beside vcrpy's load of the same file.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median

from vcr.cassette import Cassette as VcrCassette
from vcr.matchers import body, host, method, path, port, query, scheme
from vcr.request import Request

from benchmarks.tracking.figure import Figure, Goal
from benchmarks.tracking.measure import exponent, interleaved, per, repeated
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

FINDING = (Goal("ours", "at most", 0.1e-3), Goal("ratio", "at most", 1 / 500))
OPENING = Goal("ratio", "at most", 1 / 20)
GROWTH = Goal("ours", "at most", 0.1)


def figures(quick: bool) -> Iterator[Figure]:
    rounds = 3 if quick else 9
    taken = {length: _finding(length, rounds) for length in LENGTHS}
    for length, times in taken.items():
        what = f"a lookup among {length:,}"
        if length == AMONG:
            yield Figure.of(what, times["ours"], *FINDING, beside="vcrpy", theirs=times["vcrpy"])
        else:
            yield Figure.of(what, times["ours"])
    short, long = (taken[length]["ours"] for length in (LENGTHS[0], LENGTHS[-1]))
    growth = exponent(median(short), median(long), LENGTHS[-1] / LENGTHS[0])
    yield Figure.of("growth of a lookup with the cassette's length", [growth], GROWTH, unit="exponent")
    yield _opening(rounds)


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


def ours(cassette: Cassette, bodies: Sequence[bytes], times: int) -> Callable[[], object]:
    """Each of the ``bodies`` is found once; what a cassette needs before the first of them is not counted."""
    recordings = whole(cassette)
    players = iter([Player(recordings) for _ in range(times)])

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


def _finding(length: int, rounds: int) -> dict[str, list[float]]:
    """Seconds of a lookup, ours and, where it is compared, vcrpy's."""
    cassette = Cassette(Path("x.yaml"), tuple(interaction(number, 1024, 1) for number in range(length)))
    every = [recording.request or b"" for recording in cassette.interactions]
    asked = {"ours": every}
    works = {"ours": ours(cassette, every, rounds + 1)}
    if length == AMONG:
        asked["vcrpy"] = every[:: length // ASKED]
        works["vcrpy"] = theirs(cassette, asked["vcrpy"])
    times = interleaved(works, rounds)
    return {name: per(seconds, len(asked[name])) for name, seconds in times.items()}


# --- opening ------------------------------------------------------------------------------------------------


def _opening(rounds: int) -> Figure:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "long.yaml"
        file.write_text(document(None, [written(interaction(number, 3500, 110)) for number in range(100)]))
        index.open_player(file)
        works: dict[str, Callable[[], object]] = {
            "ours": repeated(partial(_opened_anew, file), OPENED),
            "vcrpy": partial(VcrCassette.load, path=str(file)),
        }
        times = interleaved(works, rounds)
        what = f"opening a cassette of {file.stat().st_size / 1e6:.2f} MB"
    return Figure.of(what, per(times["ours"], OPENED), OPENING, beside="vcrpy", theirs=times["vcrpy"])


def _opened_anew(file: Path) -> None:
    index._OPENED.clear()  # what a new process does not know
    index.open_player(file)
