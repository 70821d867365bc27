"""Failures as workflow commands of GitHub, which shows them beside lines of the repository.

GitHub shows ten errors, ten warnings and ten notices of a step. So each cause is reported once for each line, the worst
cause first, and the rest is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import Final

from harness.report.anchor import Place, place
from harness.report.causes import ERROR, Cause, Member, causes, title
from harness.report.entries import also, label, names
from harness.report.formats import ReportFormat
from harness.report.totals import blocked
from harness.report.visible import cut
from harness.runner.judging import NETWORK
from harness.runner.results import BlockedHost, DriverFinding, RunResult, Stale

_COMMANDS: Final = {"MUST": "error", "SHOULD": "warning", "INFO": "notice"}
_MOST = 10
"""Annotations of a kind that GitHub shows."""

_LONGEST = 500
"""Characters of a text."""


def workflow_commands(result: RunResult) -> str:
    """The commands, one per line; empty for a run with nothing to look at."""
    others = [
        *map(_of_driver, result.driver_problems),
        *map(_of_stale, result.stale),
        *map(_of_blocked, blocked(result)),
    ]
    commands = [*others, *_of_causes(result)]
    shown = [each for kind in _COMMANDS.values() for each in _first(commands, kind)]
    left = len(commands) - len(shown)
    if left:
        rules = [rule for rule in _rules(result) if not any(_data(rule) in each for each in shown)]
        named = f" They are of {', '.join(rules)}." if rules else ""
        text = f"and {left} more: the summary of the job has them.{named}"
        shown.append(_command("notice", text, title="agent loop"))
    return "".join(f"{line}\n" for line in shown)


def _rules(result: RunResult) -> list[str]:
    """The names of all rules and expectations in the findings, each once."""
    found = causes(result)
    return list(
        dict.fromkeys(rule for each in found for rule in (*each.rules, *(one.rule for one in each.consequences)))
    )


def _first(commands: Iterable[str], kind: str) -> list[str]:
    """The first commands of a kind, as many as GitHub shows. One notice is reserved for the count of the rest."""
    most = _MOST - 1 if kind == "notice" else _MOST
    return [each for each in commands if each.startswith(f"::{kind} ")][:most]


def _of_blocked(host: BlockedHost) -> str:
    return _command("error", f"blocked: {host.host} ({', '.join(host.asked)}); cases: {host.cases}", title=NETWORK)


def _of_causes(result: RunResult) -> Iterator[str]:
    """One command for each cause at each line of the repository that shows it, the worst cause first."""
    for cause in causes(result):
        places: dict[Place, list[Member]] = {}
        for member in cause.members:
            places.setdefault(_place(member, result), []).append(member)
        command = "error" if cause.rule == ERROR else _COMMANDS.get(cause.level, "error")
        for (file, line), some in sorted(places.items(), key=lambda pair: -len(pair[1])):
            yield _command(command, _message(cause, some, result), title=names(cause), file=file, line=line)


def _place(member: Member, result: RunResult) -> Place:
    case = result.cases[member.case]
    return place(case.file, case.findings[member.found[0]].line if member.found else None, result.target)


def _message(cause: Cause, some: Sequence[Member], result: RunResult) -> str:
    """What is wrong in these cases of the cause."""
    member = cause.example if cause.example in some else some[0]
    case = result.cases[member.case]
    lines = [cut(title(cause, result), _LONGEST), label(cause)]
    if member.found:
        finding = case.findings[member.found[0]]
        lines += [f"expected {cut(finding.expected, _LONGEST)}", f"got {cut(finding.got, _LONGEST)}"]
    else:
        lines.append(cut((case.error or "").strip()[-_LONGEST:], _LONGEST))
    more = f" and {len(some) - 1} more" if len(some) > 1 else ""
    lines += [f"in {case.id}{more}", *([f"also {also(cause.consequences)}"] if cause.consequences else [])]
    return "\n".join([*lines, f"repeat: {case.repeat}"])


def _of_driver(finding: DriverFinding) -> str:
    file, _, line = finding.place.rpartition(":")
    got = cut(finding.got, _LONGEST)
    message = (
        f"{finding.suspect}: {finding.states}\nexpected {cut(finding.expected, _LONGEST)}\ngot {got}\n{finding.remedy}"
    )
    where = int(line) if line.isdecimal() else None
    return _command("error", message, title=finding.rule, file=file if where else "", line=where)


def _of_stale(stale: Stale) -> str:
    file, line, _ = [*stale.place.rsplit(":", 2), "", ""][:3]
    message = f"{stale.what}: {stale.why}"
    return _command("error", message, title="stale", file=file, line=int(line) if line.isdecimal() else None)


def _command(name: str, message: str, *, title: str, file: str = "", line: int | None = None) -> str:
    """A workflow command. A file outside of the repository is left out, because GitHub could not show it."""
    places = {"file": file, "line": str(line or 1)} if file and not PurePath(file).is_absolute() else {}
    properties = ",".join(f"{key}={_property(value)}" for key, value in {**places, "title": title}.items())
    return f"::{name} {properties}::{_data(message)}"


def _data(text: str) -> str:
    """The text, escaped for the runner, so that no text can start a command of its own."""
    shown = cut(text, 10 * _LONGEST)
    return shown.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


FORMAT: Final = ReportFormat("annotations for the log of a GitHub job", lambda result, _: workflow_commands(result))
