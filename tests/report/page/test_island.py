"""What the page is given, and how it is packed, without a browser."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import random
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from harness.finding import Finding, ProviderAnswer
from harness.report.explanations import FINDINGS, explanations
from harness.report.page import Against, Past, RuleCount, ShownRun, assembly, page
from harness.rules import RULES
from harness.wire import wire_rules
from tests.report.page.runs import RUN, case, evidence
from tests.watch import hostile

PARTS = Path(assembly.__file__).parent / "parts"


class Document(HTMLParser):
    """Scripts and policies of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.policy = ""
        self.attributes: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        members = dict(attrs)
        self.attributes |= members.keys()
        if tag == "script":
            self.scripts.append((members, ""))
        if members.get("http-equiv") == "Content-Security-Policy":
            self.policy = members["content"] or ""

    def handle_data(self, data: str) -> None:
        if self.lasttag == "script" and data.strip():
            members, before = self.scripts[-1]
            self.scripts[-1] = (members, before + data)


def held(text: str) -> Any:
    """The data that a page holds."""
    (packed,) = [data for members, data in Document(text).scripts if members.get("id") == "data"]
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def lines_of(script: bytes) -> bytes:
    """The trace that a script hands over."""
    call = re.fullmatch(rb'harnessTrace\("([A-Za-z0-9+/=]*)"\)\n', script)
    assert call is not None
    return gzip.decompress(base64.b64decode(call[1]))


def test_the_page_is_one_file_that_asks_for_nothing_else() -> None:
    text = page([ShownRun(RUN)])
    document = Document(text)
    assert [members.get("type") for members, _ in document.scripts] == ["text/plain", "module"]
    assert {name for name in document.attributes if name.startswith("on")} == set()
    assert "src" not in document.attributes
    assert set(re.findall(r"https?://[^\s\"'`]*", text)) == {"http://www.w3.org/2000/svg"}
    assert "{{" not in document.policy + text[: text.index("<script")]


def test_its_policy_names_its_script_and_allows_no_other() -> None:
    document = Document(page([ShownRun(RUN)]))
    digest = base64.b64encode(hashlib.sha256(document.scripts[-1][1].encode()).digest()).decode()
    directives = dict(part.split(" ", 1) for part in document.policy.split("; "))
    assert directives["default-src"] == "'none'"
    assert directives["script-src"] == f"'sha256-{digest}' 'strict-dynamic'"
    assert directives["require-trusted-types-for"] == "'script'"
    assert directives.keys().isdisjoint({"connect-src", "frame-src", "object-src"})


@pytest.mark.parametrize("path", sorted(PARTS.glob("*.js")), ids=lambda path: path.name)
def test_no_part_makes_markup_or_code_of_a_text(path: Path) -> None:
    sinks = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|DOMParser|srcdoc|setHTML|fetch\("
    )
    assert re.findall(sinks, path.read_text(encoding="utf-8")) == []
    assert path.name in assembly._SCRIPTS


def test_whatever_is_said_lies_in_base64() -> None:
    texts = [*hostile.TEXTS, "</script><!--", "\u2028\u2029", "\ud800", "&lt;b&gt;"]
    run = replace(RUN, cases=tuple(case(f"s{number}", findings=(evidence(text),)) for number, text in enumerate(texts)))
    text = page([ShownRun(run)])
    assert text.count("</script") == 2
    assert "hostile" not in text
    assert [each["findings"][0]["got"] for each in held(text)["runs"][0]["cases"]] == texts


def test_what_is_as_usual_is_left_out() -> None:
    (run,) = held(page([ShownRun(RUN, traced=frozenset({RUN.cases[0].id}))]))["runs"]
    assert run["cases"][0].keys() >= {
        "scenario",
        "wire",
        "chunking",
        "profile",
        "verdict",
        "seconds",
        "requests",
    }
    assert run["cases"][0].keys().isdisjoint({"id", "trace", "source", "seed", "error", "reason", "target"})
    assert run["cases"][1]["trace"] is None  # nobody has seen one


def test_long_texts_are_cut_and_the_page_says_so() -> None:
    run = replace(RUN, cases=(case("s", findings=(evidence("x" * 5_000_000),)),))
    ((said,),) = [each["findings"] for each in held(page([ShownRun(run)]))["runs"][0]["cases"]]
    assert said["got"] == "x" * 20_000 + "… (4980000 characters more in results.json)"


def test_a_thousand_failing_cases_take_less_than_a_megabyte() -> None:
    draw = random.Random(1)
    words = [f"{draw.getrandbits(24):x}" for _ in range(3000)]

    def found() -> Finding:
        return replace(evidence(" ".join(draw.choices(words, k=20))), detail=" ".join(draw.choices(words, k=40)))

    cases = tuple(case(f"scenario-{n}", findings=tuple(found() for _ in range(3)), verdict="fail") for n in range(1000))
    assert len(page([ShownRun(replace(RUN, cases=cases))])) < 1_000_000


def test_history_and_changes_are_told() -> None:
    against = Against("base", {"a.openai-chat.whole": ["-pass", "+fail"]})
    data = held(
        page(
            [ShownRun(RUN)],
            history=Past([RuleCount("monday", "order/tool-start-once", 2)], "all.html"),
            against=against,
        )
    )
    assert data["history"] == {"counts": [["monday", "order/tool-start-once", 2]], "page": "all.html"}
    assert data["against"] == {"base": "base", "changes": {"a.openai-chat.whole": ["-pass", "+fail"]}}


# --- rules ---------------------------------------------------------------------------------------------------------


def test_every_rule_is_explained_once() -> None:
    names = [*RULES, *(id for id, rule in wire_rules().items() if not rule.permits)]
    told = explanations([*names, *FINDINGS, "no/rule"])
    assert told.keys() == {*names, *FINDINGS}
    assert all(each["statement"] and each["why"] for each in told.values())
    run = replace(RUN, cases=tuple(case(f"s{n}", findings=(evidence("x"),)) for n in range(3)))
    assert list(held(page([ShownRun(run)]))["rules"]) == ["order/tool-start-once"]


def test_the_providers_answer_is_shown_apart_from_the_detail() -> None:
    answer = ProviderAnswer("No output found.", place="input[1]")
    found = Finding("continuation/x", "MUST", "invalid", 3, "an output", "none", reference="OAI-10", provider=answer)
    shown = held(page([ShownRun(replace(RUN, cases=(case("a", findings=(found,)),)))]))["runs"][0]["cases"][0]
    (card,) = shown["findings"]
    assert (card["rule"], card["reference"]) == ("continuation/x", "OAI-10")
    assert (card["place"], card["status"], card["said"]) == ("input[1]", 400, "No output found.")
    assert card["detail"] == "input[1]: HTTP 400 No output found."


def test_what_no_provider_answers_has_no_place() -> None:
    shown = held(page([ShownRun(replace(RUN, cases=(case("a", findings=(evidence("messages.2: HTTP 400 x"),)),)))]))
    (card,) = shown["runs"][0]["cases"][0]["findings"]
    assert not {"reference", "place", "status", "said"} & card.keys()
