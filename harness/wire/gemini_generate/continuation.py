"""The continuation rules of Gemini, one function each, in the order in which the API complains.

Rule ids are those of the wire document (section 5). Model contents that follow each other are merged before
anything is counted; answers are looked for only in the one content that follows, because split answers are
refused (GEM-06). What the endpoint issued itself is judged against that; any other history only by its own shape.

Rules at level I have no known answer of Google's: their messages are the harness's own words. Google accepts an
edited call with 200 (GEM-15), so a loop that edits is told, but not with certainty that it fails.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from harness.wire.base import Conversation, Json, Sent, Violation
from harness.wire.gemini_generate.issued import Issued, IssuedCall, call_of, issued, same_json, signature_of
from harness.wire.gemini_generate.parts import Content, contents, json_text, signature_bytes

__all__ = ["violations"]

Found = Iterator[Violation]

_BYPASS = {b"skip_thought_signature_validator", b"context_engineering_is_the_way_to_go"}
"""Signatures that Google documents as accepted for calls that it did not make (GEM-10)."""

_ROLES = {"user", "model", "function"}

_CALL_TURN = (
    "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
)
_RESPONSE_TURN = "Please ensure that function response turn comes immediately after a function call turn."
_RESPONSE_COUNT = (
    "Please ensure that the number of function response parts is equal to the number of function call parts of the "
    "function call turn."
)
_MODEL_LAST = "Requests ending with a model turn are not supported."
_UNSIGNED = (
    "Function call is missing a thought_signature in functionCall parts. This is required for tools to work "
    "correctly, and missing thought_signature may lead to degraded model performance. Additional data, function "
    "call `default_api:{name}` , position {position}. Please refer to "
    "https://ai.google.dev/gemini-api/docs/thought-signatures for more details."
)
_ROLE = "Please use a valid role: user, model."
_ROLE_3 = (
    "Role '{role}' is not supported. Please use a valid role: SYSTEM, SYSTEM_1, USER, ASSISTANT, DEVELOPER, CONTEXT, "
    "USER_CONTEXT, MODEL, USER."
)


@dataclass(frozen=True)
class _Request:
    """A request taken apart for the rules."""

    model: str
    contents: tuple[Content, ...]
    issued: Issued

    @cached_property
    def turns(self) -> tuple[tuple[Content, ...], ...]:
        """The contents with neighbouring model contents put together."""
        turns: list[tuple[Content, ...]] = []
        for content in self.contents:
            if turns and content.role == "model" == turns[-1][-1].role:
                turns[-1] = (*turns[-1], content)
            else:
                turns.append((content,))
        return tuple(turns)

    @cached_property
    def answered(self) -> tuple[tuple[tuple[Content, ...], tuple[Content, ...]], ...]:
        """Every model turn that calls, with the content that follows it (empty at the end)."""
        pairs = pairwise((*self.turns, ()))
        return tuple((turn, after) for turn, after in pairs if _calls(turn))

    @cached_property
    def version(self) -> tuple[int, int]:
        """(3, 6) for gemini-3.6-flash; (0, 0) for a name without a version."""
        found = re.search(r"gemini-(\d+)(?:\.(\d+))?", self.model)
        return (int(found[1]), int(found[2] or 0)) if found else (0, 0)

    @property
    def checks_signatures(self) -> bool:
        """Gemini 3 and later, except its image models (GEM-08, GEM-16)."""
        return self.version >= (3, 0) and "image" not in self.model

    @property
    def refuses_prefill(self) -> bool:
        """3.6 and later, and 3.5-flash-lite (GEM-22)."""
        return self.version >= (3, 6) or "gemini-3.5-flash-lite" in self.model


def violations(conversation: Conversation, sent: Sent) -> list[Violation]:
    """Every rule that the request breaks, in the order in which the API would complain."""
    request = _Request(conversation.model, contents(conversation.body), issued(sent))
    return [violation for rule in _RULES for violation in rule(request)]


# --- shape -------------------------------------------------------------------------------------------------


def _structs(request: _Request) -> Found:
    """GEM-14: arguments and responses are objects."""
    for at, part in _parts(request.contents):
        for key, member, path in (
            ("functionCall", "args", "function_call.args"),
            ("functionResponse", "response", "function_response.response"),
        ):
            value = (part.get(key) or {}).get(member) if isinstance(part.get(key), dict) else None
            if value is not None and not isinstance(value, dict):
                shown = json_text(value)
                message = f"Invalid value at '{at}.{path}' (type.googleapis.com/google.protobuf.Struct), {shown}"
                yield Violation("GEM-14", message, at, f"{member}: a JSON object", shown, level="L")


def _base64(request: _Request) -> Found:
    """GEM-09, the form: a signature is base64."""
    for at, part in _parts(request.contents):
        signature = part.get("thoughtSignature")
        if isinstance(signature, str) and signature_bytes(signature) is None:
            message = (
                f"Invalid value at '{at}.thought_signature' (TYPE_BYTES), Base64 decoding failed for \"{signature}\""
            )
            yield Violation("GEM-09", message, at, "base64", signature, level="L")


def _given(request: _Request) -> Found:
    """GEM-01: there are contents."""
    if not request.contents:
        message = "* GenerateContentRequest.contents: contents is not specified\n"
        yield Violation("GEM-01", message, "contents", "at least one content", "none")


def _filled(request: _Request) -> Found:
    """GEM-02: every content has parts."""
    for content in request.contents:
        if not content.parts:
            at = f"contents[{content.at}]"
            message = f"* GenerateContentRequest.{at}.parts: contents.parts must not be empty.\n"
            yield Violation("GEM-02", message, at, "at least one part", "no parts")


def _named(request: _Request) -> Found:
    """GEM-11: calls and responses have a name."""
    for at, part in _parts(request.contents):
        for key, path in (("functionCall", "function_call"), ("functionResponse", "function_response")):
            if isinstance(part.get(key), dict) and not part[key].get("name"):
                message = f"* GenerateContentRequest.{at}.{path}.name: Name cannot be empty.\n"
                yield Violation("GEM-11", message, at, "the function's name", "no name")


def _roles(request: _Request) -> Found:
    """GEM-03: roles are user and model; function is tolerated."""
    for content in request.contents:
        if content.role not in _ROLES:
            message = _ROLE_3.format(role=content.role) if request.version >= (3, 0) else _ROLE
            yield Violation("GEM-03", message, f"contents[{content.at}]", "user or model", content.role)


# --- order and pairing -------------------------------------------------------------------------------------


def _calls_follow_someone(request: _Request) -> Found:
    """GEM-04: a turn that calls comes after a user or a function response turn, so it is never the first."""
    if request.turns and _calls(request.turns[0]):
        at = f"contents[{request.contents[0].at}]"
        yield Violation("GEM-04", _CALL_TURN, at, "a user turn first", "a function call turn first")


def _responses_follow_calls(request: _Request) -> Found:
    """GEM-05: responses come right after the turn that called. Answers that are split are GEM-06's."""
    before: tuple[Content, ...] = ()
    answering = False
    for turn in request.turns:
        responses = _responses(turn)
        answering = bool(responses) and turn[0].role != "model" and (bool(_calls(before)) or answering)
        if responses and turn[0].role != "model" and not answering:
            got = "a turn without function calls" if before else "nothing"
            yield Violation("GEM-05", _RESPONSE_TURN, f"contents[{turn[0].at}]", "a function call turn before it", got)
        before = turn


def _each_call_is_answered(request: _Request) -> Found:
    """GEM-06: as many responses in the next content as calls in the turn. GEM-07: none at all."""
    for turn, after in request.answered:
        calls, responses = _calls(turn), _responses(after)
        if not after or len(calls) == len(responses):
            continue
        names = ", ".join(str(call_of(part).get("name")) for _, part in calls)
        got = f"{len(responses)} responses in contents[{after[0].at}]"
        expected = f"{len(calls)} responses ({names}) in contents[{after[0].at}]"
        at = f"contents[{turn[0].at}]"
        if responses:
            yield Violation("GEM-06", _RESPONSE_COUNT, at, expected, got)
        else:
            yield Violation("GEM-07", _RESPONSE_COUNT, at, expected, got, level="L")


def _ends_with_user(request: _Request) -> Found:
    """GEM-22: new models take no prefill."""
    if request.refuses_prefill and request.contents and request.contents[-1].role == "model":
        at = f"contents[{request.contents[-1].at}]"
        yield Violation("GEM-22", _MODEL_LAST, at, "a user turn at the end", "a model turn at the end")


def _nothing_after_responses(request: _Request) -> Found:
    """GEM-23: a content with responses holds nothing after them. Certain on Vertex AI, reports differ elsewhere."""
    if not request.refuses_prefill:
        return
    for content in request.contents:
        last = max((at for at, part in enumerate(content.parts) if "functionResponse" in part), default=None)
        if last is not None and last < len(content.parts) - 1:
            at = f"contents[{content.at}].parts[{last + 1}]"
            got = f"{_kind(content.parts[last + 1])} after a functionResponse"
            yield Violation("GEM-23", _MODEL_LAST, at, "its own user content after the responses", got, level="L")


# --- signatures --------------------------------------------------------------------------------------------


def _calls_are_signed(request: _Request) -> Found:
    """GEM-08: in the current turn the first call of each step carries its thought signature."""
    if not request.checks_signatures:
        return
    starts = [turn[0].at for turn in request.turns if turn[0].role != "model" and not _responses(turn)]
    current = starts[-1] if starts else -1
    for turn, _ in request.answered:
        (content, index), part = _calls(turn)[0]
        if content.at < current or part.get("thoughtSignature"):
            continue
        message = _UNSIGNED.format(name=call_of(part).get("name"), position=content.at + 1)
        expected = _shown(next((call.signature for call in request.issued.find(part)), None), "a thoughtSignature")
        yield Violation("GEM-08", message, _at(content, index), expected, "no thoughtSignature")


def _signatures_are_issued(request: _Request) -> Found:
    """GEM-09: a part that the endpoint issued comes back with its own signature, not with a forged or altered one."""
    for turn in request.turns:
        ours = turn[0].role == "model" and _is_issued(turn, request.issued)
        for content in turn if ours else ():
            for index, part in enumerate(content.parts):
                signature = signature_of(part)
                if signature is None or signature in _BYPASS or signature in request.issued.by_signature:
                    continue
                if "functionCall" in part and not request.issued.find(part):
                    continue
                level: Any = "C" if "functionCall" in part else "L"
                expected = _expected(request.issued.find(part))
                got = _shown(signature, "")
                yield Violation(
                    "GEM-09", "Corrupted thought signature.", _at(content, index), expected, got, level=level
                )


def _no_bypass(request: _Request) -> Found:
    """GEM-10: a call that the endpoint signed does not come back with a bypass value. Google accepts those."""
    for turn, _ in request.answered:
        for (content, index), part in _calls(turn):
            signature = signature_of(part)
            signed = [call for call in request.issued.find(part) if call.signature]
            if signature in _BYPASS and signed:
                message = "The thought signature was replaced by a value that skips its validation."
                got = repr((signature or b"").decode())
                yield Violation("GEM-10", message, _at(content, index), _expected(signed), got, level="I")


# --- what Google lets pass, but a careful loop does not do -------------------------------------------------


def _names_match(request: _Request) -> Found:
    """GEM-12: responses are named for the calls, in their order or another."""
    for turn, after in request.answered:
        calls, responses = _calls(turn), _responses(after)
        if len(calls) != len(responses):
            continue
        wanted = [str(call_of(part).get("name")) for _, part in calls]
        unmatched = list(wanted)
        for (content, index), part in responses:
            name = str(part["functionResponse"].get("name"))
            if name in unmatched:
                unmatched.remove(name)
            elif name != "None" and name:
                message = f'The function response "{name}" does not name a function that was called.'
                yield Violation("GEM-12", message, _at(content, index), ", ".join(wanted), name, level="I")


def _ids_match(request: _Request) -> Found:
    """GEM-13: responses carry the ids of the calls, and none where the calls have none."""
    for turn, after in request.answered:
        calls, responses = _calls(turn), _responses(after)
        if len(calls) != len(responses):
            continue
        unmatched = [str(call_of(part).get("id") or "") for _, part in calls]
        wanted = ", ".join(call_id or "no id" for call_id in unmatched)
        for (content, index), part in responses:
            response_id = str(part["functionResponse"].get("id") or "")
            if response_id in unmatched:
                unmatched.remove(response_id)
                continue
            message = f'The function response id "{response_id}" does not match the id of a function call.'
            yield Violation("GEM-13", message, _at(content, index), wanted, response_id or "no id", level="I")


def _calls_are_as_issued(request: _Request) -> Found:
    """GEM-15: calls come back on their own part, as the model made them."""
    for turn, _ in request.answered:
        for (content, index), part in _calls(turn):
            made = _origin(part, request.issued)
            if made is None:
                continue
            call = call_of(part)
            got = f"{call.get('name')}({same_json(call.get('args') or {})})"
            expected = f"{made.name}({made.arguments})"
            if got != expected:
                message = f"The function call `{call.get('name')}` is not as the model made it."
                yield Violation("GEM-15", message, _at(content, index), expected, got, level="I")
            elif made.id and call.get("id") != made.id:
                message = f"The id of the function call `{made.name}` is not the one that the model gave it."
                yield Violation(
                    "GEM-13", message, _at(content, index), made.id, str(call.get("id") or "no id"), level="I"
                )


def _signatures_stay(request: _Request) -> Found:
    """GEM-15: a signature that the endpoint issued is on the part that it was issued with."""
    for turn in request.turns:
        for content in turn if turn[0].role == "model" else ():
            for index, part in enumerate(content.parts):
                signature = signature_of(part)
                if signature is None or signature not in request.issued.by_signature:
                    continue
                made = request.issued.by_signature[signature]
                known = request.issued.find(part) if "functionCall" in part else []
                stays = made in known if made and known else (made is None) == ("functionCall" not in part)
                if not stays:
                    owner = f"the call {made.name}" if made else "a text part"
                    message = "The thought signature was moved to another part."
                    yield Violation(
                        "GEM-15", message, _at(content, index), f"on {owner}", f"on {_kind(part)}", level="I"
                    )


_RULES: tuple[Callable[[_Request], Found], ...] = (
    _structs,
    _base64,
    _given,
    _filled,
    _named,
    _roles,
    _calls_follow_someone,
    _responses_follow_calls,
    _each_call_is_answered,
    _ends_with_user,
    _nothing_after_responses,
    _calls_are_signed,
    _signatures_are_issued,
    _no_bypass,
    _names_match,
    _ids_match,
    _calls_are_as_issued,
    _signatures_stay,
)


# --- reading -----------------------------------------------------------------------------------------------

_Placed = tuple[tuple[Content, int], Json]


def _parts(entries: tuple[Content, ...]) -> Iterator[tuple[str, Json]]:
    return ((_at(content, index), part) for content in entries for index, part in enumerate(content.parts))


def _calls(turn: tuple[Content, ...]) -> list[_Placed]:
    """The calls of a model turn with their places; none of a turn of anyone else."""
    return _having("functionCall", turn) if turn and turn[0].role == "model" else []


def _responses(turn: tuple[Content, ...]) -> list[_Placed]:
    return _having("functionResponse", turn)


def _having(key: str, turn: tuple[Content, ...]) -> list[_Placed]:
    return [
        ((content, index), part)
        for content in turn
        for index, part in enumerate(content.parts)
        if isinstance(part.get(key), dict)
    ]


def _at(content: Content, index: int) -> str:
    return f"contents[{content.at}].parts[{index}]"


def _kind(part: Json) -> str:
    return next((key for key in part if key not in ("thought", "thoughtSignature")), "an empty part")


def _is_issued(turn: tuple[Content, ...], known: Issued) -> bool:
    """The endpoint made this turn: one of its calls or signatures, or its whole text, is known."""
    parts = [part for content in turn for part in content.parts]
    if any("functionCall" in part and known.find(part) for part in parts):
        return True
    if any(signature_of(part) in known.by_signature for part in parts):
        return True
    text = "".join(str(part.get("text") or "") for part in parts if not part.get("thought"))
    return bool(text) and text in known.texts


def _origin(part: Json, known: Issued) -> IssuedCall | None:
    """The issued call that this part is meant to be: by its id, else by its signature."""
    call = call_of(part)
    same = known.by_id.get(call.get("id") or "", [])
    if same:
        exact = (call.get("name") or "", same_json(call.get("args") or {}))
        return next((made for made in same if (made.name, made.arguments) == exact), same[0])
    signature = signature_of(part)
    return known.by_signature.get(signature) if signature is not None else None


def _expected(calls: list[IssuedCall]) -> str:
    return _shown(next((call.signature for call in calls if call.signature), None), "no thoughtSignature")


def _shown(signature: bytes | None, otherwise: str) -> str:
    return otherwise if signature is None else base64.b64encode(signature).decode("ascii")
