"""Reads results.json of older versions into the current members of findings.

Up to version 5 the provider's rule was part of a finding's ``rule``, ``continuation/openai-chat (OAC-01)``, and the
provider's answer part of its ``detail``, ``messages[2]: HTTP 400 Invalid ...``; ``impact`` was called ``kind``, and a
case had its findings in ``evidence``.
"""

from __future__ import annotations

import re
from typing import Any, Final

FIRST_WITH_REFERENCES: Final = 6
"""The first version whose cases have ``findings`` with ``reference`` and ``provider``."""

_NAMED: Final = re.compile(r"(?P<rule>.*?) \((?P<reference>.*)\)", re.DOTALL)
_REFUSED: Final = re.compile(r"(?:(?P<place>[^\s:]+): )?HTTP (?P<status>\d{3}) (?P<message>.*)", re.DOTALL)
_ACCEPTED: Final = re.compile(r"(?P<place>[a-z][^\s:]*): (?P<message>.*)", re.DOTALL)


def upgraded(values: Any) -> Any:
    """The same results with the findings of the current version. Anything else is returned unchanged."""
    if not isinstance(values, dict) or not isinstance(values.get("cases"), list):
        return values
    return {**values, "cases": [_case(case) for case in values["cases"]]}


def _case(case: Any) -> Any:
    if not isinstance(case, dict) or not isinstance(case.get("evidence"), list):
        return case
    others = {name: value for name, value in case.items() if name != "evidence"}
    return {**others, "findings": [_finding(found) for found in case["evidence"]]}


def _finding(found: Any) -> Any:
    if not isinstance(found, dict):
        return found
    renamed = {"impact" if name == "kind" else name: value for name, value in found.items()}
    named = _NAMED.fullmatch(found["rule"]) if isinstance(found.get("rule"), str) else None
    if named is None:
        return renamed
    return {**renamed, **named.groupdict(), **_provider(named["rule"], renamed.get("detail"))}


def _provider(rule: str, detail: Any) -> dict[str, Any]:
    """The provider's answer from the detail of a finding with a reference."""
    if not rule.startswith("continuation/") or not isinstance(detail, str):
        return {}
    if refused := _REFUSED.fullmatch(detail):
        status, place = int(refused["status"]), refused["place"] or ""
        return {"detail": "", "provider": {"message": refused["message"], "status": status, "place": place}}
    place, message = accepted.group("place", "message") if (accepted := _ACCEPTED.fullmatch(detail)) else ("", detail)
    return {"detail": "", "provider": {"message": message, "status": 200, "place": place}}
