"""Rules about reasoning: it goes back untouched, together with the item that it produced.

For items that the endpoint issued in this case, recognised by id, it is known which reasoning belongs to which item.
For other reasoning, the body shows only whether something of the model's follows it. An item without id has no known
link, and the provider accepts it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from harness.finding import Finding
from harness.wire.base import Json
from harness.wire.lenient import string
from harness.wire.openai_models import KNOWN, OPENAI_MODELS
from harness.wire.openai_responses.items import kind_of, parts_of
from harness.wire.openai_responses.rules.asked import Asked, HistoryItem
from harness.wire.openai_responses.rules.book import RULES
from harness.wire.openai_responses.rules.issued import (
    issued_items,
    issued_tokens,
    leading_reasoning,
    produced_items,
    unstored_items,
)
from harness.wire.openai_responses.rules.kinds import OUTPUT_KINDS
from harness.wire.openai_responses.rules.places import (
    CALLS,
    GO_ON,
    OTHER_TEXT,
    answered_calls,
    drop_ids,
    exchange,
    function_call,
    is_by,
    items,
    leave_out,
    messages,
    of_kind,
    place_of,
    reasoning_with_item,
    result_of,
    say,
    stores_nothing,
    with_id,
)
from harness.wire.openai_responses.rules.words import brief
from harness.wire.posted import Posted, Right, Wrong, drop, put
from harness.wire.rule import Certainty, ErrorTemplate, WireRule
from harness.wire.turn import Text

_ALPHABET: Final = str.maketrans("+/", "-_")


def _rename_the_call(posted: Posted) -> bool:
    for _, item in reasoning_with_item(posted):
        if kind_of(item) in CALLS and item.get("id"):
            return put([item], id=f"{item['id'].partition('_')[0]}_{item['call_id']}")
    return False


def _answer(posted: Posted) -> list[Json]:
    """The first answer that reasoning led to, both with their ids."""
    pairs = reasoning_with_item(posted)
    return [item for thought, item in pairs if thought.get("id") and item.get("id") and is_by(item, "assistant")][:1]


def _answer_with_a_call(posted: Posted, answer: Json) -> bool:
    return exchange(posted, answer, function_call(answer["id"]), result_of(answer["id"]))


def _answer_anew(posted: Posted, **members: Any) -> bool:
    """The answer says the same, without its id and as a plain text, and has other members."""
    for item in _answer(posted):
        text = "".join(part.get("text", "") for part in item["content"])
        return exchange(posted, item, {"role": "assistant", "content": text, **members})
    return False


def _name_calls_by_their_items(posted: Posted) -> bool:
    """Calls come back with their item ids as call ids, and without item ids."""
    pairs = [pair for pair in answered_calls(posted) if pair[0].get("id")]
    for pair in pairs:
        put(pair, call_id=pair[0].pop("id"))
    return bool(pairs)


OAI_14: Final = WireRule(
    "OAI-14",
    "Right behind a reasoning item comes the item that it produced in the same response: a call, known by its own id "
    "or its call_id, or the message with its own id.",
    "A loop that keeps reasoning and drops, moves or rewrites what followed it (compaction, edited answers) fails "
    "until the reasoning is gone, too.",
    "certain",
    (
        "recording test_openai_responses_thinking_with_modified_history (reasoning kept, the message rewritten "
        "without its id: refused)",
        "nothing of the model's behind it: https://github.com/continuedev/continue/issues/8933, "
        "https://github.com/openclaw/openclaw/issues/19582, "
        "https://github.com/openai/openai-agents-python/issues/1611",
        "a message without its id behind reasoning, accepted: recordings test_mcp_builtin_zdr, "
        "test_stream_encrypted_reasoning",
        "recordings in which a call comes back without its item id behind its reasoning: all accepted, one of them "
        "with that id in its call_id",
    ),
    (
        ErrorTemplate(
            "Item '{id}' of type 'reasoning' was provided without its required following item.",
            "input",
            seen="Item 'rs_68c42de022c881948db7ed1cc2529f2e0202c9ad459e0d23' of type 'reasoning' was provided "
            "without its required following item.",
            name="lost",
        ),
    ),
    applies="certain for reasoning that the endpoint issued in this case, and for any other of OpenAI's models that "
    "has its id, and that nothing of the model's follows; likely for a call that has its call_id and another id; "
    "inferred for reasoning without id, and for a message without its id that says the same, or that follows reasoning "
    "which was not issued here",
    about=("thinking", "words"),
    wrong=(
        Wrong(
            "responses-reasoning-parted",
            "A message is between reasoning and what it led to.",
            lambda it: [say(it, GO_ON, at=place_of(it, item)) for _, item in reasoning_with_item(it)[:1]],
            "one-call answered stored foreign-history",
        ),
        Wrong(
            "responses-call-renamed",
            "The call behind reasoning has another item id, and its call_id.",
            _rename_the_call,
            "one-call free-text-tool",
        ),
        Wrong(
            "responses-reasoning-last",
            "The history is cut behind a reasoning item.",
            lambda it: [leave_out(it, items(it)[place_of(it, item) :]) for _, item in reasoning_with_item(it)[-1:]],
            "one-call several-turns foreign-history",
        ),
        Wrong(
            "responses-answer-rewritten",
            "An answer is replaced by another, and its reasoning is kept.",
            lambda it: [exchange(it, answer, OTHER_TEXT) for answer in _answer(it)],
            "answered several-turns foreign-history",
        ),
        Wrong(
            "responses-answer-exchanged-for-a-call",
            "A call is in the place of the answer that reasoning led to.",
            lambda it: [_answer_with_a_call(it, answer) for answer in _answer(it)],
            "answered",
        ),
        Wrong("responses-answer-retold", "An answer is sent without its id, as plain text.", _answer_anew, "answered"),
        Wrong(
            "responses-answer-of-the-user",
            "The user says what the model has answered.",
            lambda it: _answer_anew(it, role="user"),
            "answered",
        ),
        Wrong(
            "responses-answer-of-another-type",
            "An answer is sent as an item of another type.",
            lambda it: _answer_anew(it, type="answer"),
            "answered",
        ),
    ),
    right=(
        Right(
            "responses-call-ids-only",
            "Calls come back without their item ids.",
            lambda it: drop(of_kind(it, *CALLS), "id"),
            "one-call several-turns",
        ),
        Right(
            "responses-reasoning-dropped",
            "Reasoning is left out, and with it all ids.",
            lambda it: leave_out(it, of_kind(it, "reasoning")) and drop_ids(it),
            "parallel-calls several-turns stored",
            also=("OAI-15",),
        ),
        Right(
            "responses-reasoning-ids-dropped",
            "Reasoning comes back without its id, in front of an item that has its own.",
            lambda it: drop(of_kind(it, "reasoning"), "id"),
            "one-call",
            also=("OAI-15",),
        ),
        Right(
            "responses-answer-edited",
            "The user edits an answer, which keeps its id.",
            lambda it: put(
                [each for each in messages(it, "assistant") if each.get("id")][:1],
                content=[{"type": "output_text", "text": "Edited by the user.", "annotations": []}],
            ),
            "answered several-turns",
            also=("OAI-28",),
        ),
        Right(
            "responses-item-ids-as-call-ids",
            "The item ids of calls are their call ids.",
            _name_calls_by_their_items,
            "one-call several-turns",
        ),
    ),
)


@RULES.check("reasoning", OAI_14)
def reasoning_keeps_its_item(asked: Asked) -> Iterator[Finding]:
    """OAI-14: right after a reasoning item comes the item that it produced.

    A call may come without its item id, then its ``call_id`` identifies it (recorded traffic: accepted). With another
    item id it is likely refused: nobody has recorded it. A message needs its id: one that was rewritten and sent
    without is refused (recorded traffic); one that says the same is inferred.
    """
    follower: HistoryItem | None = None
    found, issued, produced_by = [], issued_items(asked.state), produced_items(asked.state)
    for entry in reversed(asked.entries):
        if entry.kind != "reasoning":
            follower = entry
            continue
        produced = produced_by.get(entry.id, [None])[-1]
        if produced is not None:
            if follower is not None and _is_renamed(follower, produced):
                found.append(_rename_finding(entry, produced, follower))
            elif follower is None or not _is_item(follower, produced):
                found.append(_split_finding(asked, entry, produced, follower))
        elif entry.id not in issued and not _may_follow(entry, follower):
            found.append(_alone(asked, entry, follower))
    yield from reversed(found)


def _is_same(entry: HistoryItem, item: Json) -> bool:
    return entry.id == item.get("id")


def _is_item(entry: HistoryItem, produced: Json) -> bool:
    """A call may come without its item id under its call_id, or under its item id as call_id (both were accepted)."""
    return _is_same(entry, produced) or (entry.item.get("id") is None and _is_call(entry, produced))


def _is_renamed(entry: HistoryItem, produced: Json) -> bool:
    """Whether it is the call, under another item id."""
    return bool(entry.id) and not _is_same(entry, produced) and _is_call(entry, produced)


def _is_call(entry: HistoryItem, produced: Json) -> bool:
    """Whether it is the call, or its output, by the call_id."""
    call_id = entry.item.get("call_id")
    named = (produced.get("call_id"), produced.get("id"))
    return bool(call_id) and entry.kind == produced.get("type") and "call_id" in produced and call_id in named


def _may_follow(reasoning: HistoryItem, entry: HistoryItem | None) -> bool:
    """Whether an item can follow reasoning that was not issued here: all 102 recorded ones have such an item."""
    if not _is_the_models(entry):
        return False
    return entry is None or entry.kind != "message" or bool(entry.id or not reasoning.id)


def _is_the_models(entry: HistoryItem | None) -> bool:
    if entry is None or entry.kind in OUTPUT_KINDS:
        return False
    return entry.kind != "message" or entry.item.get("role") == "assistant"


def _says_what(entry: HistoryItem, produced: Json) -> bool:
    """Whether an assistant message has the text of the one that was produced."""
    if entry.kind != "message" or entry.item.get("role") != "assistant":
        return False
    content = entry.item.get("content")
    parts = (Text(content),) if isinstance(content, str) else parts_of(entry.item)
    return parts == parts_of(produced)


def _rename_finding(entry: HistoryItem, produced: Json, follower: HistoryItem) -> Finding:
    expected, got = f"{produced['type']} {produced['id']}, as it came behind reasoning {entry.id}", follower.id
    return OAI_14.broken(follower.at, expected=expected, got=got, certainty="likely", id=entry.id)


def _split_finding(asked: Asked, entry: HistoryItem, produced: Json, follower: HistoryItem | None) -> Finding:
    certainty: Certainty | None = "inferred" if follower and _says_what(follower, produced) else None
    named = (_is_item, _is_renamed)
    moved = next((other for other in asked.entries if any(is_it(other, produced) for is_it in named)), None)
    fate = f"it is at {moved.at}" if moved else "it is left out, or altered"
    return OAI_14.broken(
        entry.at,
        expected=f"{produced['type']} {produced['id']} right after it",
        got=f"{follower.name if follower else 'nothing'}; {fate}",
        certainty=certainty,
        id=entry.id,
    )


def _alone(asked: Asked, entry: HistoryItem, follower: HistoryItem | None) -> Finding:
    """Reasoning that nobody here issued. Without an id the provider cannot know which response it belongs to.

    A message without its id was accepted after it three times, and refused once, when it had been rewritten.
    """
    is_known = entry.id and OPENAI_MODELS.holds(KNOWN, asked.model)
    return OAI_14.broken(
        entry.at,
        expected="a call, or a message of the assistant with its id, right after it",
        got=follower.name if follower else "nothing",
        certainty=None if is_known and not _is_the_models(follower) else "inferred",
        id=entry.id or None,
    )


def _forge_under_no_id(posted: Posted) -> bool:
    for thought in _linked_reasoning(posted):
        if thought.pop("id", None) and thought.get("encrypted_content"):
            return put([thought], encrypted_content="gAAAAABmade_up_reasoning==")
    return False


def _linked_reasoning(posted: Posted) -> list[Json]:
    """The reasoning items that are followed by their item with its id."""
    return [thought for thought, item in reasoning_with_item(posted) if item.get("id")]


def _gather_reasoning_in_front(posted: Posted) -> bool:
    thoughts = [thought for thought in _linked_reasoning(posted) if place_of(posted, thought)]
    return leave_out(posted, thoughts) and say(posted, *thoughts, GO_ON, at=0)


OAI_15: Final = WireRule(
    "OAI-15",
    "Before an item that reasoning produced comes that reasoning, if the item is sent with its id. Without its id it "
    "has no known link, and the reasoning may be left out.",
    "A loop that filters reasoning out of its history, or sorts it elsewhere, fails at the first call after thinking.",
    "certain",
    (
        "https://github.com/cline/cline/issues/12242",
        "https://github.com/continuedev/continue/issues/12620",
        "https://github.com/mastra-ai/mastra/issues/8738",
    ),
    (
        ErrorTemplate(
            "Item '{id}' of type '{kind}' was provided without its required 'reasoning' item: '{reasoning}'.",
            "input",
            seen="Item 'fc_0a038568becf80fb0068e9630e5fd081978df905e0edaed49a' of type 'function_call' was "
            "provided without its required 'reasoning' item: "
            "'rs_0a038568becf80fb0068e9630ad5248197a0938f405d5fad2e'.",
            name="lost",
        ),
    ),
    applies="items that the endpoint issued in this case",
    about=("thinking",),
    wrong=(
        Wrong(
            "responses-reasoning-forged-without-id",
            "Reasoning has no id, and content that was never issued.",
            _forge_under_no_id,
            "one-call",
            also=("OAI-17",),
        ),
        Wrong(
            "responses-reasoning-forgotten",
            "Reasoning is left out, what it led to is sent with its id.",
            lambda it: leave_out(it, _linked_reasoning(it)),
            "one-call answered stored free-text-tool",
        ),
        Wrong(
            "responses-reasoning-gathered",
            "All reasoning is moved to the front.",
            _gather_reasoning_in_front,
            "several-turns one-call chosen-tool",
            also=("OAI-14",),
        ),
    ),
)


@RULES.check("reasoning", OAI_15)
def items_keep_their_reasoning(asked: Asked) -> Iterator[Finding]:
    """OAI-15: before an item that reasoning produced comes that reasoning, by id or by its encrypted content."""
    before: list[HistoryItem] = []
    led_by = leading_reasoning(asked.state)
    for entry in asked.entries:
        if entry.kind == "reasoning":
            before.append(entry)
            continue
        for reasoning in led_by.get(entry.id, ((),))[-1]:
            if not any(_is_same(other, reasoning) or _says_same(other, reasoning) for other in before):
                yield _without_reasoning(asked, entry, reasoning, before)
        before = []


def _says_same(entry: HistoryItem, reasoning: Json) -> bool:
    token = reasoning.get("encrypted_content")
    return bool(token) and "id" not in entry.item and entry.item.get("encrypted_content") == token


def _without_reasoning(asked: Asked, entry: HistoryItem, reasoning: Json, before: list[HistoryItem]) -> Finding:
    moved = next((other for other in asked.entries if _is_same(other, reasoning)), None)
    fate = f"it is at {moved.at}" if moved else "it is left out"
    return OAI_15.broken(
        entry.at,
        expected=f"reasoning {reasoning['id']} right before it",
        got=f"{', '.join(other.name for other in before) or 'no reasoning before it'}; {fate}",
        id=entry.id,
        kind=entry.kind,
        reasoning=reasoning["id"],
    )


OAI_16: Final = WireRule(
    "OAI-16",
    "What was not stored is sent back in full: with store false a reasoning item has its encrypted_content, and no "
    "item_reference names an item.",
    "A loop that asks for store false without reasoning.encrypted_content, or an account that stores nothing, works "
    "until the first reasoning comes back. The answer is 404, which many loops take for a wrong URL.",
    "certain",
    (
        "https://github.com/router-for-me/CLIProxyAPI/issues/2381",
        "https://github.com/vercel/ai/issues/7543",
        "https://github.com/can1357/oh-my-pi/issues/41",
        "open servers send reasoning as text in content; with that an item is not bare (recorded with llama.cpp)",
    ),
    (
        ErrorTemplate(
            "Item with id '{id}' not found. Items are not persisted when `store` is set to false. Try again with "
            "`store` set to true, or remove this item from your input.",
            "input",
            status=404,
            seen="Item with id 'rs_…' not found. Items are not persisted when `store` is set to false. Try again "
            "with `store` set to true, or remove this item from your input.",
            name="not stored",
        ),
    ),
    applies="items that were asked for with store false; items of others where this request stores nothing",
    about=("thinking",),
    wrong=(
        Wrong(
            "responses-encrypted-content-forgotten",
            "Reasoning that is not stored goes back without its content.",
            lambda it: stores_nothing(it) and drop(with_id(it, "reasoning")[-1:], "encrypted_content"),
            "one-call several-turns foreign-history",
        ),
        Wrong(
            "responses-reference-not-stored",
            "An item that is not stored is only named.",
            lambda it: (
                stores_nothing(it)
                and [
                    exchange(it, item, {"type": "item_reference", "id": item["id"]})
                    for item in with_id(it, *CALLS, "message")[:1]
                ]
            ),
            "one-call answered free-text-tool",
        ),
    ),
    right=(
        Right(
            "responses-content-stored",
            "Reasoning that is stored comes back without its content.",
            lambda it: not stores_nothing(it) and drop(of_kind(it, "reasoning"), "encrypted_content"),
            "stored",
        ),
        Right(
            "responses-content-stored-before",
            "Reasoning that is stored comes back without its content, and the request itself is not stored.",
            lambda it: (
                not stores_nothing(it)
                and drop(of_kind(it, "reasoning"), "encrypted_content")
                and put([it.body], store=False)
            ),
            "stored",
            remembered=True,
        ),
    ),
)


@RULES.check("reasoning", OAI_16)
def reasoning_can_be_found(asked: Asked) -> Iterator[Finding]:
    """OAI-16: what was not stored can be sent back only in full. Answered with 404.

    Other makers' servers on this wire send reasoning without ``encrypted_content``, and no refusal by them is known
    (recorded with xAI, with the default of ``store``): the rule is certain for OpenAI only.
    """
    for entry in asked.entries:
        item_id = string(entry.raw.get("id"))
        bare = _is_bare(entry.raw)
        if not item_id or not (bare or entry.raw.get("type") == "item_reference") or _is_stored(asked, item_id):
            continue
        yield OAI_16.broken(
            entry.at,
            expected="encrypted_content" if bare else "the id of an item that was stored",
            got=f"{entry.raw['type']} {item_id}, which is not stored",
            certainty="likely" if bare and not OPENAI_MODELS.holds(KNOWN, asked.model) else None,
            id=item_id,
        )


def _is_bare(item: Json) -> bool:
    """Whether it is reasoning with only an id; servers of other models send its text in ``content``."""
    return item.get("type") == "reasoning" and not item.get("encrypted_content") and not item.get("content")


def _is_stored(asked: Asked, item_id: str) -> bool:
    """Whether the provider can look the item up; a foreign item can be anywhere, unless this request stores nothing."""
    if item_id in issued_items(asked.state):
        return item_id not in unstored_items(asked.state)
    return asked.body.get("store") is not False


def _cut_the_content(posted: Posted) -> bool:
    for thought in of_kind(posted, "reasoning"):
        if len(token := thought.get("encrypted_content") or "") > 4:
            return put([thought], encrypted_content=f"{token[: len(token) // 2]}==")
    return False


def _swap_contents(posted: Posted) -> bool:
    thoughts = with_id(posted, "reasoning")
    tokens = [thought.get("encrypted_content") for thought in thoughts]
    if len(set(tokens)) < 2 or None in tokens:
        return False
    for thought, token in zip(thoughts, [*tokens[1:], tokens[0]], strict=True):
        put([thought], encrypted_content=token)
    return True


OAI_17: Final = WireRule(
    "OAI-17",
    "encrypted_content comes back byte for byte, on the item that it was issued for.",
    "A loop that cuts long strings, keeps the unfinished text of response.output_item.added, or brings reasoning from "
    "another organisation, cannot send its history any more.",
    "certain",
    (
        "https://github.com/openai/codex/issues/8145",
        "https://github.com/Wei-Shaw/sub2api/issues/2863",
        "https://github.com/smallmain/vscode-unify-chat-provider/issues/178 (the newer wording)",
        "openai.types.responses.ResponseReasoningItem.encrypted_content: the text of output_item.added may be "
        "incomplete",
    ),
    (
        ErrorTemplate(
            "The encrypted content for item {id} could not be verified. Reason: Encrypted content could not be "
            "decrypted or parsed.",
            None,
            "invalid_encrypted_content",
            seen="The encrypted content for item rs_… could not be verified. Reason: Encrypted content could not "
            "be decrypted or parsed.",
            name="item",
        ),
        ErrorTemplate(
            "The encrypted content {first}...{last} could not be verified.",
            None,
            "invalid_encrypted_content",
            seen="The encrypted content gAAA...DQ== could not be verified.",
            name="content",
        ),
    ),
    applies="reasoning in a case that the endpoint has issued some of, and compacted histories; the same bytes in "
    "another spelling of base64 are inferred. Whose account it is no request shows: what comes back as it was issued "
    "breaks nothing, though a gateway that changes accounts, or an incident of the provider, is answered so, too",
    about=("thinking",),
    wrong=(
        Wrong(
            "responses-encrypted-content-cut",
            "Long strings are cut, encrypted content as well.",
            _cut_the_content,
            "one-call stored",
        ),
        Wrong(
            "responses-encrypted-contents-swapped",
            "Two reasoning items have each other's content.",
            _swap_contents,
            "several-turns stored",
        ),
        Wrong(
            "responses-reasoning-made-up",
            "Reasoning of another organisation is put before the history.",
            lambda it: say(
                it,
                {"type": "reasoning", "summary": [], "encrypted_content": "gAAAAABmade_up_reasoning=="},
                OTHER_TEXT,
                at=0,
            ),
            "one-call named-history",
            says="content",
        ),
    ),
)


@RULES.check("reasoning", OAI_17)
def encrypted_content_is_untouched(asked: Asked) -> Iterator[Finding]:
    """OAI-17: each ``encrypted_content`` is one that was issued, on the item that it was issued for.

    The one of ``output_item.added`` is no substitute: it may be incomplete
    (``openai.types.responses.ResponseReasoningItem.encrypted_content``).
    """
    items = issued_items(asked.state)
    for entry in asked.entries:
        token = entry.item.get("encrypted_content")
        if entry.kind not in ("reasoning", "compaction") or not isinstance(token, str) or not token:
            continue
        issued = items.get(entry.id, [{}])[-1].get("encrypted_content") or _issued_compaction(asked, entry)
        if token == issued or (issued is None and _may_be_from_elsewhere(asked, entry, token)):
            continue
        yield _not_verified(asked, entry, token, issued)


def _issued_compaction(asked: Asked, entry: HistoryItem) -> str | None:
    """The content that was issued for a compacted history with this id."""
    return (asked.state.compactions or {}).get(entry.id) if entry.kind == "compaction" else None


def _may_be_from_elsewhere(asked: Asked, entry: HistoryItem, token: str) -> bool:
    """Whether content that was issued for no item with its id may be right: from before the case, or without an id."""
    if not asked.state.turns or token in issued_tokens(asked.state):
        return True
    if entry.kind == "reasoning":
        return False
    compactions = asked.state.compactions
    return compactions is None or (not entry.id and token in compactions.values())


def _not_verified(asked: Asked, entry: HistoryItem, token: str, issued: str | None) -> Finding:
    owner = issued_tokens(asked.state).get(token, [None])[0]
    fate = f"that of {owner}" if owner else "altered" if issued else "not issued here"
    return OAI_17.broken(
        entry.at,
        expected=brief(issued) if issued else "encrypted_content that was issued in this conversation",
        got=f"{brief(token)}: {fate}",
        template="item" if entry.id else "content",
        certainty="inferred" if issued and _one_spelling(token) == _one_spelling(issued) else None,
        id=entry.id,
        first=token[:4],
        last=token[-4:],
    )


def _one_spelling(token: str) -> str:
    """base64 in one spelling: both alphabets, with or without padding, mean the same."""
    return token.rstrip("=").translate(_ALPHABET)
