"""The scan reads files that anybody has written: none may end the process, or keep it for ever."""

from __future__ import annotations

from harness.secrets.scan import scan
from tests.secrets.samples import sample

LEVELS = 60


def test_a_file_that_is_nested_too_deeply_is_a_leak() -> None:
    assert [leak.kind for leak in scan("interactions: " + "[" * 100_000)] == ["unreadable"]


def test_what_aliases_stand_for_is_looked_at_once() -> None:
    secret = sample("anthropic-key").secret
    bomb = [f"a0: &a0 ['{secret}']"]
    bomb += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, LEVELS)]
    assert [leak.where for leak in scan("\n".join(bomb))] == ["a0[0]"]


def test_a_value_that_holds_itself_is_read_once() -> None:
    assert scan("interactions: &loop [*loop]") == []
