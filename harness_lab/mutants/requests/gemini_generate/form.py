"""Bodies that protobuf's JSON reader does not take: GEM-BODY, FIELD, TYPE and PART."""

from __future__ import annotations

import json
from typing import Any, Final

from harness.wire.base import Json
from harness.wire.posted import Edit, Posted
from harness_lab.mutants.requests.gemini_generate.base_requests import FOREIGN, OLD, ONE_CALL, STEPS, TEXTS, TWO_CALLS
from harness_lab.mutants.requests.gemini_generate.finding import contents, generation, member, parts, replace, texts_in
from harness_lab.mutants.requests.mutant import RequestMutant


def cut_the_body(posted: Posted) -> bool:
    """Remove the last byte, so that the body is no JSON."""
    posted.raw = posted.content()[:-1]
    return True


def list_the_body(posted: Posted) -> bool:
    """Send the body as the only element of a list."""
    posted.raw = json.dumps([posted.body]).encode()
    return True


def _in_the_body(name: str, value: Any) -> Edit:
    def edit(posted: Posted) -> bool:
        posted.body[name] = value
        return True

    return edit


def _in_the_last_content(**members: Any) -> Edit:
    def edit(posted: Posted) -> bool:
        contents(posted)[-1].update(members)
        return True

    return edit


def _in_the_first_part(**members: Any) -> Edit:
    def edit(posted: Posted) -> bool:
        contents(posted)[0]["parts"][0].update(members)
        return True

    return edit


def _with_the_last(kind: str, **members: Any) -> Edit:
    """Add members to the last call or response."""

    def edit(posted: Posted) -> bool:
        found = parts(contents(posted), kind)
        for part in found[-1:]:
            part.held.update(members)
        return bool(found)

    return edit


def _add_part(part: Json) -> Edit:
    def edit(posted: Posted) -> bool:
        contents(posted)[0]["parts"].append(dict(part))
        return True

    return edit


def _say(value: Any) -> Edit:
    """Something else in place of a text."""

    def edit(posted: Posted) -> bool:
        found = texts_in(contents(posted))
        for part in found[:1]:
            part.part["text"] = value
        return bool(found)

    return edit


def warm_with_a_word(posted: Posted) -> bool:
    """Write a word for the temperature."""
    replace(generation(posted), "temperature", "warm")
    return True


def guess_at_a_setting(posted: Posted) -> bool:
    """Add a setting by the name that another provider has for it."""
    generation(posted)["max_tokens"] = 1024
    return True


def think_at_no_level(posted: Posted) -> bool:
    """Ask for a thinking level that does not exist."""
    replace(posted.body, "generationConfig", {"thinkingConfig": {"thinkingLevel": "TURBO"}})
    return True


def say_and_call(posted: Posted) -> bool:
    """A text and a call, joined into one part."""
    found = parts(contents(posted), "functionCall")
    for call in found[-1:]:
        call.part["text"] = "So."
    return bool(found)


def say_and_show(posted: Posted) -> bool:
    """Give a text part an image as well; a part has one kind of data."""
    found = texts_in(contents(posted))
    for part in found[:1]:
        part.part["inlineData"] = {"mimeType": "image/png", "data": "aGk="}
    return bool(found)


def keep_only_the_signature(posted: Posted) -> bool:
    """A serialiser that drops empty texts, and a model whose signature stands beside one."""
    for found in texts_in(contents(posted)):
        if found.held == "" and member(found.part, "thoughtSignature"):
            del found.part["text"]
            return True
    return False


FORM: Final = (
    RequestMutant("gem-body-cut", "The body ends too early.", ("GEM-BODY",), cut_the_body, (ONE_CALL, OLD)),
    RequestMutant("gem-body-list", "The body is a list.", ("GEM-BODY",), list_the_body, (ONE_CALL, FOREIGN)),
    RequestMutant(
        "gem-member-of-others",
        "The body has a member of another API.",
        ("GEM-FIELD",),
        _in_the_body("stream", True),
        (ONE_CALL, OLD, FOREIGN),
    ),
    RequestMutant(
        "gem-content-id",
        "A content has an id of the client's.",
        ("GEM-FIELD",),
        _in_the_last_content(id="msg_1"),
        (ONE_CALL, OLD),
    ),
    RequestMutant(
        "gem-part-cached",
        "A part has another API's mark for its cache.",
        ("GEM-FIELD",),
        _in_the_first_part(cache_control={"type": "ephemeral"}),
        (ONE_CALL, OLD),
    ),
    RequestMutant(
        "gem-response-flag",
        "A response has a flag for its failure.",
        ("GEM-FIELD",),
        _with_the_last("functionResponse", isError=False),
        (ONE_CALL, STEPS, OLD),
    ),
    RequestMutant(
        "gem-setting-of-others",
        "The settings have a member of another API.",
        ("GEM-FIELD",),
        guess_at_a_setting,
        (ONE_CALL, OLD),
    ),
    RequestMutant(
        "gem-role-list",
        "A role is a list.",
        ("GEM-FIELD",),
        _in_the_last_content(role=["user"]),
        (ONE_CALL, OLD),
    ),
    RequestMutant(
        "gem-contents-text", "The history is a text.", ("GEM-TYPE",), _in_the_body("contents", "Hi"), (TEXTS, OLD)
    ),
    RequestMutant(
        "gem-content-text", "A content is a text.", ("GEM-TYPE",), _in_the_body("contents", ["Hi"]), (TEXTS, FOREIGN)
    ),
    RequestMutant(
        "gem-part-text", "A part is a text.", ("GEM-TYPE",), _in_the_last_content(parts=["Go on."]), (TEXTS, OLD)
    ),
    RequestMutant(
        "gem-system-text",
        "The system instruction is a text.",
        ("GEM-TYPE",),
        _in_the_body("systemInstruction", "You answer."),
        (ONE_CALL, OLD),
    ),
    RequestMutant("gem-text-number", "A text is a number.", ("GEM-TYPE",), _say(5), (ONE_CALL, OLD)),
    RequestMutant("gem-text-object", "A text is an object.", ("GEM-TYPE",), _say({"value": "Hi"}), (ONE_CALL, OLD)),
    RequestMutant(
        "gem-temperature-text", "The temperature is a word.", ("GEM-TYPE",), warm_with_a_word, (ONE_CALL, OLD)
    ),
    RequestMutant(
        "gem-level-unknown",
        "The thinking level is a word that there is not.",
        ("GEM-TYPE",),
        think_at_no_level,
        (ONE_CALL, FOREIGN),
    ),
    RequestMutant(
        "gem-image-no-base64",
        "The data of an image are an address.",
        ("GEM-TYPE",),
        _add_part({"inlineData": {"mimeType": "image/png", "data": "https://example.com/a.png"}}),
        (ONE_CALL, OLD),
    ),
    RequestMutant("gem-part-empty", "A part contains nothing.", ("GEM-PART",), _add_part({}), (ONE_CALL, OLD, FOREIGN)),
    RequestMutant(
        "gem-part-null", "The text of a part is null.", ("GEM-PART",), _add_part({"text": None}), (ONE_CALL, OLD)
    ),
    RequestMutant(
        "gem-part-signature-alone",
        "A part contains only a signature.",
        ("GEM-PART",),
        keep_only_the_signature,
        (TEXTS, STEPS),
    ),
    RequestMutant(
        "gem-part-two", "A part contains a text and a call.", ("GEM-PART",), say_and_call, (TWO_CALLS, OLD, FOREIGN)
    ),
    RequestMutant(
        "gem-part-text-and-image", "A part contains a text and an image.", ("GEM-PART",), say_and_show, (TEXTS, OLD)
    ),
)
