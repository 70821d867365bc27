"""The commands that are swept, what is there before, and what may be there after a strike: the old state or the new."""

from __future__ import annotations

import json
import multiprocessing.util
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

from harness.cassette import Interaction, read_cassette
from harness.errors import HarnessError
from tests.faults.sweep import Command, Ended, ended
from tests.fork_server import forking
from tests.imports.exchanges import Exchange, loop, write_vcr

SCENARIO: Final = """\
scenario: {name}
profile: universal
summary: A short answer.
wires: [openai-chat]
stream: false
prompt: Say hello.
model:
  - text: {text}
expect: {{outcome: completed}}
"""
OUT: Final = "out"


def write_scenarios(folder: Path, *names: str, text: str = "Hello.") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / f"{name}.yaml").write_text(SCENARIO.format(name=name, text=text), encoding="utf-8")


def prepared(words: tuple[str, ...], folder: Path) -> None:
    """Run a command that makes what is there before."""
    result = ended(words, folder)
    assert result.code == 0, result


# --- run ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Run:
    """A run into the folder of an earlier one, which had another case. What is printed is acknowledged."""

    name: str = "run"
    words: tuple[str, ...] = ("run", "scenarios", "-v", "-j", "1", "--out", OUT)
    within: Literal["this", "forked"] = "this"
    parallel: bool = False

    def prepare(self, folder: Path) -> None:
        write_scenarios(folder / "earlier", "old")
        prepared(("run", "earlier", "-j", "1", "--out", OUT), folder)
        write_scenarios(folder / "scenarios", "one", "two", "three")

    def set_up(self) -> None:
        from harness.report import journal

        journal.SYNC_SHARE = 1e9  # type: ignore[misc] # each verdict is synced, so that each run makes the same calls
        if self.parallel:
            util: Any = multiprocessing.util
            util.spawnv_passfds = forking(util.spawnv_passfds)

    def wrong(self, ended_as: Ended, folder: Path, before: Path, whole: Path) -> list[str]:
        report = ended(("report", OUT, "--format", "json"), folder)
        if report.code != 0:
            return [f"no report can be made: {report}"]
        now = verdicts(json.loads(report.out))
        acknowledged = printed(ended_as.out)
        if now == (old := verdicts_of(before)):
            return [f"lost: {acknowledged}"] if acknowledged else []
        wanted = verdicts_of(whole)
        problems = [f"lost: {case}, {verdict}" for case, verdict in acknowledged.items() if now.get(case) != verdict]
        problems += [f"of neither run: {case}" for case in now if case not in wanted]
        if ended_as.code == 0 and (now != wanted or old == wanted):
            problems.append(f"exit code 0, and not everything is there: {now}")
        return problems or self._not_resumed(folder, wanted, now)

    def _not_resumed(self, folder: Path, wanted: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
        """The run goes on to the same result, unless a case has got the verdict ``error``, which it keeps."""
        resumed = ended((*self.words, "--resume", OUT), folder)
        if "error" in now.values():
            return []
        if resumed.code != 0 or verdicts_of(folder) != wanted:
            return [f"cannot be resumed: {resumed}"]
        return []


def verdicts(results: Mapping[str, Any]) -> dict[str, str]:
    return {case["id"]: case["verdict"] for case in results["cases"]}


def verdicts_of(folder: Path) -> dict[str, str]:
    return verdicts(json.loads((folder / OUT / "results.json").read_text(encoding="utf-8")))


def printed(out: str) -> dict[str, str]:
    """The verdicts that the terminal has shown (``-v``)."""
    words = [line.split() for line in out.splitlines() if line.startswith("  ")]
    return {each[1]: each[0] for each in words if len(each) == 4 and each[3] == "s" and each[0] in ("pass", "error")}


# --- record ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Record:
    """A recording over an older one of another answer. What was recorded is in the cassette, or in a part beside it."""

    name: str = "record"
    words: tuple[str, ...] = (
        *("record", "scenarios/one.yaml", "--wire", "openai-chat", "--scripted", "--mode", "all"),
        *("--cassettes", "cassettes"),
    )
    within: Literal["this", "forked"] = "this"

    def prepare(self, folder: Path) -> None:
        write_scenarios(folder / "scenarios", "one", text="Good evening.")
        prepared(self.words, folder)
        shutil.rmtree(folder / "reports")
        write_scenarios(folder / "scenarios", "one")

    def set_up(self) -> None:
        from harness.report import journal

        journal.SYNC_SHARE = 1e9  # type: ignore[misc]

    def wrong(self, ended_as: Ended, folder: Path, before: Path, whole: Path) -> list[str]:
        place = "cassettes/openai-chat/one.yaml"
        old, new = exchanges(before / place), exchanges(whole / place)
        problems = []
        for path in (folder / "cassettes").rglob("[!.]*.yaml"):
            allowed = (old, new) if path == folder / place else (new,)
            try:
                if exchanges(path) not in allowed:
                    problems.append(f"{path.name}: neither the old recording nor the new")
            except HarnessError as error:
                problems.append(str(error))
        if ended_as.code == 0 and exchanges(folder / place) != new:
            problems.append("exit code 0, and it is not recorded")
        again = ended(self.words, folder)
        return problems + ([] if again.code == 0 else [f"cannot be recorded again: {again}"])


def exchanges(path: Path) -> list[Interaction]:
    """What a cassette says, without the times."""
    return [replace(each, delivery=None, line=0) for each in read_cassette(path).interactions]


# --- baseline update ------------------------------------------------------------------------------------------

BASELINE: Final = """\
# What is known.
baseline: mine
findings:
  - cases: [elsewhere.*]
    rules: [order/one-end]
    reason: A comment that has to stay.
"""


@dataclass(frozen=True)
class BaselineUpdate:
    """An entry is added to the file of a person."""

    name: str = "baseline update"
    words: tuple[str, ...] = ("baseline", "update", "mine", "scenarios", "-j", "1", "--out", OUT)
    within: Literal["this", "forked"] = "this"

    def prepare(self, folder: Path) -> None:
        write_scenarios(folder / "scenarios", "one")
        (folder / "baselines").mkdir()
        (folder / "baselines" / "mine.yaml").write_text(BASELINE, encoding="utf-8")

    def set_up(self) -> None:
        from harness.cli import drive as run
        from harness.report import journal
        from harness.runner.opening import examined, open_target

        broken = "mutant:event-after-final"
        journal.SYNC_SHARE = 1e9  # type: ignore[misc]
        run.open_target = lambda name, gateway: open_target(broken, gateway)
        run.examined = lambda name: examined(broken)

    def wrong(self, ended_as: Ended, folder: Path, before: Path, whole: Path) -> list[str]:
        return old_or_new(ended_as, *(each / "baselines" / "mine.yaml" for each in (folder, before, whole)))


def old_or_new(ended_as: Ended, now: Path, before: Path, whole: Path) -> list[str]:
    content = now.read_bytes()
    if content not in (before.read_bytes(), whole.read_bytes()):
        return [f"{now.name}: neither the old file nor the new: {content!r}"]
    if ended_as.code == 0 and content != whole.read_bytes():
        return ["exit code 0, and the file is the old one"]
    return []


# --- cassettes redact, cassettes import -----------------------------------------------------------------------


@dataclass(frozen=True)
class Redact:
    """A secret is taken out of a cassette."""

    name: str = "cassettes redact"
    words: tuple[str, ...] = ("cassettes", "redact", "leak.yaml")
    within: Literal["this", "forked"] = "this"

    def prepare(self, folder: Path) -> None:
        first, last = loop("openai-chat")

        def leak(request: dict[str, Any]) -> None:
            request["messages"][0]["content"] = f"My key is sk-proj-{'a1B2c3D4' * 6}."

        write_vcr(folder / "leak.yaml", first.asking(leak), last)

    def set_up(self) -> None:
        """Nothing is special."""

    def wrong(self, ended_as: Ended, folder: Path, before: Path, whole: Path) -> list[str]:
        return old_or_new(ended_as, *(each / "leak.yaml" for each in (folder, before, whole)))


@dataclass(frozen=True)
class Import:
    """Foreign recordings become cassettes and scenarios in a new folder: all of them, or none."""

    name: str = "cassettes import"
    words: tuple[str, ...] = ("cassettes", "import", "recorded", "--out", OUT)
    within: Literal["this", "forked"] = "this"

    def prepare(self, folder: Path) -> None:
        loops: list[list[Exchange]] = [loop("openai-chat"), loop("anthropic-messages")]
        for number, each in enumerate(loops):
            write_vcr(folder / "recorded" / f"{number}.yaml", *each)

    def set_up(self) -> None:
        """Nothing is special."""

    def wrong(self, ended_as: Ended, folder: Path, before: Path, whole: Path) -> list[str]:
        wanted, now = files(whole / OUT), files(folder / OUT)
        if now and now != wanted:
            return [f"neither nothing nor all: {now}"]
        if ended_as.code == 0 and not now:
            return ["exit code 0, and nothing is written"]
        if now:
            return []
        again = ended(self.words, folder)
        return [] if again.code == 0 and files(folder / OUT) == wanted else [f"cannot be imported again: {again}"]


def files(folder: Path) -> list[str]:
    """What a user sees: no lock that was left."""
    return sorted(str(each.relative_to(folder)) for each in folder.rglob("[!.]*") if each.is_file())


PARALLEL: Final = Run("run -j 2", ("run", "scenarios", "-v", "-j", "2", "--out", OUT), parallel=True)
COMMANDS: Final[tuple[Command, ...]] = (
    Run(),
    PARALLEL,
    replace(PARALLEL, name="run -j 2, in its workers", within="forked"),
    Record(),
    BaselineUpdate(),
    Redact(),
    Import(),
)
