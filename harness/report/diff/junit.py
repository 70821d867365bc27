"""A comparison as JUnit XML: one test per changed case, which fails if the change does; one test for all others."""

from __future__ import annotations

from xml.etree import ElementTree

from harness.report.diff.items import case_item
from harness.report.diff.model import CaseChange, Comparison
from harness.report.diff.summary import Amount
from harness.report.formats.junit import readable
from harness.runner.results import Stale

_IN_FULL = Amount(findings=20, lines=40, characters=4000)


def junit(comparison: Comparison) -> str:
    """The comparison as a JUnit document."""
    unread = comparison.unread if comparison.strict else ()
    failed = len(comparison.failures) + len(comparison.stale) + len(unread)
    tests = len(comparison.cases) + len(comparison.stale) + len(unread) + 1
    counts = {"tests": str(tests), "failures": str(failed), "errors": "0", "time": f"{comparison.new.seconds:.3f}"}
    root = ElementTree.Element("testsuites", {"name": "harness diff", **counts})
    name = f"{comparison.base.folder} -> {comparison.new.folder}"
    suite = ElementTree.SubElement(
        root, "testsuite", {"name": name, "timestamp": comparison.new.started, "skipped": "0", **counts}
    )
    failures = {case.id for case in comparison.failures}
    for case in comparison.cases:
        _case(suite, case, comparison, fails=case.id in failures)
    for stale in comparison.stale:
        _stale(suite, stale)
    for why in unread:
        ElementTree.SubElement(_testcase(suite, why), "failure", type="unread", message="the trace cannot be compared")
    _testcase(suite, f"{comparison.unchanged} cases are unchanged")
    return readable(root)


def _case(suite: ElementTree.Element, case: CaseChange, comparison: Comparison, *, fails: bool) -> None:
    element = _testcase(suite, case.id, f"{case.scenario}.{case.wire}")
    item = case_item(case, (comparison.base.folder, comparison.new.folder), _IN_FULL)
    text = "\n".join([item.note, *(f"{label}: {text}" for label, text in item.facts), *item.diff])
    if not fails:
        ElementTree.SubElement(element, "system-out").text = f"{case.kind}: {text}"
        return
    rule = case.found[0].name if case.found else "error" if case.regression else case.kind
    failure = ElementTree.SubElement(element, "failure", type=rule, message=f"{case.kind}: {item.note}")
    failure.text = text


def _stale(suite: ElementTree.Element, stale: Stale) -> None:
    element = _testcase(suite, f"{stale.place} {stale.what}", "baseline")
    ElementTree.SubElement(element, "failure", type="stale", message=stale.why)


def _testcase(suite: ElementTree.Element, name: str, classname: str = "diff") -> ElementTree.Element:
    return ElementTree.SubElement(suite, "testcase", classname=classname, name=name, time="0")
