"""INT-04 to 09, 13, 16, 17, 20, 22 to 24 and 31: calls, their results, and the order of steps."""

from __future__ import annotations

from typing import Final

from harness.wire.rule import ErrorTemplate, WireRule, verbatim

_INVALID: Final = "Request contains an invalid argument."
_APART: Final = (
    "Please ensure that function response turn comes immediately after a function call turn. Got function response "
    "with name '{name}'."
)
_SEEN_APART: Final = (
    "Please ensure that function response turn comes immediately after a function call turn. Got function response "
    "with name 'run_travel_code'."
)
_GENAI_3003: Final = "https://github.com/googleapis/python-genai/issues/3003"
_FUNCTIONS: Final = "https://ai.google.dev/gemini-api/docs/interactions/function-calling"
_SDK: Final = "google-genai 3.4.0, its types of steps"

INT_04: Final = WireRule(
    "INT-04",
    "Each function_result has the id of a function_call that the interaction before or an earlier step has.",
    "A loop that goes on from the wrong interaction, or has shortened its history, answers calls that the model does "
    "not see.",
    "likely",
    (_GENAI_3003,),
    (ErrorTemplate(_APART, seen=_SEEN_APART),),
    about=("results",),
)

INT_05: Final = WireRule(
    "INT-05",
    "Each function_call has one function_result, and it is in what the client sends next.",
    "A loop that is interrupted, or declines one of several calls, loses the interaction: it still requires the "
    "action.",
    "likely",
    (_GENAI_3003, _FUNCTIONS, "the same back end refuses it on generateContent: GEM-06"),
    (
        ErrorTemplate(_INVALID),
        ErrorTemplate(_INVALID, certainty="inferred", name="twice"),
    ),
    about=("results",),
)

INT_06: Final = WireRule(
    "INT-06",
    "Between the calls of a turn and the last of their results is nothing but results.",
    "A message of the user in front of the results separates them from their calls.",
    "likely",
    (_GENAI_3003, "the same back end refuses it on generateContent: GEM-05"),
    (ErrorTemplate(_APART),),
    about=("results",),
)

INT_07: Final = WireRule(
    "INT-07",
    "A function_result has the name of the tool.",
    "The types of the SDK say that it is optional, so a loop may leave it out.",
    "likely",
    ("https://github.com/robocurve/inspect-robots/issues/380", "recorded results have it"),
    (verbatim("Invalid input received"),),
)

INT_08: Final = WireRule(
    "INT-08",
    "The name of a function_result is that of its call.",
    "A loop that renames tools answers another tool than the one that was called.",
    "inferred",
    (_SDK, "on generateContent: GEM-12"),
    (ErrorTemplate(_INVALID),),
    about=("results",),
)

INT_09: Final = WireRule(
    "INT-09",
    "A function_result has a call_id.",
    "Nothing else says which of several calls it answers.",
    "likely",
    (f"{_SDK}: required",),
    (ErrorTemplate(_INVALID),),
    about=("results",),
)

INT_13: Final = WireRule(
    "INT-13",
    "The calls of one answer go back one behind the other, in their order, and all results behind them.",
    "A loop that writes each result behind its own call changes what the signature before the calls is about.",
    "likely",
    (
        "https://ai.google.dev/gemini-api/docs/interactions/thinking.md.txt (steps as received)",
        "https://github.com/LionWeb-io/TeXRA/pull/6550",
    ),
    (ErrorTemplate(_INVALID),),
)

INT_16: Final = WireRule(
    "INT-16",
    "The arguments of a function_call are the object that the model has sent.",
    "A stream brings them as text, so a loop may send the text back; one that has repaired them shows the model what "
    "it did not say.",
    "likely",
    (_SDK,),
    (
        ErrorTemplate(_INVALID),
        ErrorTemplate(_INVALID, certainty="inferred", name="changed"),
    ),
    about=("words",),
)

INT_17: Final = WireRule(
    "INT-17",
    "The result of a function_result is a text, an object or a list of contents.",
    "A tool that returns nothing, a number or a truth value has a result that must be put into one of them.",
    "likely",
    (_SDK,),
    (ErrorTemplate(_INVALID),),
)

INT_20: Final = WireRule(
    "INT-20",
    "Beside previous_interaction_id the input has only what is new.",
    "Steps that the interactions have are in the history twice if they are sent again: nobody refuses it, the model "
    "reads it twice and the user pays for it.",
    "inferred",
    ("https://ai.google.dev/gemini-api/docs/interactions",),
    (ErrorTemplate("The history has the step twice.", status=200),),
)

INT_22: Final = WireRule(
    "INT-22",
    "The steps of a server tool go back where the steps around them do: each call with its result, signed as it came.",
    "A loop that keeps only the steps that it knows loses them or separates them, and the model has not searched.",
    "likely",
    ("https://ai.google.dev/gemini-api/docs/interactions/tool-combination.md.txt", _SDK),
    (ErrorTemplate(_INVALID),),
)

INT_23: Final = WireRule(
    "INT-23",
    "The client answers no call of a server tool.",
    "The provider has run it: a loop that takes each step with an id for a call to be run answers it once more.",
    "likely",
    ("https://github.com/agno-agi/agno (a comment in GeminiInteractions)",),
    (ErrorTemplate(_INVALID),),
)

INT_24: Final = WireRule(
    "INT-24",
    "The client answers no call whose result is among the steps of the interaction itself.",
    "An agent runs tools of its own, and its interaction has such calls with their results: a loop that answers each "
    "function_call that it finds runs them once more.",
    "likely",
    ("https://github.com/agno-agi/agno (a comment in GeminiInteractions)",),
    (ErrorTemplate(_INVALID),),
    applies="interactions of agents",
)

INT_31: Final = WireRule(
    "INT-31",
    "To a model that takes no images in results, a result is no list of contents, even if it has text only.",
    "A list counts as a multimodal result; a text or an object does not.",
    "likely",
    ("https://github.com/allenhutchison/obsidian-gemini (a comment in its interactions mapper)",),
    (verbatim("Multimodal function responses are not supported for this model"),),
    applies="Gemini 2.5 and older",
)
