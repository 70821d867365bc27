"""No secret is left in the records of a stream, also where it comes in pieces."""

from harness.runner.redacting import redacted_trace, run_redactor
from harness.trace import AgUiRecord, Case, EventRecord, ToolArguments, Trace, dumps

SECRET = "sk-ant-api03-" + "q7" * 40


def test_ids_and_what_is_wrong() -> None:
    records = (
        AgUiRecord("RUN_STARTED", SECRET, calls=(SECRET,)),
        AgUiRecord("", wrong=f"no JSON: {SECRET}"),
        AgUiRecord(SECRET, owner=SECRET),
    )
    text = dumps(redacted_trace(Trace(Case("c", "s", "openai-chat"), records), run_redactor(), ()))
    assert "q7q7" not in text
    assert text.count('"record":"ag-ui"') == 3


def test_arguments_in_pieces() -> None:
    pieces = ['{"key": "', SECRET[:30], SECRET[30:], '"}']
    records = tuple(EventRecord(ToolArguments("call_1", piece)) for piece in pieces)
    kept = redacted_trace(Trace(Case("c", "s", "openai-chat"), records), run_redactor(), ())
    assert "q7q7" not in dumps(kept)
    assert len(kept.records) == len(pieces)
