"""What every run of an agent has otherwise is no difference; what only looks like it stays."""

from __future__ import annotations

from harness.report.diff.asked import Settling
from harness.trace import Case, RequestRecord, Trace
from tests.case_tables import from_table

TOP = "/var/harness-agent-7-ab"
STARTED = "2026-11-26T14:11:21+00:00"
FOLDERS = {"home": f"{TOP}/home", "workdir": f"{TOP}/work", "program": "/opt/node_modules"}


def case(name: str = "a") -> Case:
    return Case(f"{name}.openai-chat.event", name, "openai-chat", profile="coding-agent", folders=FOLDERS)


def settled(text: str, *others: str, versions: tuple[str, ...] = ("1.5.2",)) -> str:
    """A text of the first case of a run; ``others`` are those of other cases."""
    settling = Settling(STARTED, versions)
    for number, each in enumerate((text, *others)):
        request = RequestRecord(0, "POST", "/v1/chat/completions", {}, each.encode())
        settling.learn(Trace(case(f"c{number}"), (request,)))
    return settling.of_case(case()).text(text)


@from_table(__file__, "test_what_belongs_to_the_run_has_a_name")
def test_what_belongs_to_the_run_has_a_name(text: str, expected: str) -> None:
    assert settled(text) == expected


@from_table(__file__, "test_what_belongs_to_the_program_stays")
def test_what_belongs_to_the_program_stays(text: str) -> None:
    assert settled(text) == text


def test_an_id_that_two_cases_have_is_the_programs_own() -> None:
    id = "0b5e7d3c-9d2f-4e0a-8a52-3a1c2f6f9a10"
    assert settled(f"commit {id}", f"commit {id}") == f"commit {id}"
    assert settled(f"commit {id}", "another case") == "commit $id"


def test_only_the_name_of_a_program_has_no_version_in_a_header() -> None:
    texts = Settling(STARTED).of_case(case())
    assert texts.header("user-agent", "pi/1.4.0 (linux) node/v22.1.0") == "pi/$version (linux) node/$version"
    assert texts.header("x-sdk-version", "6.1.0") == "6.1.0"
