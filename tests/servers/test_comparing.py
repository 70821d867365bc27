"""What was sent beside what arrived: each loss, its level, and what is none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.servers.rules import (
    AnswerSide,
    compare,
    compare_forms,
    compare_returned,
    same_forms,
    thinking_is_lost,
    unsigned,
)
from harness.wire import (
    Conversation,
    FinishReason,
    Message,
    Refusal,
    Reply,
    StreamError,
    Text,
    ThinkingPart,
    Turn,
    Usage,
)
from harness.wire.base import Json, Part
from tests.servers.sides import CHAT, GEMINI, MESSAGES, RESPONSES, call, side

SIGNED = ThinkingPart("Hm.", signature="c2lnbmVk")


def found(sent: AnswerSide, got: AnswerSide) -> list[tuple[str, str]]:
    return [(finding.reference, finding.level) for finding in compare(sent, got)]


@pytest.mark.parametrize("name", [CHAT, RESPONSES, MESSAGES, GEMINI])
def test_the_same_on_both_sides_is_no_loss(name: str) -> None:
    answer = side(name, SIGNED, Text("Yes."), call())
    assert found(answer, answer) == []


def test_a_signature_that_is_lost_and_one_that_is_another() -> None:
    sent = side(MESSAGES, SIGNED, Text("Yes."))
    assert found(sent, side(MESSAGES, replace(SIGNED, signature=""), Text("Yes."))) == [("SX-SIG", "MUST")]
    assert found(sent, side(MESSAGES, replace(SIGNED, signature="b3RoZXI="), Text("Yes."))) == [("SX-SIG", "INFO")]


def test_a_signature_in_a_member_of_the_gateways_own_has_arrived() -> None:
    sent = side(GEMINI, call(signature="c2lnbmVk"))
    got = side(CHAT, call())
    assert got.reply is not None
    assert found(sent, got) == [("SX-SIG", "MUST")]
    hidden = replace(got.reply, items=({"tool_calls": [{"provider_specific_fields": {"signature": "c2lnbmVk"}}]},))
    assert found(sent, replace(got, reply=hidden)) == []


def test_a_signature_that_is_in_the_bytes_alone_is_found_by_some_clients() -> None:
    sent, got = side(MESSAGES, SIGNED, Text("Yes.")), side(RESPONSES, ThinkingPart("Hm."), Text("Yes."))
    assert found(sent, replace(got, body=b'{"encrypted_content":"another"}')) == [("SX-SIG", "MUST")]
    assert found(sent, replace(got, body=b'{"encrypted_content":"c2lnbmVk"}')) == [("SX-SIG", "SHOULD")]


def test_which_clients_can_send_no_proof_of_thinking_back() -> None:
    def lost(client: str, *parts: Part) -> bool:
        return thinking_is_lost([Reply(MESSAGES, "", "", (), Turn(parts))], client)

    hidden = ThinkingPart(form="redacted", signature="b3BhcXVl")
    assert lost(CHAT, SIGNED, hidden, Text("Yes."))
    assert lost(RESPONSES, hidden)
    assert not lost(RESPONSES, SIGNED, hidden)
    assert not lost(MESSAGES, SIGNED)
    assert not lost(CHAT, ThinkingPart("Hm."), Text("Yes."))


def test_what_the_clients_wire_cannot_say_is_no_loss() -> None:
    sent = side(MESSAGES, SIGNED, Text("Yes."))
    assert found(sent, side(CHAT, ThinkingPart("Hm."), Text("Yes."))) == []


def test_thinking_is_compared_as_a_whole() -> None:
    sent = side(GEMINI, ThinkingPart("I must "), ThinkingPart("look."), Text("Yes."))
    assert found(sent, side(CHAT, ThinkingPart("I must look."), Text("Yes."))) == []
    assert found(sent, side(CHAT, ThinkingPart("I must"), Text("Yes."))) == [("SX-THINK", "SHOULD")]


def test_two_thoughts_may_be_joined_with_a_space_or_a_line() -> None:
    sent = side(RESPONSES, ThinkingPart("I must look."), ThinkingPart("At Oslo."), Text("Yes."))
    for between in ("", " ", "\n\n"):
        assert found(sent, side(CHAT, ThinkingPart(f"I must look.{between}At Oslo."), Text("Yes."))) == []


def test_what_the_model_has_not_signed_cannot_be_signed_at_the_client() -> None:
    assert unsigned(side(MESSAGES, SIGNED)) == frozenset()
    assert unsigned(side(GEMINI, status=500)) == frozenset()
    assert unsigned(side(GEMINI, ThinkingPart("Hm."), call(signature="c2lnbmVk"))) == {"thinking signature"}
    assert unsigned(side(CHAT, Text("Yes."), call())) == {"text signature", "call signature"}


def test_text_that_is_lost_or_added() -> None:
    assert found(side(CHAT, Text("Yes.")), side(CHAT)) == [("SX-TEXT", "MUST")]
    assert found(side(CHAT, Text("Yes.")), side(CHAT, Text("Yes. "))) == [("SX-TEXT", "MUST")]


def test_what_nobody_has_sent() -> None:
    both = side(CHAT, Text("Yes."), call())
    assert found(side(CHAT, call()), both) == [("SX-MORE", "MUST")]
    more = side(CHAT, Text("Yes."), call(), call("list", "{}", "call_2"))
    assert found(both, more) == [("SX-MORE", "MUST")]
    assert found(both, side(CHAT, Text("Yes."), call("list", "{}", "call_2"))) == [("SX-CALLS", "MUST")]
    thinking = side(MESSAGES, ThinkingPart("Hm."), Text("Yes."))
    assert found(side(CHAT, Text("Yes.")), thinking) == [("SX-MORE", "MUST")]


def test_what_has_come_as_something_else_was_sent() -> None:
    assert found(side(MESSAGES, ThinkingPart("Hm.")), side(CHAT, Text("Hm."))) == [
        ("SX-TEXT", "MUST"),
        ("SX-THINK", "SHOULD"),
    ]
    hidden = ThinkingPart(form="redacted", signature="b3BhcXVl")
    assert found(side(MESSAGES, hidden, Text("Yes.")), side(CHAT, ThinkingPart("..."), Text("Yes."))) == [
        ("SX-THINK", "SHOULD")
    ]
    declined = side(MESSAGES, turn=Turn((), FinishReason.REFUSAL))
    words = side(CHAT, turn=Turn((Text("I cannot help."),), FinishReason.REFUSAL))
    assert found(declined, words) == [("SX-TEXT", "MUST")]


@pytest.mark.parametrize(
    ("name", "item"),
    [
        (CHAT, {"role": "assistant", "content": "Yes.", "annotations": [{"type": "url_citation"}]}),
        (RESPONSES, {"type": "web_search_call", "id": "ws_1", "status": "completed"}),
        (MESSAGES, {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}),
        (GEMINI, {"executableCode": {"code": "1 + 1"}}),
    ],
)
def test_a_search_or_a_source_that_nobody_has_sent(name: str, item: Json) -> None:
    sent, got = side(CHAT, Text("Yes.")), side(name, Text("Yes."))
    assert got.reply is not None
    assert sent.reply is not None
    more = replace(got, reply=replace(got.reply, items=(item,)))
    assert found(sent, more) == [("SX-MORE", "MUST")]
    cited = {"role": "assistant", "content": "Yes.", "annotations": [{"type": "url_citation"}]}
    assert found(replace(sent, reply=replace(sent.reply, items=(cited,))), more) == []


def test_a_phase_that_does_not_arrive() -> None:
    sent = side(RESPONSES, Text("I look.", phase="commentary"))
    assert found(sent, sent) == []
    assert found(sent, side(RESPONSES, Text("I look."))) == [("SX-PHASE", "SHOULD")]
    assert found(sent, side(CHAT, Text("I look."))) == []


def test_a_refusal_may_arrive_as_text() -> None:
    sent = side(CHAT, turn=Turn((Refusal("No."),), FinishReason.REFUSAL))
    assert found(sent, side(GEMINI, turn=Turn((Text("No."),), FinishReason.CONTENT_FILTER))) == []


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((call(),), "SX-CALLS"),
        ((call(), call("write_file", "{}", "call_2"), call(call_id="call_3")), "SX-MORE"),
        ((call("write_file", "{}", "call_2"), call()), "SX-CALLS"),
        ((call(), call("write_file", '{"a": 1}', "call_2")), "SX-ARGS"),
        ((call(), call("write_file", "{}", "call_1")), "SX-ID"),
        ((call(), call("write_file", "{}", "")), "SX-ID"),
    ],
)
def test_calls_that_are_lost_added_moved_or_changed(parts: tuple[Part, ...], expected: str) -> None:
    sent = side(RESPONSES, call(), call("write_file", "{}", "call_2"))
    assert (expected, "MUST") in found(sent, side(CHAT, *parts))


def test_arguments_are_compared_as_values() -> None:
    assert found(side(CHAT, call(arguments='{"path":"a"}')), side(CHAT, call(arguments='{ "path": "a" }'))) == []
    assert found(side(GEMINI, call(arguments="")), side(CHAT, call(arguments="{}"))) == []


def test_other_ids_are_information() -> None:
    assert found(side(RESPONSES, call()), side(CHAT, call(call_id="other"))) == [("SX-ID", "INFO")]


def test_no_id_is_right_where_none_is_needed() -> None:
    assert found(side(RESPONSES, call()), side(GEMINI, call(call_id=""))) == []


def test_cut_arguments_never_become_an_object() -> None:
    cut = Turn((call(arguments='{"path": "a'),), FinishReason.MAX_TOKENS)
    as_object = Turn((call(arguments="{}"),), FinishReason.MAX_TOKENS)
    assert found(side(CHAT, turn=cut), side(MESSAGES, turn=as_object)) == [("SX-CUT", "MUST")]
    assert found(side(CHAT, turn=cut), side(MESSAGES, turn=cut)) == []
    document = replace(side(MESSAGES, turn=as_object), streamed=False)  # which can say nothing else
    assert found(side(CHAT, turn=cut), document) == [("SX-CUT", "INFO")]
    made_up = Turn((call(arguments='{"text": "a"}'),), FinishReason.MAX_TOKENS)
    assert found(side(CHAT, turn=cut), replace(document, reply=side(MESSAGES, turn=made_up).reply)) == [
        ("SX-CUT", "MUST")
    ]


def test_the_order_counts_where_the_wire_has_one() -> None:
    sent = side(MESSAGES, call(), Text("That was it."))
    assert found(sent, side(RESPONSES, Text("That was it."), call())) == [("SX-ORDER", "SHOULD")]
    assert found(sent, side(CHAT, Text("That was it."), call())) == []


@pytest.mark.parametrize(
    ("stop", "got", "expected"),
    [
        (FinishReason.MAX_TOKENS, FinishReason.END, [("SX-STOP", "MUST")]),
        (FinishReason.PAUSE, FinishReason.END, []),
        (FinishReason.PAUSE, FinishReason.REFUSAL, [("SX-STOP", "MUST")]),
        (FinishReason.REFUSAL, FinishReason.CONTENT_FILTER, [("SX-STOP", "INFO")]),
        (FinishReason.REFUSAL, FinishReason.END, [("SX-STOP", "SHOULD")]),
        (FinishReason.REFUSAL, FinishReason.TOOL_CALLS, [("SX-STOP", "MUST")]),
    ],
)
def test_the_stop(stop: FinishReason, got: FinishReason, expected: list[tuple[str, str]]) -> None:
    sent, arrived = Turn((Text("Yes."),), stop), Turn((Text("Yes."),), got)
    assert found(side(MESSAGES, turn=sent), side(CHAT, turn=arrived)) == expected


def test_tokens_that_do_not_arrive() -> None:
    spent = Turn((Text("Yes."),), usage=Usage(10, 5, reasoning=2, cached=4))
    uncached = Turn((Text("Yes."),), usage=Usage(10, 5, reasoning=2))
    assert found(side(CHAT, turn=spent), side(RESPONSES, turn=uncached)) == [("SX-USAGE", "SHOULD")]
    unasked = replace(side(CHAT, turn=uncached), request={"stream": True})
    assert found(side(RESPONSES, turn=spent), unasked) == []


def test_a_cut_answer_is_no_clean_one_and_a_whole_one_not_cut() -> None:
    cut = Turn((Text("Yes"),), ending="eof")
    failed = Turn((Text("Yes"),), error=StreamError())
    whole = Turn((Text("Yes"),))
    assert found(side(CHAT, turn=cut), side(CHAT, turn=whole)) == [("SX-END", "MUST")]
    assert found(side(CHAT, turn=failed), side(CHAT, turn=whole)) == [("SX-END", "MUST")]
    assert found(side(CHAT, turn=whole), side(CHAT, turn=cut)) == [("SX-END", "MUST")]
    assert found(side(CHAT, turn=cut), side(CHAT, turn=failed)) == []


@pytest.mark.parametrize(
    ("sent", "got", "expected"),
    [
        (429, 429, []),
        (429, 200, [("SX-STATUS", "MUST")]),
        (429, 400, [("SX-STATUS", "MUST")]),
        (401, 500, [("SX-STATUS", "MUST")]),
        (529, 500, [("SX-STATUS", "SHOULD")]),
        (200, 500, [("SX-STATUS", "MUST")]),
    ],
)
def test_the_status(sent: int, got: int, expected: list[tuple[str, str]]) -> None:
    assert found(side(CHAT, Text("Yes."), status=sent), side(CHAT, Text("Yes."), status=got)) == expected


def test_an_error_in_the_stream_may_arrive_as_an_http_error() -> None:
    failed = Turn((), error=StreamError())
    assert found(side(RESPONSES, turn=failed), side(CHAT, status=503)) == []
    cut = Turn((Text("Yes"),), ending="eof")
    assert found(side(RESPONSES, turn=cut), side(CHAT, status=500)) == []


def test_an_http_error_may_not_arrive_as_a_stream_with_an_error() -> None:
    """Clients ask again by the status."""
    failed = Turn((), error=StreamError())
    assert found(side(RESPONSES, status=429), side(CHAT, turn=failed)) == [("SX-STATUS", "MUST")]


def test_a_stream_and_the_whole_answer_have_the_same_parts() -> None:
    whole = side(RESPONSES, SIGNED, Text("Yes."), call())
    assert compare_forms(whole, whole) == []
    (finding,) = compare_forms(side(RESPONSES, replace(SIGNED, signature=""), Text("Yes."), call()), whole)
    assert (finding.reference, finding.level, finding.rule) == ("SX-SAME", "MUST", "server/loss")
    assert (finding.expected, finding.got) == ("'thinking signed'", "not there")
    long = side(RESPONSES, Text("Yes. " * 50))
    (finding,) = compare_forms(side(RESPONSES, Text("Yes. " * 50 + "No.")), long)
    assert finding.got.startswith("'text: Yes.")


def test_a_document_has_an_object_where_the_stream_has_cut_arguments() -> None:
    """Some wires have no other way to say it; what a gateway makes up is another matter."""
    cut, empty, invented = (
        side(MESSAGES, turn=Turn((call(arguments=each),), FinishReason.MAX_TOKENS))
        for each in ('{"path": "a', "{}", '{"text": "a"}')
    )
    assert compare_forms(cut, empty) == []
    assert [each.reference for each in compare_forms(cut, invented)] == ["SX-SAME"]
    assert not same_forms(cut, empty)
    chat = [replace(each, wire=CHAT) for each in (cut, empty)]
    assert [each.reference for each in compare_forms(*chat)] == ["SX-SAME"]


def test_thoughts_that_one_form_joins_with_a_space_are_the_same() -> None:
    apart, joined = (side(CHAT, ThinkingPart(f"I look.{between}At Oslo."), Text("Yes.")) for between in ("", " "))
    assert compare_forms(apart, joined) == []
    assert same_forms(apart, joined)


# --- what comes back ------------------------------------------------------------------------------------------

USER = Message("user", (Text("Go on."),), "")


def returned(sent: Turn, *parts: Part) -> list[str]:
    asked = Conversation(MESSAGES, "m", True, (USER,))
    following = replace(asked, messages=(USER, Message("assistant", parts, "")))
    reply = Reply(MESSAGES, "", "", (), sent)
    return [finding.reference for finding in compare_returned(reply, asked, following)]


def test_parts_that_come_back_in_another_order() -> None:
    sent = Turn((Text("I look."), call()), FinishReason.TOOL_CALLS)
    assert returned(sent, Text("I look."), call()) == []
    assert returned(sent, call(), Text("I look.")) == ["SX-ORDER"]


def test_calls_that_come_back_as_text() -> None:
    sent = Turn((Text("I look."), call()), FinishReason.TOOL_CALLS)
    assert returned(sent, Text('I look.\n\nTool call: read_file({"path": "a"})')) == ["SX-HISTORY"]
    both = Turn((call(), call("write_file", "{}", "call_2")), FinishReason.TOOL_CALLS)
    assert returned(both, call()) == ["SX-HISTORY"]
    assert returned(both, call(), call("write_file", "{}", "call_2")) == []


def test_a_request_of_the_gateways_own_says_nothing_about_the_history() -> None:
    asked = Conversation(MESSAGES, "m", True, (USER,))
    reply = Reply(MESSAGES, "", "", (), Turn((call(),), FinishReason.TOOL_CALLS))
    assert compare_returned(reply, asked, asked) == []


def test_cut_arguments_that_come_back_as_an_object() -> None:
    sent = Turn((call(arguments='{"path": "a'),), FinishReason.MAX_TOKENS)
    assert returned(sent, call(arguments="{}")) == ["SX-CUT"]
    assert returned(sent) == []
