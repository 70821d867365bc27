"""Presets: those that are shipped, and what is wrong in one."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import BadInput
from harness.servers.pairs import addressed, cases_of, chosen_scenarios, scenario_names
from harness.servers.preset import filled, preset_names, preset_of
from harness.wire import NATIVE_WIRES

ROOT = Path(__file__).resolve().parents[2]
MOST_LINES = 15


def written(folder: Path, text: str) -> str:
    path = folder / "my.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("name", ["litellm", "portkey"])
def test_shipped_presets_are_short_and_fit(name: str) -> None:
    assert name in preset_names()
    file = ROOT / "harness" / "servers" / "presets" / f"{name}.yaml"
    assert len(file.read_text(encoding="utf-8").splitlines()) <= MOST_LINES
    preset = preset_of(name)
    assert cases_of(preset, chosen_scenarios([]))


def test_what_may_be_wrong_is_reported_with_its_place(tmp_path: Path) -> None:
    wrong = {
        "gateway: a\nupstreams: {openai-chat: {model: m}}\n": r"my.yaml:1:1: expected the key 'command'",
        "gateway: a\ncommand: b\nupstreams: {mine: {model: m}}\n": r"my.yaml:3:19: expected 'wire'.*'mine'",
        "gateway: a\ncommand: b {fake.other}\nupstreams: {openai-chat: {model: m}}\n": r"my.yaml:2:10: .*fake.other",
        "gateway: a\ncommand: b\nupstreams: {openai-chat: {modle: m}}\n": r"my.yaml:3:27: .*modle",
    }
    for text, message in wrong.items():
        with pytest.raises(BadInput, match=message):
            preset_of(written(tmp_path, text))


def test_a_name_that_nobody_knows() -> None:
    with pytest.raises(BadInput, match=r"--preset lite: expected litellm, portkey.*did you mean"):
        preset_of("lite")
    with pytest.raises(BadInput, match=r"--scenario paralel-calls: expected .*did you mean"):
        chosen_scenarios(["paralel-calls"])
    with pytest.raises(BadInput, match=r"--upstream chat: expected one of"):
        cases_of(preset_of("litellm"), chosen_scenarios(["text"]), upstreams=["chat"])


def test_what_is_not_known_stays_as_it_is() -> None:
    assert filled("{port} {config} {other} {fake.a}", {"port": "1", "fake.a": "u"}) == "1 {config} {other} u"


def test_addresses_are_put_into_headers() -> None:
    cases = cases_of(preset_of("portkey"), chosen_scenarios(["text"]), upstreams=["openai-chat"])
    (first, *_) = addressed(cases, {"openai-chat": "http://127.0.0.1:1/case/openai-chat"})
    assert first.upstream.headers["x-portkey-custom-host"] == "http://127.0.0.1:1/case/openai-chat/v1"


def test_a_model_that_does_not_send_its_thoughts_has_none_in_its_script() -> None:
    cases = cases_of(preset_of("litellm"), chosen_scenarios([]), clients=["openai-chat"])
    by_upstream = {
        name: {each.scenario.name for each in cases if each.upstream.name == name}
        for name in ("openai-chat", "deepseek")
    }
    assert by_upstream["deepseek"] - by_upstream["openai-chat"] == {"redacted-thinking", "thinking-without-text"}
    (call,) = (each for each in cases if each.id == "call.openai-chat.to-openai-chat")
    assert not call.script.thinks
    assert call.scenario.thinks


def test_only_streams_break_off() -> None:
    cases = cases_of(preset_of("litellm"), chosen_scenarios(["connection-cut", "text"]), clients=["openai-chat"])
    assert {each.scenario.name for each in cases if not each.stream} == {"text"}
    assert len({each.id for each in cases}) == len(cases)


def test_every_scenario_has_all_wires() -> None:
    assert len(scenario_names()) >= 16
    for each in chosen_scenarios([]):
        assert set(NATIVE_WIRES) <= set(each.wires), each.name
