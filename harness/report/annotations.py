"""What failed as workflow commands of GitHub, which shows them beside the lines of the scenarios.

GitHub shows ten errors, ten warnings and ten notices of a step. So what breaks one rule at one line is told once for
all cases, the most frequent first, and what is left is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import Final

from harness.report.totals import blocked
from harness.report.visible import cut
from harness.runner.judging import NETWORK
from harness.runner.results import BlockedHost, CaseResult, DriverFinding, Evidence, RunResult, Stale

__all__ = ["workflow_commands"]

_COMMANDS: Final = {"MUST": "error", "SHOULD": "warning", "INFO": "notice"}
_MOST = 10
"""Annotations of a kind that GitHub shows."""

_LONGEST = 500
"""Characters of a text."""

_Found = tuple[CaseResult, Evidence]


def workflow_commands(result: RunResult) -> str:
    """The commands, one a line; nothing for a run without anything to look at."""
    others = [
        *map(_of_driver, result.driver_problems),
        *map(_of_stale, result.stale),
        *map(_of_blocked, blocked(result)),
    ]
    commands = [*_of_errors(result.cases), *others, *_of_findings(result.cases)]
    shown = [each for kind in _COMMANDS.values() for each in _first(commands, kind)]
    left = len(commands) - len(shown)
    if left:
        shown.append(_command("notice", f"and {left} more: the summary of the job has them", title="agent loop"))
    return "".join(f"{line}\n" for line in shown)


def _first(commands: Iterable[str], kind: str) -> list[str]:
    """As many of a kind as are shown. One notice has to be left for what is not."""
    most = _MOST - 1 if kind == "notice" else _MOST
    return [each for each in commands if each.startswith(f"::{kind} ")][:most]


def _of_blocked(host: BlockedHost) -> str:
    return _command("error", f"blocked: {host.host} ({', '.join(host.asked)}); cases: {host.cases}", title=NETWORK)


def _of_findings(cases: Iterable[CaseResult]) -> Iterator[str]:
    alike: dict[tuple[str, int | None, str], list[_Found]] = {}
    for case in cases:
        for each in case.unexpected:
            alike.setdefault((case.file, each.line, each.rule), []).append((case, each))
    for (file, line, rule), found in sorted(alike.items(), key=lambda pair: -len(pair[1])):
        yield _command(_COMMANDS.get(found[0][1].level, "error"), _said(found), title=rule, file=file, line=line)


def _said(found: Sequence[_Found]) -> str:
    case, each = found[0]
    ids = list(dict.fromkeys(case.id for case, _ in found))
    also = f" and {len(ids) - 1} more" if len(ids) > 1 else ""
    said = [f"expected {cut(each.expected, _LONGEST)}", f"got {cut(each.got, _LONGEST)}", f"in {ids[0]}{also}"]
    return "\n".join([*said, f"repeat: {case.repeat}"])


def _of_errors(cases: Iterable[CaseResult]) -> Iterator[str]:
    for case in cases:
        if case.error is not None:
            said = f"{case.id} could not be judged\n{cut(case.error.strip()[-_LONGEST:], _LONGEST)}"
            yield _command("error", f"{said}\nrepeat: {case.repeat}", title="error", file=case.file)


def _of_driver(finding: DriverFinding) -> str:
    file, _, line = finding.place.rpartition(":")
    got = cut(finding.got, _LONGEST)
    said = f"your driver: {finding.states}\nexpected {cut(finding.expected, _LONGEST)}\ngot {got}\n{finding.remedy}"
    where = int(line) if line.isdecimal() else None
    return _command("error", said, title=finding.rule, file=file if where else "", line=where)


def _of_stale(stale: Stale) -> str:
    file, line, _ = [*stale.place.rsplit(":", 2), "", ""][:3]
    said = f"{stale.what}: {stale.why}"
    return _command("error", said, title="stale", file=file, line=int(line) if line.isdecimal() else None)


def _command(name: str, message: str, *, title: str, file: str = "", line: int | None = None) -> str:
    """A workflow command. A file that is not of the repository could not be shown, so it is not named."""
    places = {"file": file, "line": str(line or 1)} if file and not PurePath(file).is_absolute() else {}
    properties = ",".join(f"{key}={_property(value)}" for key, value in {**places, "title": title}.items())
    return f"::{name} {properties}::{_data(message)}"


def _data(text: str) -> str:
    """Escaped as the runner wants it, so that no text begins a command of its own."""
    shown = cut(text, 10 * _LONGEST)
    return shown.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
