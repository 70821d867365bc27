"""Servers: how each is recognised, and how certain a rule is on it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.errors import BadInput
from harness.finding import Finding, Level, ProviderAnswer
from harness.wire import IssuedState, route_of, wire, wire_rules
from harness.wire.servers import OWNERS, SERVERS, KnownServer, detected, named, weighed
from harness.wire.servers.files import read_servers
from harness.wire.servers.table import SERVERS as TABLE

CHAT = "openai-chat"
USER = {"role": "user", "content": "a"}


def call(id: str = "call_1") -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}}


def assistant(*calls: dict[str, Any], **beside: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": list(calls), **beside}


def result(id: str = "call_1") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id, "content": "r"}


def levels(known: KnownServer | None, model: str, *messages: dict[str, Any], **beside: Any) -> dict[str, Level | str]:
    """The level of each rule that a Chat request to a server breaks."""
    route = route_of("POST", "https://a/v1/chat/completions")
    assert route is not None
    body = json.dumps({"model": model, "messages": list(messages), **beside}).encode()
    conversation = wire(CHAT).read(route, body)
    found = wire(CHAT, (), known).violations(conversation, IssuedState())
    found.sort(key=lambda each: each.level == "MUST")  # of several levels of a rule the severest
    return {each.id: each.level for each in found}


# --- recognised -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "server"),
    [
        ("api.openai.com", "openai"),
        ("eu.api.openai.com", "openai"),
        ("my-team.openai.azure.com", "azure"),
        ("rubyllm.services.ai.azure.com", "azure"),
        ("us-central1-aiplatform.googleapis.com", "vertex"),
        ("aiplatform.googleapis.com", "vertex"),
        ("generativelanguage.googleapis.com", "gemini"),
        ("bedrock-runtime.us-east-1.amazonaws.com", "bedrock"),
        ("bedrock-mantle.us-east-1.api.aws", "bedrock"),
        ("api.individual.githubcopilot.com", "copilot"),
        ("api.githubcopilot.com", "copilot"),
        ("localhost:11434", "ollama"),
        ("ollama.com", "ollama"),
        ("api.z.ai", "zai"),
        ("adb-1.1.azuredatabricks.net", "databricks"),
    ],
)
def test_a_host_tells_its_server(host: str, server: str) -> None:
    assert detected(host=host) == KnownServer(SERVERS[server], "host")


@pytest.mark.parametrize("host", ["", "localhost:8000", "api.openai.com.evil.example", "openrouter.ai.example", "x.ai"])
def test_other_hosts_tell_nothing(host: str) -> None:
    assert detected(host=host) is None


@pytest.mark.parametrize(
    ("headers", "answer", "server"),
    [
        ({"openai-processing-ms"}, b"", "openai"),
        ({"openai-processing-ms", "apim-request-id"}, b"", "azure"),
        ({"x-groq-region"}, b"", "groq"),
        ({"mistral-correlation-id"}, b"", "mistral"),
        ({"x-ds-trace-id"}, b"", "deepseek"),
        ({"x-dashscope-call-gateway"}, b"", "qwen"),
        ({"x-litellm-call-id"}, b"", "litellm"),
        (set(), b'data: {"id":"chatcmpl-1","system_fingerprint":"fp_ollama"}', "ollama"),
        (set(), b'{"system_fingerprint": "b10452-b94dd0a1", "id": "x"}', "llama.cpp"),
        (set(), b'data: {"id":"gen-1754000000-abc","provider":"OpenAI"}', "openrouter"),
        (set(), b"x" * 9000 + b'"system_fingerprint":"fp_ollama"}', "ollama"),
    ],
)
def test_an_answer_tells_its_server(headers: set[str], answer: bytes, server: str) -> None:
    found = detected(host="proxy.example", headers=headers, answer=answer, model="gpt-4o")
    assert found == KnownServer(SERVERS[server], "answer")


def test_the_host_counts_more_than_the_answer_and_the_model_least() -> None:
    answer = b'{"system_fingerprint":"fp_ollama"}'
    assert detected(host="api.groq.com", answer=answer) == KnownServer(SERVERS["groq"], "host")
    assert detected(model="deepseek-v4-flash") == KnownServer(SERVERS["deepseek"], "model")
    assert detected(model="deepseek-v4-flash", answer=answer) == KnownServer(SERVERS["ollama"], "answer")
    assert detected(model="gpt-4o") is None


def test_an_unknown_name_is_bad_input() -> None:
    with pytest.raises(BadInput, match=r"no server is called 'opnai'; expected one of openai, anthropic, "):
        named("opnai")
    assert named("zai") == KnownServer(SERVERS["zai"], "name")


# --- how certain a rule is ------------------------------------------------------------------------------------


def finding(level: Level, status: int = 400, rule: str = "OAC-08") -> Finding:
    return Finding("", level, "", None, "this", "that", reference=rule, provider=ProviderAnswer("no", status))


@pytest.mark.parametrize(("level", "there"), [("MUST", "SHOULD"), ("SHOULD", "INFO"), ("INFO", "INFO")])
def test_what_another_server_is_not_known_to_check_is_less_certain(level: Level, there: Level) -> None:
    (found,) = weighed([finding(level)], named("groq"), CHAT, "m")
    assert found.level == there
    assert found.detail == ("" if level == "INFO" else "Groq is not known to check it")


def test_what_no_provider_refuses_stays_as_it_is() -> None:
    one = finding("MUST", 200)
    assert weighed([one], named("groq"), CHAT, "m") == [one]


@pytest.mark.parametrize(("server", "rule"), [("openai", "OAC-08"), ("azure", "OAC-08"), ("deepseek", "OAC-03")])
def test_its_own_rules_and_those_that_it_is_known_to_check_stay_certain(server: str, rule: str) -> None:
    one = finding("MUST", rule=rule)
    assert weighed([one], named(server), CHAT, "m") == [one]


def test_a_door_to_the_same_models_checks_as_the_provider_on_that_wire_only() -> None:
    one = finding("MUST", rule="GEM-05")
    assert weighed([one], named("vertex"), "gemini-generate", "m") == [one]
    assert weighed([finding("MUST")], named("vertex"), CHAT, "m")[0].level == "SHOULD"
    assert SERVERS["bedrock"].checks_as("anthropic-messages")
    assert not SERVERS["bedrock"].checks_as("openai-responses")


def test_a_model_alone_lowers_nothing_for_lack_of_evidence() -> None:
    by_model = detected(model="deepseek-v4-flash")
    assert by_model is not None
    one = finding("MUST")
    assert weighed([one], by_model, CHAT, "deepseek-v4-flash") == [one]


def test_local_servers_do_not_pair_calls_and_results() -> None:
    history = USER, assistant(call()), USER
    assert levels(None, "gpt-4o", *history) == {"OAC-03": "MUST"}
    for server in ("ollama", "llama.cpp"):
        assert levels(named(server), "qwen3-8b", *history) == {"OAC-03": "INFO"}
    orphan = USER, result()
    assert levels(named("ollama"), "qwen3-8b", *orphan) == {"OAC-04": "INFO"}


def test_thinking_goes_back_where_the_server_wants_it() -> None:
    history = USER, assistant(call()), result()
    model = "deepseek-v4-flash"
    assert levels(named("deepseek"), model, *history) == {"OAC-19": "MUST"}
    assert levels(None, model, *history) == {"OAC-19": "MUST"}
    for server in ("zai", "groq", "together", "llama.cpp", "openrouter"):
        assert levels(named(server), model, *history) == {"OAC-19": "INFO"}
    assert levels(named("vllm"), model, *history) == {"OAC-19": "SHOULD"}


def test_a_server_has_its_own_ids_whatever_the_model_is_called() -> None:
    history = USER, assistant(call()), result(), {"role": "assistant", "content": "b"}, USER
    assert levels(None, "my-finetune", *history).get("OAC-07") is None
    assert levels(named("mistral"), "my-finetune", *history)["OAC-07"] == "MUST"
    assert levels(named("mistral"), "mistral-large-latest", *history)["OAC-07"] == "MUST"
    assert "OAC-07" not in levels(named("litellm"), "mistral-large-latest", *history)


def test_the_provider_reads_a_name_of_others_as_strictly_as_its_own() -> None:
    long_id = "call_" + "x" * 40
    history = USER, assistant(call(long_id)), result(long_id)
    assert levels(named("openai"), "ft/model", *history)["OAC-07"] == "MUST"
    assert levels(named("openrouter"), "gpt-4o", *history).get("OAC-07") is None
    assert levels(None, "gpt-4o", *history) == {"OAC-07": "MUST"}


# --- the table ------------------------------------------------------------------------------------------------


def test_practices_are_about_rules_that_there_are() -> None:
    assert {each.rule for server in TABLE.values() for each in server.practices} <= wire_rules().keys()


def test_names_doors_and_evidence() -> None:
    for name, server in TABLE.items():
        assert server.name == name
        assert set(server.like) <= TABLE.keys()
        assert server.evidence
        assert server.answer_sign in server.answers
        assert bool(server.answer_sign) == bool(server.answers)
        assert all(practice.evidence and all(practice.evidence) for practice in server.practices), name
        rules = [practice.rule for practice in server.practices]
        assert len(rules) == len(set(rules)), name
    assert set(OWNERS.values()) <= TABLE.keys()


def test_a_server_whose_words_a_rule_has_is_known_to_check_it() -> None:
    """The wordings of the rules and the table of servers are two sources of one fact."""
    makers = {server.maker: server for server in TABLE.values() if server.maker not in ("", "elsewhere", "openai")}
    found = [
        (rule.id, server.name)
        for rule in wire_rules().values()
        for template in rule.templates
        if (server := makers.get(template.name)) is not None
        and template.name != "google"
        and getattr(server.practice(rule.id, ""), "does", None) != "refuses"
    ]
    assert found == []


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ("near:\n  titel: Near\n", "line 1: near: Server.__init__() got an unexpected keyword argument 'titel'"),
        (
            "far:\n  title: Far\nnear:\n  title: Near\n  practices: [{takes: OAC-02}]\n",
            "line 3: near: a practice says",
        ),
        ("near: {title: Near}\nnear: {title: Near}\n", "a name is there twice"),
    ],
)
def test_what_is_wrong_in_a_file_of_servers_is_named(tmp_path: Path, written: str, problem: str) -> None:
    (tmp_path / "servers.yaml").write_text(written, encoding="utf-8")
    with pytest.raises(BadInput) as raised:
        read_servers(tmp_path / "servers.yaml")
    assert problem in str(raised.value)
    assert "servers.yaml" in str(raised.value)
