"""Every continuation rule: correct requests break none, and for each rule there is a request that breaks just it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.finding import Finding
from harness.wire import Identity, IssuedState, Turn
from harness.wire.openai_responses import WIRE
from tests.wire.openai_responses.histories import Items, asked_and_answered, continuation, judge, outputs, returned
from tests.wire.openai_responses.speak import ODD_IDS, PATCH, QUESTION, READ_FILE, ROUTE, TURNS, ask

# --- what must be accepted ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TURNS)
@pytest.mark.parametrize("store", [True, False])
def test_a_full_history_is_accepted(name: str, store: bool) -> None:
    sent = asked_and_answered(TURNS[name], store=store)
    assert judge(sent, continuation(sent), store=store) == []


@pytest.mark.parametrize("name", TURNS)
def test_a_named_history_is_accepted(name: str) -> None:
    sent = asked_and_answered(TURNS[name])
    previous = sent.replies[0].id
    assert judge(sent, outputs(returned(sent)), previous_response_id=previous) == []
    references = [{"type": "item_reference", "id": item["id"]} for item in returned(sent)]
    assert judge(sent, [QUESTION, *references, *outputs(returned(sent))]) == []


def test_a_conversation_of_the_provider_is_accepted() -> None:
    sent = asked_and_answered(TURNS["parallel calls"], conversation="conv_1")
    assert judge(sent, outputs(returned(sent)), conversation="conv_1") == []
    unknown: Items = [{"type": "function_call_output", "call_id": "call_x", "output": "ok"}]
    assert judge(IssuedState(), unknown, conversation={"id": "conv_2"}) == []


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda items: [_without(item, "status") for item in items], id="no status"),
        pytest.param(lambda items: [_without(item, "id") for item in items], id="no ids at all"),
        pytest.param(
            lambda items: [_without(item, "id") if item.get("type") == "function_call" else item for item in items],
            id="calls without their ids",
        ),
        pytest.param(
            lambda items: [_without(item, "id") for item in items if item.get("type") != "reasoning"],
            id="no reasoning and no ids",
        ),
        pytest.param(
            lambda items: [_without(item, "content") if "summary" in item else item for item in items], id="r"
        ),
        pytest.param(lambda items: items[:3] + items[4:5] + items[3:4] + items[5:], id="call, output, call, output"),
        pytest.param(lambda items: [*items[:-2], items[-1], items[-2]], id="outputs in another order"),
        pytest.param(lambda items: [*items, {"role": "user", "content": "And?"}], id="a user message behind"),
        pytest.param(lambda items: [{"role": "system", "content": "New."}, *items], id="another system message"),
        pytest.param(
            lambda items: [
                {**item, "arguments": json.dumps(json.loads(item["arguments"]))} if "arguments" in item else item
                for item in items
            ],
            id="arguments serialised anew",
        ),
        pytest.param(
            lambda items: [
                {**item, "output": [{"type": "input_text", "text": "ok"}]} if "output" in item else item
                for item in items
            ],
            id="outputs as lists",
        ),
    ],
)
def test_shapes_that_the_provider_accepts(change: Callable[[Items], Items]) -> None:
    sent = asked_and_answered(TURNS["parallel calls"])
    items = continuation(sent)
    assert [item.get("type") for item in items] == [
        None,
        "reasoning",
        "function_call",
        "function_call",
        "function_call_output",
        "function_call_output",
    ]
    assert judge(sent, change(items)) == []


def _without(item: dict[str, Any], member: str) -> dict[str, Any]:
    return {name: value for name, value in item.items() if name != member}


def test_an_edited_message_that_keeps_its_id_is_accepted() -> None:
    sent = asked_and_answered(TURNS["thinking"])
    items = continuation(sent)
    items[2]["content"][0]["text"] = "Lyon"
    assert judge(sent, items) == []


def test_foreign_items_are_accepted() -> None:
    call = {"type": "function_call", "id": "fc_foreign", "call_id": "call_f", "name": "read_file", "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": "call_f", "output": "ok"}
    reasoning = {"type": "reasoning", "id": "rs_foreign", "summary": [], "encrypted_content": "gAAAAABforeign=="}
    tools = {"type": "additional_tools", "role": "developer", "tools": []}
    history = [QUESTION, reasoning, call, tools, output]
    assert judge(IssuedState(), history) == []
    sent = IssuedState()
    first = ask(input=history)
    sent.add(first, WIRE.render(TURNS["text"], Identity("x"), first).reply)
    assert judge(sent, [*history, *returned(sent), QUESTION]) == []


@pytest.mark.parametrize("name", ODD_IDS)
def test_a_loop_may_mend_odd_ids(name: str) -> None:
    sent = asked_and_answered(ODD_IDS[name])
    items = returned(sent)
    for number, item in enumerate(items):
        item["call_id"] = f"call_mended_{number}"
    assert judge(sent, [QUESTION, *items, *outputs(items)]) == []


def test_the_examples_are_accepted(shared: Path) -> None:
    found = sorted((shared / "wire" / "examples").glob("oai-responses-*.json"))
    assert len(found) >= 5
    for path in found:
        conversation = WIRE.read(ROUTE, path.read_bytes())
        sent = IssuedState()
        if conversation.continues:
            first = ask()
            reply = WIRE.parse("", (path.parent / "oai-responses-tool.sse").read_bytes())
            sent.add(first, reply)
            assert reply.id == conversation.continues
        assert WIRE.violations(WIRE.resolve(conversation, sent), sent) == [], path.name


# --- what must be told -------------------------------------------------------------------------------------


def told(violation: Finding) -> tuple[Any, ...]:
    return (
        violation.id,
        violation.answered.message,
        violation.answered.place,
        violation.answered.param,
        violation.answered.code,
        violation.answered.status,
    )


def only(found: list[Finding]) -> tuple[Any, ...]:
    assert len(found) == 1, found
    assert found[0].expected
    assert found[0].got
    return told(found[0])


@pytest.fixture
def sent() -> IssuedState:
    """A case in which the model thought and made two calls."""
    return asked_and_answered(TURNS["parallel calls"])


@pytest.fixture
def items(sent: IssuedState) -> Items:
    """The correct continuation: question, reasoning, two calls, two outputs."""
    return continuation(sent)


def test_oai_02_and_03_nothing_is_asked() -> None:
    found = [told(violation) for violation in judge(IssuedState(), None, model=None)]
    assert found == [
        ("OAI-02", "Missing required parameter: 'model'.", "model", "model", "missing_required_parameter", 400),
        (
            "OAI-03",
            "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation' must be provided.",
            "input",
            "input",
            "missing_required_parameter",
            400,
        ),
    ]
    assert judge(IssuedState(), None, model=None, prompt={"id": "pmpt_1"}) == []


@pytest.mark.parametrize(("index", "member"), [(1, "summary"), (2, "name"), (2, "arguments"), (4, "output")])
def test_oai_04_a_member_is_missing(sent: IssuedState, items: Items, index: int, member: str) -> None:
    del items[index][member]
    param = f"input[{index}].{member}"
    message = f"Missing required parameter: '{param}'."
    assert only(judge(sent, items)) == (
        "OAI-04",
        message,
        f"input[{index}]",
        param,
        "missing_required_parameter",
        400,
    )


@pytest.mark.parametrize("status", ["completed", None])
def test_oai_05_reasoning_has_a_status(sent: IssuedState, items: Items, status: str | None) -> None:
    items[1]["status"] = status
    message = "Unknown parameter: 'input[1].status'."
    expected = ("OAI-05", message, "input[1]", "input[1].status", "unknown_parameter", 400)
    assert only(judge(sent, items)) == expected
    assert judge(sent, items)[0].level == "MUST"


def test_oai_05_an_output_has_a_member_of_another_provider(sent: IssuedState, items: Items) -> None:
    items[4]["is_error"] = True
    (violation,) = judge(sent, items)
    assert (violation.answered.message, violation.level) == ("Unknown parameter: 'input[4].is_error'.", "SHOULD")


@pytest.mark.parametrize(
    ("index", "member", "value", "message"),
    [
        (2, "arguments", {"a": 1}, "expected a string, but got an object instead."),
        (2, "arguments", None, "expected a string, but got null instead."),
        (4, "output", 5, "expected one of an array of objects or string, but got an integer instead."),
        (4, "output", True, "expected one of an array of objects or string, but got a boolean instead."),
        (1, "summary", "text", "expected an array of objects, but got a string instead."),
        (0, "content", 1.5, "expected one of an array of objects or string, but got a decimal number instead."),
        (2, "name", ["f"], "expected a string, but got an array instead."),
    ],
)
def test_oai_06_a_member_has_the_wrong_type(
    sent: IssuedState, items: Items, index: int, member: str, value: Any, message: str
) -> None:
    items[index][member] = value
    param = f"input[{index}].{member}"
    assert only(judge(sent, items)) == (
        "OAI-06",
        f"Invalid type for '{param}': {message}",
        param,
        param,
        "invalid_type",
        400,
    )


def test_oai_06_input_itself_has_the_wrong_type() -> None:
    (violation,) = judge(IssuedState(), {"role": "user"})  # type: ignore[arg-type]
    assert violation.answered.message.startswith(
        "Invalid type for 'input': expected one of an array of objects or string"
    )
    (violation,) = judge(IssuedState(), ["hi"])  # type: ignore[list-item]
    assert violation.answered.message == "Invalid type for 'input[0]': expected an object, but got a string instead."


@pytest.mark.parametrize(
    ("item_id", "message", "code"),
    [
        ("call_x", "Invalid 'input[2].id': 'call_x'. Expected an ID that begins with 'fc'.", "invalid_value"),
        (
            "",
            "Invalid 'input[2].id': ''. Expected an ID that contains letters, numbers, underscores, or dashes, but "
            "this value contained additional characters.",
            "invalid_value",
        ),
        (
            "fc_" + "x" * 62,
            "Invalid 'input[2].id': string too long. Expected a string with maximum length 64, but got a string with "
            "length 65 instead.",
            "string_above_max_length",
        ),
    ],
)
def test_oai_07_an_item_id_is_malformed(item_id: str, message: str, code: str) -> None:
    sent = asked_and_answered(TURNS["call"])
    items = continuation(sent)
    items[1]["id"] = item_id
    items.insert(1, dict(QUESTION))
    assert only(judge(sent, items)) == ("OAI-07", message, "input[2]", "input[2].id", code, 400)


@pytest.mark.parametrize(
    ("call_id", "message", "code"),
    [
        ("", "empty string. Expected a string with minimum length 1, but got an empty string instead.", "empty_string"),
        (
            "c" * 67,
            "string too long. Expected a string with maximum length 64, but got a string with length 67 instead.",
            "string_above_max_length",
        ),
    ],
)
def test_oai_08_a_call_id_has_a_bad_length(call_id: str, message: str, code: str) -> None:
    sent = asked_and_answered(TURNS["call"])
    items = continuation(sent)
    items[1]["call_id"] = items[2]["call_id"] = call_id
    found = [told(violation) for violation in judge(sent, items)]
    assert found == [
        ("OAI-08", f"Invalid 'input[{n}].call_id': {message}", f"input[{n}]", f"input[{n}].call_id", code, 400)
        for n in (1, 2)
    ]


def test_oai_09_an_item_comes_twice(sent: IssuedState, items: Items) -> None:
    reasoning = items[1]["id"]
    message = f"Duplicate item found with id {reasoning}. Remove duplicate items from your input and try again."
    found = judge(sent, [*items[:2], items[1], *items[2:]])
    assert only(found) == ("OAI-09", message, "input[2]", "input", None, 400)


def test_oai_09_an_item_is_also_inherited(sent: IssuedState, items: Items) -> None:
    found = judge(sent, items[1:], previous_response_id=sent.replies[0].id)
    assert [violation.id for violation in found] == ["OAI-09", "OAI-09", "OAI-09", "OAI-12", "OAI-12"]
    assert sent.replies[0].id in found[0].got


@pytest.mark.parametrize("index", [4, 5])
def test_oai_10_a_call_is_unanswered(sent: IssuedState, items: Items, index: int) -> None:
    call_id = items.pop(index)["call_id"]
    message = f"No tool output found for function call {call_id}."
    assert only(judge(sent, items)) == ("OAI-10", message, f"input[{index - 2}]", "input", None, 400)


def test_oai_10_an_inherited_call_is_unanswered(sent: IssuedState) -> None:
    reply = sent.replies[0]
    message = f"No tool output found for function call {reply.turn.calls[0].id}."
    found = judge(sent, [QUESTION], previous_response_id=reply.id)
    assert [violation.id for violation in found] == ["OAI-10", "OAI-10"]
    assert told(found[0]) == ("OAI-10", message, f"{reply.id}[2]", "input", None, 400)


def test_oai_10_and_11_name_custom_tools() -> None:
    sent = asked_and_answered(TURNS["custom call"])
    items = continuation(sent)
    call_id = items[2]["call_id"]
    items[2]["type"] = "function_call_output"
    assert [violation.answered.message for violation in judge(sent, items)] == [
        f"No tool output found for custom tool call {call_id}.",
        f"No tool call found for function call output with call_id {call_id}.",
    ]
    items[2] = {"type": "custom_tool_call_output", "call_id": "call_x", "output": ""}
    assert (
        judge(sent, items)[1].answered.message == "No tool call found for custom tool call output with call_id call_x."
    )


def test_oai_11_an_output_has_no_call(sent: IssuedState, items: Items) -> None:
    items.append({"type": "function_call_output", "call_id": "call_x", "output": "ok"})
    message = "No tool call found for function call output with call_id call_x."
    assert only(judge(sent, items)) == ("OAI-11", message, "input[6]", "input", None, 400)


def test_oai_11_the_whole_turn_was_dropped(sent: IssuedState, items: Items) -> None:
    assert [violation.id for violation in judge(sent, [items[0], *items[4:]])] == ["OAI-11", "OAI-11"]


def test_oai_12_an_output_comes_twice(sent: IssuedState, items: Items) -> None:
    call_id = items[5]["call_id"]
    message = (
        f"Duplicate function_call_output for call_id '{call_id}'. Each function_call must have exactly one matching "
        "function_call_output"
    )
    assert only(judge(sent, [*items, dict(items[5])])) == ("OAI-12", message, "input[6]", "input", None, 400)


def test_oai_12_two_calls_share_an_id() -> None:
    sent = asked_and_answered(ODD_IDS["the same id twice"])
    items = [QUESTION, *returned(sent), outputs(returned(sent))[0]]
    (violation,) = judge(sent, items)
    assert (violation.id, violation.level, violation.answered.place) == ("OAI-12", "SHOULD", "input[2]")


def test_oai_13_an_output_comes_before_its_call() -> None:
    sent = asked_and_answered(TURNS["call"])
    question, call, output = continuation(sent)
    (violation,) = judge(sent, [question, output, call])
    assert (violation.id, violation.level, violation.answered.place) == ("OAI-13", "INFO", "input[1]")
    message = f"No tool call found for function call output with call_id {output['call_id']}."
    assert violation.answered.message == message


@pytest.mark.parametrize(
    ("change", "rules"),
    [
        pytest.param(lambda items: [*items[:1], *items[2:], items[1]], ["OAI-14", "OAI-15"], id="moved to the end"),
        pytest.param(lambda items: [items[0], items[1], QUESTION, *items[2:]], ["OAI-14", "OAI-15"], id="parted"),
        pytest.param(lambda items: items[:2], ["OAI-14"], id="the rest dropped"),
        pytest.param(lambda items: [*items[:2], items[3], *items[5:]], ["OAI-14"], id="its call dropped"),
        pytest.param(
            lambda items: [*items[:2], items[3], items[2], *items[4:]], ["OAI-14", "OAI-15"], id="calls swapped"
        ),
    ],
)
def test_oai_14_reasoning_lost_its_item(
    sent: IssuedState, items: Items, change: Callable[[Items], Items], rules: list[str]
) -> None:
    found = judge(sent, change(items))
    assert [violation.id for violation in found] == rules
    reasoning = items[1]["id"]
    message = f"Item '{reasoning}' of type 'reasoning' was provided without its required following item."
    assert (found[0].answered.message, found[0].answered.param, found[0].answered.code, found[0].level) == (
        message,
        "input",
        None,
        "MUST",
    )
    assert items[2]["id"] in found[0].expected


def test_oai_14_a_call_may_have_its_item_id_for_call_id() -> None:
    """Recorded: api.openai.com accepted a call without its item id, whose call_id was that id."""
    sent = asked_and_answered(TURNS["parallel calls"])
    items = continuation(sent)
    for call, output in ((2, 4), (3, 5)):
        items[call]["call_id"] = items[output]["call_id"] = items[call].pop("id")
    assert judge(sent, items) == []
    items[2]["call_id"] = items[4]["call_id"] = "fc_of_nobody"
    assert [violation.id for violation in judge(sent, items)] == ["OAI-14"]


def test_oai_14_a_call_with_another_item_id_is_likely_refused_and_is_shown() -> None:
    """Nobody has recorded what becomes of it; the call_id says which call it is. Its output is no call."""
    sent = asked_and_answered(TURNS["omitted thinking"])
    items = continuation(sent)
    assert [item.get("type") for item in items] == [None, "reasoning", "function_call", "function_call_output"]
    items[2]["id"] = f"fc_{items[2]['call_id']}"
    (violation,) = judge(sent, items)
    assert (violation.id, violation.level, violation.answered.place) == ("OAI-14", "SHOULD", "input[2]")
    parted = [*items[:2], dict(QUESTION), *items[2:]]
    (violation,) = judge(sent, parted)
    assert (violation.level, violation.got.rpartition("; ")[2]) == ("MUST", "it is at input[3]")
    lost = [*items[:2], items[3]]
    assert "it is left out" in next(each for each in judge(sent, lost) if each.id == "OAI-14").got


@pytest.mark.parametrize(("text", "level"), [("Lyon", "MUST"), ("Paris", "INFO")])
@pytest.mark.parametrize("content", ["text", "parts"])
def test_oai_14_a_message_lost_its_id(text: str, level: str, content: str) -> None:
    sent = asked_and_answered(TURNS["thinking"])
    items = continuation(sent)
    parts = [{"type": "output_text", "text": text}]
    items[2] = {"role": "assistant", "content": text if content == "text" else parts}
    (violation,) = judge(sent, items)
    got = "message without id at input[2]; it is left out, or altered"
    assert (violation.id, violation.level, violation.got) == ("OAI-14", level, got)


def test_oai_15_reasoning_was_dropped(sent: IssuedState, items: Items) -> None:
    reasoning, call = items[1]["id"], items[2]["id"]
    message = (
        f"Item '{call}' of type 'function_call' was provided without its required 'reasoning' item: '{reasoning}'."
    )
    found = judge(sent, [items[0], *items[2:]])
    assert only(found) == ("OAI-15", message, "input[1]", "input", None, 400)


def test_items_without_ids_have_no_links() -> None:
    reasoning = {"type": "reasoning", "summary": []}
    call = {"type": "function_call", "call_id": "call_1", "name": "read_file", "arguments": "{}"}
    sent = IssuedState()
    body = json.dumps({"id": "resp_1", "output": [reasoning, call]}).encode()
    sent.add(ask(), WIRE.parse("application/json", body))
    assert judge(sent, [QUESTION, call, *outputs([call])]) == []
    assert judge(sent, [QUESTION, reasoning, call, *outputs([call])]) == []
    (violation,) = judge(sent, [QUESTION, reasoning, QUESTION])
    assert (violation.id, violation.level) == ("OAI-14", "INFO")


def test_oai_15_names_a_message() -> None:
    sent = asked_and_answered(TURNS["thinking"])
    items = continuation(sent)
    (violation,) = judge(sent, [items[0], *items[2:]])
    assert f"Item '{items[2]['id']}' of type 'message' was provided" in violation.answered.message


def test_oai_16_nothing_was_stored() -> None:
    sent = asked_and_answered(TURNS["parallel calls"], store=False)
    items = continuation(sent)
    del items[1]["encrypted_content"]
    message = (
        f"Item with id '{items[1]['id']}' not found. Items are not persisted when `store` is set to false. Try again "
        "with `store` set to true, or remove this item from your input."
    )
    expected = ("OAI-16", message, "input[1]", "input", None, 404)
    assert only(judge(sent, items, store=False)) == expected
    items[1] = {"type": "item_reference", "id": items[1]["id"]}
    assert only(judge(sent, items)) == expected


def test_oai_16_stored_reasoning_needs_no_content(sent: IssuedState, items: Items) -> None:
    del items[1]["encrypted_content"]
    assert judge(sent, items) == []
    foreign = {"type": "reasoning", "id": "rs_foreign", "summary": []}
    answer = {"id": "msg_foreign", "role": "assistant", "content": "Yes."}
    assert judge(IssuedState(), [foreign, answer, QUESTION]) == []
    assert [violation.id for violation in judge(IssuedState(), [foreign, answer], store=False)] == ["OAI-16"]


@pytest.mark.parametrize(("model", "level"), [("gpt-5.5", "MUST"), ("grok-4-1-fast-reasoning", "SHOULD")])
def test_oai_16_bare_reasoning_is_certain_of_openais_models_only(model: str, level: str) -> None:
    """That of other makers comes without ``encrypted_content``; nobody has recorded that it is refused."""
    bare, answer = {"type": "reasoning", "id": "rs_1", "summary": []}, {"role": "assistant", "content": "Yes."}
    found = [each for each in judge(IssuedState(), [bare, answer], store=False, model=model) if each.id == "OAI-16"]
    assert [each.level for each in found] == [level]


def test_oai_16_reasoning_in_plain_text_is_whole() -> None:
    """As llama.cpp's server sends it: an empty ``encrypted_content``, and the text beside it."""
    told = [{"type": "reasoning_text", "text": "Hm."}]
    plain = {"type": "reasoning", "id": "rs_plain", "summary": [], "content": told, "encrypted_content": ""}
    answer = {"id": "msg_1", "role": "assistant", "content": "Yes."}
    for reasoning, broken in ((plain, []), ({**plain, "content": []}, ["OAI-16"])):
        violations = judge(IssuedState(), [reasoning, answer], store=False, model="smollm2-135m-instruct")
        assert [violation.id for violation in violations if violation.id != "OAI-02"] == broken


@pytest.mark.parametrize(
    ("follower", "level"),
    [
        (None, "MUST"),
        (QUESTION, "MUST"),
        ({"type": "function_call_output", "call_id": "c", "output": ""}, "MUST"),
        # Accepted in three recorded requests, and refused in one, where the message had been rewritten.
        ({"role": "assistant", "content": "Rewritten."}, "INFO"),
    ],
)
def test_oai_14_nothing_of_the_models_follows_foreign_reasoning(follower: dict[str, Any] | None, level: str) -> None:
    foreign = {"type": "reasoning", "id": "rs_foreign", "summary": [], "encrypted_content": "gAAAAABforeign=="}
    call = {"type": "function_call", "call_id": "c", "name": "read_file", "arguments": "{}"}
    items = [call, foreign] if follower and "output" in follower else [foreign]
    (violation,) = judge(IssuedState(), [*items, *([follower] if follower else [])])
    assert (violation.id, violation.level) == ("OAI-14", level)


def test_oai_17_encrypted_content_was_altered(sent: IssuedState, items: Items) -> None:
    token = items[1]["encrypted_content"]
    items[1]["encrypted_content"] = token[:-8] + "AAAAAAA="
    message = (
        f"The encrypted content for item {items[1]['id']} could not be verified. Reason: Encrypted content could not "
        "be decrypted or parsed."
    )
    assert only(judge(sent, items)) == ("OAI-17", message, "input[1]", None, "invalid_encrypted_content", 400)


def test_oai_17_reasoning_was_forged(sent: IssuedState, items: Items) -> None:
    forged = {"type": "reasoning", "summary": [], "encrypted_content": "gAAAAABforged"}
    message = "The encrypted content gAAA...rged could not be verified."
    answer = {"role": "assistant", "content": "Yes."}
    found = judge(sent, [*items, forged, answer])
    assert only(found) == ("OAI-17", message, "input[6]", None, "invalid_encrypted_content", 400)
    assert found[0].got == '"gAAAAABforged": not issued here'


def test_oai_17_the_same_bytes_in_another_spelling_are_inferred(sent: IssuedState, items: Items) -> None:
    token = items[1]["encrypted_content"]
    assert "-" in token or "_" in token
    items[1]["encrypted_content"] = token.rstrip("=").replace("-", "+").replace("_", "/")
    (violation,) = judge(sent, items)
    assert (violation.id, violation.level) == ("OAI-17", "INFO")


def test_oai_17_two_contents_were_swapped() -> None:
    two = Turn((*TURNS["thinking"].parts, *TURNS["thinking"].parts))
    sent = asked_and_answered(two)
    items = continuation(sent)
    items[1]["encrypted_content"], items[3]["encrypted_content"] = (items[n]["encrypted_content"] for n in (3, 1))
    assert [violation.id for violation in judge(sent, items)] == ["OAI-17", "OAI-17"]


@pytest.mark.parametrize("known", [True, False])
def test_oai_18_the_previous_response_is_not_there(known: bool) -> None:
    sent = asked_and_answered(TURNS["text"], store=False)
    previous = sent.replies[0].id if known else "resp_x"
    message = f"Previous response with id '{previous}' not found."
    param, code = "previous_response_id", "previous_response_not_found"
    found = judge(sent, "more", previous_response_id=previous)
    assert only(found) == ("OAI-18", message, "previous_response_id", param, code, 400)


def test_oai_19_two_histories_are_named(sent: IssuedState) -> None:
    found = judge(sent, outputs(returned(sent)), previous_response_id=sent.replies[0].id, conversation="conv_1")
    assert [violation.id for violation in found] == ["OAI-19"]
    assert found[0].answered.message == (
        "Mutually exclusive parameters: 'previous_response_id' and 'conversation'. Ensure you are only providing one "
        "of these parameters."
    )
    assert found[0].answered.code == "mutually_exclusive_parameters"


@pytest.mark.parametrize(
    ("role", "kind", "supported"),
    [
        ("assistant", "input_text", "'output_text' and 'refusal'"),
        (
            "user",
            "output_text",
            "'input_text', 'input_image', 'input_file', and 'scoped_content'",
        ),
    ],
)
def test_oai_20_a_part_does_not_fit_its_role(role: str, kind: str, supported: str) -> None:
    message = {"role": role, "content": [{"type": kind, "text": "x"}]}
    found = judge(IssuedState(), [message])
    expected = f"Invalid value: '{kind}'. Supported values are: {supported}."
    at = "input[0].content[0]"
    assert only(found) == ("OAI-20", expected, at, at, "invalid_value", 400)


@pytest.mark.parametrize(
    ("name", "value", "words", "code", "level"),
    [
        ("temperature", -1, "decimal below minimum value. Expected a value >= 0", "decimal_below_min_value", "MUST"),
        ("temperature", 2.5, "decimal above maximum value. Expected a value <= 2", "decimal_above_max_value", "MUST"),
        ("top_p", 1.5, "decimal above maximum value. Expected a value <= 1", "decimal_above_max_value", "INFO"),
        (
            "max_output_tokens",
            15,
            "integer below minimum value. Expected a value >= 16",
            "integer_below_min_value",
            "MUST",
        ),
    ],
)
def test_oai_22_a_number_is_out_of_bounds(name: str, value: float, words: str, code: str, level: str) -> None:
    (violation,) = judge(IssuedState(), "x", model="gpt-4.1", **{name: value})
    message = f"Invalid '{name}': {words}, but got {value} instead."
    assert told(violation) == ("OAI-22", message, name, name, code, 400)
    assert violation.level == level


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "object"}, "'additionalProperties' is required to be supplied and to be false."),
        (
            {"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a"], "additionalProperties": False},
            "'required' is required to be supplied and to be an array including every key in properties. Missing 'b'.",
        ),
    ],
)
def test_oai_23_a_strict_schema_is_open(schema: dict[str, Any], words: str) -> None:
    tools = [PATCH, {**READ_FILE, "strict": True, "parameters": schema}]
    message = f"Invalid schema for function 'read_file': In context=(), {words}"
    param, code = "tools[1].parameters", "invalid_function_parameters"
    assert only(judge(IssuedState(), "x", tools=tools)) == ("OAI-23", message, param, param, code, 400)
    assert judge(IssuedState(), "x", tools=[{**tools[1], "strict": False}]) == []


def test_oai_24_the_chosen_tool_is_not_declared() -> None:
    found = judge(IssuedState(), "x", tool_choice={"type": "function", "name": "patch"})
    message = "Tool choice 'function' not found in 'tools' parameter."
    assert only(found) == ("OAI-24", message, "tool_choice", "tool_choice", None, 400)
    assert judge(IssuedState(), "x", tool_choice={"type": "custom", "name": "patch"}) == []


def test_oai_25_a_tool_has_a_bad_name() -> None:
    message = (
        "Invalid 'tools[0].name': string does not match pattern. Expected a string that matches the pattern "
        "'^[a-zA-Z0-9_-]+$'."
    )
    found = judge(IssuedState(), "x", tools=[{**READ_FILE, "name": "read file"}])
    assert only(found) == ("OAI-25", message, "tools[0].name", "tools[0].name", "invalid_value", 400)


def test_rules_complain_in_the_order_of_the_table() -> None:
    sent = asked_and_answered(TURNS["parallel calls"])
    items = continuation(sent)
    broken = [items[0], {**items[1], "status": "completed", "encrypted_content": "gAAAAABx"}, *items[3:5]]
    found = [
        violation.id for violation in judge(sent, broken, model="gpt-5", previous_response_id="resp_x", temperature=9)
    ]
    assert found == sorted(found)
    assert found == ["OAI-05", "OAI-10", "OAI-14", "OAI-17", "OAI-18", "OAI-22", "OAI-26"]
