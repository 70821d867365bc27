"""The report: what a person reads."""

from __future__ import annotations

from pathlib import Path

from harness.imports.comparison import RecordedComparison, RecordedDifference
from harness_lab.recorded.sessions.read_exchange import ReadExchange, unsupported
from harness_lab.recorded.sessions.report import report
from tests.recorded.corpus.recordings import recorded

CHAT = recorded("openai-chat", b"{}", file="a/chat.yaml", provider="openai")
SIDE = recorded("openai-chat", b"{}", file="a/side.yaml", provider="multi", url="https://a/v1/files", index=3)
COMPARED = [
    RecordedComparison(ReadExchange(CHAT, "openai-chat", ("streamed", "text"), ("last blank line",), cut=2)),
    RecordedComparison(
        ReadExchange(CHAT, "openai-chat", ("whole", "text")), (RecordedDifference("text", "'a'", "'b'"),)
    ),
    unsupported(SIDE, None, "side endpoint"),
]


def test_everything_is_told_and_the_counts_come_last() -> None:
    assert "\n".join(report(COMPARED)) == EXPECTED


EXPECTED = (Path(__file__).parent / "data" / "report_expected.txt").read_text(encoding="utf-8")


def test_many_disagreements_are_counted_rather_than_shown() -> None:
    lines = list(report([COMPARED[1]] * 53))
    assert sum(line.startswith("DISAGREED") for line in lines) == 50
    assert "... and 3 more" in lines


def test_a_run_that_judged_nothing_still_counts() -> None:
    assert list(report([])) == ["0 exchanges: 0 parsed, 0 agreed, 0 disagreed, 0 unsupported"]
    lines = list(report(COMPARED[2:]))
    assert not any(line.startswith("feature") for line in lines)
    assert lines[-1] == "1 exchanges: 0 parsed, 0 agreed, 0 disagreed, 1 unsupported"
