"""Suites: which part of the scenarios a case belongs to."""

from __future__ import annotations

from harness.scenario.model import Scenario
from harness.wire import WireName
from harness.wire import wire as wire_named


def suite_of(scenario: Scenario, wire: WireName, dialect: str = "") -> str:
    """The suite of a scenario's cases on ``wire``: of a profile that is not ``universal`` the profile's name.

    Three kinds of cases are ``dialects`` whatever their file says, because no official provider sends them: those in
    a dialect that the file varies, tool calls as text, and thinking on Chat Completions, where OpenAI's own models
    never send their thoughts (the script then plays a DeepSeek model), unless the file is written for that wire alone.
    A case that is asked for in another dialect, with ``--dialect``, stays in its suite.
    """
    if dialect and dialect in scenario.dialects:
        return "dialects"
    if scenario.profile != "universal":
        return scenario.profile
    speaks = wire_named(wire)
    if not speaks.native or (speaks.thinking_model and scenario.thinks and scenario.wires != (wire,)):
        return "dialects"
    return scenario.suite
