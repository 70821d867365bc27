"""A stream cut into the texts of its events, however it comes."""

import pytest

from harness.agui.lines import DataLines, NoStream

STREAM = (
    b'\xef\xbb\xbf: hello\nevent: message\ndata: {"a":\ndata: 1}\n\n'
    b'id: 7\r\ndata:{"b": 2}\r\n\r\n{"c": 3}\ndata: {"d": 4}'
)
TEXTS = [(3, '{"a":\n1}'), (7, '{"b": 2}'), (9, '{"c": 3}'), (10, '{"d": 4}')]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_a_stream_is_the_same_in_pieces_of_any_size(size: int) -> None:
    lines = DataLines()
    found = [each for at in range(0, len(STREAM), size) for each in lines.feed(STREAM[at : at + size])]
    assert [*found, *lines.close()] == TEXTS


def test_a_line_that_no_stream_has_is_named_with_its_number() -> None:
    with pytest.raises(NoStream, match="got 'Not found'") as problem:
        DataLines().feed(b": ok\n\nNot found\n")
    assert problem.value.line == 3


def test_of_a_long_line_the_beginning_is_quoted() -> None:
    with pytest.raises(NoStream, match=r"got 'x{60}\.\.\.'"):
        DataLines().feed(b"x" * 1000 + b"\n")
