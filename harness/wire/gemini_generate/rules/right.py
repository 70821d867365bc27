"""Small valid loops with Gemini: each form of history, and each generation of models that a rule depends on."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from harness.wire import Call, FinishReason, IssuedState, Message, Text, ThinkingPart, Turn
from harness.wire.gemini_generate.rules.places import contents, generation, parts
from harness.wire.played import PROMPT, BaseRequest
from harness.wire.posted import Posted, Right, put

_LIST: Final = Call("list_files", '{"path": "src"}')
_READ: Final = Call("read_file", '{"path": "src/app.py"}')

_ONE: Final = Turn((_READ,), FinishReason.TOOL_CALLS)
_TWO: Final = Turn((ThinkingPart("A folder, then a file."), Text("I look. "), _LIST, _READ), FinishReason.TOOL_CALLS)


_OF_ALL_TYPES: Final = (
    *('{"value": 1}', '{"value": true}', '{"value": "a\\ud800"}', '{"value": ["x", 2, {"b\\ud800": null}]}'),
    *('{"value": {"x": 2}}', '{"value": 2.5}', '{"other": 2.5}', "{}"),
)
_NESTED: Final = '{"path": {"in": ["src", 1, false, "a\\ud800"], "deep": {"a": {}, "b\\ud800": 2.0}}, "tries": 1.0}'
_LONG: Final = f'{{"the_path_to_look_at": "{"/".join(map(str, range(40)))}"}}'
"""Its name is so long that findings begin to cut the call among the lengths of ``odd_values``."""

_AS_SHOWN: Final = (35, 36)
"""Paths of calls that are as long as findings show them, and one longer."""


def _call(name: str, path: str, call_id: str | None = None) -> Call:
    return Call(name, f'{{"path": "{path}"}}', id=call_id)


def _at_vertex(posted: Posted, _: IssuedState) -> None:
    models = "/v1/projects/p/locations/global/publishers/google/models/"
    posted.path = posted.path.replace("/v1/models/", models)


def _shows_an_image(posted: Posted, _: IssuedState) -> None:
    """A picture of the result, in a content of its own."""
    answers = [at for at, content in enumerate(contents(posted)) if parts([content], "functionResponse")]
    for at in reversed(answers):
        image = {"inlineData": {"mimeType": "image/png", "data": "aGk="}}
        contents(posted).insert(at + 1, {"role": "user", "parts": [image]})


def _begins_the_answer(posted: Posted, _: IssuedState) -> None:
    """With words that another model has signed, behind the prompt."""
    begun = {"role": "model", "parts": [{"text": "The folder", "thoughtSignature": "b3RoZXI="}]}
    contents(posted).insert(len(_SHOWN) - 1, begun)


def _forgets_the_last_of_two_calls(posted: Posted, _: IssuedState) -> None:
    """With its response."""
    for content in contents(posted):
        for kind in ("functionCall", "functionResponse"):
            if len(parts([content], kind)) > 1:
                content["parts"].pop()


def _asks_the_server(posted: Posted, _: IssuedState) -> None:
    """The model has searched before it called."""
    for content in contents(posted):
        if content["role"] == "model":
            searched = {"toolCall": {"toolType": "GOOGLE_SEARCH_WEB", "id": "93z4z1x3", "args": {}}}
            found = {"toolResponse": {"toolType": "GOOGLE_SEARCH_WEB", "id": "93z4z1x3", "response": {}}}
            content["parts"][:0] = [searched, found]


_SHOWN: Final = (*PROMPT, Message("assistant", (Text("Done."),), ""), Message("user", (Text("And in doc?"),), ""))

ONE_CALL: Final = BaseRequest("gem-one-call", "gemini-generate", "gemini-3.6-flash", (_ONE,))
TWO_CALLS: Final = BaseRequest("gem-two-calls", "gemini-generate", "gemini-3.6-flash", (_TWO,))
STEPS: Final = BaseRequest(
    "gem-steps",
    "gemini-generate",
    "gemini-3.6-flash",
    (
        Turn((_call("list_files", "src", "same"), _call("list_files", "doc", "other")), FinishReason.TOOL_CALLS),
        Turn((Text("Two folders."),)),
        Turn((_call("read_file", "src/a.py", "same"),), FinishReason.TOOL_CALLS),
        Turn(
            (ThinkingPart("One more."), _call("read_file", "src/b.py"), _call("read_file", "ä.py")),
            FinishReason.TOOL_CALLS,
        ),
    ),
)
"""Two turns of the user, two steps in the second; the first id comes twice."""

TEXTS: Final = BaseRequest(
    "gem-texts", "gemini-generate", "gemini-3.6-flash", (Turn((Text("It prints a line."),)), Turn((Text("Done."),)))
)
WITHOUT_IDS: Final = BaseRequest(
    "gem-without-ids",
    "gemini-generate",
    "gemini-3-flash-preview",
    (
        Turn(
            (_call("read_file", "a", ""), _call("read_file", "b", ""), _call("list_files", "a", "")),
            FinishReason.TOOL_CALLS,
        ),
    ),
)
REPEATED: Final = BaseRequest(
    "gem-repeated",
    "gemini-generate",
    "gemini-3-flash-preview",
    (
        Turn((Text("I look."), _call("read_file", "a", ""), _call("read_file", "a", "")), FinishReason.TOOL_CALLS),
        Turn((_call("read_file", "a", ""), _call("list_files", "a", "")), FinishReason.TOOL_CALLS),
        Turn((Text("Done."),)),
        Turn((Text("Done."),)),
        Turn((Text("Done."), _call("list_files", "a", ""), _call("read_file", "a", "")), FinishReason.TOOL_CALLS),
    ),
)
"""The same calls, and the same words, again and again."""

ARGUMENTS: Final = BaseRequest(
    "gem-arguments",
    "gemini-generate",
    "gemini-3-flash-preview",
    (
        Turn(
            (Text("I look.", "dGV4dA=="), Call("list_files", _NESTED, id="a"), Call("list_files", _LONG, id="b")),
            FinishReason.TOOL_CALLS,
        ),
        Turn(tuple(_call("list_files", "x" * length, "a1") for length in _AS_SHOWN), FinishReason.TOOL_CALLS),
        Turn(tuple(Call("read_file", arguments, id="") for arguments in _OF_ALL_TYPES), FinishReason.TOOL_CALLS),
    ),
)
"""Arguments of every type; one of them is only half a character."""

BEGUN: Final = BaseRequest(
    "gem-begun",
    "gemini-generate",
    "gemini-3-flash-preview",
    (Turn((Text("Done.", "ZG9uZQ=="), _LIST), FinishReason.TOOL_CALLS), _ONE),
    prompt=_SHOWN,
    amend=_begins_the_answer,
    fixed=True,
)
"""A history that somebody else has begun, with the words of an answer and the beginning of another."""

SAME_WORDS: Final = BaseRequest(
    "gem-same-words",
    "gemini-generate",
    "gemini-3.6-flash",
    (
        Turn((Text("Done.", "ZG9uZQ=="), _LIST), FinishReason.TOOL_CALLS),
        *(Turn((Text("Done."),)), _ONE) * 3,
    ),
)
"""An answer that calls, and others with the same words that do not."""

BROKEN: Final = BaseRequest(
    "gem-broken",
    "gemini-generate",
    "gemini-3.6-flash",
    (replace(_TWO, ending="eof"), _ONE),
    amend=_forgets_the_last_of_two_calls,
    fixed=True,
)
"""An answer without an end. A loop has not read all of it."""

FIRST_3: Final = BaseRequest("gem-first-3", "gemini-generate", "gemini-3-pro-preview", (_TWO,))
NEWEST: Final = BaseRequest("gem-newest", "gemini-generate", "gemini-3.7-flash", (_TWO, _ONE))
AT_VERTEX: Final = BaseRequest("gem-at-vertex", "gemini-generate", "gemini-3.7-flash", (_TWO,), amend=_at_vertex)
OLD: Final = BaseRequest("gem-old", "gemini-generate", "gemini-2.5-flash", (_TWO,))
OLD_PRO: Final = BaseRequest("gem-old-pro", "gemini-generate", "gemini-2.5-pro", (_ONE, Turn((Text("Done."),))))
LATEST: Final = BaseRequest("gem-latest", "gemini-generate", "gemini-pro-latest", (_ONE,))
IMAGE_MODEL: Final = BaseRequest("gem-image-model", "gemini-generate", "gemini-2.5-flash-image", (_ONE,))
WITH_AN_IMAGE: Final = BaseRequest(
    "gem-with-an-image", "gemini-generate", "gemini-3.6-flash", (_TWO, _ONE), amend=_shows_an_image
)
SERVER_TOOL: Final = BaseRequest(
    "gem-server-tool", "gemini-generate", "gemini-3.6-flash", (_ONE,), amend=_asks_the_server
)
FOREIGN: Final = BaseRequest("gem-foreign", "gemini-generate", "gemini-3.6-flash", (_TWO, _ONE), foreign=True)
FOREIGN_OLD: Final = BaseRequest("gem-foreign-old", "gemini-generate", "gemini-2.0-flash", (_TWO,), foreign=True)

BASE_REQUESTS: Final = (
    *(ONE_CALL, TWO_CALLS, STEPS, TEXTS, WITHOUT_IDS, REPEATED, ARGUMENTS, BEGUN, SAME_WORDS, BROKEN),
    *(FIRST_3, NEWEST, AT_VERTEX, OLD, OLD_PRO, LATEST, IMAGE_MODEL, WITH_AN_IMAGE, SERVER_TOOL, FOREIGN, FOREIGN_OLD),
)


# --- changes that no rule is about -----------------------------------------------------------------------------


def _at(posted: Posted, prefix: str) -> bool:
    """Another path to the models of Vertex AI."""
    is_vertex = "/publishers/" in posted.path
    if is_vertex:
        posted.path = f"/v1/{prefix}/models/{posted.path.rpartition('/')[2]}"
    return is_vertex


def _ask_a_tuned_model(posted: Posted) -> bool:
    """Begin anew with a model that its owner has named."""
    del contents(posted)[1:]
    posted.path = f"/v1beta/tunedModels/mine:{posted.path.rpartition(':')[2]}"
    return True


HARMLESS: Final = (
    Right(
        "gem-hardly-too-warm",
        "The temperature is hardly above 2, at Vertex AI.",
        lambda it: "/publishers/" in it.path and put([generation(it)], temperature=2.00005),
        "at-vertex",
    ),
    Right(
        "gem-vertex-without-project",
        "Vertex AI is asked in no project.",
        lambda it: _at(it, "publishers/google"),
        "at-vertex",
    ),
    Right(
        "gem-vertex-without-publisher",
        "Vertex AI is asked for a model of a project.",
        lambda it: _at(it, "projects/p/locations/global"),
        "at-vertex",
    ),
    Right("gem-tuned-model", "A tuned model is asked.", _ask_a_tuned_model, "texts foreign"),
)
"""What is accepted, though one could think otherwise."""
