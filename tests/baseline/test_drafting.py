"""Entries for what is not expected yet: few patterns, that stand for nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.baseline.drafting import DraftEntry, FoundCause, drafts, head, written
from harness.baseline.model import matches
from harness.runner.results import CaseResult
from tests.baseline.case_results import ids, result
from tests.case_tables import from_table


def drafted(*results: CaseResult) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The entry for one cause that all these cases show."""
    return [(draft.cases, draft.rules) for draft in drafts([cause(*results)], ids("cut", "other"), {})]


def cause(*results: CaseResult) -> FoundCause:
    return [(each, each.findings) for each in results]


@from_table(__file__, "test_wires_and_chunkings_are_folded")
def test_wires_and_chunkings_are_folded(broken: list[str], patterns: list[str]) -> None:
    assert drafted(*(result(id, "order/one-end") for id in broken)) == [(tuple(patterns), ("order/one-end",))]


def test_a_cause_is_one_entry_whichever_scenarios_show_it() -> None:
    both = [result(id, "order/one-end", "expect/outcome") for id in ids("cut")]
    more = result("other.openai-chat.byte", "order/one-end", "OAC-01")
    assert drafted(*both, more) == [
        (("cut.*", "other.openai-chat.byte"), ("order/one-end", "expect/outcome", "OAC-01"))
    ]


def test_the_version_is_that_of_the_targets_own_package() -> None:
    (draft,) = drafts(
        [cause(result("cut.openai-chat.byte", "order/one-end"))], ids("cut"), {"loop": "2.66.0", "sdk": "3.1"}
    )
    assert draft.versions == {"loop": ">=2.66,<3"}


@given(st.sets(st.sampled_from(ids("cut")), min_size=1))
def test_the_patterns_stand_for_exactly_the_cases_that_were_broken(broken: set[str]) -> None:
    ((patterns, _),) = drafted(*(result(id, "order/one-end") for id in sorted(broken)))
    meant = {id for id in ids("cut", "other") if any(matches(pattern, id) for pattern in patterns)}
    assert meant == broken


def test_an_entry_is_written_as_a_person_would_write_it() -> None:
    draft = DraftEntry(
        ("cut.*",),
        ("order/one-end", "ANT-01"),
        ("order/one-end: expected x,\n got \x1b[31m\ud83d",),
        {"@ai/sdk": ">=1,<2"},
    )
    assert written(draft, 2) == (
        "  - cases: [cut.*]\n"
        "    rules: [order/one-end, ANT-01]\n"
        "    # order/one-end: expected x, got [31m\n"
        '    reason: "TODO: say why"\n'
        '    versions: {"@ai/sdk": ">=1,<2"}\n'
    )


def test_a_long_list_has_a_line_for_each_word() -> None:
    lines = written(DraftEntry(tuple(ids("a-scenario-with-a-name")), ("order/one-end",), (), {}), 0).splitlines()
    assert lines[:3] == [
        "- cases:",
        "    - a-scenario-with-a-name.openai-chat.whole",
        "    - a-scenario-with-a-name.openai-chat.byte",
    ]


@pytest.mark.parametrize("target", ["some-loop", "a.b:run", "cmd:node 'x y' \"z\"", "null", "1", "*", "é: #"])
def test_a_new_file_names_its_target_whatever_that_is_called(
    target: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    from harness.baseline.loader import load

    path = tmp_path_factory.mktemp("new") / "a.yaml"
    path.write_text(head(target), encoding="utf-8")
    assert (load(path).target, load(path).entries) == (target, ())
