"""Observations against listed reasons: what nobody listed and what is not so any more both fail."""

from __future__ import annotations

from harness_lab.golden import Observation, Reason
from harness_lab.golden.reasons import account

CODE, TEXT = Observation("code", "this and that"), Observation("text")


def test_what_is_listed_and_only_that_holds() -> None:
    kept = Reason("Kept as it is.", {"one.openai two": ("code",)})
    found = account({"one.openai": [CODE], "two.gemini": [CODE], "two.openai": [CODE], "three.openai": []}, [kept])
    assert found.holds
    assert found.quiet == ("three.openai",)
    assert found.listed == ("one.openai", "two.gemini", "two.openai")
    assert found.by_reason == {"Kept as it is.": ("one.openai", "two.gemini", "two.openai")}
    assert (found.unexplained, found.stale, found.absent) == ((), (), ())


def test_what_nobody_listed_is_unexplained() -> None:
    found = account({"one.openai": [CODE, TEXT]}, [Reason("Kept.", {"one": ("code",)})])
    assert not found.holds
    assert found.unexplained == (("one.openai", TEXT),)
    assert (found.quiet, found.listed) == ((), ())


def test_what_is_not_so_any_more_is_stale() -> None:
    reasons = [Reason("Kept.", {"one": ("code", "text")}), Reason("Also.", {"one.openai": ("text",)})]
    found = account({"one.openai": [CODE], "one.gemini": [CODE, TEXT]}, reasons)
    assert not found.holds
    assert found.stale == ("one.openai: text: not so any more, though listed: Kept. / Also.",)
    assert found.by_reason == {"Kept.": ("one.openai", "one.gemini")}


def test_a_reason_for_one_recording_is_none_for_another() -> None:
    assert account({"ones.openai": [CODE]}, [Reason("Kept.", {"one": ("code",)})]).unexplained
    assert account({"one.gemini": [CODE]}, [Reason("Kept.", {"one.openai": ("code",)})]).unexplained
    assert account({"one.gemini": [CODE]}, [Reason("Kept.", {"*.gemini": ("code",)})]).holds


def test_entries_for_recordings_that_are_not_there_are_named() -> None:
    found = account({"one.openai": []}, [Reason("Kept.", {"two three.openai": ("code",)})])
    assert found.absent == ("two", "three.openai")
    assert found.holds
