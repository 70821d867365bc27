"""A case in a real browser: its evidence beside the request, the replay of its trace, its exchanges."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.cli.report import report
from harness.finding import ProviderAnswer
from harness.runner.results import ConversationCount, DriverFinding
from harness.scenario import shipped
from harness.trace import Assistant, Case, EventRecord, RequestRecord, ResponseRecord, SetCode, Trace, load
from tests.report.page.looking import Look, looking
from tests.report.page.runs import RUN, case, evidence, write

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = pytest.mark.anyio

ID = "create-then-edit.anthropic-messages.event"
SAMPLE = Path(__file__).parents[3] / "reports" / "sample"
ENDS = {
    "openai-chat": "tool_calls",
    "openai-responses": "completed",
    "anthropic-messages": "tool_use",
    "gemini-generate": "STOP",
    "text-tags": "stop",
}
DRIVER = DriverFinding("driver/text-id", "MUST", "states", (), "one", "two", "a.py:1", "change", ("stream/one-id",))
BAKERY = (shipped() / "screenshot_to_code" / "pages" / "bakery.html").read_text(encoding="utf-8")


@pytest.fixture
def path(broken_run: Path) -> Path:
    return broken_run / "index.html"


@pytest.fixture
def trace(broken_run: Path) -> Trace:
    return load(broken_run / "traces" / f"{ID}.jsonl")


async def told(look: Look) -> list[str]:
    """What the user has been told so far, one line for each item."""
    items = look.page.locator("#feed > .item:not([hidden])")
    return [" ".join(line.split()) for line in await items.all_inner_texts()]


async def test_a_planted_mistake_is_seen_within_two_clicks(browser: Browser, path: Path) -> None:
    async with looking(browser, path) as look:
        await look.page.locator(f'#matrix a[title^="{ID}"]').click()
        assert await look.text("#case-title") == f"✕ failed {ID}"
        assert "ANT-03" in await look.text("#findings")


async def test_evidence_stands_beside_the_request_that_it_is_about(browser: Browser, path: Path) -> None:
    async with looking(browser, path, f"#case={ID}", loaded=True) as look:
        await look.traced()
        card = look.page.locator(".finding").first
        said = " ".join((await card.inner_text()).split())
        assert said.startswith(
            "ANT-03 severity MUST impact invalid A tool_result answers a tool_use of the assistant turn just before it."
        )
        assert "provider, HTTP 400 messages.2.content.0: unexpected `tool_use_id` found" in said
        marked = " ".join(await card.locator(".marked").all_inner_texts()).split()
        assert marked[:4] == ["{", '"type":', '"tool_result",', '"tool_use_id":']
        assert json.loads("".join(marked))["type"] == "tool_result"
        await card.locator(".why summary").last.click()
        assert "Rationale and sources" in await card.inner_text()
        assert "harness explain ANT-03" in await card.inner_text()
        assert await look.page.locator(".finding", has_text="expect/final").locator(".why").count() == 0


async def test_the_command_that_repeats_a_case_is_copied(browser: Browser, path: Path) -> None:
    async with looking(browser, path, f"#case={ID}", loaded=True) as look:
        await look.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        await look.page.click("#repeat button")
        await look.page.get_by_role("button", name="Copied").wait_for()
        copied = await look.page.evaluate("navigator.clipboard.readText()")
        assert copied == await look.page.inner_text("#repeat code")
        assert copied.endswith(f"--wire anthropic-messages -k {ID} --target mutant:wrong-call-id")


async def test_without_a_clipboard_the_page_copies_all_the_same(browser: Browser, path: Path) -> None:
    async with looking(browser, path, f"#case={ID}", loaded=True) as look:
        await look.page.context.grant_permissions(["clipboard-read"])
        await look.page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')) }")
        await look.page.click("#repeat button")
        await look.page.get_by_role("button", name="Copied").wait_for()
        copied = await look.page.evaluate("navigator.clipboard.readText()")
        assert copied == await look.page.inner_text("#repeat code")
        await look.page.evaluate("() => { delete navigator.clipboard.writeText }")


async def test_the_scrubber_replays_what_was_told(browser: Browser, path: Path, trace: Trace) -> None:
    first = next(at for at, each in trace.events if isinstance(each.event, Assistant)) + 1
    async with looking(browser, path, f"#case={ID}&t={first + 1}", loaded=True) as look:
        await look.traced()
        said = await told(look)
        assert said == [
            "Turn 1",
            "Prompt Build a landing page for a bakery. They are open every day.",
            said[2],
            "Thinking A small page with warm colours first, the opening hours after.",
            "Assistant I",
        ]
        assert said[2].startswith("Model, response 1 thinking “I will create the page.” create_file({")
        assert said[2].endswith("stop reason: tool_use")
        assert (await look.text("#moment")).startswith(
            f"trace line {first + 1} of {len(trace.records) + 1} · assistant, "
        )
        await look.page.keyboard.press("ArrowRight")
        assert (await told(look))[-1] == "Assistant I will"
        await look.arrives(f"#case={ID}&t={first + 2}")
        await look.page.keyboard.press("h")
        await look.page.keyboard.press("h")
        assert (await told(look))[-1].startswith("Thinking")
        slider = look.page.get_by_role("slider")
        await slider.focus()
        await look.page.keyboard.press("End")
        assert [line.split(":")[0] for line in await told(look)][-2:] == ["Turn 2", "Error"]
        await look.page.keyboard.press("Home")
        assert await told(look) == []
        assert "Nothing has happened yet." in await look.text("#feed")
        assert (await slider.get_attribute("aria-valuetext") or "").startswith(
            f"trace line 1 of {len(trace.records) + 1}"
        )


async def test_the_models_turn_is_read_in_every_api_format(browser: Browser, tmp_path: Path) -> None:
    path = shutil.copytree(SAMPLE, tmp_path / "run") / "index.html"
    report([path.parent], format="html", out=None)
    async with looking(browser, path) as look:
        for wire, end in ENDS.items():
            await look.go(f"#case=parallel-calls.{wire}.event")
            await look.traced()
            prompt, model = [line for line in await told(look) if line.startswith(("Prompt", "Model, response 1"))]
            assert prompt == "Prompt Compare the weather in three cities."
            assert model.startswith("Model, response 1 “Three cities and a clock."), wire
            assert model.endswith(f"stop reason: {end}"), wire
            calls = await look.page.locator(".item.model").first.locator("summary code").all_inner_texts()
            names = [call.partition("(")[0] for call in calls]
            assert names == ([] if wire == "text-tags" else ["get_weather", "get_time", "get_weather", "get_weather"])
            assert all(json.loads(call.partition("(")[2][:-1])["city"] for call in calls)
            await look.page.locator(".item.model summary").first.click()
            assert "Three cities and a clock." in await look.text(".item.model p.text")


async def test_a_finding_is_copied_with_all_that_an_issue_needs(browser: Browser, path: Path) -> None:
    async with looking(browser, path, f"#case={ID}", loaded=True) as look:
        await look.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        await look.page.locator(".finding .copy").first.click()
        await look.page.get_by_role("button", name="Copied").wait_for()
        copied = str(await look.page.evaluate("navigator.clipboard.readText()"))
        assert copied.startswith("ANT-03: A tool_result answers a tool_use of the assistant turn just before it.")
        for line in (f"- case: {ID} (target mutant:wrong-call-id, anthropic-messages)", "- severity: MUST, impact: "):
            assert line in copied
        assert f"- trace: traces/{ID}.jsonl:" in copied
        assert "Repeat: harness run " in copied


async def test_the_trace_file_is_a_link_and_long_paths_show_their_end(browser: Browser, tmp_path: Path) -> None:
    long = "/opt/somewhere/lib/python3.11/site-packages/mine/a.yaml"
    found = replace(evidence("no end", at=3), line=7)
    result = case("a", verdict="fail", findings=(found,), file=f"{shipped()}/universal/answer.yaml")
    result = replace(result, repeat=f"harness run {long} -k 'a b'", summary="An <b>answer</b>.")
    path = write(tmp_path, replace(RUN, cases=(result,)), {result.id: Trace(Case("c", "s", "openai-chat"))})
    async with looking(browser, path, f"#case={result.id}") as look:
        await look.traced()
        assert await look.text("#case-summary") == "An <b>answer</b>."
        assert await look.text("#repeat code") == "harness run …/mine/a.yaml -k 'a b'"
        assert await look.page.get_attribute("#repeat code", "title") == result.repeat
        assert "scenario shipped: answer.yaml:7" in await look.text("#findings")
        assert await look.text(".finding .point") == "trace line 3"
        assert await look.page.get_attribute("#case-facts a", "href") == f"./{result.trace}"
        assert "responses arrive in one piece scripted answers seed 0" in await look.text("#case-facts")


@pytest.mark.parametrize(
    ("repeat", "driver", "said"),
    [
        ("harness run a", (), "no rule was broken and every expectation was met."),
        ("harness run a --rule order --skip ANT-12", (), "--rule limits the run to order --skip leaves out ANT-12"),
        ("harness run a", (DRIVER,), "stream/one-id (not checked, because the adapter of the target is wrong in what"),
        ("it's no command", (), "no rule was broken and every expectation was met."),
    ],
    ids=["everything", "options", "driver", "no command"],
)
async def test_a_case_that_passes_says_what_was_not_checked(
    repeat: str, driver: tuple[DriverFinding, ...], said: str, browser: Browser, tmp_path: Path
) -> None:
    path = write(tmp_path, replace(RUN, cases=(case("a", repeat=repeat),), driver=driver), {})
    async with looking(browser, path, "#case=a.openai-chat.whole") as look:
        text = await look.text("#findings")
        assert said in text
        assert ("Not checked in this run" in text) == (said[:2] != "no")


async def test_the_preview_shows_the_code_as_it_was(browser: Browser, path: Path, trace: Trace) -> None:
    codes = [(at + 1, each.event) for at, each in trace.events if isinstance(each.event, SetCode)]
    (half, begun), (whole, done) = codes[len(codes) // 2], codes[-1]
    async with looking(browser, path, f"#case={ID}&t={half + 1}", loaded=True) as look:
        await look.traced()
        assert await look.text("#size") == f"{len(begun.code):,} characters so far"
        await look.page.click("#show-code")
        assert await look.page.text_content("#code") == begun.code
        await look.page.click("#show-preview")
        await look.go(f"#case={ID}&t={whole + 1}")
        assert await look.text("#size") == f"{len(done.code):,} characters"
        await look.page.frame_locator("iframe.seen").get_by_role("heading", name="Crumb").wait_for()
        await look.go(f"#case={ID}&t=2")
        assert await look.text("#empty") == "No page yet"
        assert await look.page.locator("iframe.seen").count() == 0


async def test_the_lanes_show_everything_on_one_axis(browser: Browser, path: Path, trace: Trace) -> None:
    async with looking(browser, path, f"#case={ID}&t=1", loaded=True) as look:
        await look.traced()
        names = await look.page.locator(".lane-name").all_inner_texts()
        assert names == ["turns", "exchanges", "thinking", "text", "tools", "code", "end", "findings"]
        spans = look.page.locator(".span.exchange")
        assert [text.split(" · ")[1] for text in await spans.all_inner_texts()] == ["200", "400"]
        await look.page.locator("#lanes").scroll_into_view_if_needed()
        box = await look.page.locator(".over").bounding_box()
        assert box is not None
        await look.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 5)
        middle = (len(trace.records) + 1) // 2  # the page rounds halves up
        assert (await look.text("#moment")).startswith(f"trace line {middle + 1} of ")
        await look.arrives(f"#case={ID}&t={middle + 1}")


async def test_play_goes_to_the_end_and_pauses_on_the_way(browser: Browser, path: Path, trace: Trace) -> None:
    async with looking(browser, path, f"#case={ID}&t=1", loaded=True) as look:
        await look.traced()
        await look.page.keyboard.press(" ")
        assert await look.text("#play") == "❚❚ Pause"
        await look.page.locator("#feed .item.thinking:not([hidden])").wait_for()
        await look.page.click("#play")
        now = await look.text("#moment")
        assert await look.text("#play") == "▶ Play"
        await look.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert await look.text("#moment") == now
        await look.go(f"#case={ID}&t={len(trace.records) - 2}")
        await look.page.click("#play")
        await look.page.get_by_role("button", name="▶ Play").wait_for()
        assert (await look.text("#moment")).startswith(f"trace line {len(trace.records) + 1} of ")


async def test_findings_lead_to_their_records(browser: Browser, path: Path) -> None:
    async with looking(browser, path, f"#case={ID}&t=1", loaded=True) as look:
        await look.traced()
        await look.page.locator(".finding .point").first.click()
        assert "request 2" in await look.text("#moment")
        await look.page.get_by_role("slider").press("Home")
        await look.page.keyboard.press("n")
        assert (await look.text("#moment")).startswith("trace line 3 of ")


async def test_exchanges_show_what_was_sent_and_what_had_arrived(browser: Browser, path: Path, trace: Trace) -> None:
    half = next(at for at, each in trace.events if isinstance(each.event, SetCode)) + 1
    async with looking(browser, path, f"#case={ID}&t={half + 1}", loaded=True) as look:
        await look.traced()
        first, second = await look.page.locator("details.exchange").all()
        await first.locator("> summary").click()
        body = trace.exchanges[0].response
        assert body is not None
        events = body.body.decode().count("\n\n")
        rows = first.locator(".event")
        await rows.first.wait_for()  # they are made after the click, in an event of their own
        assert await rows.count() == min(events, 200)
        assert 0 < await first.locator(".event.ahead").count() < 200
        await rows.nth(0).locator("summary").click()
        assert '"type": "message_start"' in await rows.nth(0).locator("pre").inner_text()
        await first.locator(".headers summary").first.click()
        assert "[redacted]" in await first.locator(".headers dl").first.inner_text()
        await second.locator("> summary").click()
        await second.locator(".marked").first.wait_for()
        await second.get_by_role("button", name="As sent").first.click()
        sent = trace.exchanges[1].request.body.decode()
        assert (await second.locator(".side pre").first.inner_text()).startswith(sent[:2000])
        assert "invalid_request_error" in await second.locator(".side >> nth=1").inner_text()


async def test_a_trace_that_is_not_there_is_told(browser: Browser, tmp_path: Path) -> None:
    path = write(tmp_path, RUN, {case("a").id: Trace(Case("c", "s", "openai-chat"))})
    (script,) = (tmp_path / "traces").glob("*.js")
    script.rename(script.with_suffix(".gone"))
    async with looking(browser, path, "#case=a.openai-chat.whole") as look:
        await look.page.get_by_text("cannot be loaded").wait_for()
        assert "harness report RUN --format html" in await look.text("#loading")
        assert look.complaints == ["Failed to load resource: net::ERR_FILE_NOT_FOUND"]
        look.complaints.clear()
        script.with_suffix(".gone").rename(script)
        await look.go("#case=d.gemini-generate.whole")
        await look.page.get_by_text("There is no trace of this case.").wait_for()
        assert "Traceback: it crashed" in await look.text("#findings")
        await look.go("#case=a.openai-chat.whole")
        await look.traced()
        assert await look.text("#exchanges .body") == "The loop sent no request."


async def test_what_there_is_nothing_of_takes_no_place(browser: Browser, tmp_path: Path) -> None:
    spoken = Trace(Case("c", "s", "openai-chat"), (EventRecord(Assistant("Hi", "a")),))
    traces = {case("a").id: spoken, case("d", "gemini-generate").id: Trace(Case("c", "s", "gemini-generate"))}
    path = write(tmp_path, RUN, traces)
    async with looking(browser, path, "#case=a.openai-chat.whole") as look:
        await look.traced()
        assert await look.page.locator("#feed").is_visible()
        assert await look.page.locator("#page").is_hidden()  # no code was set
        await look.go("#case=d.gemini-generate.whole")
        await look.page.get_by_text("the trace is empty").wait_for()
        assert await look.page.locator("#replay").is_hidden()
        assert await look.page.locator("#feed").is_hidden()
        await look.go("#case=a.openai-chat.whole")
        await look.page.locator("#feed").wait_for()


async def test_what_passes_unexpectedly_says_what_to_do(browser: Browser, tmp_path: Path) -> None:
    path = write(tmp_path, replace(RUN, cases=(case("a", verdict="xpass"),)), {})
    async with looking(browser, path, "#case=a.openai-chat.whole") as look:
        assert "harness baseline prune made-up" in await look.text("#findings")


async def test_conversations_beside_the_main_one_are_listed_and_findings_name_theirs(
    browser: Browser, tmp_path: Path
) -> None:
    counts = (ConversationCount("main", 3, "You plan trips."), ConversationCount("side 1", 1, "<b>Write a title"))
    found = replace(evidence("no end"), conversation="side 1")
    path = write(
        tmp_path, replace(RUN, cases=(case("a", verdict="fail", findings=(found,), conversations=counts),)), {}
    )
    async with looking(browser, path, "#case=a.openai-chat.whole") as look:
        said = " ".join((await look.text("#findings")).split())
        assert "conversation side 1" in said
        assert "Conversations main 3 requests: You plan trips. side 1 1 request: <b>Write a title" in said


async def test_notes_stand_beneath_the_findings(browser: Browser, tmp_path: Path) -> None:
    note = "the script calls <b>run</b>, which request 1 does not offer: it offers no tools"
    noted = case("a", verdict="fail", findings=(evidence("no end"),), notes=(note, "x" * 5_000))
    path = write(tmp_path, replace(RUN, cases=(noted, case("b"))), {})
    async with looking(browser, path, "#case=a.openai-chat.whole") as look:
        said = " ".join((await look.text("#findings")).split())
        assert f"Notes {note} xxx" in said
        assert said.index("no end") < said.index("Notes")
        assert "Show all 5,000 characters" in said
        await look.go("#case=b.openai-chat.whole")
        assert "Notes" not in await look.text("#findings")


async def test_several_calls_bodies_of_every_kind_and_long_texts(browser: Browser, tmp_path: Path) -> None:
    deep = "[" * 3000 + "]" * 3000
    huge = json.dumps({"messages": [{"content": "y" * 5_000_000}, *({"n": n} for n in range(3000)), {"bad": 1}]})
    bodies = [huge.encode(), b"\xff\x00no text", b"no json", deep.encode(), b""]
    records = [EventRecord(Assistant("z" * 5_000_000, "a"))]
    for number, body in enumerate(bodies):
        records.append(RequestRecord(number, "POST", "/v1", {"a": "b"}, body))
        records.append(ResponseRecord(number, 200, {}, b"data: {}\n\n" * 1000, (10_000,), "cut"))
    answer = ProviderAnswer("no", place="messages[3001].bad")
    found = replace(evidence("x", "continuation/openai-chat", 3), reference="OAC-01", provider=answer)
    result = case("long", verdict="fail", findings=(found,))
    path = write(
        tmp_path, replace(RUN, cases=(result,)), {result.id: Trace(Case("c", "s", "openai-chat"), tuple(records))}
    )
    async with looking(browser, path, f"#case={result.id}") as look:
        await look.traced()
        assert (await look.page.locator(".excerpt .marked").inner_text()).strip() == '"bad": 1'
        assert len(await look.page.inner_text("body")) < 100_000
        await look.page.get_by_role("button", name="Show all 5,000,000 characters").first.click()
        assert len(await look.page.text_content("#feed") or "") > 5_000_000
        for each in await look.page.locator("details.exchange > summary").all():
            await each.click()
        sides = look.page.locator("details.exchange .side:first-child")
        await sides.nth(3).wait_for()
        said = await sides.all_inner_texts()
        assert "bytes are no UTF-8" in said[1]
        assert "no json" in said[2]
        assert "[[[" in said[3].replace(" ", "").replace("\n", "")
        assert "No body." in said[4]
        first = look.page.locator("details.exchange").first
        assert await first.locator(".marked").count() == 1
        assert await first.locator(".event").count() == 200
        await first.get_by_role("button", name="Show 800 more events").click()
        assert await first.locator(".event").count() == 400
        await first.locator("button.gap").first.click()
        assert '"n": 500' in await first.locator("pre.json").inner_text()


async def test_the_back_button_goes_where_the_reader_was(browser: Browser, path: Path) -> None:
    async with looking(browser, path, "#q=create") as look:
        await look.page.locator("#matrix a.square").first.click()
        await look.traced()
        assert await look.text("#rank") == "1 of 2"
        await look.page.click("#next")
        await look.arrives("#q=create&case=create-then-edit.anthropic-messages.event")
        await look.page.get_by_role("heading", name="anthropic-messages").wait_for()
        await look.page.go_back()
        await look.page.go_back()
        await look.page.locator("#overview").wait_for()
        assert len(await look.squares()) == 2
        assert await look.page.input_value("#search") == "create"


async def test_only_the_trace_of_the_open_case_is_loaded(browser: Browser, path: Path) -> None:
    async with looking(browser, path) as look:
        await look.go(f"#case={ID}")
        await look.traced()
        await look.go("#")
        await look.go(f"#case={ID}&t=3")
        await look.traced()
        scripts = [request for request in look.requests if request.endswith(".js")]
        assert scripts == [(path.parent / "traces" / f"{ID}.js").as_uri()]


def test_what_the_scripts_hand_over_is_small(broken_run: Path) -> None:
    traces = sum(path.stat().st_size for path in (broken_run / "traces").glob("*.jsonl"))
    scripts = sum(path.stat().st_size for path in (broken_run / "traces").glob("*.js"))
    assert scripts < traces / 4


@pytest.mark.sampled(3)
@pytest.mark.parametrize("width", [480, 960, 1600])
async def test_nothing_is_wider_than_the_window(width: int, browser: Browser, path: Path) -> None:
    async with looking(browser, path, loaded=True, viewport={"width": width, "height": 900}) as look:
        wider = "document.documentElement.scrollWidth - innerWidth"
        assert await look.page.evaluate(wider) <= 0
        await look.go(f"#case={ID}&t=40")
        await look.traced()
        await look.page.locator("details.exchange > summary").first.click()
        await look.page.locator(".event").first.wait_for()
        assert await look.page.evaluate(wider) <= 0
