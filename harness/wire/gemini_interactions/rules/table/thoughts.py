"""INT-10 to 12, 14 and 15: thoughts and their signatures on the way back."""

from __future__ import annotations

from typing import Final

from harness.wire.rule import ErrorTemplate, WireRule

_INVALID: Final = "Request contains an invalid argument."
"""The text that was seen. It is that of most refusals, so nobody is led to a rule by it (``ErrorTemplate.seen``)."""

_OBSIDIAN: Final = "https://github.com/allenhutchison/obsidian-gemini/pull/1269"
_JS_1735: Final = "https://github.com/googleapis/js-genai/issues/1735"
_PI_2172: Final = "https://github.com/earendil-works/pi/pull/2172"

INT_10: Final = WireRule(
    "INT-10",
    "Where a request sends the calls of the model, it sends the signed thought that came before them.",
    "The signature is on a step of its own in front of the calls, and a call has none: a loop that keeps only the "
    "steps that it knows loses it, and the next request is refused.",
    "certain",
    (_OBSIDIAN, _PI_2172, _JS_1735),
    (ErrorTemplate(_INVALID),),
    applies="Gemini 3 and later, in the turn that results continue",
    about=("thinking",),
)

INT_11: Final = WireRule(
    "INT-11",
    "A thought that is sent back has a signature that is not empty.",
    "In a stream the signature comes as a delta behind the start of the step: a loop that reads only the start sends "
    "the thought without it.",
    "certain",
    (_JS_1735,),
    (ErrorTemplate(_INVALID),),
    about=("thinking",),
)

INT_12: Final = WireRule(
    "INT-12",
    "A signature goes back as it came.",
    "It is bytes of the provider's own; a loop that decodes, cuts or exchanges them has made another.",
    "likely",
    ("https://ai.google.dev/gemini-api/docs/interactions/thinking.md.txt", "on generateContent: GEM-09"),
    (ErrorTemplate(_INVALID),),
    about=("thinking",),
)

INT_14: Final = WireRule(
    "INT-14",
    "The signature of the thought may be on the call behind it, in place of the thought.",
    "One client drops the thought and writes its signature to the next call, which is accepted; the member is in no "
    "documentation and no longer in the types of the SDKs.",
    "likely",
    (_OBSIDIAN,),
    permits=True,
)

INT_15: Final = WireRule(
    "INT-15",
    "A thought of the model does not go back with a bypass value in place of its signature.",
    "The value is accepted, and the model goes on without its thoughts.",
    "likely",
    (_PI_2172, "on generateContent: GEM-10"),
    (ErrorTemplate("The model goes on without its thoughts.", status=200),),
    about=("thinking",),
)
