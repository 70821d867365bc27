"""JUnit XML: one test suite per wire, one test case per case.

Findings may contain anything that a model or a loop wrote. XML cannot express most control characters or lone
surrogates, but the standard library writes them, into a file that nobody can read back. So they are replaced first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final
from xml.etree import ElementTree

from harness.finding import Finding
from harness.report.causes import Cause, Member, causes
from harness.report.entries import Numbered, beside, by_case, in_short, label, names, severity
from harness.report.formats import ReportFormat
from harness.report.totals import blocked
from harness.report.visible import unturned
from harness.runner.judging import NETWORK
from harness.runner.results import BlockedHost, CaseResult, DriverFinding, RunResult, Stale

_LONGEST = 20_000
"""Characters of a text of a finding or of an attribute; all of it is in results.json. The text of an element may have
ten times as many."""

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(result: RunResult) -> str:
    """The run as a JUnit document."""
    hosts = blocked(result)
    counts = _counts(result.cases, [*result.stale, *result.driver_problems, *hosts])
    del counts["skipped"]  # the schema that readers go by knows it of a suite, not of all
    root = ElementTree.Element("testsuites", {"name": "harness", **counts})
    shown = by_case(causes(result))
    for wire in dict.fromkeys(case.wire for case in result.cases):
        cases = {number: case for number, case in enumerate(result.cases) if case.wire == wire}
        name = f"{result.target}.{wire}"
        suite = ElementTree.SubElement(
            root, "testsuite", {"name": name, "timestamp": result.started, **_counts(list(cases.values()))}
        )
        for number, case in cases.items():
            _case(suite, case, shown.get(number, ()))
    if result.stale:
        _baseline(root, result)
    if hosts:
        _network(root, result, hosts)
    if result.driver_problems:
        _driver(root, result)
    return readable(root)


def readable(root: ElementTree.Element) -> str:
    """The document, readable for every XML parser: even a name may contain characters that XML lacks, from a path that
    is no text."""
    ElementTree.indent(root)
    for element in root.iter():
        element.text = element.text and _clean(_cut(element.text, 10 * _LONGEST))
        element.attrib.update({name: _clean(_cut(value)) for name, value in element.attrib.items()})
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _clean(text: str) -> str:
    return unturned(_NOT_XML.sub("\ufffd", text))


def _cut(text: str, most: int = _LONGEST) -> str:
    return text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"


def _counts(cases: Sequence[CaseResult], others: Sequence[Stale | DriverFinding | BlockedHost] = ()) -> dict[str, str]:
    """The counts of a suite. ``others`` fail the run although they are no cases."""
    verdicts = [case.verdict for case in cases]
    return {
        "tests": str(len(cases) + len(others)),
        "failures": str(verdicts.count("fail") + len(others)),
        "errors": str(verdicts.count("error")),
        "skipped": str(verdicts.count("skip") + verdicts.count("xfail")),
        "time": f"{sum(case.seconds for case in cases):.3f}",
    }


def _case(suite: ElementTree.Element, case: CaseResult, shown: Sequence[Numbered]) -> None:
    """A failure for each cause that the case shows, the worst first."""
    element = ElementTree.SubElement(
        suite, "testcase", classname=f"{case.scenario}.{case.wire}", name=case.id, time=f"{case.seconds:.3f}"
    )
    if case.verdict == "xfail":
        reasons = dict.fromkeys(each.known for each in case.expected)
        ElementTree.SubElement(element, "skipped", type="xfail", message="\n".join(reasons))
    if case.verdict == "skip":
        ElementTree.SubElement(element, "skipped", message=case.reason)
    if case.error is not None:
        error = ElementTree.SubElement(element, "error", type="error", message=_last_line(case.error))
        error.text = case.error[-_LONGEST:]  # the end of a traceback says what went wrong
    for number, cause, member in shown:
        if member.found:
            finding = case.findings[member.found[0]]
            failure = ElementTree.SubElement(element, "failure", type=finding.id, message=in_short(finding))
            failure.text = _of_cause(number, cause, member, case)
    if case.expected:
        ElementTree.SubElement(element, "system-out").text = _known(case)


def _of_cause(number: int, cause: Cause, member: Member, case: CaseResult) -> str:
    lines = [f"cause {number}: {names(cause)} ({label(cause)})", _describe(case.findings[member.found[0]], case)]
    lines += [f"also: {_cut(in_short(each))}" for each in beside(member, case)]
    return "\n".join([*lines, f"repeat:   {case.repeat}"])


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["no words"])[-1]


def _known(case: CaseResult) -> str:
    """The findings that the baseline expects."""
    return "\n\n".join(f"{_describe(each, case)}\nis expected: {each.known}" for each in case.expected)


def _baseline(root: ElementTree.Element, result: RunResult) -> None:
    """What is stale in the baseline fails the run, so it fails here, too."""
    suite = ElementTree.SubElement(
        root,
        "testsuite",
        {"name": f"{result.target}.baseline", "timestamp": result.started, **_counts((), result.stale)},
    )
    for each in result.stale:
        name = f"{each.place} {each.what}"
        element = ElementTree.SubElement(suite, "testcase", classname=f"{result.baseline}", name=name, time="0")
        ElementTree.SubElement(element, "failure", type="stale", message=each.why)


def _network(root: ElementTree.Element, result: RunResult, hosts: Sequence[BlockedHost]) -> None:
    """A host that was blocked fails the run, so it fails here, too."""
    suite = ElementTree.SubElement(
        root, "testsuite", {"name": f"{result.target}.network", "timestamp": result.started, **_counts((), hosts)}
    )
    for each in hosts:
        element = ElementTree.SubElement(suite, "testcase", classname=NETWORK, name=each.host, time="0")
        asked = f"blocked: {', '.join(each.asked)}; {each.cases} cases, first {each.first}"
        ElementTree.SubElement(element, "failure", type=NETWORK, message=asked)


def _driver(root: ElementTree.Element, result: RunResult) -> None:
    """What is wrong with the driver of the target."""
    problems = result.driver_problems
    suite = ElementTree.SubElement(
        root, "testsuite", {"name": f"{result.target}.driver", "timestamp": result.started, **_counts((), problems)}
    )
    for each in problems:
        element = ElementTree.SubElement(suite, "testcase", classname=each.place, name=each.rule, time="0")
        failure = ElementTree.SubElement(element, "failure", type="driver", message=f"{each.suspect}: {each.states}")
        failure.text = f"expected: {_cut(each.expected)}\ngot:      {_cut(each.got)}\nchange:   {each.remedy}"


def _describe(finding: Finding, case: CaseResult) -> str:
    place = f"{case.trace}:{finding.at}" if finding.at else case.trace or ""
    lines = [
        f"{finding.name} ({severity(finding)}) at {place}",
        f"expected: {_cut(finding.expected)}",
        f"got:      {_cut(finding.got)}",
        *([_cut(finding.explanation)] if finding.explanation else []),
    ]
    return "\n".join(lines)


FORMAT: Final = ReportFormat("JUnit XML", lambda result, _: junit(result))
