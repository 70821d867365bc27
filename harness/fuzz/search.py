"""Runs a chunk: the subject is checked with every example, and the first mistake of each kind is shrunk."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase
from hypothesis.database import DirectoryBasedExampleDatabase, ExampleDatabase
from hypothesis.errors import Flaky

from harness.errors import BadInput
from harness.fuzz.campaign import Campaign, Falsified
from harness.fuzz.campaigns import CAMPAIGNS
from harness.fuzz.chunks import Chunk, ChunkResult, Found
from harness.fuzz.determined import by_the_seed_alone
from harness.fuzz.shrink import shrunk

AnyCampaign = Campaign[Any, Any]


def run_chunk(chunk: Chunk) -> ChunkResult:
    """The result of a chunk. Raises ``BadInput`` if the subject or the database cannot be opened."""
    campaign = CAMPAIGNS[chunk.campaign].load()
    subject = _subject(chunk.campaign, chunk.target)
    started = time.perf_counter()
    work = _enumerated_mistakes if chunk.kind == "enumerated" else _drawn
    tally = _Tally(campaign)
    found = tuple(work(chunk, campaign, subject, tally))
    seconds = time.perf_counter() - started
    return ChunkResult(chunk, tally.examples, tally.runs, seconds, dict(tally.features), found)


@cache
def _subject(campaign: str, target: str | None) -> Any:
    """The subject, opened once in a process: all chunks share its clients and loops."""
    return CAMPAIGNS[campaign].load().open(target)


class _Tally:
    """What has been tried so far."""

    def __init__(self, campaign: AnyCampaign) -> None:
        self._campaign = campaign
        self.examples = 0
        self.runs = 0
        self.features: Counter[str] = Counter()

    def check(self, example: Any, subject: Any) -> None:
        self.examples += 1
        self.features.update(self._campaign.features_of(example))
        self.runs += self._campaign.check(example, subject)


def _enumerated_mistakes(chunk: Chunk, campaign: AnyCampaign, subject: Any, tally: _Tally) -> Iterator[Found]:
    """The first mistake of every kind."""
    reported: set[str] = set()
    for example in islice(campaign.enumerated(), chunk.first, chunk.first + chunk.examples):
        try:
            tally.check(example, subject)
        except Falsified as falsified:
            if falsified.oracle not in reported:
                reported.add(falsified.oracle)
                yield _found(chunk, campaign, subject, example, falsified)


def _drawn(chunk: Chunk, campaign: AnyCampaign, subject: Any, tally: _Tally) -> Iterator[Found]:
    """The first mistake, shrunk by Hypothesis, and then further by the campaign."""
    failed: list[tuple[Any, Falsified]] = []

    @hypothesis.settings(  # outside the seed, which takes the database away
        max_examples=chunk.examples,
        database=database(chunk),
        deadline=None,
        phases=(Phase.reuse, Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
        verbosity=hypothesis.Verbosity.quiet,
    )
    @hypothesis.seed(chunk.first)
    @hypothesis.given(campaign.examples())
    def hold(example: Any) -> None:
        check: Callable[[Any, Any], Any] = campaign.check if failed else tally.check
        try:
            check(example, subject)
        except Falsified as falsified:
            failed.append((example, falsified))
            raise

    try:
        with by_the_seed_alone():
            hold()
    except Falsified:
        yield _found(chunk, campaign, subject, *failed[-1])
    except Flaky:
        example, falsified = failed[-1]
        once = Falsified(falsified.oracle, falsified.expected, f"{falsified.got}, once: it did not happen again")
        yield _report_of(chunk, campaign, example, once)


def database(chunk: Chunk) -> ExampleDatabase | None:
    """Where Hypothesis keeps the mistakes of this campaign and target, so that the next run tries them first."""
    if not chunk.database:
        return None
    place = "".join(letter if letter.isalnum() else "-" for letter in f"{chunk.campaign} {chunk.target or 'ours'}")
    if chunk.database.startswith(("redis://", "rediss://", "unix://")):
        return _shared_database(chunk.database, f"harness-fuzz:{place}:")
    return DirectoryBasedExampleDatabase(Path(chunk.database) / place)


@cache
def _shared_database(url: str, prefix: str) -> ExampleDatabase:
    try:
        from hypothesis.extra.redis import RedisExampleDatabase
        from redis import Redis
        from redis.exceptions import RedisError
    except ImportError as missing:
        raise BadInput(f"--database {url}: install the extra 'redis' first ({missing})") from missing
    server = Redis.from_url(url)
    try:
        server.ping()
    except RedisError as error:
        raise BadInput(f"--database {url}: no Redis server answers: {error}") from error
    return RedisExampleDatabase(server, key_prefix=prefix.encode())


def _found(chunk: Chunk, campaign: AnyCampaign, subject: Any, example: Any, falsified: Falsified) -> Found:
    return _report_of(chunk, campaign, *shrunk(campaign, subject, example, falsified))


def _report_of(chunk: Chunk, campaign: AnyCampaign, example: Any, falsified: Falsified) -> Found:
    return Found(
        campaign.name,
        chunk.target,
        falsified.oracle,
        falsified.expected,
        falsified.got,
        campaign.to_json(example),
        chunk.id,
    )
