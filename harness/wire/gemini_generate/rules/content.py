"""Rules that a content or a part breaks alone: GEM-01, 02, 03, 11 and GEM-PART."""

from __future__ import annotations

from typing import Any, Final

from harness.wire.base import Certainty, Json
from harness.wire.gemini_generate.models import ROLE_NAMES
from harness.wire.gemini_generate.rules.book import RULES
from harness.wire.gemini_generate.rules.history import Placed, place
from harness.wire.gemini_generate.rules.places import (
    FoundPart,
    answer_turns,
    contents,
    member,
    of_the_model,
    parts,
    set_held,
    texts_in,
)
from harness.wire.gemini_generate.rules.request import Found, Request
from harness.wire.gemini_generate.schema import DATA, KINDS, both_spellings
from harness.wire.posted import Posted, Right, Wrong, add, drop, put
from harness.wire.rule import ErrorTemplate, WireRule, verbatim

_ROLES = {"user", "model", "function"}

_DATA = frozenset(DATA)

_NAMED = (("functionCall", "function_call"), ("functionResponse", "function_response"))


GEM_01: Final = WireRule(
    "GEM-01",
    "A request has contents.",
    "A loop that trims its history to fit a window may trim all of it, and the model is not asked at all.",
    "certain",
    ("captured production text, stated verbatim in a public file; the same text in the code of several clients",),
    (verbatim("* GenerateContentRequest.contents: contents is not specified\n"),),
    wrong=(
        Wrong(
            "gem-contents-empty", "The history is empty.", lambda it: put([it.body], contents=[]), "one-call foreign"
        ),
        Wrong("gem-contents-missing", "The history is left out.", lambda it: drop([it.body], "contents"), "texts"),
    ),
)


@RULES.check("members", GEM_01)
def contents_present(request: Request) -> Found:
    """GEM-01: there are contents."""
    if request.body.get("contents") in (None, []):
        yield GEM_01.broken("contents", expected="at least one content", got="none")


GEM_02: Final = WireRule(
    "GEM-02",
    "Every content has at least one part. An empty text is a part.",
    "A turn in which the model said nothing, or whose parts a client has filtered out, must not go back as an empty "
    "content: every later request of the conversation is refused.",
    "certain",
    (
        "https://github.com/egoist/chatwise-releases/issues/250",
        "https://github.com/vercel/ai/issues/3775",
        "https://github.com/QuantumNous/new-api/issues/1060",
    ),
    (
        ErrorTemplate(
            "* GenerateContentRequest.{at}.parts: contents.parts must not be empty.\n",
            seen="* GenerateContentRequest.contents[1].parts: contents.parts must not be empty.\n",
        ),
    ),
    wrong=(
        Wrong(
            "gem-content-empty",
            "The last content has no parts.",
            lambda it: put(contents(it)[-1:], parts=[]),
            "texts two-calls",
        ),
        Wrong(
            "gem-model-content-empty",
            "The model's turn goes back without its parts.",
            lambda it: put(of_the_model(it)[-1:], parts=[]),
            "texts steps foreign",
        ),
    ),
    right=(
        Right(
            "gem-empty-text",
            "An empty text is sent back.",
            lambda it: add(of_the_model(it), "parts", {"text": ""}),
            "one-call texts old foreign",
        ),
    ),
)


@RULES.check("members", GEM_02)
def parts_present(request: Request) -> Found:
    """GEM-02: every content has parts."""
    for content in request.contents:
        if not content.parts:
            yield GEM_02.broken(place(content), expected="at least one part", got="no parts")


def _keep_only_the_signature(posted: Posted) -> bool:
    """A serialiser that drops empty texts, and a model whose signature stands beside one."""
    for found in texts_in(contents(posted)):
        if found.held == "" and member(found.part, "thoughtSignature"):
            del found.part["text"]
            return True
    return False


def _put_into(found: list[FoundPart], **members: Any) -> bool:
    return put((each.part for each in found), **members)


GEM_PART: Final = WireRule(
    "GEM-PART",
    "A part contains exactly one thing: a text, a call, a response, data, a file, or what a server tool did.",
    "An object that lost its text to a serialiser that drops empty strings contains nothing; text and call that were "
    "joined into one part are two things.",
    "certain",
    (
        "https://github.com/boldsoftware/sketch/issues/68",
        "https://github.com/QuantumNous/new-api/issues/632",
        "https://github.com/songquanpeng/one-api/issues/2243",
        "two things in one part: the text is protobuf's, quoted from live answers in the code of several clients",
    ),
    (
        ErrorTemplate(
            "* GenerateContentRequest.{at}.data: required oneof field 'data' must have one initialized field\n",
            seen="* GenerateContentRequest.contents[33].parts[0].data: required oneof field 'data' must have one "
            "initialized field\n",
        ),
        ErrorTemplate(
            "Invalid value at '{at}' (oneof), oneof field 'data' is already set. Cannot set '{name}'",
            seen="Invalid value at '…contents[801].parts[0]' (oneof), oneof field 'data' is already set. Cannot "
            "set 'text'",
            name="two",
        ),
    ),
    applies="A part that contains only a signature, or a null, is only likely (L) refused.",
    wrong=(
        Wrong(
            "gem-part-empty",
            "A part contains nothing.",
            lambda it: add(contents(it)[:1], "parts", {}),
            "one-call old foreign",
        ),
        Wrong(
            "gem-part-null",
            "The text of a part is null.",
            lambda it: add(contents(it)[:1], "parts", {"text": None}),
            "one-call old",
        ),
        Wrong("gem-part-signature-alone", "A part contains only a signature.", _keep_only_the_signature, "texts steps"),
        Wrong(
            "gem-part-two",
            "A part contains a text and a call.",
            lambda it: _put_into(parts(contents(it), "functionCall")[-1:], text="So."),
            "two-calls old foreign",
            says="two",
        ),
        Wrong(
            "gem-part-text-and-image",
            "A part contains a text and an image.",
            lambda it: _put_into(texts_in(contents(it))[:1], inlineData={"mimeType": "image/png", "data": "aGk="}),
            "texts old",
            says="two",
        ),
    ),
    right=(
        Right(
            "gem-part-of-a-new-kind",
            "A part contains something unknown.",
            lambda it: add(contents(it)[:1], "parts", {"hologram": {"uri": "files/1"}}),
            "one-call foreign",
            also=("GEM-FIELD",),
        ),
    ),
)


@RULES.check("members", GEM_PART)
def one_thing_each(request: Request) -> Found:
    """GEM-PART: every part holds one thing. One of a kind that is not known here is left alone."""
    for placed in request.history.parts:
        held = _held(placed.part)
        if len(held) > 1:
            got, name = " and ".join(held), both_spellings(held[-1])[-1]
            yield GEM_PART.broken(placed.at, template="two", expected="one thing", got=got, name=name)
        elif not held and placed.part.keys() <= KINDS:
            yield from _nothing(placed)


def _held(part: Json) -> list[str]:
    """The kinds of data in a part."""
    return [kind for kind in part if kind in _DATA and part[kind] is not None]


def _nothing(placed: Placed) -> Found:
    got = ", ".join(placed.part) or "an empty part"
    yield GEM_PART.broken(
        placed.at, expected="text, a call or other data", got=got, certainty="likely" if placed.part else None
    )


GEM_11: Final = WireRule(
    "GEM-11",
    "Function calls and function responses have a name.",
    "The API finds the call of a response by its name, so a client that keeps only ids has nothing to send.",
    "certain",
    ("the same text, quoted in the code of eight clients",),
    (
        ErrorTemplate(
            "* GenerateContentRequest.{at}.{field}.name: Name cannot be empty.\n",
            seen="* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty.\n",
        ),
    ),
    wrong=(
        Wrong(
            "gem-response-nameless",
            "A response has an empty name.",
            lambda it: set_held(it, "functionResponse", name=""),
            "one-call steps old foreign",
        ),
        Wrong(
            "gem-response-name-missing",
            "A response has no name.",
            lambda it: set_held(it, "functionResponse", name=None),
            "two-calls foreign-old",
        ),
        Wrong(
            "gem-call-nameless",
            "A call goes back with an empty name.",
            lambda it: set_held(it, "functionCall", name=""),
            "one-call old foreign",
        ),
    ),
)


@RULES.check("members", GEM_11)
def names_present(request: Request) -> Found:
    """GEM-11: calls and responses have a name."""
    for placed in request.history.parts:
        for kind, field in _NAMED:
            if isinstance(named := placed.part.get(kind), dict) and not named.get("name"):
                yield GEM_11.broken(placed.at, expected="the function's name", got="no name", field=field)


GEM_03: Final = WireRule(
    "GEM-03",
    "The role of a content is user or model, in lower or upper case; function is tolerated. The system prompt has a "
    "place of its own, systemInstruction.",
    "Roles of other APIs (assistant, system, tool) are refused.",
    "certain",
    (
        "recording test_generate_content_invalid_role (Vertex AI, gemini-2.5-pro)",
        "captured production text of newer models, stated verbatim in a public file",
        "https://github.com/the-open-agent/openagent/issues/1666",
        "https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/start/get-started-with-gemini-4 "
        '(an example with "role": "USER")',
    ),
    (
        verbatim("Please use a valid role: user, model."),
        ErrorTemplate(
            "Role '{role}' is not supported. Please use a valid role: {roles}.",
            seen="Role '…' is not supported. Please use a valid role: SYSTEM, SYSTEM_1, USER, ASSISTANT, "
            "DEVELOPER, CONTEXT, USER_CONTEXT, MODEL, USER.",
            name="listed",
        ),
    ),
    applies="The longer text is that of Gemini 3 and later at the Developer API. Of a role that it lists beside user "
    "and model it is only likely (L) that it is refused.",
    wrong=(
        Wrong(
            "gem-role-assistant",
            "The model's turn has the role that other APIs give it.",
            lambda it: put(of_the_model(it)[-1:], role="assistant"),
            "old one-call at-vertex foreign",
        ),
        Wrong(
            "gem-role-tool",
            "The last content has role tool.",
            lambda it: put(contents(it)[-1:], role="tool"),
            "one-call old at-vertex texts",
            says="listed",
        ),
    ),
    right=(
        Right(
            "gem-role-function",
            "Responses have role function.",
            lambda it: put((contents(it)[at] for at, _ in answer_turns(it)), role="function"),
            "two-calls steps old foreign",
        ),
        Right(
            "gem-role-upper-case",
            "Roles are in upper case.",
            lambda it: put(of_the_model(it), role="MODEL"),
            "two-calls at-vertex old foreign",
        ),
    ),
)


@RULES.check("together", GEM_03)
def roles(request: Request) -> Found:
    """GEM-03: roles are user and model; function is tolerated."""
    names = None if request.vertex else request.fact(ROLE_NAMES)
    for content in request.contents:
        if content.role in _ROLES:
            continue
        at, expected, got = place(content), "user or model", content.role
        if names is None:
            yield GEM_03.broken(at, expected=expected, got=got)
        else:
            certainty: Certainty | None = "likely" if content.role.upper() in names else None
            roles = ", ".join(names)
            yield GEM_03.broken(
                at, template="listed", expected=expected, got=got, certainty=certainty, role=content.role, roles=roles
            )


def _speak_twice(posted: Posted) -> bool:
    """The user says something more in front and at the end."""
    add([posted.body], "contents", {"role": "user", "parts": [{"text": "Hello."}]}, at=0)
    return add([posted.body], "contents", {"role": "user", "parts": [{"text": "Take your time."}]})


def _split_the_models_content(posted: Posted) -> bool:
    """One content for each part."""
    for at in reversed(range(len(contents(posted)))):
        content = contents(posted)[at]
        if content["role"] == "model" and len(content["parts"]) > 1:
            contents(posted)[at : at + 1] = [{"role": "model", "parts": [part]} for part in content["parts"]]
            return True
    return False


GEM_21: Final = WireRule(
    "GEM-21",
    "Contents of the user and of the model need not alternate: neighbours with one role are taken as one turn.",
    "So a loop need not merge what a user says in pieces. Function responses are the exception (GEM-06).",
    "certain",
    ("recordings with two contents of one role side by side, with 200 (test_cross_provider_capability_replay)",),
    permits=True,
    right=(
        Right("gem-two-words", "The user speaks twice.", _speak_twice, "texts two-calls foreign"),
        Right(
            "gem-model-content-split",
            "The model's turn is in several contents.",
            _split_the_models_content,
            "two-calls steps foreign old",
        ),
    ),
)

RULES.declare(GEM_21)
