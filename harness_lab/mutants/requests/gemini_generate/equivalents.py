"""What is accepted though one could think otherwise: permissions, and the leniency of protobuf JSON."""

from __future__ import annotations

import base64
import copy
from collections.abc import Callable
from typing import Any, Final

from harness.wire.base import Json
from harness.wire.characters import sendable
from harness.wire.gemini_generate.schema import both_spellings
from harness.wire.posted import Edit, Posted
from harness_lab.mutants.requests.gemini_generate.base_requests import (
    ARGUMENTS,
    AT_VERTEX,
    FIRST_3,
    FOREIGN,
    NEWEST,
    OLD,
    ONE_CALL,
    STEPS,
    TEXTS,
    TWO_CALLS,
    WITHOUT_IDS,
)
from harness_lab.mutants.requests.gemini_generate.finding import (
    answer_turns,
    call_turns,
    contents,
    functions,
    generation,
    member,
    parts,
    replace,
    signature,
    thinking,
)
from harness_lab.mutants.requests.mutant import EquivalentRequest

_FREE: Final = ("args", "response", "parametersJsonSchema", "properties")
"""Members below which names are not the API's."""


def _snake(value: Any) -> Any:
    if isinstance(value, list):
        return [_snake(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    return {both_spellings(name)[-1]: each if name in _FREE else _snake(each) for name, each in value.items()}


def spell_as_protobuf(posted: Posted) -> bool:
    """Spell all members in snake case, as in protobuf."""
    posted.body = _snake(posted.body)
    return True


def encode_for_urls(posted: Posted) -> bool:
    """As google-genai sends signatures back, and without padding."""
    signed = [call for call in parts(contents(posted), "functionCall") if signature(call)]
    for call in signed:
        text = base64.urlsafe_b64encode(signature(call)).decode().rstrip("=")
        replace(call.part, "thoughtSignature", text)
    return bool(signed)


def lose_signatures(posted: Posted) -> bool:
    """Remove the thought signatures of all calls."""
    signed = [call for call in parts(contents(posted), "functionCall") if signature(call)]
    for call in signed:
        replace(call.part, "thoughtSignature", None)
    return bool(signed)


def lose_signatures_of_turns_that_are_over(posted: Posted) -> bool:
    """All but those behind the last word of the user."""
    history = contents(posted)
    answered = [at for at, _ in answer_turns(posted)]
    users = [at for at, content in enumerate(history) if content["role"] == "user" and at not in answered]
    signed = [call for call in parts(history[: users[-1]], "functionCall") if signature(call)]
    for call in signed:
        replace(call.part, "thoughtSignature", None)
    return bool(signed)


def skip_validation(posted: Posted) -> bool:
    """A value that Google documents for calls which its model did not make."""
    found = parts(contents(posted), "functionCall")
    for call in found:
        replace(call.part, "thoughtSignature", base64.b64encode(b"skip_thought_signature_validator").decode())
    return bool(found)


def speak_twice(posted: Posted) -> bool:
    """Add a text of the user in front and one at the end."""
    contents(posted).insert(0, {"role": "user", "parts": [{"text": "Hello."}]})
    contents(posted).append({"role": "user", "parts": [{"text": "Take your time."}]})
    return True


def split_the_models_content(posted: Posted) -> bool:
    """One content for each part."""
    for at in reversed(range(len(contents(posted)))):
        content = contents(posted)[at]
        if content["role"] == "model" and len(content["parts"]) > 1:
            contents(posted)[at : at + 1] = [{"role": "model", "parts": [part]} for part in content["parts"]]
            return True
    return False


def sample(posted: Posted) -> bool:
    """Set sampling values at the ends of their ranges."""
    generation(posted).update(temperature=2.0, topP=0.95, topK=64.0)
    return True


def warm_by_a_hair(posted: Posted) -> bool:
    """Set a temperature that is above 2 by less than Vertex AI sees."""
    is_vertex = "/publishers/" in posted.path
    if is_vertex:
        generation(posted).update(temperature=2.00005)
    return is_vertex


def _for_each(change: Callable[[Json], None], role: str) -> Edit:
    def edit(posted: Posted) -> bool:
        found = [content for content in contents(posted) if content["role"] == role]
        for content in found:
            change(content)
        return bool(found)

    return edit


def drop_thoughts(posted: Posted) -> bool:
    """Remove the thoughts from the history."""
    dropped = False
    for content in contents(posted):
        spoken = [part for part in content["parts"] if not part.get("thought")]
        dropped = dropped or len(spoken) < len(content["parts"])
        content["parts"] = spoken
    return dropped


def send_empty_texts(posted: Posted) -> bool:
    """Append an empty text to every content of the model."""
    return bool(_for_each(lambda content: content["parts"].append({"text": ""}), "model")(posted))


def answer_as_a_function(posted: Posted) -> bool:
    """Send the responses under the role ``function``."""
    for at, _ in answer_turns(posted):
        contents(posted)[at]["role"] = "function"
    return bool(answer_turns(posted))


def answer_in_another_order(posted: Posted) -> bool:
    """Reverse the responses of one turn."""
    for at, answers in answer_turns(posted):
        if len(answers) > 1:
            contents(posted)[at]["parts"].reverse()
            return True
    return False


def speak_before_the_responses(posted: Posted) -> bool:
    """Put a text in front of the responses."""
    for at, _ in answer_turns(posted):
        contents(posted)[at]["parts"].insert(0, {"text": "Here is what came of it:"})
    return bool(answer_turns(posted))


def show_in_a_response(posted: Posted) -> bool:
    """A picture inside of it, where it may stand."""
    found = parts(contents(posted), "functionResponse")
    for answer in found[-1:]:
        replace(answer.held, "parts", [{"inlineData": {"mimeType": "image/png", "data": "aGk="}}])
    return bool(found)


def number_calls(posted: Posted) -> bool:
    """Ids of the client's own, on both sides, where the model gave none."""
    for at, calls in call_turns(posted):
        answers = parts(contents(posted)[at + 1 : at + 2], "functionResponse")
        for number, (call, answer) in enumerate(zip(calls, answers, strict=True)):
            replace(call.held, "id", f"pyd_ai_{at}_{number}")
            replace(answer.held, "id", f"pyd_ai_{at}_{number}")
    return bool(call_turns(posted))


def forget_the_first_turn(posted: Posted) -> bool:
    """All up to the second word of the user."""
    answered = [at for at, _ in answer_turns(posted)]
    users = [at for at, one in enumerate(contents(posted)) if one["role"] == "user" and at not in answered]
    if len(users) < 2:
        return False
    del contents(posted)[: users[1]]
    return True


def turn_arguments_around(posted: Posted) -> bool:
    """Members in another order: an object is the same object."""
    found = [call for call in parts(contents(posted), "functionCall") if member(call.held, "args")]
    for call in found:
        replace(call.held, "args", dict(reversed(member(call.held, "args").items())))
        call.parts[call.index] = dict(reversed(call.part.items()))
    return bool(found)


def _otherwise(value: Any) -> Any:
    """The same value in the other spelling of its numbers, and with U+FFFD for half a character."""
    match value:
        case dict():
            return {_otherwise(name): _otherwise(each) for name, each in reversed(value.items())}
        case list():
            return [_otherwise(each) for each in value]
        case str():
            return sendable(value)
        case int() if not isinstance(value, bool):
            return float(value)
        case float():
            return int(value) if value.is_integer() else value
    return value


def spell_arguments_otherwise(posted: Posted) -> bool:
    """Send 1.0 for 1 and 1 for 1.0, and the character that stands for half a one."""
    found = [call for call in parts(contents(posted), "functionCall") if member(call.held, "args")]
    for call in found:
        replace(call.held, "args", _otherwise(member(call.held, "args")))
    return bool(found)


def send_single_objects(posted: Posted) -> bool:
    """Send an object in the place of each list that has one element."""
    for content in contents(posted):
        if len(content["parts"]) == 1:
            content["parts"] = content["parts"][0]
    posted.body["tools"] = member(posted.body, "tools")[0]
    return True


def send_nulls(posted: Posted) -> bool:
    """Send null for members that are not set."""
    posted.body.update(toolConfig=None, safetySettings=None, cachedContent=None)
    for content in contents(posted):
        for part in content["parts"]:
            part["partMetadata"] = None
    return True


def write_numbers_as_texts(posted: Posted) -> bool:
    """Write numbers of the settings as texts."""
    generation(posted).update(temperature="0.5", maxOutputTokens="4096", topK=40.0)
    return True


def think_in_lower_case(posted: Posted) -> bool:
    """Write the thinking level in lower case."""
    replace(thinking(posted), "thinkingLevel", "low")
    return True


def show_something_new(posted: Posted) -> bool:
    """A part of a kind that is not known here."""
    contents(posted)[0]["parts"].append({"hologram": {"uri": "files/1"}})
    return True


def describe_as_openapi(posted: Posted) -> bool:
    """Describe parameters as an OpenAPI schema in the place of a JSON Schema."""
    for function in functions(posted):
        replace(function, "parametersJsonSchema", None)
        path = {"type": "STRING", "nullable": True, "format": "enum", "enum": ["a"], "anyOf": [{"type": "STRING"}]}
        schema = {"type": "OBJECT", "properties": {"path": path, "additionalProperties": path}, "required": ["path"]}
        replace(function, "parameters", copy.deepcopy(schema))
    return bool(functions(posted))


def choose(posted: Posted) -> bool:
    """Restrict the model to the first function."""
    names = [function["name"] for function in functions(posted)]
    config = {"mode": "ANY", "allowedFunctionNames": names[:1]}
    replace(posted.body, "toolConfig", {"functionCallingConfig": config, "includeServerSideToolInvocations": True})
    return bool(names)


def ask_with_another_version(posted: Posted) -> bool:
    """Send the request to ``/v1beta/`` in the place of ``/v1/``."""
    posted.path = posted.path.replace("/v1/", "/v1beta/")
    return True


def _at(prefix: str) -> Edit:
    """Another path to the models of Vertex AI."""

    def edit(posted: Posted) -> bool:
        is_vertex = "/publishers/" in posted.path
        if is_vertex:
            posted.path = f"/v1/{prefix}/models/{posted.path.rpartition('/')[2]}"
        return is_vertex

    return edit


def ask_a_tuned_model(posted: Posted) -> bool:
    """Begin anew with a model that its owner has named."""
    del contents(posted)[1:]
    posted.path = f"/v1beta/tunedModels/mine:{posted.path.rpartition(':')[2]}"
    return True


EQUIVALENTS: Final = (
    EquivalentRequest(
        "gem-unsigned",
        "An older model is sent its calls without signatures.",
        ("GEM-16",),
        lose_signatures,
        (OLD,),
    ),
    EquivalentRequest("gem-two-words", "The user speaks twice.", ("GEM-21",), speak_twice, (TEXTS, TWO_CALLS, FOREIGN)),
    EquivalentRequest(
        "gem-model-content-split",
        "The model's turn is in several contents.",
        ("GEM-21",),
        split_the_models_content,
        (TWO_CALLS, STEPS, FOREIGN, OLD),
    ),
    EquivalentRequest("gem-sampling", "Sampling parameters are sent.", ("GEM-25",), sample, (ONE_CALL, NEWEST, OLD)),
    EquivalentRequest(
        "gem-hardly-too-warm", "The temperature is hardly above 2, at Vertex AI.", (), warm_by_a_hair, (AT_VERTEX,)
    ),
    EquivalentRequest(
        "gem-snake-case",
        "All names are spelled in snake_case.",
        ("GEM-FIELD",),
        spell_as_protobuf,
        (TWO_CALLS, STEPS, AT_VERTEX, OLD, FOREIGN),
    ),
    EquivalentRequest(
        "gem-url-safe-base64",
        "Signatures are in the other alphabet of base64.",
        ("GEM-09",),
        encode_for_urls,
        (ONE_CALL, STEPS, AT_VERTEX, WITHOUT_IDS),
    ),
    EquivalentRequest(
        "gem-over-unsigned",
        "Calls of turns that are over have no signature.",
        ("GEM-08",),
        lose_signatures_of_turns_that_are_over,
        (STEPS,),
    ),
    EquivalentRequest(
        "gem-validation-skipped",
        "Calls that Google's model did not make have a value in place of a signature.",
        ("GEM-10",),
        skip_validation,
        (FOREIGN,),
    ),
    EquivalentRequest(
        "gem-thoughts-dropped",
        "Thoughts are not sent back.",
        ("GEM-15",),
        drop_thoughts,
        (TWO_CALLS, STEPS, OLD, FOREIGN),
    ),
    EquivalentRequest(
        "gem-empty-text", "An empty text is sent back.", ("GEM-02",), send_empty_texts, (ONE_CALL, TEXTS, OLD, FOREIGN)
    ),
    EquivalentRequest(
        "gem-role-function",
        "Responses have role function.",
        ("GEM-03",),
        answer_as_a_function,
        (TWO_CALLS, STEPS, OLD, FOREIGN),
    ),
    EquivalentRequest(
        "gem-role-upper-case",
        "Roles are in upper case.",
        ("GEM-03",),
        _for_each(lambda content: content.update(role="MODEL"), "model"),
        (TWO_CALLS, AT_VERTEX, OLD, FOREIGN),
    ),
    EquivalentRequest(
        "gem-responses-reordered",
        "Responses are in another order than the calls.",
        ("GEM-06", "GEM-12"),
        answer_in_another_order,
        (TWO_CALLS, STEPS, OLD, FOREIGN),
    ),
    EquivalentRequest(
        "gem-word-before-the-responses",
        "A text precedes the responses, in their content.",
        ("GEM-23",),
        speak_before_the_responses,
        (TWO_CALLS, NEWEST, AT_VERTEX, OLD, FOREIGN),
    ),
    EquivalentRequest(
        "gem-image-in-a-response",
        "An image is inside of a response.",
        ("GEM-23",),
        show_in_a_response,
        (ONE_CALL, AT_VERTEX, FOREIGN),
    ),
    EquivalentRequest(
        "gem-own-ids", "Calls without an id are given one.", ("GEM-13",), number_calls, (WITHOUT_IDS, FOREIGN)
    ),
    EquivalentRequest(
        "gem-history-cut", "The first turn is forgotten.", ("GEM-15", "GEM-04"), forget_the_first_turn, (STEPS, TEXTS)
    ),
    EquivalentRequest(
        "gem-arguments-turned-around",
        "Members are in another order.",
        ("GEM-15",),
        turn_arguments_around,
        (TWO_CALLS, STEPS, WITHOUT_IDS),
    ),
    EquivalentRequest(
        "gem-arguments-respelled",
        "Numbers are spelled otherwise, and half a character is its replacement.",
        ("GEM-15",),
        spell_arguments_otherwise,
        (ARGUMENTS,),
    ),
    EquivalentRequest(
        "gem-single-objects",
        "A single object replaces a list of one.",
        ("GEM-TYPE",),
        send_single_objects,
        (ONE_CALL, STEPS, OLD),
    ),
    EquivalentRequest(
        "gem-nulls", "Members that are not set are null.", ("GEM-TYPE",), send_nulls, (ONE_CALL, STEPS, OLD)
    ),
    EquivalentRequest(
        "gem-numbers-as-texts",
        "Numbers are written as texts, and a whole number as 40.0.",
        ("GEM-TYPE",),
        write_numbers_as_texts,
        (ONE_CALL, OLD),
    ),
    EquivalentRequest(
        "gem-level-lower-case",
        "The thinking level is in lower case.",
        ("GEM-24",),
        think_in_lower_case,
        (ONE_CALL, NEWEST, FIRST_3, AT_VERTEX),
    ),
    EquivalentRequest(
        "gem-part-of-a-new-kind",
        "A part contains something unknown.",
        ("GEM-PART", "GEM-FIELD"),
        show_something_new,
        (ONE_CALL, FOREIGN),
    ),
    EquivalentRequest(
        "gem-openapi-parameters",
        "Parameters are described in the OpenAPI subset.",
        ("GEM-18",),
        describe_as_openapi,
        (ONE_CALL, OLD),
    ),
    EquivalentRequest("gem-function-chosen", "One function is to be called.", ("GEM-19",), choose, (ONE_CALL, OLD)),
    EquivalentRequest(
        "gem-vertex-without-project", "Vertex AI is asked in no project.", (), _at("publishers/google"), (AT_VERTEX,)
    ),
    EquivalentRequest(
        "gem-vertex-without-publisher",
        "Vertex AI is asked for a model of a project.",
        (),
        _at("projects/p/locations/global"),
        (AT_VERTEX,),
    ),
    EquivalentRequest("gem-tuned-model", "A tuned model is asked.", (), ask_a_tuned_model, (TEXTS, FOREIGN)),
    EquivalentRequest(
        "gem-version", "The API version is v1beta.", ("GEM-17",), ask_with_another_version, (ONE_CALL, AT_VERTEX)
    ),
)
