"""The continuation rules: what is accepted, and what their work costs. Wrong requests stand beside the rules."""

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


def test_the_right_continuation_breaks_nothing(sent: IssuedState) -> None:
    assert rules(history(sent), sent) == []


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
