"""Judge the judge: agents in which no bug is known, and the same agents with one bug each, through ``harness run``.

The agents stand in ``loops/`` as their authors would write them; they import nothing from the harness. ``bugs.yaml``
says what is planted in each. A bug counts as found if one of the rules that it names is broken in the run with it.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.commands import run_harness

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LOOPS = HERE / "loops"
PACKAGES = ROOT / "harness" / "targets" / "node" / "node_modules"

COMMON = (
    "tool-returns",
    "parallel-calls",
    "parallel-calls-one-raises",
    "tool-raises",
    "tool-returns-any-json",
    "thinking-in-every-turn",
)
"""What variants are run on."""

FINDING = re.compile(r"\b(?:OAI|OAC|ANT|GEM)-[0-9A-Z]+\b")


@dataclass(frozen=True, slots=True)
class Bug:
    """One change of a loop's source (hunks of ``- old`` and ``+ new`` lines), and the rules that must find it.

    ``cases`` are names of scenarios, ``chunking`` how their bytes are cut.
    """

    loop: str
    name: str
    change: str
    cases: Sequence[str]
    rules: Sequence[str]
    harm: str
    source: str
    chunking: str = "event"

    def found_by(self, found: Iterable[Broken]) -> list[str]:
        """The rules among those that must find it which were broken. A family (``history``) stands for all of its."""
        rules = sorted({each.rule for each in found})
        return [rule for rule in rules if any(rule == each or rule.startswith(f"{each}/") for each in self.rules)]


@dataclass(frozen=True, slots=True)
class Variant:
    """A change of a loop's source that breaks nothing, and who says so."""

    loop: str
    name: str
    change: str
    source: str


@dataclass(frozen=True, slots=True)
class Loop:
    """An agent: its source in ``loops/``, the suites that it must pass, its variants, and the bugs planted in it."""

    name: str
    style: str
    suites: Sequence[str]
    bugs: Sequence[Bug]
    variants: Sequence[Variant] = ()

    @property
    def source(self) -> Path:
        return next(path for path in LOOPS.glob(f"{self.name}.*") if path.suffix in (".py", ".mjs"))

    @property
    def target(self) -> Path:
        return LOOPS / f"{self.name}.yaml"

    @property
    def runs_on_node(self) -> bool:
        return self.source.suffix == ".mjs"

    @property
    def needs_packages(self) -> bool:
        return self.runs_on_node and " from '@" in self.source.read_text(encoding="utf-8")

    @property
    def wire(self) -> str:
        return str(yaml.safe_load(self.target.read_text(encoding="utf-8"))["wires"][0])

    def bug(self, name: str) -> Bug:
        return next(bug for bug in self.bugs if bug.name == name)


@dataclass(frozen=True, slots=True)
class Broken:
    """A rule that a case broke. ``rule`` is the wire's own (``OAC-03``) where there is one."""

    case: str
    rule: str
    level: str
    expected: str
    got: str


def loops() -> list[Loop]:
    """All of them, with their bugs, as ``bugs.yaml`` has them."""
    entries = yaml.safe_load((HERE / "bugs.yaml").read_text(encoding="utf-8"))
    return [
        Loop(
            name,
            entry["style"],
            entry["suites"],
            [Bug(name, bug, **each) for bug, each in entry["bugs"].items()],
            [Variant(name, variant, **each) for variant, each in entry.get("variants", {}).items()],
        )
        for name, entry in entries.items()
    ]


def planted(source: str, change: str) -> str:
    """``source`` with the change made.

    Raises ``ValueError`` where the old lines of a hunk do not stand in it exactly once.
    """
    for hunk in change.split("\n...\n"):
        old = [line[2:] for line in hunk.splitlines() if line.startswith("-")]
        new = [line[2:] for line in hunk.splitlines() if line.startswith("+")]
        lines = source.splitlines()
        found = [at for at in range(len(lines)) if _stripped(lines[at : at + len(old)]) == _stripped(old)]
        if len(found) != 1 or not old:
            raise ValueError(f"expected these lines once, found them {len(found)} times: {old}")
        at = found[0]
        indent = " " * (_indent(lines[at]) - _indent(old[0]))
        lines[at : at + len(old)] = [f"{indent}{line}" if line else "" for line in new]
        source = "\n".join(lines) + "\n"
    return source


def _stripped(lines: Sequence[str]) -> list[str]:
    return [line.strip() for line in lines]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def written(loop: Loop, folder: Path, *changed: Bug | Variant) -> Path:
    """Write the loop, with the changes, into ``folder``. Returns its target file."""
    folder.mkdir(parents=True, exist_ok=True)
    source = loop.source.read_text(encoding="utf-8")
    for each in changed:
        source = planted(source, each.change)
    (folder / loop.source.name).write_text(source, encoding="utf-8")
    shutil.copy(loop.target, folder)
    if loop.needs_packages and not (folder / "node_modules").exists():
        (folder / "node_modules").symlink_to(PACKAGES)
    return folder / loop.target.name


def run(target: Path, *arguments: str) -> dict[str, Any]:
    """``harness run`` in the folder of the target file. Returns what results.json says.

    Raises ``RuntimeError`` where there are no results, or where a case could not be judged.
    """
    out = target.parent / "report"
    shutil.rmtree(out, ignore_errors=True)
    ended = run_harness("run", "--target", target.name, "--out", out.name, *arguments, cwd=target.parent)
    if ended.returncode not in (0, 1) or not (out / "results.json").is_file():
        raise RuntimeError(
            f"{' '.join(ended.args)}: exit code {ended.returncode}\n{ended.stdout[-2000:]}{ended.stderr}"
        )
    results: dict[str, Any] = json.loads((out / "results.json").read_text(encoding="utf-8"))
    return results


def run_clean(loop: Loop, folder: Path) -> dict[str, Any]:
    """The loop as it is, on all suites that it must pass."""
    return run(written(loop, folder), "--suite", ",".join(loop.suites))


def run_bug(loop: Loop, bug: Bug, folder: Path) -> dict[str, Any]:
    """The loop with the bug, on the scenarios that meet it."""
    return run(written(loop, folder, bug), *scenarios(*bug.cases), "-k", bug.chunking)


def run_variant(loop: Loop, variant: Variant, folder: Path) -> dict[str, Any]:
    """The loop with a change that breaks nothing, on the scenarios that have most to do with what goes back."""
    return run(written(loop, folder, variant), *scenarios(*COMMON), "-k", "event")


def scenarios(*names: str) -> list[str]:
    """The files of shipped scenarios. Raises ``ValueError`` where there is none of a name."""
    files = {path.stem: str(path) for path in (ROOT / "scenarios").glob("*/*.yaml")}
    if unknown := [name for name in names if name not in files]:
        raise ValueError(f"there is no scenario {', '.join(unknown)}")
    return [files[name] for name in names]


def broken(results: dict[str, Any]) -> Iterator[Broken]:
    """What was found in the driver, and then case by case. A rule of the wire is named by its own id."""
    for each in results.get("driver", ()):
        yield Broken("driver", each["rule"], each["level"], each["expected"], each["got"])
    for case in results["cases"]:
        for each in case["findings"]:
            own = [each["reference"]] if each["reference"] else FINDING.findall(each["detail"])[:1]
            yield Broken(case["id"], (own or [each["rule"]])[0], each["level"], each["expected"], each["got"])


def judged(results: dict[str, Any]) -> int:
    """How many cases were judged."""
    return sum(case["verdict"] in ("pass", "fail") for case in results["cases"])
