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

from harness.cli.main import main
from harness.cli.report import report
from harness.report.explanations import FINDINGS, explanations
from harness.report.files import RunFolder
from harness.report.page import Against, Past, RuleCount, ShownRun, assembly, page, shown_run, trace_script
from harness.report.page.island import refusal
from harness.report.page.shown import trace_of
from harness.rules import RULES
from harness.runner.execute import Finished
from harness.runner.results import CaseResult, Evidence
from harness.trace import Assistant, Case, EventRecord, Trace, dumps
from harness.wire import WIRES, WireName, wire_rules
from harness_lab.mutants.requests.catalogue import mutants
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
    run = replace(RUN, cases=tuple(case(f"s{number}", evidence=(evidence(text),)) for number, text in enumerate(texts)))
    text = page([ShownRun(run)])
    assert text.count("</script") == 2
    assert "hostile" not in text
    assert [each["evidence"][0]["got"] for each in held(text)["runs"][0]["cases"]] == texts


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
    run = replace(RUN, cases=(case("s", evidence=(evidence("x" * 5_000_000),)),))
    ((said,),) = [each["evidence"] for each in held(page([ShownRun(run)]))["runs"][0]["cases"]]
    assert said["got"] == "x" * 20_000 + "… (4980000 characters more in results.json)"


def test_a_thousand_failing_cases_take_less_than_a_megabyte() -> None:
    draw = random.Random(1)
    words = [f"{draw.getrandbits(24):x}" for _ in range(3000)]

    def found() -> Evidence:
        return replace(evidence(" ".join(draw.choices(words, k=20))), detail=" ".join(draw.choices(words, k=40)))

    cases = tuple(case(f"scenario-{n}", evidence=tuple(found() for _ in range(3)), verdict="fail") for n in range(1000))
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
    names = [*RULES, *(f"continuation/x ({id})" for id, rule in wire_rules().items() if not rule.allowance)]
    told = explanations([*names, *FINDINGS, "no/rule"])
    assert told.keys() == {*names, *FINDINGS}
    assert all(each["statement"] and each["why"] for each in told.values())
    run = replace(RUN, cases=tuple(case(f"s{n}", evidence=(evidence("x"),)) for n in range(3)))
    assert list(held(page([ShownRun(run)]))["rules"]) == ["order/tool-start-once"]


@pytest.mark.parametrize("name", WIRES)
def test_place_status_and_words_of_a_provider_are_read_from_the_evidence(name: WireName) -> None:
    seen = 0
    for mutant in mutants(name):
        for specimen in mutant.specimens[:1]:
            played = specimen.play()
            other = played.last
            mutant.edit(other)
            for violation in played.judge(other):
                seen += 1
                where = f"{violation.at}: " if violation.at else ""
                answer = f"HTTP {violation.status} " if violation.status >= 400 else ""
                found = Evidence(
                    f"continuation/{name} ({violation.rule})",
                    "MUST",
                    "invalid",
                    2,
                    violation.expected,
                    violation.got,
                    f"{where}{answer}{violation.message}",
                )
                assert refusal(found) == (violation.at, violation.status, violation.message)
    assert seen > 5


def test_what_is_no_wire_rule_has_no_place() -> None:
    assert refusal(evidence("messages.2: HTTP 400 x")) is None


# --- traces --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["plain", "ümlaut \U0001f600", "\ud83d", "\ude00\ud83d", "\ud83d\ude00 and \ud83d", "\0"]
)
def test_a_script_hands_over_what_the_trace_says(text: str) -> None:
    trace = Trace(Case("c", "s", "openai-chat"), (EventRecord(Assistant(text, "a")),))
    lines = lines_of(trace_script(dumps(trace))).decode("utf-8")
    record = json.loads(lines.splitlines()[1])
    # A browser's texts are UTF-16, where two halves that follow each other are one character.
    assert record["text"].encode("utf-16-le", "surrogatepass") == text.encode("utf-16-le", "surrogatepass")


def test_only_traces_inside_the_folder_of_the_run_are_shown(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    (folder / "traces").mkdir(parents=True)
    lines = dumps(Trace(Case("c", "s", "openai-chat"), tuple(EventRecord(Assistant("x", "a")) for _ in range(3))))
    for place in (folder / "traces" / "in.jsonl", tmp_path / "out.jsonl"):
        place.write_text(lines)
    traces = {"in": "traces/in.jsonl", "out": "../out.jsonl", "absent": "traces/absent.jsonl", "none": None}
    cases = tuple(replace(case(name), trace=trace) for name, trace in traces.items())
    shown = shown_run(replace(RUN, cases=cases), folder)
    assert shown.traced == {cases[0].id}


def test_the_command_writes_the_page_of_one_run_and_of_several(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:

    for name in ("one", "two"):
        RunFolder.create(tmp_path / name).write_results(RUN)
    (tmp_path / "one" / "index.html").unlink()
    for arguments in (["one"], ["one", "two", "--out", str(tmp_path / "both.html")]):
        with pytest.raises(SystemExit) as ended:
            main(["report", *(str(tmp_path / each) if each in ("one", "two") else each for each in arguments)])
        assert ended.value.code == 0
    assert len(held((tmp_path / "one" / "index.html").read_text())["runs"]) == 1
    assert [run["folder"] for run in held((tmp_path / "both.html").read_text())["runs"]] == ["one", "two"]
    assert capsys.readouterr().out.splitlines() == [str(tmp_path / "one" / "index.html"), str(tmp_path / "both.html")]


def test_the_command_shows_what_has_changed_and_what_was_before(tmp_path: Path) -> None:
    changed = replace(RUN, cases=(replace(RUN.cases[0], verdict="fail", evidence=(evidence("x"),)), *RUN.cases[1:]))
    for name, run in (("base", RUN), ("new", replace(changed, started="2026-01-02T00:00:00+00:00"))):
        RunFolder.create(tmp_path / name).write_results(run)
    report([tmp_path / "new"], format="html", out=None, against=tmp_path / "base", history=tmp_path)
    data = held((tmp_path / "new" / "index.html").read_text())
    assert data["against"]["base"] == str(tmp_path / "base")
    assert data["against"]["changes"][RUN.cases[0].id][:2] == ["-pass", "+fail"]
    assert [run for run, *_ in data["history"]["counts"]][:1] == [RUN.started]
    assert data["history"]["page"] == "index-history.html"
    history = (tmp_path / "new" / "index-history.html").read_text()
    assert 'href="../base/index.html#rule=order%2Ftool-start-once"' in history


@pytest.mark.parametrize(("runs", "said"), [(["absent"], "cannot be read"), (["one", "two"], "--out FILE")])
def test_the_command_says_what_it_cannot_use(
    runs: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:

    with pytest.raises(SystemExit) as ended:
        main(["report", *(str(tmp_path / run) for run in runs)])
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


def test_scripts_that_came_with_a_run_are_written_anew(tmp_path: Path) -> None:

    folder = RunFolder.create(tmp_path)
    result: CaseResult = case("s")
    folder.write_trace(Finished(result, Trace(Case("c", "s", "openai-chat"))))
    folder.write_results(replace(RUN, cases=(result,)))
    script = next((tmp_path / "traces").glob("*.js"))
    ours = script.read_bytes()
    script.write_text("alert(1)")
    report([tmp_path], format="html", out=None)
    assert script.read_bytes() == ours


@pytest.mark.parametrize(
    "name", ["traces/half \ud83d.jsonl", "traces/nul \x00.jsonl", "../traces/a.jsonl", "/etc/passwd"]
)
def test_a_trace_that_no_file_can_be_is_none(tmp_path: Path, name: str) -> None:
    (tmp_path / "run" / "traces").mkdir(parents=True)
    assert trace_of(replace(case("a", "fail"), trace=name), tmp_path / "run") is None
