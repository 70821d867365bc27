"""Hostile text in every field of results and traces, in a real browser: it runs nothing, reaches nobody and stays text.

Each lock is proven by pages that lack it.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.finding import Finding, ProviderAnswer
from harness.report.files import RunFolder
from harness.report.page import Against, Past, RuleCount, ShownRun, page, shown_run
from harness.runner.execute import Finished
from harness.runner.results import CaseResult, ConversationCount, DriverFinding, RunResult, Stale
from harness.trace import (
    Assistant,
    Case,
    EventRecord,
    Failure,
    Final,
    Record,
    RequestRecord,
    ResponseRecord,
    SetCode,
    Thinking,
    ToolResult,
    ToolStart,
    Trace,
    TurnStart,
)
from tests.report.page.runs import RUN, case, write
from tests.watch import hostile
from tests.watch.trap import CONTROL, NAMES, Trap

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

pytestmark = pytest.mark.anyio

TEXTS = (
    *hostile.TEXTS,
    "</script><!--<script>top.postMessage('island', '*')</script>\u2028\u2029",
    "javascript:top.postMessage('link','*')",
    "&lt;img src=x onerror=top.postMessage('entity','*')&gt; {{script}} ${top.postMessage('template','*')}",
    "\x1b]8;;http://terminal.hostile.test\x1b\\link\x1b]8;;\x1b\\ \ud800 half \udfff",
)
HIDDEN = re.compile(r"[\0-\x08\x0b-\x1f\u2028-\u202e\u2060-\u206f\ud800-\udfff]")


def shown(text: str) -> str:
    """The text as the page shows it."""
    return HIDDEN.sub(lambda char: f"\\u{ord(char[0]):04x}", text)


def result(text: str, number: int) -> CaseResult:
    found = Finding(text, text, text, 3, text, text, text, text, conversation=text)
    wire = Finding(
        "continuation/openai-chat",
        "MUST",
        "invalid",
        3,
        text,
        text,
        reference=text,
        provider=ProviderAnswer(text, place="x"),
    )
    return CaseResult(
        *(f"{number}{text}", text, text, "made-up", text, text, text, 0, "fail", 0.1, 1),
        findings=(found, wire),
        error=text,
        reason=text,
        trace=f"traces/{number}.jsonl",
        repeat=text,
        conversations=(ConversationCount(text, 1, text),),
        notes=(text,),
    )


def records(text: str) -> tuple[Record, ...]:
    body = json.dumps({text: [text, {"x": text}], "x": text})
    stream = f"event: {text}\ndata: {body}\n\ndata: {text}\n\n".encode("utf-8", "backslashreplace")
    events = (
        TurnStart(1),
        Thinking(text, text),
        Assistant(text, text),
        ToolStart(text, text, {text: [text]}),
        ToolResult(text, text, {text: text}, ok=False),
        ToolResult("unknown", text, text, ok=True),
        SetCode("<p>ok</p>", text, preview=True),
        Failure(text, text),
        Final("", outcome=text, text=text),
    )
    return (
        EventRecord(TurnStart(1)),
        RequestRecord(0, text, text, {text: text}, body.encode()),
        ResponseRecord(0, 400, {text: text}, stream, (len(stream),)),
        *map(EventRecord, events),
    )


def hostile_run(folder: Path, texts: Sequence[str] = TEXTS) -> Path:
    cases = tuple(result(text, number) for number, text in enumerate(texts))
    everything = " ".join(texts)
    run = RunResult(
        *(everything, everything, everything, 1, cases, False, {everything: everything}, everything),
        stale=(Stale(everything, everything, everything),),
        driver=tuple(DriverFinding(text, "MUST", text, (text,), text, text, text, text, (text,)) for text in texts),
    )
    files = RunFolder.create(folder)
    for each, text in zip(cases, texts, strict=True):
        files.write_trace(Finished(each, Trace(Case(text, text, text, text, text, text, text), records(text))))
    path = folder / "index.html"
    history = [RuleCount(text, text, 1) for text in texts]
    against = Against(everything, {each.id: texts for each in cases})
    path.write_text(page([shown_run(run, folder)], history=Past(history), against=against), encoding="utf-8")
    return path


@dataclass
class Seen:
    """What came of a look: names of what ran, hosts that were asked for, what was thrown, and what the console says."""

    page: Page
    trap: Trap
    errors: list[str] = field(default_factory=list)
    thrown: list[str] = field(default_factory=list)
    broken: asyncio.Event = field(default_factory=asyncio.Event)

    def threw(self, error: Exception) -> None:
        self.thrown.append(str(error))
        self.broken.set()

    async def ran(self) -> list[str]:
        return list(await self.page.evaluate("ran"))

    async def asked(self) -> list[str]:
        other = await self.page.context.new_page()
        await other.goto(f"http://{CONTROL}/")
        await other.close()
        assert self.trap.works
        visits = self.trap.visits
        self.trap.forget()
        return visits


@asynccontextmanager
async def looking(browser: Browser, trap: Trap, path: Path, fragment: str = "") -> AsyncIterator[Seen]:
    trap.forget()
    context = await browser.new_context()
    page = await context.new_page()
    await page.add_init_script("globalThis.ran ??= []; addEventListener('message', ({data}) => ran.push(data))")
    seen = Seen(page, trap)
    page.on("console", lambda message: seen.errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", seen.threw)
    await page.goto(f"{path.as_uri()}{fragment}")
    yield seen
    await context.close()


async def ready(seen: Seen) -> None:
    await seen.page.locator("html[data-ready]").wait_for(state="attached")


UNFOLD = "document.querySelectorAll('details').forEach((each) => { each.open = true })"
PARTS = ("#case-title", "#case-facts", "#repeat", "#findings", "#against", "#feed", "#exchanges")
SAID = "(parts) => Object.fromEntries(parts.map((part) => [part, document.querySelector(part).textContent]))"
MADE_OF_TEXTS = "main :is(img, script, a[href^='javascript'], meta, object, embed), main svg svg, iframe iframe"


async def test_hostile_texts_stay_texts_in_every_field(browser: Browser, trap: Trap, tmp_path: Path) -> None:
    path = hostile_run(tmp_path)
    async with looking(browser, trap, path) as seen:
        await ready(seen)
        overview = await seen.page.locator("body").inner_text()
        assert [text for text in TEXTS if shown(text) not in overview] == []
        assert await seen.page.locator(MADE_OF_TEXTS).count() == 0
        for number, text in enumerate(TEXTS):
            await seen.page.locator("#matrix a.square").nth(number).evaluate("(each) => each.click()")
            assert await seen.page.locator("#overview").is_hidden(), number
            await seen.page.locator("#traced").wait_for()
            await seen.page.evaluate(UNFOLD)
            await seen.page.locator(".event").first.wait_for()
            await seen.page.evaluate(UNFOLD)
            await seen.page.locator(".event pre").first.wait_for()
            said = await seen.page.evaluate(SAID, PARTS)
            assert [part for part in PARTS if shown(text) not in said[part]] == [], number
            assert await seen.page.locator(MADE_OF_TEXTS).count() == 0
            await seen.page.keyboard.press("Escape")
            await seen.page.locator("#overview").wait_for()
        assert await seen.ran() == []
        assert await seen.asked() == []
        assert (seen.errors, seen.thrown) == ([], [])
        assert len(seen.page.context.pages) == 1


REFUSAL = re.compile(r"violates the following Content Security Policy directive|is sandboxed and the 'allow-")


async def test_a_hostile_page_in_the_preview_runs_nothing_and_reaches_nobody(
    browser: Browser, trap: Trap, tmp_path: Path
) -> None:
    trace = Trace(
        Case("c", "s", "openai-chat"), (EventRecord(SetCode(hostile.PAGE, "c")), EventRecord(Final(hostile.PAGE)))
    )
    path = write(tmp_path, RUN, {RUN.cases[0].id: trace})
    async with looking(browser, trap, path, f"#case={RUN.cases[0].id}") as seen:
        frame = seen.page.frame_locator("iframe.seen")
        await frame.locator("#formaction").wait_for()
        for pressed in hostile.PRESSED:
            await frame.locator(pressed).click()
        assert await seen.ran() == []
        assert await seen.asked() == []
        assert seen.page.url.startswith(path.as_uri())
        assert len(seen.page.context.pages) == 1
        assert seen.thrown == []
        assert [error for error in seen.errors if not REFUSAL.search(error)] == []


async def test_a_run_cannot_lead_the_page_to_scripts_elsewhere(browser: Browser, trap: Trap, tmp_path: Path) -> None:
    path = tmp_path / "index.html"
    shown_runs = [
        ShownRun(RUN, folder, frozenset({case("a").id}))
        for folder in (f"http://folder.{NAMES}", f"//relative.{NAMES}", "javascript:", f"\\\\back.{NAMES}")
    ]
    path.write_text(page(shown_runs), encoding="utf-8")
    async with looking(browser, trap, path) as seen:
        await ready(seen)
        for number in range(len(shown_runs)):
            await seen.page.evaluate("(to) => { location.hash = to }", f"#case={case('a').id}&run={number}")
            await seen.page.get_by_text(re.compile("cannot be loaded|no script of a trace")).wait_for()
        assert await seen.asked() == []
        assert await seen.ran() == []


# --- without the locks ---------------------------------------------------------------------------------------------


def without(path: Path, *locks: str) -> Path:
    """The same page, these locks taken off; its script is still the one that its policy names."""
    text = path.read_text(encoding="utf-8")
    if "text" in locks:
        old = "  element.append(...children);\n  return element;\n}\n\nfunction button"
        new = old.replace("element.append(...children)", 'element.innerHTML = children.join("")')
        assert text.count(old) == 1
        text = text.replace(old, new)
    script = text.rpartition('<script type="module">')[2].partition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    text = re.sub("'sha256-[^']*'", f"'sha256-{digest}'", text, count=1)
    if "types" in locks:
        text = re.sub("; require-trusted-types-for 'script'; trusted-types [a-z ]*", "", text, count=1)
    if "policy" in locks:
        text = re.sub('<meta http-equiv="Content-Security-Policy"[^>]*>', "", text, count=1)
    path.write_text(text, encoding="utf-8")
    return path


async def test_a_page_that_takes_texts_for_markup_is_stopped_by_its_policy(
    browser: Browser, trap: Trap, tmp_path: Path
) -> None:
    async with looking(browser, trap, without(hostile_run(tmp_path), "text")) as seen:
        await seen.broken.wait()
        assert "TrustedHTML" in seen.thrown[0]
        assert await seen.ran() == []


async def test_without_trusted_types_what_runs_is_still_its_own_script_alone(
    browser: Browser, trap: Trap, tmp_path: Path
) -> None:
    async with looking(browser, trap, without(hostile_run(tmp_path, TEXTS[:1]), "text", "types")) as seen:
        await seen.page.locator("main img").first.wait_for(state="attached")
        assert await seen.ran() == []
        assert await seen.asked() == []


@pytest.mark.exhaustive
async def test_and_without_its_policy_it_is_harmed(browser: Browser, trap: Trap, tmp_path: Path) -> None:
    async with looking(browser, trap, without(hostile_run(tmp_path, TEXTS[:1]), "text", "policy")) as seen:
        await seen.page.locator("main img").first.wait_for(state="attached")
        await seen.page.evaluate("ran.length || new Promise((done) => addEventListener('message', () => done()))")
        assert set(await seen.ran()) == {"text-image"}
