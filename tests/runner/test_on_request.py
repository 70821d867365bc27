"""A wire on request has cases only where it is named, or where the target speaks no other."""

from __future__ import annotations

import re
from importlib.util import find_spec

import httpx2
import pytest

from harness.endpoint import Endpoints
from harness.errors import BadInput
from harness.loop import sessions
from harness.runner.plan import PlannedCase, asked, matrix, selected
from harness.targets import Declaration
from harness.targets.clients import Clients
from harness.targets.function import FunctionTarget
from harness.targets.reference import ReferenceTarget
from harness.targets.wire_only import wire_only
from harness.wire import NATIVE_WIRES, OWN_WIRES, WIRES, wire
from tests.scenarios import shipped_scenarios

BEDROCK, INTERACTIONS = [name for name in OWN_WIRES if wire(name).on_request]


@pytest.fixture(scope="module")
def every() -> list[PlannedCase]:
    return matrix(shipped_scenarios("universal/answer.yaml"), target=wire_only(Endpoints()))


def wires_of(planned: list[PlannedCase]) -> list[str]:
    """The wires of some cases, in their order."""
    return list(dict.fromkeys(item.case.wire for item in planned))


def test_no_wire_is_named(every: list[PlannedCase]) -> None:
    assert BEDROCK in wires_of(every)
    assert wires_of(selected(every, (), "")) == list(NATIVE_WIRES)
    assert wires_of(asked(every, ())) == list(NATIVE_WIRES)


def test_it_is_named(every: list[PlannedCase]) -> None:
    assert wires_of(selected(every, [BEDROCK], "")) == [BEDROCK]
    assert wires_of(selected(every, [BEDROCK, "openai-chat"], "")) == ["openai-chat", BEDROCK]
    assert wires_of(asked(every, [BEDROCK])) == [*NATIVE_WIRES, BEDROCK]


def test_another_wire_is_named(every: list[PlannedCase]) -> None:
    assert wires_of(selected(every, ["openai-chat"], "")) == ["openai-chat"]


def test_a_target_that_speaks_no_other_is_driven_on_it() -> None:
    target = FunctionTarget("mine", "a.module:loop", Declaration(frozenset({BEDROCK})))
    alone = matrix(shipped_scenarios("universal/answer.yaml"), target=target)
    assert wires_of(selected(alone, (), "")) == [BEDROCK]


@pytest.fixture
def without_boto3(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where the extra ``bedrock`` is not installed."""
    monkeypatch.setattr(sessions, "find_spec", lambda name: None if name == "botocore" else find_spec(name))


def test_the_reference_loop_speaks_what_its_extras_have() -> None:
    assert {BEDROCK, INTERACTIONS, *WIRES} == sessions.with_session() == ReferenceTarget(Clients(_Nobody())).wires


@pytest.mark.usefixtures("without_boto3")
def test_without_its_extra_the_reference_loop_has_no_case_on_it(every: list[PlannedCase]) -> None:
    assert ReferenceTarget(Clients(_Nobody())).wires == {INTERACTIONS, *WIRES}
    why = f"the reference loop needs boto3 on {BEDROCK}: pip install 'agent-loop-harness[bedrock]'"
    reference = [item for item in every if item.case.wire in WIRES]
    with pytest.raises(BadInput, match=re.escape("no case is left of 0: relax -k '' or --wire; ")) as found:
        selected(reference, [BEDROCK], "")
    assert str(found.value).endswith(why)
    with pytest.raises(BadInput, match=re.escape(why)):
        sessions.session_of(BEDROCK)


class _Nobody(httpx2.AsyncBaseTransport):
    """Answers no request: none is sent."""
