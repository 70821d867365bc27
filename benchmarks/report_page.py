"""What the page costs: writing it beside running its cases, and opening it beside an empty page.

    python benchmarks/report_page.py [ROUNDS]

The thousand cases of ``cases.py`` are run once, with ``harness run -j 1``. Then, in this process, CPU time: handing
over the traces (which the run does as each case ends), counting events, and the page itself. Goal: together at most
10 % of the run. In chromium, if that is there with playwright, wall time from the address to the page being ready, its
median over the rounds, each beside an empty page of the same browser.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from statistics import median

from _measure import cpu
from cases import generate, measured

from harness.report.files import read_results
from harness.report.page import page, shown_run, trace_script
from harness.runner.results import RunResult
from harness.wire import NATIVE_WIRES

GOAL = 0.10
EMPTY = "<!doctype html><html data-ready><title>empty</title>"
READY = (
    "new Promise((done) => { const look = () => 'ready' in document.documentElement.dataset ? done(performance.now()) "
)
READY += ": setTimeout(look); look(); })"


def main() -> int:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        generate(folder / "scenarios")
        wires = [word for wire in NATIVE_WIRES for word in ("--wire", wire)]
        run = [sys.executable, "-m", "harness", "run", str(folder / "scenarios"), *wires, "-j", "1"]
        _, running = measured([*run, "--out", str(folder / "run")])
        met = _writing(folder / "run", running)
        _opening(folder, rounds)
    return 0 if met else 1


def _writing(run: Path, running: float) -> bool:
    result = read_results(run / "results.json")
    lines = [path.read_text(encoding="utf-8", errors="surrogatepass") for path in sorted(run.glob("traces/*.jsonl"))]
    costs = {
        "traces handed over": cpu(lambda: [trace_script(each) for each in lines]),
        "events counted": cpu(lambda: shown_run(result, run)),
        "the page": _page(result, run),
    }
    print(f"{len(result.cases)} cases, run in {running:.2f} s of CPU time")
    for name, seconds in costs.items():
        print(f"  {name:20} {seconds:6.2f} s  {seconds / running:6.1%}")
    together = sum(costs.values())
    met = together / running <= GOAL
    said = f"goal {GOAL:.0%}: {'met' if met else 'MISSED'}"
    print(f"  {'together':20} {together:6.2f} s  {together / running:6.1%}   {said}")
    size = (run / "index.html").stat().st_size
    traces, scripts = (sum(path.stat().st_size for path in run.glob(f"traces/*.{end}")) for end in ("jsonl", "js"))
    print(
        f"  the page has {size / 1e3:.0f} kB; {traces / 1e6:.1f} MB of traces are handed over in {scripts / 1e6:.1f} MB"
    )
    return met


def _page(result: RunResult, run: Path) -> float:
    shown = shown_run(result, run)
    return cpu(lambda: page([shown]).encode())


def _opening(folder: Path, rounds: int) -> None:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        print("opening it: playwright is not installed")
        return
    chromium = shutil.which("chromium")
    if chromium is None:
        print("opening it: chromium is not installed")
        return
    (folder / "empty.html").write_text(EMPTY)
    pages = {"empty page": folder / "empty.html", "the page": folder / "run" / "index.html"}
    times: dict[str, list[float]] = {name: [] for name in pages}
    with (
        sync_playwright() as driver,
        driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"]) as browser,
    ):
        for _ in range(rounds):
            for name, path in pages.items():
                look = browser.new_page()
                look.goto(path.as_uri())
                times[name].append(float(look.evaluate(READY)))
                look.close()
    for name, taken in times.items():
        print(f"  {name:20} ready after {median(taken):6.0f} ms")


if __name__ == "__main__":
    sys.exit(main())
