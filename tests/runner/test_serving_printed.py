"""What a served program prints, passed on as it comes, and the answers that it prints more than once."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from harness.endpoint.recognition import tagged
from harness.runner.serving.printed import ProgramOutput, repeated
from harness.wire import Reply, Text, Turn

TAG = "0123abcd"


def reply(tag: str = TAG) -> Reply:
    return Reply("openai-chat", "id", "gpt-4.1", (), Turn((Text(tagged("An answer.", tag)),)))


def test_all_that_is_printed_arrives_and_the_tags_in_it_are_counted(capfd: pytest.CaptureFixture[str]) -> None:
    text = f"{'x' * 65530}[{TAG}] and [{TAG}] and [deadbeef] and [no tag]\n" * 3
    with ProgramOutput() as printed:
        _, output, error = printed.streams
        assert error == 2
        os.write(output, text.encode())
    assert capfd.readouterr().out == text
    assert printed.tags == {TAG: 6, "deadbeef": 3}


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_a_tag_that_comes_in_pieces_is_counted_once(size: int) -> None:
    printed, rest = ProgramOutput(), b""
    text = f"a [{TAG}] b [[{TAG}]] [".encode()
    for at in range(0, len(text), size):
        rest = printed._count_tags(rest + text[at : at + size])
    assert printed.tags == {TAG: 2}


def test_output_and_errors_that_go_to_one_file_stay_in_their_order(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    kept = os.dup(2)
    try:
        os.dup2(1, 2)
        with ProgramOutput() as printed:
            _, output, error = printed.streams
            for stream, text in ((output, "one\n"), (error, "two\n"), (output, "three\n")):
                os.write(stream, text.encode())
    finally:
        os.dup2(kept, 2)
        os.close(kept)
    assert capfd.readouterr().out == "one\ntwo\nthree\n"


def test_an_answer_that_is_printed_as_often_as_it_was_given_is_no_note() -> None:
    assert list(repeated([reply()], Counter({TAG: 2}), Counter({TAG: 2}))) == []
    assert list(repeated([reply()], Counter(), Counter({TAG: 1}))) == []
    (note,) = repeated([reply(), reply("deadbeef")], Counter({TAG: 3, "deadbeef": 1}), Counter({TAG: 2}))
    assert note == f"the program has printed the answer [{TAG}] 3 times"
