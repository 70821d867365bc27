"""How a comparison is told: the important first, no longer than can be read, and harmless whatever it holds."""

from __future__ import annotations

import json
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest
from markdown_it import MarkdownIt

from harness.report.diff import Comparison, compare
from harness.report.diff.formats import FORMATS
from harness.report.formats.markdown import LIMIT
from harness_lab.documents.schemas import diff_schema
from tests.report.diff.making import HOSTILE, case, evidence, hostile_runs, request, trace, written
from tests.report.junit_schema import faults


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    return compare(*hostile_runs(tmp_path_factory.mktemp("hostile"), HOSTILE))


def test_nothing_drives_a_terminal(hostile: Comparison) -> None:
    told = FORMATS["terminal"](hostile)
    assert all(char == "\n" or char.isprintable() for char in told)
    assert len(told) < 100_000
    assert not [line for line in told.splitlines() if line.startswith("# heading")]


def test_markdown_reads_nothing_of_it_as_markdown_or_html(hostile: Comparison) -> None:
    document = FORMATS["markdown"](hostile)
    tokens = MarkdownIt("commonmark").parse(document)
    kinds = {token.type for token in tokens} | {child.type for token in tokens for child in token.children or ()}
    assert {"fence", "code_inline", "heading_open"} <= kinds
    assert not kinds & {"html_inline", "html_block", "link_open", "image", "hr", "blockquote_open", "table_open"}
    headings = [tokens[at + 1] for at, token in enumerate(tokens) if token.type == "heading_open"]
    ours = ("REGRESSED", "STALE", "ANOTHER", "FIXED", "ADDED", "MUCH SLOWER")
    assert len(headings) == sum(line.startswith("##") for line in document.splitlines())  # none is inside a fence
    assert all(
        {child.type for child in heading.children or ()} == {"code_inline"} or heading.content.startswith(ours)
        for heading in headings[1:]
    )


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: set[tuple[str, str]] = set()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found |= {(tag, name) for name, _ in attributes} or {(tag, "")}


def test_the_page_has_no_tag_of_anybody_else(hostile: Comparison) -> None:
    page = FORMATS["html"](hostile)
    page.encode("utf-8")
    tags = Tags()
    tags.feed(page.partition("<main>")[2].partition("</main>")[0])
    assert tags.found <= {
        ("h1", "class"), ("h2", "class"), ("h3", ""), ("section", ""), ("div", "class"), ("p", ""), ("p", "class"),
        ("details", "class"), ("details", "open"), ("summary", ""), ("a", "href"), ("code", ""), ("dl", ""), ("dt", ""),
        ("dd", ""), ("dt", "class"), ("dd", "class"), ("pre", ""), ("span", "class"),
    }  # fmt: skip
    assert "default-src 'none'" in page


def test_junit_and_json_can_be_read_back(hostile: Comparison) -> None:
    root = ElementTree.fromstring(FORMATS["junit"](hostile).encode("utf-8"))  # noqa: S314 - our own
    assert faults(FORMATS["junit"](hostile)) == []
    assert len(root.findall(".//failure")) == int(root.attrib["failures"])
    read = json.loads(FORMATS["json"](hostile))
    jsonschema.validate(read, diff_schema())
    told = [each["found"][0]["got"] for each in read["cases"] if each["found"]]
    assert told == [text for text in HOSTILE for _ in range(2)]


def test_json_says_what_the_exit_code_says(tmp_path: Path) -> None:
    base = written(tmp_path / "base", case("a"), case("b"))
    read = json.loads(
        FORMATS["json"](compare(base, written(tmp_path / "new", case("a", "fail", evidence()), case("b"))))
    )
    assert (read["format"], read["regressed"], read["totals"], read["unchanged"]) == (2, True, {"regressed": 1}, 1)
    assert [(each["id"], each["kind"], each["regression"]) for each in read["cases"]] == [
        ("a.openai-chat.whole", "regressed", True)
    ]


def test_the_schema_of_json_refuses_what_is_wrong(hostile: Comparison) -> None:
    read = json.loads(FORMATS["json"](hostile))
    case = read["cases"][0]
    read["cases"] = [case]
    jsonschema.validate(read, diff_schema())
    without = {name: value for name, value in case.items() if name != "regression"}
    known = ({"format": 1}, {"regressed": "no"}, {"totals": {"regressed": -1}}, {"base": {}}, {"unchanged": None})
    for broken in (*known, {"cases": [{**case, "kind": "good"}]}, {"cases": [without]}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**read, **broken}, diff_schema())


def test_the_longest_texts_are_told_in_little(tmp_path: Path) -> None:
    text = "<&|`" * 300_000
    assert len(text) > LIMIT
    comparison = compare(*hostile_runs(tmp_path, [text]))
    for format in ("terminal", "markdown", "html", "junit"):
        told = FORMATS[format](comparison)
        assert len(told.encode()) <= LIMIT
        assert "… (1,200,000 characters)" in told


def test_markdown_stays_under_githubs_limit_whatever_has_changed(tmp_path: Path) -> None:
    text = "\x1b" * 2_000
    found = [evidence(f"order/{number}{text}", text, expected=text) for number in range(40)]
    base, new = ([case(f"{text}{number}", verdict) for number in range(200)] for verdict in ("pass", "error"))
    broken = [replace(each, findings=(found[number % 40],) * 5) for number, each in enumerate(new)]
    comparison = compare(written(tmp_path / "base", *base), written(tmp_path / "new", *broken))
    told = FORMATS["markdown"](comparison)
    assert len(told.encode()) <= LIMIT
    assert told.startswith("## 200 regressed, 0 unchanged")
    assert "more" in told


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    """1,000 cases that fail by ten rules, 200 that ask otherwise, one that nobody had before."""
    numbers, others = range(1000), range(200)
    asked = [case(f"t{number}", trace=f"traces/t{number}.jsonl") for number in others]
    base = [*(case(f"f{number}") for number in numbers), *asked]
    new = [*(case(f"f{number}", "fail", evidence(f"order/rule-{number % 10}")) for number in numbers), *asked]
    plain = {f"t{number}": trace(request('{"a":1}'), name=f"t{number}") for number in others}
    other = {f"t{number}": trace(request('{"a":1,"b":[{"c":2}]}'), name=f"t{number}") for number in others}
    folder = tmp_path_factory.mktemp("many")
    before = written(folder / "base", *base, traces=plain)
    return compare(before, written(folder / "new", *new, case("fresh"), traces=other))


def test_of_a_thousand_changes_the_first_are_told_and_the_rest_counted(many: Comparison) -> None:
    lines = FORMATS["terminal"](many).splitlines()
    assert len(lines) < 150
    assert "REGRESSED: 1,000 cases" in lines
    assert "  order/rule-0  100 cases" in lines
    assert "  and 2 kinds more" in lines
    assert "ANOTHER TRACE, THE SAME VERDICT: 200 cases" in lines
    assert "  request *: b  200 cases" in lines
    assert "    + b: list  openai-chat  in 200 of 200 cases" in lines
    assert lines[-1] == "1,000 regressed, 200 with another trace only, 1 added, 0 unchanged"
    assert len(FORMATS["markdown"](many).encode()) < 1024 * 1024 / 4
    assert len(FORMATS["html"](many).encode()) < 1024 * 1024 / 4


def test_the_most_important_comes_first(many: Comparison) -> None:
    lines = FORMATS["terminal"](many).splitlines()
    headings = [line for line in lines if line[:1].isupper()]
    assert [heading.partition(":")[0] for heading in headings] == [
        "REGRESSED",
        "ANOTHER TRACE, THE SAME VERDICT",
        "ADDED",
        "WHAT REQUESTS ARE MADE OF",
    ]


def test_of_several_rules_the_one_with_the_most_cases_comes_first(tmp_path: Path) -> None:
    rules = {"a": "order/seldom", "b": "order/often", "c": "order/often"}
    base = written(tmp_path / "base", *map(case, rules))
    new = written(tmp_path / "new", *(case(name, "fail", evidence(rule)) for name, rule in rules.items()))
    lines = FORMATS["terminal"](compare(base, new)).splitlines()
    assert lines.index("  order/often  2 cases") < lines.index("  order/seldom  1 case")


def test_a_regression_is_told_with_its_evidence_and_the_command_that_repeats_it(tmp_path: Path) -> None:
    found = evidence(got="a second toolStart\nin turn 1")
    here = trace(request('{"a":1}')), trace(request('{"a":2}'))
    base = written(tmp_path / "base", case(trace="traces/a.jsonl"), traces={"a": here[0]})
    new = written(tmp_path / "new", case("a", "fail", found, trace="traces/a.jsonl"), traces={"a": here[1]})
    lines = FORMATS["terminal"](compare(base, new)).splitlines()
    at = lines.index("REGRESSED: 1 case")
    assert lines[at + 1 :] == [
        "  order/one-end  1 case",
        "    a.openai-chat.whole  pass -> fail",
        f"      found     order/one-end  MUST, unexpected output or end  {new}/traces/a.jsonl:3",
        "      expected  an end",
        "      got       a second toolStart",
        "              | in turn 1",
        "      changed   request 1: a",
        f"      base      {base}/traces/a.jsonl:2",
        f"      new       {new}/traces/a.jsonl:2",
        '      | -  "a": 1',
        '      | +  "a": 2',
        "      repeat    harness run a.yaml",
        "",
        "1 regressed, 0 unchanged",
    ]
