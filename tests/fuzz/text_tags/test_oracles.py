"""Every oracle objects to what it is for, and says so; programs in other languages are asked, too."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from harness.errors import BadInput
from harness.fuzz.campaign import Falsified
from harness.fuzz.text_tags.campaign import CAMPAIGN
from harness.fuzz.text_tags.example import arriving
from harness.fuzz.text_tags.oracles import LONG
from harness.fuzz.text_tags.parser import TagParser
from harness.wire.text_tags import TextTags, stream
from harness.wire.text_tags.call import BlockReader
from harness.wire.text_tags.reader import Reader
from tests.fuzz.examples import in_steps
from tests.wire.text_tags.reading import call
from tests.wire.text_tags.test_mutants import (
    an_open_string_swallows_what_follows,
    escapes_are_cut,
    half_calls_run,
    half_tags_are_shown,
    keys_stay_bare,
    no_calls_vanish,
    tags_cut_strings,
    thinking_is_text,
)

A, B = call("a", '{"x":1}'), call("b")
IS_A = {"name": "a", "arguments": {"x": 1}}
IS_B = {"name": "b", "arguments": {}}


def says(text: str, *calls: Any, **more: Any) -> Callable[[Iterable[str]], Mapping[str, Any]]:
    return lambda deltas: {"text": text, "calls": list(calls), **more}


@pytest.mark.parametrize(
    ("text", "answer", "oracle", "got"),
    [
        (f"Hi {A}{B}!", says("Hi !", IS_A), "lost-call", "('a', {'x': 1})"),
        (f"Hi {A}{B}!", says("Hi !", IS_B, IS_A), "lost-call", "('b', {}), ('a', {'x': 1})"),
        (f"Hi {A}!", says("Hi !", IS_A, IS_B), "invented-call", "('a', {'x': 1}), ('b', {})"),
        (f"Hi {A}!", says("Hi !", IS_A, IS_A), "invented-call", "('a', {'x': 1}), ('a', {'x': 1})"),
        (f"<think>{B}</think>{A}", says("", IS_B, IS_A), "thinking", "('b', {}), ('a', {'x': 1})"),
        (f"<think>{A}</think>{A}", says("", IS_A, IS_A), "thinking", "('a', {'x': 1}), ('a', {'x': 1})"),
        (A, says("", {"name": "a", "arguments": {"x": True}}), "arguments", "('a', {'x': True})"),
        (A, says("", {"name": "a", "arguments": {}}), "arguments", "('a', {})"),
        (f"Hi {A}!", says("Hi", IS_A), "lost-text", "'Hi'"),
        (f"Hi {A}!", says("Hi }!", IS_A), "shown", "'Hi }!'"),
        ("Hi <tool_call>not", says("H"), "lost-text", "'H'"),
        ("Hi <tool_call>not", says("Hi <tool_call>not"), "shown", "'Hi <tool_call>not'"),
        (f"<tool_call>{B}", says(""), "lost-call", "no call"),
        (f"<tool_call>{A}", says("", IS_B), "lost-call", "('b', {})"),
        ("<tool_call>call:b{}", says("", IS_B), "invented-call", "('b', {})"),
        ("<tool_call>not", says("", unreadable=[]), "unreadable", "neither"),
        ("<tool_call>not", says("", unreadable=[{"arguments": "{}", "problem": "no"}]), "unreadable", "'no', '{}'"),
        ("<tool_call>not", says("", unreadable=[{"arguments": "x", "problem": ""}]), "unreadable", "'', 'x'"),
        ("a", lambda deltas: {"text": "a"}, "raises", "{'text': 'a'} (KeyError: 'calls')"),
        ("a", lambda deltas: None, "raises", "None (TypeError: 'NoneType' object is not subscriptable)"),
        ("a", lambda deltas: {"text": None, "calls": []}, "raises", "{'text': None, 'calls': []}"),
        ("a", lambda deltas: 1 // 0, "raises", "ZeroDivisionError: integer division or modulo by zero"),
    ],
)
def test_an_oracle_objects(text: str, answer: Any, oracle: str, got: str) -> None:
    with pytest.raises(Falsified) as objection:
        CAMPAIGN.check(arriving([text]), TagParser(answer))
    assert (objection.value.oracle, objection.value.got) == (oracle, got)
    assert oracle in CAMPAIGN.oracles


def test_what_comes_of_deltas_must_be_what_comes_of_the_whole() -> None:
    with pytest.raises(Falsified, match=r"cut: expected what comes of the text in one piece: .*text='ab'.*text='a'"):
        CAMPAIGN.check(arriving(["a", "b"]), TagParser(lambda deltas: {"text": next(iter(deltas)), "calls": []}))


@pytest.mark.parametrize(
    "answer",
    [says("Hi  !", IS_A), says("Hi  !\n", {"name": "a", "arguments": {"x": 1.0}}), says(" Hi  !", IS_A, unreadable=[])],
)
def test_what_is_right_is_right(answer: Any) -> None:
    assert CAMPAIGN.check(arriving([f"Hi {A} !"]), TagParser(answer)) == 1


def test_half_a_character_may_be_told_in_any_way() -> None:
    for half in ("\ud83d", "\ufffd"):
        assert CAMPAIGN.check(arriving(["a\ud83d b"]), TagParser(says(f"a{half} b"))) == 1
    with pytest.raises(Falsified, match="lost-text"):
        CAMPAIGN.check(arriving(["a\ud83d b"]), TagParser(says("a b")))


def test_a_text_is_judged_once_and_then_only_its_cuts_are() -> None:
    parser = CAMPAIGN.open(None)
    assert CAMPAIGN.check(arriving(["Hi ", A]), parser) == 2
    assert CAMPAIGN.check(arriving(["H", "i ", A]), parser) == 1
    assert CAMPAIGN.check(arriving([f"Hi {A}"]), parser) == 0


def test_steps_are_counted_for_long_texts_only() -> None:
    parser = CAMPAIGN.open(None)
    assert CAMPAIGN.check(arriving(["a", "b"], LONG - 1), parser) == 2
    assert CAMPAIGN.check(arriving(["a", "b"], LONG), parser) == 5


# --- ours, broken -------------------------------------------------------------------------------------------


def white_space_is_lost(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(stream.Trimmed, "push", lambda self, piece: piece.strip())


def bad_calls_have_no_problem(patch: pytest.MonkeyPatch) -> None:
    def silent(self: BlockReader) -> Any:
        told = give_up(self)
        self.problem = ""
        assert self.call is not None
        self.call.problem, self.call.pieces = "", ["{}"]
        return told

    give_up = BlockReader.give_up
    patch.setattr(BlockReader, "give_up", silent)


def bad_calls_look_whole(patch: pytest.MonkeyPatch) -> None:
    def whole(self: BlockReader) -> Any:
        told = give_up(self)
        assert self.call is not None
        self.call.pieces = ["{}"]
        return told

    give_up = BlockReader.give_up
    patch.setattr(BlockReader, "give_up", whole)


def all_is_read_again(patch: pytest.MonkeyPatch) -> None:
    def feed(self: TextTags, text: str) -> Any:
        again = TextTags()
        told = once(self, text)
        once(again, self.raw)
        return told

    once = TextTags.feed
    patch.setattr(TextTags, "feed", feed)


def a_text_ends_with_its_first_call(patch: pytest.MonkeyPatch) -> None:
    take = Reader.take
    patch.setattr(Reader, "take", lambda self, token: self if self.calls else take(self, token))


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("breaks", "oracles"),
    [
        (tags_cut_strings, {"lost-call"}),
        (an_open_string_swallows_what_follows, {"lost-call"}),
        (half_tags_are_shown, {"cut", "lost-call"}),
        (half_calls_run, {"raises", "invented-call"}),
        (thinking_is_text, {"thinking", "shown"}),
        (escapes_are_cut, {"cut", "raises"}),
        (keys_stay_bare, {"lost-call"}),
        (no_calls_vanish, {"unreadable"}),
        (white_space_is_lost, {"lost-text", "cut"}),
        (bad_calls_have_no_problem, {"invented-call", "lost-call"}),
        (bad_calls_look_whole, {"unreadable"}),
        (all_is_read_again, {"linear"}),
        (a_text_ends_with_its_first_call, {"lost-text", "lost-call", "cut"}),
    ],
    ids=lambda part: getattr(part, "__name__", ""),
)
def test_ours_broken_is_found(
    breaks: Callable[[pytest.MonkeyPatch], None], oracles: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    enumerated = [each for each in CAMPAIGN.enumerated() if (each.times > 1) is (oracles == {"linear"})]
    breaks(monkeypatch)
    parser = CAMPAIGN.open(None)
    with pytest.raises(Falsified) as objection:
        sum(CAMPAIGN.check(example, parser) for example in in_steps(enumerated))
    assert objection.value.oracle in oracles


# --- subjects -----------------------------------------------------------------------------------------------


def test_a_function_is_found_by_its_name() -> None:
    parser = CAMPAIGN.open("harness_lab.gallery.text_tags:sound")
    assert parser.countable
    assert CAMPAIGN.check(arriving([f"Hi {A}", "!"]), parser) == 2
    with pytest.raises(BadInput, match=r"has no function 'nothing'; expected read\(deltas"):
        CAMPAIGN.open("harness_lab.gallery.text_tags:nothing")


def test_a_program_is_asked(tmp_path: Path) -> None:
    program = tmp_path / "parser.py"
    program.write_text(
        "import json, sys\n"
        "from harness_lab.gallery.text_tags import sound\n"
        "for line in sys.stdin:\n"
        "    deltas = json.loads(line)['deltas']\n"
        "    if 'crash' in deltas: sys.exit(3)\n"
        "    print(json.dumps(sound(deltas)), flush=True)\n",
        encoding="utf-8",
    )
    parser = CAMPAIGN.open(f"cmd:{sys.executable} {program}")
    assert not parser.countable
    assert CAMPAIGN.check(arriving(["\ud83d", f"\ude00{A}"]), parser) == 2
    assert CAMPAIGN.check(arriving(["a", "b"], LONG), parser) == 2
    with pytest.raises(Falsified, match="raises: expected an answer, got it ended with exit code 3"):
        CAMPAIGN.check(arriving(["crash"]), parser)
