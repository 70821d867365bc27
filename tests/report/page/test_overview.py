"""The overview in a real browser: what it counts, what the filters leave, and the way to a case by keyboard alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.finding import ProviderAnswer
from harness.report.page import Against, Past, RuleCount, ShownRun, page
from harness.runner.results import DriverFinding, RunResult, Stale, Verdict
from tests.report.page.looking import Look, looking
from tests.report.page.runs import RUN, case, evidence, write

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = pytest.mark.anyio

A_FAILED = "a.anthropic-messages.whole: failed (order/tool-start-once, preview/prefix)"
B_XFAIL = "b.openai-chat.whole: expected to fail (order/tool-start-once)"
A_PASSED, C_SKIPPED, D_ERROR = (
    "a.openai-chat.whole: passed",
    "c.openai-chat.whole: skipped",
    "d.gemini-generate.whole: error",
)


B_REFUSED = "b.openai-chat.whole: failed (OAC-03)"
REFUSED = replace(
    evidence("none", "continuation/openai-chat", at=3),
    reference="OAC-03",
    impact="invalid",
    expected="a result",
    provider=ProviderAnswer("Where is it?", place="messages[1]"),
    refused=400,
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("run"), RUN, {})


async def test_totals_and_facts_are_told(browser: Browser, path: Path) -> None:
    async with looking(browser, path) as look:
        assert await look.text("#totals") == "1 failed 1 error 1 expected to fail 1 passed 1 skipped"
        assert (await look.text("#facts")).startswith("made-up ")
        assert "2.0 s in cases · harness 0.1.0" in await look.text("#facts")
        assert await look.text("#count") == "5 cases"
        rules = [" ".join(line.split()) for line in await look.page.locator("#rules li").all_inner_texts()]
        assert [line.split()[:2] for line in rules] == [["order/tool-start-once", "2"], ["preview/prefix", "1"]]
        assert await look.text("#reasons") == "Skipped 1 it cannot Expected by the baseline 1 a known bug"
        assert await look.page.title() == "made-up · harness report"


DRIVER = DriverFinding(
    "driver/text-id",
    "MUST",
    "all pieces of a turn's text are emitted under one id",
    ("openai-chat", "gemini-generate"),
    "one id",
    "<b>two</b>",
    "my_agent.py:12",
    "make the id when a turn begins",
    ("stream/one-id", "expect/events"),
)


async def test_what_is_wrong_with_the_driver_is_above_everything(browser: Browser, tmp_path: Path) -> None:
    note = replace(DRIVER, rule="driver/stream", level="INFO", excluded=())
    path = write(tmp_path, replace(RUN, driver=(DRIVER, note)), {})
    async with looking(browser, path) as look:
        first, second = [" ".join(text.split()) for text in await look.page.locator(".driver").all_inner_texts()]
        assert first == (
            "Your adapter function of made-up (my_agent.py:12): driver/text-id all pieces of a turn's text are emitted "
            "under one id on openai-chat, gemini-generate expected one id got <b>two</b> change make the id when a "
            "turn begins not checked because of this stream/one-id, expect/events"
        )
        assert second.startswith("Info of made-up (my_agent.py:12): driver/stream")
        assert "excluded" not in second


async def test_a_driver_without_a_mistake_is_not_named(browser: Browser, path: Path) -> None:
    async with looking(browser, path, loaded=True) as look:
        assert await look.page.locator(".driver").count() == 0


async def test_the_matrix_has_the_worst_first(browser: Browser, path: Path) -> None:
    async with looking(browser, path, loaded=True) as look:
        # Those of one scenario lie in one row, wire by wire.
        assert await look.squares() == [A_PASSED, A_FAILED, D_ERROR, B_XFAIL, C_SKIPPED]
        assert await look.text("#matrix thead") == "scenario profile chat anthropic gemini time"
        await look.page.select_option("[name=sort]", "slow")
        assert (await look.squares())[0] == D_ERROR
        await look.arrives("#sort=slow")


async def test_a_row_leads_to_its_worst_case_and_says_what_the_scenario_is_about(
    browser: Browser, tmp_path: Path
) -> None:
    cases = tuple(replace(each, summary="All <i>about</i> a.") if each.scenario == "a" else each for each in RUN.cases)
    async with looking(browser, write(tmp_path, replace(RUN, cases=cases), {})) as look:
        row = look.page.locator("#matrix tbody tr").first
        assert " ".join((await row.locator("th").inner_text()).split()) == "a All <i>about</i> a."
        await row.locator("a.name").click()
        await look.arrives("#case=a.anthropic-messages.whole")
        await look.go("#")
        await row.locator(".time").click()  # all of the row is the link
        await look.arrives("#case=a.anthropic-messages.whole")
        await look.go("#q=about")
        assert len(await look.squares()) == 2


RUN_OF_CAUSES = replace(
    RUN,
    cases=(
        case("a", verdict="fail", findings=(REFUSED, evidence("no end", "expect/outcome", at=4))),
        case("b", verdict="fail", findings=(REFUSED,), summary="About b."),
        case("c", verdict="fail", findings=(evidence("a call ran", "final/stopped-call", at=3),)),
        case("d", verdict="xfail", findings=(replace(evidence("no end"), known="a known bug"),)),
        case("e", verdict="error", error="Traceback\nValueError: <b>boom</b>"),
        case("f"),
    ),
)


async def test_causes_come_first_with_what_follows_from_them(browser: Browser, tmp_path: Path) -> None:
    async with looking(browser, write(tmp_path, RUN_OF_CAUSES, {})) as look:
        assert await look.text("#causes-title") == "What is wrong: 3 causes"
        lines = [" ".join(line.split()) for line in await look.page.locator(".causes summary").all_inner_texts()]
        lines = [line for line in lines if line != "Rationale and sources"]
        assert [line.split()[0] for line in lines] == ["1", "2", "3"]
        assert lines[0].startswith("1 unsafe final/stopped-call ")
        assert lines[1].startswith("2 refused by the provider OAC-03 ")
        assert "2 cases of 2 scenarios" in lines[1]
        assert lines[2].startswith("3 not judged error could not be judged: ValueError: <b>boom</b>")
        first = await look.text(".causes > li >> nth=1")
        assert "expected a result got none provider, HTTP 400 Where is it?" in first
        assert "Consequences: expect/outcome 1 case" in first
        assert "Found in: a, b" in first
        assert await look.page.locator(".causes details.cause[open]").count() == 2
        await look.page.locator(".causes summary").last.click()
        # The entry is filled a task after it has been unfolded.
        await look.page.locator(".causes > li").nth(2).get_by_text("Traceback").wait_for()
        await look.page.get_by_role("link", name="Show 2 cases in the table").click()
        assert await look.squares() == ["a.openai-chat.whole: failed (OAC-03, expect/outcome)", B_REFUSED]
        await look.page.wait_for_url(lambda url: "#cause=" in url)
        await look.page.click("#clear")
        await look.page.get_by_role("link", name="b", exact=True).first.click()
        await look.arrives("#case=b.openai-chat.whole")
        assert await look.text(".cause-line") == "2 refused by the provider 2 cases of 2 scenarios"


async def test_a_case_shows_its_cause_first_and_folds_what_follows(browser: Browser, tmp_path: Path) -> None:
    path = write(tmp_path, RUN_OF_CAUSES, {})
    async with looking(browser, path, "#case=a.openai-chat.whole") as look:
        shown = look.page.locator("#findings .finding:visible h2")
        assert await shown.all_inner_texts() == ["OAC-03"]
        more = look.page.locator(".following > summary")
        assert await more.inner_text() == "1 more finding of the same cause: expect/outcome"
        await more.click()
        assert await shown.all_inner_texts() == ["OAC-03", "expect/outcome"]
        await look.go("#case=d.openai-chat.whole")  # what the baseline expects is no cause, and shown all the same
        assert await shown.all_inner_texts() == ["order/tool-start-once"]


async def test_a_run_without_a_finding_has_no_cause(browser: Browser, tmp_path: Path) -> None:
    async with looking(browser, write(tmp_path, replace(RUN, cases=(case("a"),)), {})) as look:
        assert await look.text("#causes .body") == "Nothing: no finding, but what the baseline expects."


LEFT = (
    ("#verdict=fail", [A_FAILED]),
    ("#verdict=fail%2Cxfail", [A_FAILED, B_XFAIL]),
    ("#rule=order%2Ftool-start-once", [A_FAILED, B_XFAIL]),
    ("#rule=order", [A_FAILED, B_XFAIL]),
    ("#rule=order&profile=hugind", [B_XFAIL]),
    ("#wire=openai-chat&verdict=pass", [A_PASSED]),
    ("#q=NO+end+a.", [A_FAILED]),
    ("#q=crashed", [D_ERROR]),
    ("#q=cannot", [C_SKIPPED]),
    ("#q=nowhere", []),
)


async def test_an_address_says_what_is_left(browser: Browser, path: Path) -> None:
    async with looking(browser, path, LEFT[0][0], loaded=True) as look:
        for fragment, left in LEFT:
            await look.go(fragment)
            assert await look.squares() == left
            assert await look.text("#count") == f"{len(left)} of 5 cases"
            assert await look.page.locator("#none").is_visible() == (not left)


async def test_filters_are_combined_and_cleared(browser: Browser, path: Path) -> None:
    async with looking(browser, path, loaded=True) as look:
        await look.page.click(".chip.fail")
        await look.page.click(".chip.xfail")
        assert await look.squares() == [A_FAILED, B_XFAIL]
        assert await look.page.get_attribute(".chip.fail", "aria-pressed") == "true"
        await look.page.select_option("[name=profile]", "hugind")
        assert await look.squares() == [B_XFAIL]
        await look.arrives("#verdict=fail%2Cxfail&profile=hugind")
        await look.page.fill("#search", "nowhere")
        assert await look.squares() == []
        await look.page.click("#none button")
        assert len(await look.squares()) == 5
        assert await look.page.input_value("#search") == ""
        await look.page.click("#rules a >> nth=1")
        assert await look.squares() == [A_FAILED]


async def test_the_next_look_at_a_loaded_page_is_not_filtered(browser: Browser, path: Path) -> None:
    async with looking(browser, path, loaded=True) as look:
        await look.page.locator("#rules a").last.click()
        await look.page.focus("#search")
        assert await look.squares() == [A_FAILED]
    async with looking(browser, path, loaded=True) as look:
        assert len(await look.squares()) == 5
        await look.page.keyboard.press("j")
        assert await look.page.evaluate("document.activeElement.title") == A_PASSED


async def test_the_keyboard_alone_leads_to_a_case_and_back(browser: Browser, path: Path) -> None:
    async with looking(browser, path, loaded=True) as look:
        press = look.page.keyboard.press

        async def focused() -> str:
            return str(await look.page.evaluate("document.activeElement.title || document.activeElement.id"))

        await press("j")
        assert await focused() == A_PASSED
        await press("l")
        assert await focused() == A_FAILED
        await press("ArrowDown")
        assert await focused() == D_ERROR
        await press("k")
        assert await focused() == A_PASSED
        await press("ArrowRight")
        await press("Enter")
        await look.page.locator("#case").wait_for()
        await look.arrives("#case=a.anthropic-messages.whole")
        assert await focused() == "case-title"
        await press("j")
        await look.page.get_by_role("heading", name="d.gemini-generate.whole").wait_for()
        await press("k")
        await look.page.get_by_role("heading", name="a.anthropic-messages.whole").wait_for()
        await press("Escape")
        await look.page.locator("#overview").wait_for()
        assert await focused() == A_FAILED
        await press("/")
        assert await focused() == "search"
        await look.page.keyboard.type("crashed")
        assert await look.squares() == [D_ERROR]
        await press("Enter")
        assert await focused() == D_ERROR
        await press("Escape")
        assert len(await look.squares()) == 5


async def test_the_keys_are_told_and_nothing_is_reached_behind_them(browser: Browser, path: Path) -> None:
    async with looking(browser, path, loaded=True) as look:
        await look.page.keyboard.press("?")
        await look.page.locator("dialog[open]").wait_for()
        await look.page.keyboard.press("/")
        assert await look.page.evaluate("document.activeElement.closest('dialog') !== null")
        await look.page.keyboard.press("Escape")
        assert await look.page.locator("dialog[open]").count() == 0


async def test_one_stop_for_tab_in_the_matrix_and_every_control_has_a_name(browser: Browser, path: Path) -> None:
    async with looking(browser, path, loaded=True) as look:
        assert await look.page.locator("#matrix a.square[tabindex='0']").count() == 1
        nameless = "[...document.querySelectorAll('button, select, input, a')].filter((each) => !(each.ariaLabel || "
        nameless += "each.textContent.trim() || each.title)).length"
        assert await look.page.evaluate(nameless) == 0
        assert await look.page.locator("#matrix th[scope=row]").count() == 4
        await look.page.keyboard.press("j")
        style = "getComputedStyle(document.activeElement)"
        assert await look.page.evaluate(f"{style}.outlineStyle + ' ' + {style}.outlineWidth") == "solid 2px"


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_light_and_dark_are_the_systems_until_somebody_chooses(scheme: str, browser: Browser, path: Path) -> None:
    async with looking(browser, path, color_scheme=scheme) as look:

        async def paper() -> str:
            return str(await look.page.evaluate("getComputedStyle(document.body).backgroundColor"))

        light, dark = "rgb(246, 246, 244)", "rgb(19, 20, 22)"
        assert await paper() == {"light": light, "dark": dark}[scheme]
        await look.page.click("#theme")
        assert await paper() == dark
        await look.page.keyboard.press("d")
        assert await paper() == light
        # The browser keeps things in a process of its own: a page that is loaded at once may be ahead of it, once.
        for _ in range(3):
            await look.reload()
            if await look.text("#theme") == "Theme: light":
                break
        assert await look.text("#theme") == "Theme: light"
        assert await paper() == light
        await look.page.click("#theme")
        assert await look.text("#theme") == "Theme: system"


async def test_what_is_stale_or_unfinished_is_told(browser: Browser, tmp_path: Path) -> None:
    stale = (Stale("b.yaml:1:1", "order/x", "was not found"),)
    path = write(tmp_path, replace(RUN, complete=False, stale=stale, baseline="b.yaml"), {})
    async with looking(browser, path) as look:
        notices = await look.text("#notices")
        assert "was interrupted" in notices
        assert "b.yaml:1:1 order/x was not found" in notices
        assert "harness baseline prune made-up" in notices


async def test_a_run_without_a_case_says_so(browser: Browser, tmp_path: Path) -> None:
    path = write(tmp_path, replace(RUN, cases=(), complete=False), {})
    async with looking(browser, path) as look:
        assert await look.text("#totals") == "0 failed 0 passed"
        assert await look.text("#none") == "This run has no cases."
        assert "was interrupted" in await look.text("#notices")
        assert await look.page.locator(".chip.zero").count() == 2


@pytest.fixture(scope="module")
def thousand(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a thousand cases that failed."""
    return write(tmp_path_factory.mktemp("thousand"), many(1000, "fail"), {})


@pytest.mark.parametrize("width", [480, 960, 1600])
async def test_the_first_screen_shows_what_is_broken_and_where(width: int, browser: Browser, thousand: Path) -> None:
    async with looking(browser, thousand, loaded=True, viewport={"width": width, "height": 900}) as look:
        places = ["#totals .chip.fail", "#causes li", "#causes li .cases a", *(["#rules li"] if width > 1000 else [])]
        for place in places:
            box = await look.page.locator(place).first.bounding_box()
            assert box is not None
            assert box["y"] + box["height"] < 900, place
        assert await look.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


async def test_several_runs_lie_beside_each_other(browser: Browser, tmp_path: Path) -> None:
    other = replace(RUN, target="other", cases=(case("a", verdict="error"), case("e")))
    path = tmp_path / "both.html"
    path.write_text(page([ShownRun(RUN), ShownRun(other)]), encoding="utf-8")
    async with looking(browser, path) as look:
        head = await look.text("#matrix thead")
        assert head == "scenario profile chat anthropic gemini time made-up other made-up made-up"
        assert await look.text("#count") == "7 cases"
        assert "other 1 error 1 passed" in await look.text("#runs")
        await look.page.locator("#matrix a.square.error").first.click()
        await look.arrives("#run=1&case=a.openai-chat.whole")
        assert "other" in await look.text("#case-facts")


async def test_history_and_changes_are_shown(browser: Browser, tmp_path: Path) -> None:
    history = [RuleCount(run, rule, n) for n, run in enumerate(("mon", "tue", "wed")) for rule in ("order/x", "y/z")]
    against = Against("last week", {"a.openai-chat.whole": [" same", "-one", "+two"]})
    path = tmp_path / "index.html"
    path.write_text(page([ShownRun(RUN)], history=Past(history, "all.html"), against=against), encoding="utf-8")
    async with looking(browser, path) as look:
        assert await look.text(".plot") == "Findings over time 2 0 mon wed order/x 2 y/z 2 All past runs"
        link = look.page.get_by_role("link", name="All past runs")
        assert await link.get_attribute("href") == "all.html"
        await look.page.get_by_role("button", name="1 changed since last week").click()
        assert await look.squares() == ["a.openai-chat.whole: passed, changed"]
        changed = look.page.locator("#matrix a.changed")
        assert await changed.get_attribute("title") == "a.openai-chat.whole: passed, changed"
        await changed.click()
        assert await look.text("#against") == "Changed since last week same -one +two"
        assert await look.page.locator("#against .added").inner_text() == "+two\n"


def many(number: int, verdict: Verdict = "pass") -> RunResult:
    found = tuple(evidence("x", f"order/rule-{rule}") for rule in range(30)) if verdict == "fail" else ()
    wires = ("w1", "w2", "w3", "w4")
    cases = [
        case(f"scenario-{n // 4}", wire, verdict, findings=found if n == 0 else found[:1])
        for n in range(0, number, 4)
        for wire in wires
    ]
    return replace(RUN, cases=tuple(cases))


@pytest.mark.exhaustive
async def test_a_thousand_cases_are_a_few_nodes_each_and_no_more_scripts(browser: Browser, tmp_path: Path) -> None:
    path = write(tmp_path, many(1000), {})
    assert path.stat().st_size < 1_000_000

    async def nodes(look: Look) -> int:
        return int(await look.page.evaluate("document.querySelectorAll('*').length"))

    async with looking(browser, path) as look:
        assert await look.text("#count") == "1,000 cases"
        assert await nodes(look) < 4000
        assert await look.page.evaluate("document.scripts.length") == 2
        assert look.requests == [path.as_uri()]
