"""The continuation rules: one wrong request per rule with the exact answer, and everything that is accepted."""

from __future__ import annotations

import base64
import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.finding import Finding
from harness.wire import Call, FinishReason, Identity, IssuedState, Text, ThinkingPart, Turn
from harness.wire.gemini_generate import WIRE
from tests.wire.gemini_generate.samples import CALL, MODEL, conversation, model, response, rules, user

SIGNED = "c2lnbmVk"
COUNT = (
    "Please ensure that the number of function response parts is equal to the number of function call parts of the "
    "function call turn."
)
MODEL_LAST = "Requests ending with a model turn are not supported."
RESPONSE_TURN = "Please ensure that function response turn comes immediately after a function call turn."


def call(name: str = "f", call_id: str = "", signature: str = SIGNED, **arguments: Any) -> dict[str, Any]:
    native: dict[str, Any] = {"functionCall": {"name": name, "args": arguments}}
    if call_id:
        native["functionCall"]["id"] = call_id
    return {**native, "thoughtSignature": signature} if signature else native


def found(contents: list[Any], model_name: str = MODEL, sent: IssuedState | None = None) -> list[Finding]:
    asked = conversation(contents or [{}], path=f"/v1/models/{model_name}:generateContent")
    if not contents:
        asked = WIRE.read(WIRE.route("POST", f"/v1/models/{model_name}:generateContent"), b'{"contents": []}')  # type: ignore[arg-type]
    return WIRE.violations(asked, sent or IssuedState())


# --- shape, order and pairing, by what the body shows ------------------------------------------------------

WRONG: dict[str, tuple[list[Any], str, str, str, str]] = {
    "no contents": ([], "GEM-01", "MUST", "contents", "* GenerateContentRequest.contents: contents is not specified\n"),
    "no parts": (
        [user("a"), model(), user("b")],
        "GEM-02",
        "MUST",
        "contents[1]",
        "* GenerateContentRequest.contents[1].parts: contents.parts must not be empty.\n",
    ),
    "role": (
        [user("a"), {"role": "tool", "parts": [{"text": "x"}]}],
        "GEM-03",
        "MUST",
        "contents[1]",
        "Role 'tool' is not supported. Please use a valid role: SYSTEM, SYSTEM_1, USER, ASSISTANT, DEVELOPER, CONTEXT, "
        "USER_CONTEXT, MODEL, USER.",
    ),
    "call first": (
        [model(call()), user(response("f"))],
        "GEM-04",
        "MUST",
        "contents[0]",
        "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
    ),
    "response without a call": ([user("a"), user(response("f"))], "GEM-05", "MUST", "contents[1]", RESPONSE_TURN),
    "response first": ([user(response("f"))], "GEM-05", "MUST", "contents[0]", RESPONSE_TURN),
    "one of two answered": (
        [user("a"), model(call(), call(signature="")), user(response("f"))],
        "GEM-06",
        "MUST",
        "contents[1]",
        COUNT,
    ),
    "one call answered twice": (
        [user("a"), model(call()), user(response("f"), response("f"))],
        "GEM-06",
        "MUST",
        "contents[1]",
        COUNT,
    ),
    "answers split over contents": (
        [user("a"), model(call(), call(signature="")), user(response("f")), user(response("f"))],
        "GEM-06",
        "MUST",
        "contents[1]",
        COUNT,
    ),
    "unanswered": ([user("a"), model(call()), user("b")], "GEM-07", "SHOULD", "contents[1]", COUNT),
    "response without a name": (
        [user("a"), model(call()), user(response(""))],
        "GEM-11",
        "MUST",
        "contents[2].parts[0]",
        "* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty.\n",
    ),
    "arguments as text": (
        [
            user("a"),
            model({"functionCall": {"name": "f", "args": "{}"}, "thoughtSignature": SIGNED}),
            user(response("f")),
        ],
        "GEM-14",
        "SHOULD",
        "contents[1].parts[0].function_call.args",
        "Invalid value at 'contents[1].parts[0].function_call.args' (type.googleapis.com/google.protobuf.Struct), "
        '"{}"',
    ),
    "response as text": (
        [user("a"), model(call()), user({"functionResponse": {"name": "f", "response": "ok"}})],
        "GEM-14",
        "SHOULD",
        "contents[2].parts[0].function_response.response",
        "Invalid value at 'contents[2].parts[0].function_response.response' "
        '(type.googleapis.com/google.protobuf.Struct), "ok"',
    ),
    "unsigned call": (
        [user("a"), model(call("read_file", signature="")), user(response("read_file"))],
        "GEM-08",
        "MUST",
        "contents[1].parts[0]",
        "Function call is missing a thought_signature in functionCall parts. This is required for tools to work "
        "correctly, and missing thought_signature may lead to degraded model performance. Additional data, function "
        "call `default_api:read_file` , position 2. Please refer to "
        "https://ai.google.dev/gemini-api/docs/thought-signatures for more details.",
    ),
    "signature that is no base64": (
        [user("a"), model(call(signature="not base64!")), user(response("f"))],
        "GEM-09",
        "SHOULD",
        "contents[1].parts[0].thought_signature",
        "Invalid value at 'contents[1].parts[0].thought_signature' (TYPE_BYTES), Base64 decoding failed for "
        '"not base64!"',
    ),
    "other name": (
        [user("a"), model(call()), user(response("g"))],
        "GEM-12",
        "INFO",
        "contents[2].parts[0]",
        'The function response "g" does not name the function that was called.',
    ),
    "other id": (
        [user("a"), model(call(call_id="x")), user(response("f", "y"))],
        "GEM-13",
        "INFO",
        "contents[2].parts[0]",
        'The function response id "y" does not match the id of a function call.',
    ),
    "id left out": (
        [user("a"), model(call(call_id="x")), user(response("f"))],
        "GEM-13",
        "INFO",
        "contents[2].parts[0]",
        'The function response id "" does not match the id of a function call.',
    ),
    "id invented": (
        [user("a"), model(call()), user(response("f", "tool-1"))],
        "GEM-13",
        "INFO",
        "contents[2].parts[0]",
        'The function response id "tool-1" does not match the id of a function call.',
    ),
    "a part with nothing": (
        [user("a", {})],
        "GEM-PART",
        "MUST",
        "contents[0].parts[1]",
        "* GenerateContentRequest.contents[0].parts[1].data: required oneof field 'data' must have one initialized "
        "field\n",
    ),
    "answer of a server tool without its call": (
        [user("a"), model({"toolResponse": {"id": "x"}}), user("b")],
        "GEM-13",
        "SHOULD",
        "contents[1].parts[0]",
        "Request contains an invalid argument.",
    ),
    "model last": ([user("a"), model({"text": "b"})], "GEM-22", "MUST", "contents[1]", MODEL_LAST),
    "text after the response": (
        [user("a"), model(call()), user(response("f"), "and")],
        "GEM-23",
        "SHOULD",
        "contents[2].parts[1]",
        MODEL_LAST,
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_request_breaks_just_its_rule(name: str) -> None:
    contents, rule, level, at, message = WRONG[name]
    assert [(one.id, one.level, one.answered.place, one.answered.message) for one in found(contents)] == [
        (rule, level, at, message)
    ]


def test_a_call_without_a_name() -> None:
    [first, second] = found([user("a"), model(call("")), user(response(""))])
    assert first.answered.message == (
        "* GenerateContentRequest.contents[1].parts[0].function_call.name: Name cannot be empty.\n"
    )
    assert (first.id, second.id) == ("GEM-11", "GEM-11")


def test_every_finding_says_what_was_expected_and_what_came() -> None:
    for contents, *_ in WRONG.values():
        for violation in found(contents):
            assert violation.expected
            assert violation.got
            assert violation.expected != violation.got
            assert violation.answered.status == (200 if violation.level == "INFO" else 400)


ACCEPTED: dict[str, list[Any]] = {
    "plain": [user("a")],
    "text and media": [user("a", {"inlineData": {"mimeType": "image/png", "data": "AA=="}})],
    "user after response": [user("a"), model(call()), user(response("f")), user("b")],
    "text before the response": [user("a"), model(call()), user("b", response("f"))],
    "model contents are merged": [
        user("a"),
        model({"text": "t"}, call()),
        model(call(signature="")),
        user(response("f"), response("f")),
    ],
    "responses in another order": [
        user("a"),
        model(call("f", "x"), call("g", "y", "")),
        user(response("g", "y"), response("f", "x")),
    ],
    "duplicate ids": [
        user("a"),
        model(call("f", "x"), call("f", "x", "")),
        user(response("f", "x"), response("f", "x")),
    ],
    "role function": [user("a"), model(call()), {"role": "function", "parts": [response("f")]}],
    "ids of the client on both sides": [user("a"), model(call(call_id="pyd_ai_1")), user(response("f", "pyd_ai_1"))],
    "bypass": [
        user("a"),
        model(call(signature=base64.b64encode(b"skip_thought_signature_validator").decode())),
        user(response("f")),
    ],
    "an earlier turn unsigned": [
        user("a"),
        model(call(signature="")),
        user(response("f")),
        model({"text": "t"}),
        user("b"),
        model(call()),
        user(response("f")),
    ],
    "two users": [user("a"), user("b")],
    "steps, each signed": [user("a"), model(call()), user(response("f")), model(call("g")), user(response("g"))],
    "no arguments": [
        user("a"),
        model({"functionCall": {"name": "f"}, "thoughtSignature": SIGNED}),
        user(response("f")),
    ],
    "snake case": [
        user("a"),
        model({"function_call": {"name": "f", "args": {}}, "thought_signature": SIGNED}),
        user({"function_response": {"name": "f", "response": {}}}),
    ],
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_is_accepted_breaks_nothing(name: str) -> None:
    assert found(ACCEPTED[name]) == []


def test_the_current_turn_begins_after_the_last_word_of_the_user() -> None:
    """Each step of it is checked, earlier turns are not (GEM-08)."""
    unsigned = model(call(signature=""))
    contents = [
        user("a"),
        unsigned,
        user(response("f")),
        user("b"),
        unsigned,
        user(response("f")),
        unsigned,
        user(response("f")),
    ]
    assert [(one.id, one.answered.place) for one in found(contents)] == [
        ("GEM-08", "contents[4].parts[0]"),
        ("GEM-08", "contents[6].parts[0]"),
    ]


def test_what_depends_on_the_model() -> None:
    unsigned = [user("a"), model(call(signature="")), user(response("f"), "b")]
    prefill = [user("a"), model({"text": "b"})]
    assert rules(unsigned) == [("GEM-23", "SHOULD", "contents[2].parts[1]"), ("GEM-08", "MUST", "contents[1].parts[0]")]
    assert rules(unsigned, model_name="gemini-3-flash-preview") == [("GEM-08", "MUST", "contents[1].parts[0]")]
    for name in ("gemini-2.5-pro", "gemini-2.0-flash", "gemini-3-pro-image"):
        assert rules(unsigned, model_name=name) == []
        assert rules(prefill, model_name=name) == []
    assert rules(prefill, model_name="gemini-3.5-flash-lite") == [("GEM-22", "MUST", "contents[1]")]
    assert rules(prefill, model_name="gemini-3.5-flash") == []
    wrong_role = [{"role": "tool", "parts": [{"text": "x"}]}]
    assert found(wrong_role, "gemini-2.5-pro")[0].answered.message == "Please use a valid role: user, model."


def test_gemini_2_5_has_been_recorded_to_take_split_answers() -> None:
    """Recorded with status 200 at the Developer API, replayed with 400 at Vertex AI, whose path need not be known."""
    split = [user("a"), model(call(), call()), user(response("f")), user(response("f"))]
    assert rules(split, model_name="gemini-2.5-flash") == [("GEM-06", "SHOULD", "contents[1]")]
    assert rules(split, model_name="gemini-2.5-flash", server="vertex") == [("GEM-06", "MUST", "contents[1]")]
    short = [user("a"), model(call(), call(), call()), user(response("f")), user(response("f"))]
    assert rules(short, model_name="gemini-2.5-flash") == [("GEM-06", "MUST", "contents[1]")]


@pytest.mark.parametrize("name", ["gem-tool.continue.json", "gem-parallel.continue.json", "gem-tool.request.json"])
def test_example_continuations_break_nothing(name: str, shared: Path) -> None:
    route = WIRE.route("POST", f"/v1/models/{MODEL}:streamGenerateContent?alt=sse")
    assert route is not None
    asked = WIRE.read(route, (shared / "wire/examples" / name).read_bytes())
    sent = IssuedState()
    answer = (
        shared / "wire/examples" / name.replace(".continue.json", ".sse").replace(".request.json", ".sse")
    ).read_bytes()
    sent.add(asked, WIRE.parse("text/event-stream", answer))
    assert WIRE.violations(asked, sent) == []


# --- against what was issued -------------------------------------------------------------------------------

TURN = Turn(
    (
        ThinkingPart("Hm."),
        Text("Two files."),
        CALL,
        Call("read_file", '{"path": "b", "n": 1.0}'),
        Call("list_files", "{}", id=""),
    ),
    stop=FinishReason.TOOL_CALLS,
)


@pytest.fixture
def sent() -> IssuedState:
    sent = IssuedState()
    asked = conversation()
    sent.add(asked, WIRE.render(TURN, Identity("first"), asked).reply)
    return sent


def history(sent: IssuedState) -> list[Any]:
    """The right continuation."""
    parts = copy.deepcopy(list(sent.replies[-1].items))
    answers = [
        response(part["functionCall"]["name"], part["functionCall"].get("id", ""))
        for part in parts
        if "functionCall" in part
    ]
    return [user("What is in src/app.py?"), model(*parts), user(*answers)]


def calls_at(contents: list[Any]) -> list[int]:
    return [at for at, part in enumerate(contents[1]["parts"]) if "functionCall" in part]


def forge(contents: list[Any]) -> None:
    contents[1]["parts"][calls_at(contents)[0]]["thoughtSignature"] = base64.b64encode(b"forged").decode()


def alter_one_bit(contents: list[Any]) -> None:
    part = contents[1]["parts"][calls_at(contents)[0]]
    signature = bytearray(base64.b64decode(part["thoughtSignature"]))
    signature[5] ^= 1
    part["thoughtSignature"] = base64.b64encode(signature).decode()


def sign_the_second(contents: list[Any]) -> None:
    contents[1]["parts"][calls_at(contents)[1]]["thoughtSignature"] = base64.b64encode(b"own idea").decode()


def sign_the_text(contents: list[Any]) -> None:
    contents[1]["parts"][1]["thoughtSignature"] = base64.b64encode(b"own idea").decode()


def drop_signature(contents: list[Any]) -> None:
    del contents[1]["parts"][calls_at(contents)[0]]["thoughtSignature"]


def move_signature(contents: list[Any]) -> None:
    first, second = calls_at(contents)[:2]
    parts = contents[1]["parts"]
    parts[second]["thoughtSignature"] = parts[first].pop("thoughtSignature")


def move_signature_to_text(contents: list[Any]) -> None:
    parts = contents[1]["parts"]
    parts[1]["thoughtSignature"] = parts[calls_at(contents)[0]]["thoughtSignature"]


def bypass(contents: list[Any]) -> None:
    value = base64.b64encode(b"context_engineering_is_the_way_to_go").decode()
    contents[1]["parts"][calls_at(contents)[0]]["thoughtSignature"] = value


def bypass_in_plain_words(contents: list[Any]) -> None:
    """The value itself in the place of its base64, as Gemini CLI sends it."""
    contents[1]["parts"][calls_at(contents)[0]]["thoughtSignature"] = "skip_thought_signature_validator"


def alter_arguments(contents: list[Any]) -> None:
    contents[1]["parts"][calls_at(contents)[0]]["functionCall"]["args"] = {"path": "other"}


def alter_arguments_of_the_second(contents: list[Any]) -> None:
    contents[1]["parts"][calls_at(contents)[1]]["functionCall"]["args"]["n"] = 2


def alter_name(contents: list[Any]) -> None:
    contents[1]["parts"][calls_at(contents)[0]]["functionCall"]["name"] = "write_file"
    contents[2]["parts"][0]["functionResponse"]["name"] = "write_file"


def alter_id(contents: list[Any]) -> None:
    contents[1]["parts"][calls_at(contents)[0]]["functionCall"]["id"] = "toolu_1"
    contents[2]["parts"][0]["functionResponse"]["id"] = "toolu_1"


def drop_a_call(contents: list[Any]) -> None:
    del contents[1]["parts"][calls_at(contents)[1]]
    del contents[2]["parts"][1]


def drop_a_response(contents: list[Any]) -> None:
    del contents[2]["parts"][1]


def drop_the_model_turn(contents: list[Any]) -> None:
    del contents[1]


def swap_calls(contents: list[Any]) -> None:
    parts = contents[1]["parts"]
    first, second = calls_at(contents)[:2]
    parts[first], parts[second] = parts[second], parts[first]


TAMPERED: dict[Callable[[list[Any]], None], list[tuple[str, str]]] = {
    forge: [("GEM-09", "MUST")],
    alter_one_bit: [("GEM-09", "MUST")],
    sign_the_second: [("GEM-09", "MUST")],
    sign_the_text: [("GEM-09", "SHOULD")],
    drop_signature: [("GEM-08", "MUST")],
    move_signature: [("GEM-08", "MUST"), ("GEM-15", "INFO")],
    move_signature_to_text: [("GEM-15", "INFO")],
    bypass: [("GEM-10", "INFO")],
    bypass_in_plain_words: [("GEM-10", "INFO")],
    alter_arguments: [("GEM-15", "INFO")],
    alter_arguments_of_the_second: [("GEM-15", "INFO")],
    alter_name: [("GEM-15", "INFO")],
    alter_id: [("GEM-13", "INFO")],
    drop_a_call: [("GEM-15", "INFO")],
    drop_a_response: [("GEM-06", "MUST")],
    drop_the_model_turn: [("GEM-05", "MUST")],
    swap_calls: [("GEM-08", "MUST"), ("GEM-15", "INFO")],
}


def test_the_right_continuation_breaks_nothing(sent: IssuedState) -> None:
    assert rules(history(sent), sent) == []


@pytest.mark.parametrize("tamper", TAMPERED, ids=lambda tamper: tamper.__name__)
def test_a_tampered_continuation_is_told(tamper: Callable[[list[Any]], None], sent: IssuedState) -> None:
    contents = history(sent)
    tamper(contents)
    assert [(rule, level) for rule, level, _ in rules(contents, sent)] == TAMPERED[tamper]


def test_a_forged_signature_is_answered_in_googles_words_with_both_signatures(sent: IssuedState) -> None:
    contents = history(sent)
    issued = contents[1]["parts"][calls_at(contents)[0]]["thoughtSignature"]
    forge(contents)
    [violation] = found(contents, sent=sent)
    assert violation.answered.message == "Corrupted thought signature."
    assert (violation.expected, violation.got) == (issued, base64.b64encode(b"forged").decode())


def test_a_dropped_signature_names_the_one_that_was_issued(sent: IssuedState) -> None:
    contents = history(sent)
    issued = contents[1]["parts"][calls_at(contents)[0]]["thoughtSignature"]
    drop_signature(contents)
    assert found(contents, sent=sent)[0].expected == issued


def test_an_altered_call_is_shown_beside_the_issued_one(sent: IssuedState) -> None:
    contents = history(sent)
    alter_arguments(contents)
    [violation] = found(contents, sent=sent)
    assert violation.expected == 'read_file({"path":"src/app.py"})'
    assert violation.got == 'read_file({"path":"other"})'


def rewrite_as_the_sdk(contents: list[Any]) -> None:
    for part in contents[1]["parts"]:
        if "thoughtSignature" in part:
            signature = base64.b64decode(part["thoughtSignature"])
            part["thought_signature"] = base64.urlsafe_b64encode(signature).decode().rstrip("=")
            del part["thoughtSignature"]


def rewrite_numbers_and_order(contents: list[Any]) -> None:
    contents[1]["parts"][calls_at(contents)[1]]["functionCall"]["args"] = {"n": 1, "path": "b"}


def drop_thoughts(contents: list[Any]) -> None:
    contents[1]["parts"] = [part for part in contents[1]["parts"] if not part.get("thought")]


def join_texts(contents: list[Any]) -> None:
    calls = [part for part in contents[1]["parts"] if "functionCall" in part]
    contents[1]["parts"] = [{"text": "Two files."}, *calls]


def keep_the_empty_text(contents: list[Any]) -> None:
    contents[1]["parts"].append({"text": ""})


def split_the_model_content(contents: list[Any]) -> None:
    parts = contents[1]["parts"]
    contents[1:2] = [model(*parts[:4]), model(*parts[4:])]


def go_on(contents: list[Any]) -> None:
    contents.append(user("And now?"))


@pytest.mark.parametrize(
    "rewrite",
    [
        rewrite_as_the_sdk,
        rewrite_numbers_and_order,
        drop_thoughts,
        join_texts,
        keep_the_empty_text,
        split_the_model_content,
        go_on,
    ],
    ids=lambda rewrite: rewrite.__name__,
)
def test_harmless_rewriting_breaks_nothing(rewrite: Callable[[list[Any]], None], sent: IssuedState) -> None:
    contents = history(sent)
    rewrite(contents)
    assert rules(contents, sent) == []


def test_a_history_that_the_endpoint_did_not_issue_is_judged_by_its_shape(sent: IssuedState) -> None:
    foreign = [user("a"), model(call("other", call_id="zz", signature=SIGNED)), user(response("other", "zz"))]
    assert rules([*foreign, *history(sent)], sent) == []


def test_half_a_surrogate_pair_in_arguments_may_come_back_replaced() -> None:
    sent, asked = IssuedState(), conversation()
    turn = Turn((Call("f", '{"a": "x\\ud83d"}'),))
    sent.add(asked, WIRE.render(turn, Identity("case"), asked).reply)
    contents = history(sent)
    contents[1]["parts"][0]["functionCall"]["args"] = {"a": "x\ufffd"}
    assert rules(contents, sent) == []


def test_a_signed_text_answer_comes_back_with_its_signature() -> None:
    sent, asked = IssuedState(), conversation()
    sent.add(asked, WIRE.render(Turn((Text("It is Paris."),)), Identity("case"), asked).reply)
    parts = list(sent.replies[0].items)
    assert rules([user("a"), model(*parts), user("b")], sent) == []
    assert rules([user("a"), model({"text": "It is Paris."}), user("b")], sent) == [("GEM-15", "INFO", "contents[1]")]
    forged = [*parts[:-1], {"text": "", "thoughtSignature": "Zm9yZ2Vk"}]
    assert rules([user("a"), model(*forged), user("b")], sent) == [("GEM-09", "SHOULD", "contents[1].parts[4]")]


def test_the_work_is_linear_in_the_history() -> None:
    """Twice the history, about twice the calls of the comparison: no turn is compared with every other."""
    import sys

    def work(turns: int) -> int:
        steps = [item for _ in range(turns) for item in (model(call()), user(response("f")))]
        asked = conversation([user("a"), *steps])
        count = 0

        def trace(*_: Any) -> None:
            nonlocal count
            count += 1

        sys.setprofile(trace)
        try:
            WIRE.violations(asked, IssuedState())
        finally:
            sys.setprofile(None)
        return count

    assert work(80) < 2.2 * work(40)


def test_json_bodies_survive_the_way_through_the_reader(sent: IssuedState) -> None:
    """The rules see the request as it was sent, not a copy that forgot something."""
    contents = history(sent)
    assert conversation(contents).body["contents"] == json.loads(json.dumps(contents))


@pytest.mark.parametrize(("letters", "too_many"), [(8192, False), (8193, True)])
def test_texts_of_one_letter_are_a_token_each(letters: int, too_many: bool) -> None:
    asked = [{"role": "user", "parts": [{"text": "a"}] * letters}]
    ids = [finding.id for finding in found(asked, "gemini-2.5-flash-preview-tts")]
    assert ("GEM-20" in ids) is too_many
