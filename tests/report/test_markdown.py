"""The Markdown of a run is read by renderers that nobody here wrote, GitHub's own among them where it is installed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from harness.report.formats.markdown import LIMIT, markdown
from harness.report.marked import cell, code, fenced
from harness.report.visible import cut
from harness.rules import RULES
from harness.scenario import shipped
from harness.wire import wire_rules
from tests.report.runs import EVIDENCE, HOSTILE, case, everything, hostile, run

READER = MarkdownIt("commonmark").enable("table")
OURS = ("<details><summary>", "</details>")


def tokens(text: str) -> Iterator[Token]:
    for token in READER.parse(text):
        yield token
        yield from token.children or ()


def active(text: str) -> list[str]:
    """What a reader of this Markdown would do more than show text."""
    found = [token for token in tokens(text) if token.type in ("link_open", "image", "html_inline", "html_block")]
    return [
        token.content or token.type
        for token in found
        if token.type != "html_block" or not token.content.strip().startswith(OURS)
    ]


class Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes.update(name for name, _ in attrs)


HARMLESS = {
    *("h2", "h3", "h4", "p", "code", "pre", "strong", "details", "summary"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}


def cells(table: str) -> list[str]:
    """The texts of the cells of a table's only row."""
    head = f"| a | b |\n|---|---|\n{table}"
    inline = [token for token in READER.parse(head) if token.type == "inline"][2:]
    return ["".join(child.content for child in token.children or ()) for token in inline]


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_that_anybody_wrote_is_more_than_text(text: str) -> None:
    assert active(markdown(hostile(text))) == []


@pytest.mark.parametrize("text", HOSTILE)
def test_githubs_own_reader_makes_nothing_of_it_either(text: str) -> None:
    cmarkgfm = pytest.importorskip("cmarkgfm", reason="GitHub's renderer is not installed (pip install cmarkgfm)")
    elements = Elements()
    options = cmarkgfm.cmark.Options.CMARK_OPT_UNSAFE
    elements.feed(cmarkgfm.github_flavored_markdown_to_html(markdown(hostile(text)), options))
    assert elements.names <= HARMLESS
    assert elements.attributes <= {"lang", "align"}


def test_the_check_finds_what_is_active() -> None:
    for text in ("<b>x</b>", "[x](http://evil.example)", "![x](y)", "<script>\nx\n</script>", "<http://evil.example>"):
        assert active(text)


@pytest.mark.parametrize("text", ["a|b", "a\\|b", "a\\\\|b", "|", "`|`", "a`|``|`", "\\", "`\\`", "a\nb|c"])
def test_a_text_is_one_cell_whatever_is_in_it(text: str) -> None:
    found = cells(f"| {cell(text)} | end |")
    assert len(found) == 2
    assert found[1] == "end"
    assert found[0].replace("\\x7c", "|").strip() == text.replace("\n", " ⏎ ")


@pytest.mark.parametrize("text", ["x", "`", "``x", " x ", "a`b``c", "&lt;", "\\`"])
def test_a_code_span_shows_the_text_as_it_is(text: str) -> None:
    (inline,) = [token for token in READER.parse(f"a {code(text)} z") if token.type == "inline"]
    assert [child.content for child in inline.children or () if child.type == "code_inline"] == [text]


@pytest.mark.parametrize("text", ["```\nx", "~~~", "````\n```"])
def test_a_fence_ends_where_the_text_ends(text: str) -> None:
    (fence,) = READER.parse(fenced("text", text))
    assert fence.content == text + "\n"


def test_a_long_text_is_cut_and_counted() -> None:
    assert cut("x" * 10, 10) == "x" * 10
    assert cut("x" * 5_000_000, 10) == "xxxxxxxxxx… (5,000,000 characters)"
    assert len(cut("\x00" * 5_000_000, 10)) < 50


def test_everything_of_a_run_is_told() -> None:
    text = markdown(everything())
    first, *_ = text.splitlines()
    assert first == "## 2 passed, 1 failed, 1 error, 1 expected failure, 1 skipped (1 baseline entry is stale)"
    for piece in (
        "#### 1. `order/tool-start-once`: `MUST, unexpected output or end, 1 case`",
        RULES["order/tool-start-once"].statement.removesuffix("."),
        "| `a-scenario.openai-chat.fail` | `one toolStart` | `two` |",
        "`scenarios/a scenario.yaml:26  traces/a.jsonl:7`",
        "evidence  call_x",
        "harness run scenarios/a.yaml -k a",
        "ValueError: boom",
        "| `baselines/a.yaml:3:5` | `order/one-end` | `no longer found in a.*` |",
        "| `So.` | 2 | `ANT-01` |",
        "| `it cannot think` | 1 |",
    ):
        assert piece in text


def test_a_shipped_scenario_has_its_name_and_not_where_it_is_installed() -> None:
    result = everything()
    installed = str(shipped() / "universal" / "answer.yaml")
    text = markdown(replace(result, cases=tuple(replace(each, file=installed) for each in result.cases)))
    assert "`answer.yaml:26 (shipped)  traces/a.jsonl:7`" in text
    assert installed not in text


def test_a_run_without_a_finding_is_a_line() -> None:
    assert "###" not in markdown(run(case("pass")))


def test_what_a_baseline_expects_is_no_failure() -> None:
    text = markdown(everything())
    assert "### 1 case failed, 1 cause" in text
    assert "#### `continuation" not in text


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "text", ["<&|`" * 1_250_000, "🚀" * 1_250_000, "\x00" * 5_000_000], ids=["signs", "wide", "nul"]
)
def test_a_thousand_failures_with_the_longest_texts_stay_under_githubs_limit(text: str) -> None:
    long = case("fail", findings=(EVIDENCE,), repeat=text, error=text)
    rules = list(RULES)
    reasons = [f"{number}{text}" for number in range(20)]  # not more: each is 5 MB of its own
    cases = []
    for number in range(1_000):
        evidence = type(EVIDENCE)(rules[number % len(rules)], "MUST", "unsafe", 1, text, text, text, known="")
        known = type(EVIDENCE)("order/one-end", "MUST", "unsafe", 1, text, text, text, known=reasons[number % 20])
        cases.append(case("fail", findings=(evidence, known), id=f"a.{number}", repeat=text))
    told = markdown(run(*cases, long))
    assert len(told.encode()) <= LIMIT
    assert "## 0 passed, 1001 failed" in told
    assert "more, in `results.json`" in told
    assert active(told) == []


def test_what_is_left_out_is_counted() -> None:
    cases = [case("fail", findings=(EVIDENCE,), id=f"a.{number}") for number in range(1_000)]
    told = markdown(run(*cases))
    rows = sum(line.startswith("| `a.") for line in told.splitlines())
    assert f"and {1_000 - rows} cases more, in `results.json`" in told


def test_the_statement_of_every_rule_is_text() -> None:
    statements = [rule.statement for rule in (*RULES.values(), *wire_rules().values())]
    assert active("\n\n".join(statements)) == []
