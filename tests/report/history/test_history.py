"""Many runs in one folder: what is a run, what came of each, and how trends are told."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path

import jsonschema
import pytest
from markdown_it import MarkdownIt

from harness.errors import BadInput
from harness.report.history import PastRun, read_history
from harness.report.history.html import html
from harness.report.history.over_time import over_time
from harness.report.history.rendering import BLOCKS, PLAIN, markdown, sparkline, text
from harness.runner.results import FORMAT
from harness_lab.documents.schemas import history_schema
from tests.commands import Printed, called
from tests.report.diff.making import HOSTILE, case, evidence, written

DAYS = [f"2026-01-0{day}T10:00:00+00:00" for day in range(1, 6)]
BROKEN = evidence("order/one-end")


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    """Four runs of a loop, of which the names say nothing about their order, one of another, and what is no run."""
    folder = tmp_path / "reports"
    written(folder / "d", case("a", seconds=1.0), case("b"), started=DAYS[0])
    written(folder / "c", case("a", "fail", BROKEN, BROKEN), case("b"), started=DAYS[1])
    written(folder / "b", case("a", "skip"), case("b", "skip"), started=DAYS[2])
    written(folder / "a", case("a"), case("b", "error", error="boom"), started=DAYS[3], complete=False)
    written(folder / "e", case("a", "fail", evidence("final/code")), started=DAYS[4], target="another")
    (folder / "notes").mkdir()
    (folder / "a-file.txt").write_text("no run")
    return folder


def test_runs_are_in_the_order_in_which_they_were_made_and_by_target(reports: Path) -> None:
    history = read_history(reports)
    assert {target: [run.folder for run in runs] for target, runs in history.targets.items()} == {
        "a-loop": ["d", "c", "b", "a"],
        "another": ["e"],
    }
    assert history.unread == ()


def test_a_run_in_numbers(reports: Path) -> None:
    first, second, *_ = read_history(reports).runs
    assert first == PastRun("d", "a-loop", DAYS[0], "0.1.0", 0, 2, 1.1, {"pass": 2}, {}, {"a": "pass", "b": "pass"})
    assert (second.totals, second.rules, second.failed) == ({"fail": 1, "pass": 1}, {"order/one-end": 1}, 1)


def test_what_is_new_and_fixed_is_so_since_the_case_was_last_run(reports: Path) -> None:
    told = {run.folder: (run.new, run.fixed) for run in read_history(reports).runs}
    assert told == {
        "d": ((), ()),
        "c": (("a.openai-chat.whole",), ()),
        "b": ((), ()),
        "a": (("b.openai-chat.whole",), ("a.openai-chat.whole",)),
        "e": ((), ()),
    }


def test_what_cannot_be_read_is_told_once_and_what_is_no_run_is_not(reports: Path) -> None:
    for name, content in (("old", '{"format": 1}'), ("cut", '{"format"')):
        (reports / name).mkdir()
        (reports / name / "results.json").write_text(content)
    history = read_history(reports)
    assert len(history.runs) == 5
    cut, old = history.unread
    assert cut.startswith(f"{reports}/cut/results.json: expected results of a run, got something that is no JSON")
    assert old == f"{reports}/old/results.json: expected results in format {FORMAT}, got format 1; run again"
    assert [line for line in text(history).splitlines() if "not read" in line] == [
        f"not read: {cut}",
        f"not read: {old}",
    ]


def test_without_a_run_there_is_no_history(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="expected folders of runs, as 'harness run' writes them, got none"):
        read_history(tmp_path)
    with pytest.raises(BadInput, match="expected a folder of runs: No such file or directory"):
        read_history(tmp_path / "nowhere")


def test_trends_of_a_target(reports: Path) -> None:
    lines = text(read_history(reports)).splitlines()
    assert lines[:6] == [
        "a-loop  4 runs, 2026-01-01 to 2026-01-04",
        "  pass           █▅▁▅  1 now, 0 to 2",
        "  fail or error  ▁█▁█  1 now, 0 to 1",
        "  seconds        █▃▃▃  0.2 now, 0.2 to 1.1",
        "  order/one-end  ▁█▁▁  0 now, 0 to 1",
        "           started  cases  pass  fail  error  xfail  skip  new  fixed  seconds  folder",
    ]
    assert " ".join(lines[6].split()) == "2026-01-04 10:00 2 1 0 1 0 0 1 1 0.2 a (interrupted)"
    assert "another  1 run, 2026-01-05" in lines


def test_a_sparkline_has_a_sign_for_every_value() -> None:
    assert sparkline([0, 1, 2, 3, 4, 5, 6, 7]) == BLOCKS
    assert sparkline([0, 0]) == "▁▁"
    assert sparkline([]) == ""
    assert sparkline([5, 5]) == "██"
    assert sparkline([0, 1000, 1]) == "▁█▂"  # a little is not nothing
    assert sparkline([0, 7], PLAIN) == "_#"
    assert sparkline([1.4173738261003155]) == "█"  # times 7 and divided by itself it is more than 7


def test_the_page_is_given_every_rule_for_every_run(reports: Path) -> None:
    counts = [(each.run, each.rule, each.count) for each in over_time(read_history(reports), "a-loop")]
    assert counts == [(day, "order/one-end", count) for day, count in zip(DAYS, (0, 1, 0, 0), strict=False)]
    assert over_time(read_history(reports), "unknown") == []


def test_the_page_shows_scenarios_and_rules_run_by_run(reports: Path) -> None:
    text = html(read_history(reports), reports, reports.parent)
    rows = re.findall(r'<tr class="item"><th scope="row" title="[^"]*">([^<]*)</th>(.*?)</tr>', text)
    assert [name for name, _ in rows] == ["b", "a", "order/one-end", "a", "final/code"]  # the worst now comes first
    links = dict.fromkeys(re.findall(r'<a href="([^"]*)" class="cell (\w+)" title="([^"]*)"', rows[1][1]))
    assert list(links) == [
        ("reports/d/index.html#scenario=a", "pass", "passed, 2026-01-01T10:00"),
        ("reports/c/index.html#scenario=a", "fail", "failed, 2026-01-02T10:00"),
        ("reports/b/index.html#scenario=a", "skip", "skipped, 2026-01-03T10:00"),
        ("reports/a/index.html#scenario=a", "pass", "passed, 2026-01-04T10:00"),
    ]
    assert re.findall(r"<td>(.*?)</td>", rows[2][1])[0] == ""  # the rule was not broken in the first run
    assert 'href="reports/c/index.html#rule=order%2Fone-end"' in rows[2][1]
    assert ">a (interrupted)</a>" in text


def test_a_scenario_that_always_passed_takes_no_row(tmp_path: Path) -> None:
    for day in DAYS[:2]:
        written(tmp_path / day[:10], case("always"), case("skipped", "skip"), started=day)
    text = html(read_history(tmp_path), tmp_path, tmp_path)
    assert "2 passed, or were skipped, in every run" in text
    assert 'class="item"><th' not in text


def test_words_of_others_make_no_markup_of_the_page(tmp_path: Path) -> None:
    for number, words in enumerate(HOSTILE):
        found = case(f"{number}{words}"[:5_000], "fail", evidence(words))
        written(tmp_path / f"javascript:run-{number}<b>", found, target=words, started=words)
    text = html(read_history(tmp_path), tmp_path, tmp_path.parent)
    tags = set(re.findall(r"<([^\s>]*)", text.partition("<main>")[2].partition("</main>")[0]))
    known = {"section", "h1", "h2", "h3", "table", "thead", "tbody", "tr", "th", "td", "a", "div", "p"}
    assert {tag.removeprefix("/") for tag in tags} <= known
    addresses = set(re.findall(r'href="([^"]*)"', text)) - {"data:,"}
    assert all(each.startswith(tmp_path.name) and ":" not in each for each in addresses)
    assert len(text) < 500_000


@pytest.mark.parametrize("words", HOSTILE, ids=range(len(HOSTILE)))
def test_words_of_others_are_harmless(words: str, tmp_path: Path) -> None:
    written(tmp_path / "r|u`n<b>", case("a", "fail", evidence(words)), target=words, started=words)
    unreadable = tmp_path / "[x](javascript:alert)<b>\x1b[2J\n# heading"
    unreadable.mkdir()
    (unreadable / "results.json").write_text("none")
    history = read_history(tmp_path)
    assert all(char == "\n" or char.isprintable() for char in text(history) + markdown(history))
    assert len(text(history)) < 5_000
    assert len(text(history).splitlines()) == 9
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown(history))
    kinds = {token.type for token in tokens} | {child.type for token in tokens for child in token.children or ()}
    assert {"table_open", "fence"} <= kinds
    assert not kinds & {"html_inline", "html_block", "link_open", "image"}
    assert sum(token.type == "heading_open" for token in tokens) == 1
    assert sum(token.type == "td_open" for token in tokens) == 11
    assert "r|u`n<b>" in [child.content for token in tokens for child in token.children or ()]  # in one cell
    jsonschema.validate(json.loads(json.dumps(history.to_json())), history_schema())


def test_the_schema_of_json_refuses_what_is_wrong(reports: Path) -> None:
    told = json.loads(json.dumps(read_history(reports).to_json()))
    jsonschema.validate(told, history_schema())
    run = told["runs"][0]
    without = {name: value for name, value in run.items() if name != "folder"}
    for broken in (
        {"format": 0},
        {"runs": None},
        {"unread": [1]},
        {"runs": [{**run, "cases": "1"}]},
        {"runs": [without]},
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**told, **broken}, history_schema())


def test_many_runs_are_told_in_few_lines(tmp_path: Path) -> None:
    for number in range(60):
        found = [evidence(f"order/rule-{each}") for each in range(number % 20)]
        started = f"2026-01-01T10:{number:02}:00+00:00"
        written(tmp_path / f"run-{number}", case("a", "fail" if found else "pass", *found), started=started)
    lines = text(read_history(tmp_path)).splitlines()
    assert len(lines) < 40
    assert "  and 9 more rules that were broken" in lines
    assert lines[-1] == "  and 48 earlier"
    assert max(map(len, lines)) < 120


def test_the_command(reports: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    history = partial(called, capsys, "history")
    code, out, _ = history(reports).lines
    assert (code, out[0]) == (0, "a-loop  4 runs, 2026-01-01 to 2026-01-04")
    read = json.loads(history(reports, "--format", "json").out)
    assert (read["format"], len(read["runs"]), read["runs"][1]["rules"]) == (2, 5, {"order/one-end": 1})
    assert history(reports, "--format", "html", "--out", tmp_path / "h.html") == Printed(0, "", "")
    assert 'href="reports/c/index.html#scenario=a"' in (tmp_path / "h.html").read_text()
    assert history(reports, "--format", "markdown", "--out", tmp_path / "h.md") == Printed(0, "", "")
    assert (tmp_path / "h.md").read_text().startswith("## `a-loop`, 4 runs")
    problem = f"error: {tmp_path}/nowhere: expected a folder of runs: No such file or directory"
    assert history(tmp_path / "nowhere").lines == (2, [], [problem])
    code, _, err = history(reports, "--out", tmp_path / "no" / "where").lines
    assert (code, err) == (2, [f"error: --out {tmp_path}/no/where: cannot be written: No such file or directory"])
