"""Agents that are installed here, on one quick scenario: their target files fit what they do."""

from __future__ import annotations

import pytest

from harness.targets.file import open_agent
from harness.targets.installed import installed_version
from tests.agents.running import cases, run

QUICK = {"goose": "anthropic-messages", "pi": "openai-chat"}
"""Agents that start within seconds, with the wire on which ``.ci/run`` runs them."""


@pytest.mark.slow
@pytest.mark.parametrize("agent", QUICK)
def test_an_agent_from_npm_is_driven_by_its_target_file(agent: str) -> None:
    if installed_version(agent) is None:
        pytest.skip(f"cli:{agent} is not installed (harness targets install cli:{agent})")
    target = open_agent(agent)
    (result,) = run(target, cases(target, QUICK[agent], "agent-failing-command"))
    assert (result.verdict, result.error, result.findings) == ("pass", None, ())
