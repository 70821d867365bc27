"""What reports cost: writing them beside running their cases, and opening the page beside an empty page.

The thousand cases of ``cases`` are run twice, with ``harness run -j 1``: as they are, and with a loop that is broken,
so that every case has findings. A page is what a run writes: the traces handed over as each case ends, looked for,
and the page itself. In chromium, if that is there with playwright: wall time from the address to the page being ready,
and JavaScript's heap then.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from shutil import which
from typing import Any

from benchmarks.cases import generate, running
from benchmarks.tracking.figure import Figure, Goal, LeftOut, Row
from benchmarks.tracking.measure import command_cost, cpu, interleaved, rounds_of
from harness.report.diff import compare
from harness.report.diff.formats import FORMATS
from harness.report.files import read_results
from harness.report.formats.junit import junit
from harness.report.formats.markdown import markdown
from harness.report.formats.sarif import sarif
from harness.report.page import page, shown_run, trace_script

BROKEN = "mutant:event-after-final"
GOAL = Goal("ratio", "at most", 0.10)
RUNNING = "running the cases"
EMPTY = "<!doctype html><html data-ready><title>empty</title>"
READY = """
new Promise((done) => {
  const look = () => 'ready' in document.documentElement.dataset ? done(performance.now()) : setTimeout(look);
  look();
})"""


def figures(quick: bool) -> Iterator[Row]:
    rounds = 2 if quick else 5
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        generate(folder / "scenarios")
        clean, broken = folder / "clean", folder / "broken"
        cost = command_cost(running(folder / "scenarios", clean))
        command_cost(running(folder / "scenarios", broken, "-j", "1", "--target", BROKEN), status=1)
        yield from _rendering(interleaved(_works(clean, broken), rounds), cost.cpu)
        yield from _comparing(clean, broken, cost.cpu, 1 if quick else 3)
        told = command_cost([sys.executable, "-m", "harness", "report", str(broken), "--format", "html"])
        yield Figure.of(
            "`harness report --format html`, the largest process",
            [told.memory],
            beside=RUNNING,
            theirs=[cost.memory],
            unit="B",
            counted="memory",
        )
        yield from _opening(folder, clean / "index.html", rounds)


def _works(clean: Path, broken: Path) -> dict[str, Callable[[], object]]:
    """What is rendered of a thousand cases, by its name; all of it is files of one run."""
    result, found = read_results(clean / "results.json"), read_results(broken / "results.json")
    lines = [path.read_text(encoding="utf-8", errors="surrogatepass") for path in sorted(clean.glob("traces/*.jsonl"))]
    shown = shown_run(result, clean)
    return {
        "the page: traces handed over": lambda: [trace_script(each) for each in lines],
        "the page: traces looked for": partial(shown_run, result, clean),
        "the page itself": lambda: page([shown]).encode(),
        "JUnit, all cases failed": partial(junit, found),
        "Markdown, all cases failed": partial(markdown, found),
        "SARIF, all cases failed": partial(sarif, found),
    }


def _rendering(times: dict[str, list[float]], running: float) -> Iterator[Figure]:
    for name, seconds in times.items():
        yield _beside_running(name, seconds, running)
    pages = [sum(each) for each in zip(*(times[name] for name in times if name.startswith("the page")), strict=True)]
    yield _beside_running("the page, all of it", pages, running, GOAL)
    files = [sum(each) for each in zip(*times.values(), strict=True)]
    yield _beside_running("the page, JUnit, Markdown and SARIF together", files, running, GOAL)


def _comparing(clean: Path, broken: Path, running: float, rounds: int) -> Iterator[Figure]:
    compared = compare(clean, broken)
    works: dict[str, Callable[[], object]] = {
        "`harness diff`, every case and its trace has changed": partial(compare, clean, broken),
        "`harness diff`, nothing has changed": partial(compare, clean, clean),
        "`harness diff`, reporting in Markdown what has": partial(FORMATS["markdown"], compared),
    }
    times = rounds_of({name: partial(cpu, work) for name, work in works.items()}, rounds)
    for name, seconds in times.items():
        yield _beside_running(name, seconds, running)


def _beside_running(what: str, seconds: list[float], running: float, *goals: Goal) -> Figure:
    return Figure.of(what, seconds, *goals, beside=RUNNING, theirs=[running] * len(seconds))


def _opening(folder: Path, page: Path, rounds: int) -> Iterator[Row]:
    what, chromium = "opening the page", which("chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        yield LeftOut(what, "playwright is not installed")
        return
    if chromium is None:
        yield LeftOut(what, "chromium is not installed")
        return
    (folder / "empty.html").write_text(EMPTY)
    pages = {"page": page, "empty": folder / "empty.html"}
    with (
        sync_playwright() as driver,
        driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"]) as browser,
    ):
        looks = rounds_of({name: partial(_look, browser, path) for name, path in pages.items()}, rounds)
    (ready, heap), (ready_empty, heap_empty) = (zip(*looks[name], strict=True) for name in ("page", "empty"))
    what = f"{what} of 1,000 cases ({page.stat().st_size / 1e3:.0f} kB)"
    yield Figure.of(what, ready, beside="an empty page", theirs=ready_empty, counted="wall")
    yield Figure.of(what, heap, beside="an empty page", theirs=heap_empty, unit="B", counted="heap")


def _look(browser: Any, path: Path) -> tuple[float, float]:
    """Seconds until the page was ready, and bytes of its heap then."""
    look = browser.new_page()
    look.goto(path.as_uri())
    ready = float(look.evaluate(READY)) / 1000
    session = look.context.new_cdp_session(look)
    session.send("Performance.enable")
    metrics = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
    look.close()
    return ready, metrics["JSHeapUsedSize"]
