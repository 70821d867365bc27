"""``harness lab drift`` as a person meets it, and once over all the shared recordings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from harness.cassette.forms import FORMS
from harness.errors import BadInput
from harness.imports.comparison import Reason, matching
from harness.wire import NativeWireName
from harness_lab.cli.drift import drift
from harness_lab.recorded.drift import (
    ENOUGH,
    FEATURES,
    KNOWN,
    ServedShapes,
    Server,
    Shapes,
    known,
    of_recordings,
    read_responses,
    served_shapes,
)
from harness_lab.recorded.reading.servers import MAKERS
from tests.recorded.drift.responses import rendered


@cache
def recorded(*folders: Path) -> Mapping[tuple[NativeWireName, Server], Shapes]:
    """What was recorded there, read once for the tests of this module: it takes seconds."""
    return of_recordings(read_responses(folders))


@pytest.mark.exhaustive
def test_nothing_that_is_rendered_is_unreal(
    shared: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All shared recordings."""
    monkeypatch.setattr("harness_lab.recorded.drift.read_responses", lambda paths: paths)
    monkeypatch.setattr("harness_lab.recorded.drift.of_recordings", lambda paths: recorded(*paths))
    monkeypatch.setattr("harness_lab.recorded.drift.sample", lambda wire: wire)
    monkeypatch.setattr("harness_lab.recorded.drift.of_sample", rendered)
    assert drift([shared / "corpus", shared / "corpus2"], []) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if "NEVER REAL" in line or "NO LONGER NEEDED" in line] == []
    assert [line for line in lines if "not explained" in line] == []
    assert [line for line in lines if line and not line.startswith(" ")][:-1] == [
        "openai-responses as openai",
        "openai-chat as openai",
        "openai-chat as deepseek",
        "anthropic-messages as anthropic",
        "gemini-generate as gemini",
        "bedrock-converse as bedrock",
        "gemini-interactions as gemini",
    ]
    assert lines[-1].startswith("2374 rendered shapes: 0 never real, ")


@pytest.mark.exhaustive
def test_every_feature_in_the_list_is_recorded(shared: Path) -> None:
    served = [
        (each, [str(shape) for shape in each.unrendered])
        for wire in MAKERS
        for each in served_shapes(wire, rendered(wire), recorded(shared / "corpus", shared / "corpus2"))
    ]
    for feature in FEATURES:
        assert any(matching(pattern, shapes) for each, shapes in served for pattern in feature.explains(each)), (
            feature.name
        )


def test_a_wire_of_which_no_maker_is_known_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"--wire text-tags: expected a wire of openai-responses, .*; choose one"):
        drift([tmp_path], ["text-tags"])


def test_too_few_recordings_are_bad_input(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text(
        "interactions:\n"
        "- request: {method: POST, uri: 'https://api.openai.com/v1/responses', body: '{}', headers: {}}\n"
        "  response: {status: {code: 200}, headers: {}, body: {string: '{}'}}\n",
        encoding="utf-8",
    )
    with pytest.raises(BadInput, match="too few recordings of openai-responses"):
        drift([tmp_path / "one.yaml"], ["openai-responses"])


def test_a_server_that_sends_something_else_is_drift(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Ten answers with one member: nearly all that is rendered whole is in none of them, and this member is news."""
    interaction = (
        "- request: {method: POST, uri: 'https://api.anthropic.com/v1/messages', body: '{}', headers: {}}\n"
        "  response: {status: {code: 200}, headers: {}, body: {string: '{\"greeting\": 1}'}}\n"
    )
    (tmp_path / "one.yaml").write_text("interactions:\n" + 10 * interaction, encoding="utf-8")
    assert drift([tmp_path], ["anthropic-messages"]) == 1
    out = capsys.readouterr().out
    assert "  RENDERED, NEVER REAL  document | content: list\n" in out
    assert "  real, not rendered, not explained  document | greeting: number\n      10 recordings, first " in out
    assert "not judged, for want of 10 recordings: stream, error" in out


def patterns_of(reason: Reason[ServedShapes]) -> list[str]:
    """All patterns of a reason: what it explains of a server of which enough is recorded, whoever it is."""
    much = Shapes(responses=Counter(dict.fromkeys(FORMS, ENOUGH)))
    served = (
        ServedShapes(wire, server, Shapes(), much, Shapes()) for wire in MAKERS for server in (MAKERS[wire], "deepseek")
    )
    found = (list(reason.explains(each)) for each in served)
    return next(filter(None, found), [])


@pytest.mark.parametrize("reason", [*KNOWN, *FEATURES], ids=lambda reason: reason.name or patterns_of(reason)[0])
def test_a_reason_is_a_sentence_and_its_patterns_are_specific(reason: Reason[ServedShapes]) -> None:
    patterns = patterns_of(reason)
    assert patterns
    assert reason.why[0].isupper()
    assert reason.why.endswith(".")
    assert len(patterns) == len(set(patterns))
    for pattern in patterns:
        assert len(pattern.replace("*", "")) >= 5, pattern
    if reason in KNOWN:
        assert reason.evidence
        assert {pattern.partition(" | ")[0] for pattern in patterns} <= set(FORMS)


def test_a_pattern_without_a_form_is_refused() -> None:
    """It would never apply, and never be stale."""
    with pytest.raises(ValueError, match=r"expected one of the forms .*, got \* headers"):
        known("openai-chat", "openai", ("* headers | date",), "Everybody sends it.", "this test")
