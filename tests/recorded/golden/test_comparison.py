"""The reference loop beside recordings: it agrees where it should, and whatever is changed is seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest

from harness.imports.comparison import Reason, RecordedComparison
from harness.rules import RULES
from harness.wire import wire_of_rule
from harness_lab.recorded.golden import against_reference, against_rules, comparison
from harness_lab.recorded.golden.aspects import ASPECTS
from harness_lab.recorded.golden.deviations import DEVIATIONS
from harness_lab.recorded.golden.found import FOUND
from harness_lab.recorded.golden.happened import PlayedRun
from harness_lab.recorded.golden.imported import traces_of
from harness_lab.recorded.golden.reference import ReferenceRuns
from harness_lab.recorded.reading.golden import read_runs
from tests.recorded.golden.recordings import call, created, read, run_of, said, text

pytestmark = pytest.mark.anyio

PROVIDERS = ("openai", "anthropic", "gemini")


def observed(found: list[RecordedComparison[PlayedRun]]) -> list[str]:
    return [difference.place for each in found for difference in each.differences]


def sound(found: list[RecordedComparison[PlayedRun]]) -> bool:
    return all(each.sound for each in found)


def stale(found: list[RecordedComparison[PlayedRun]]) -> list[tuple[str, str, str]]:
    return [(each.happened.name, place, reason.why) for each in found for reason, place in each.stale]


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_the_reference_does_what_a_sound_recording_says(provider: str, tmp_path: Path) -> None:
    recording = read(tmp_path, created(provider), f"created.{provider}")
    found = await against_reference([recording], [])
    assert observed(found) == []
    assert [(each.happened.name, each.verdict) for each in found] == [(f"created.{provider}", "agrees")]
    assert sound(against_rules([recording], []))


def _event(at: int, **members: Any) -> Callable[[dict[str, Any]], None]:
    return lambda recording: recording["events"][at].update(members)


def _data(at: int, **members: Any) -> Callable[[dict[str, Any]], None]:
    return lambda recording: recording["events"][at]["data"].update(members)


def _drop(at: int) -> Callable[[dict[str, Any]], None]:
    return lambda recording: recording["events"].pop(at) and None


def _swap(recording: dict[str, Any]) -> None:
    events = recording["events"]
    events[1], events[2] = events[2], events[1]


_AGREED = "events: assistant toolStart(create_file 1) setCode toolResult(create_file 1) assistant final(completed)"
PLANTED: dict[str, tuple[Callable[[dict[str, Any]], Any], list[str]]] = {
    "another order": (_swap, [_AGREED]),
    "another tool": (_data(2, name="edit_file"), [_AGREED]),
    "failed": (_data(6, ok=False), [_AGREED, "codes"]),
    "another text": (_event(0, value="B "), ["texts"]),
    "another cut of the text": (_event(1, value="pag"), ["texts"]),
    "another preview": (_event(3, value="<htm"), ["codes"]),
    "a preview less": (_drop(3), ["codes"]),
    "another input": (_data(2, input={"contentLength": 7, "preview": "<html>"}), ["inputs"]),
    "another output": (_data(6, output={}), ["outputs"]),
    "another last code": (lambda recording: recording["outcome"].update(completion="x"), ["code"]),
    "another end": (
        lambda recording: recording.update(
            outcome={"sut": "exception", "class": "Oops", "module": "builtins", "message": "no"}
        ),
        [_AGREED, "code"],
    ),
}


@pytest.mark.parametrize("case", PLANTED)
async def test_a_planted_difference_is_unexplained(case: str, tmp_path: Path) -> None:
    change, expected = PLANTED[case]
    recording = created()
    change(recording)
    assert observed(await against_reference([read(tmp_path, recording)], [])) == expected


async def test_a_path_that_is_the_default_counts_as_none_and_another_does_not(tmp_path: Path) -> None:
    for path, expected in (("index.html", []), ('index.html", "content": ', ["inputs"])):
        recording = created()
        recording["events"][2]["data"]["input"]["path"] = path
        assert observed(await against_reference([read(tmp_path, recording)], [])) == expected


async def test_a_listed_difference_holds_until_it_is_gone(tmp_path: Path) -> None:
    listed: list[Reason[PlayedRun]] = [Reason("Said otherwise.", lambda _: ("texts",))]
    recording = created()
    recording["events"][0]["value"] = "B "
    found = await against_reference([read(tmp_path, recording)], listed)
    assert sound(found)
    assert [(each.happened.name, each.verdict) for each in found] == [("created.anthropic", "explained")]
    found = await against_reference([read(tmp_path, created())], listed)
    assert not sound(found)
    assert stale(found) == [("created.anthropic", "texts", "Said otherwise.")]


async def test_a_reference_that_crashes_or_hangs_is_a_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def crash(self: ReferenceRuns, recording: object, **_: object) -> None:
        raise ValueError("no such thing")

    monkeypatch.setattr(ReferenceRuns, "run", crash)
    ((unexplained,),) = [each.differences for each in await against_reference([read(tmp_path, created())], [])]
    assert (unexplained.place, unexplained.got) == ("crash", "ValueError: no such thing")

    async def hang(self: ReferenceRuns, recording: object, **_: object) -> None:
        await anyio.sleep_forever()

    monkeypatch.setattr(ReferenceRuns, "run", hang)
    monkeypatch.setattr(comparison, "_DEADLINE", 0.01)
    ((unexplained,),) = [each.differences for each in await against_reference([read(tmp_path, created())], [])]
    assert (unexplained.place, unexplained.got) == ("crash", "TimeoutError: ")


async def test_an_http_error_is_answered_again_as_long_as_it_is_asked(tmp_path: Path) -> None:
    recording = run_of([{"http": {"status": 429, "body": {}}}])
    recording["requests"] *= 3
    recording["outcome"] = {"sut": "exception", "class": "RateLimitError", "module": "anthropic", "message": "no"}
    assert sound(await against_reference([read(tmp_path, recording)], []))
    recording["requests"].pop()
    assert observed(await against_reference([read(tmp_path, recording)], [])) == ["requests"]


async def test_a_connection_that_broke_breaks_for_the_reference(tmp_path: Path) -> None:
    runs = ReferenceRuns()
    trace = await runs.run(read(tmp_path, run_of([{"parts": [text("A ", "page.")], "cut_after": 4}])))
    await runs.close()
    (exchange,) = trace.exchanges
    assert exchange.response is not None
    assert exchange.response.end == "cut"
    assert b'"A "' in exchange.response.body
    assert b'"page."' not in exchange.response.body


async def test_a_script_that_is_at_its_end_answers_no_more(tmp_path: Path) -> None:
    recording = run_of([{"parts": [call("{}", name="edit_file")]}])
    found = await against_reference([read(tmp_path, recording)], [])
    assert observed(found)[0] == "events: toolStart(edit_file 1) toolResult(edit_file 1 failed) error(http)"


async def test_recordings_with_one_name_are_not_mixed_up(tmp_path: Path) -> None:
    """One gateway serves all of them, one after the other."""
    recordings = [read(tmp_path, created(provider), f"created.{provider}") for provider in PROVIDERS]
    found = await against_reference(recordings, [])
    assert [(each.happened.name, each.verdict) for each in found] == [
        (f"created.{each}", "agrees") for each in PROVIDERS
    ]


# --- rules ----------------------------------------------------------------------------------------------------


def test_a_finding_without_a_reason_is_unexplained_and_a_reason_without_a_finding_stale(tmp_path: Path) -> None:
    prose = run_of([{"parts": [text("No.")]}], events=[said("No.")])
    prose["outcome"]["completion"] = "No."
    recording = read(tmp_path, prose, "prose.anthropic")
    assert observed(against_rules([recording], [])) == ["final/code"]
    listed: list[Reason[PlayedRun]] = [Reason("Prose becomes the page.", lambda _: ("final/code",))]
    assert sound(against_rules([recording], listed))
    mended = replace(recording, completion="")
    found = against_rules([mended], listed)
    assert stale(found) == [("prose.anthropic", "final/code", "Prose becomes the page.")]


def test_findings_of_one_rule_count_once(tmp_path: Path) -> None:
    recording = created("anthropic")
    for block in (
        recording["requests"][1]["history"][1]["content"][1],
        recording["requests"][1]["history"][2]["content"][0],
    ):
        block.update({"id": None} if "id" in block else {"tool_use_id": None})
    whats = observed(against_rules([read(tmp_path, recording)], []))
    assert whats.count("continuation/anthropic-messages ANT-09") == 1


# --- the tables -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def played(shared: Path) -> list[PlayedRun]:
    runs = read_runs(shared / "golden" / "screenshot-to-code")
    return [PlayedRun(*pair) for pair in zip(runs, traces_of(runs), strict=True)]


def test_the_tables_name_aspects_and_rules_that_there_are(played: list[PlayedRun]) -> None:
    aspects = {place.partition(":")[0] for reason in DEVIATIONS for each in played for place in reason.explains(each)}
    assert aspects <= set(ASPECTS)
    for place in {place for reason in FOUND for each in played for place in reason.explains(each)}:
        rule, _, reference = place.partition(" ")
        assert rule in RULES
        assert not reference or rule == f"continuation/{wire_of_rule(reference)}"


@pytest.mark.parametrize("reasons", [DEVIATIONS, FOUND])
def test_every_reason_is_a_predicate_over_what_happened_and_not_over_names(
    reasons: tuple[Reason[PlayedRun], ...], played: list[PlayedRun]
) -> None:
    """A recording under another name is explained by the same reasons."""
    for reason in reasons:
        assert any(reason.explains(each) for each in played), reason.why
        for each in played:
            renamed = replace(each, run=replace(each.run, path=Path("another.json")))
            assert list(reason.explains(renamed)) == list(reason.explains(each)), (reason.why, each.name)


def test_each_reason_is_one_line_and_said_once() -> None:
    for reasons in (DEVIATIONS, FOUND):
        whys = [reason.why for reason in reasons]
        assert len(set(whys)) == len(whys)
        assert all(why.endswith(".") and "\n" not in why and len(why) <= 120 for why in whys)
