"""Where this protocol differs from the measured program: case by case, with the reason (``docs/deviations.md``)."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["DEVIATIONS"]

_ANSWERED = "A block that is no call is a call with invalid arguments: the model is told, the loop does not end."
_LOST = "No call is lost because of what stands before or around it."
_GUESS = "Nothing runs on arguments that the model did not write."
_SHOWN = "What is no text for the user is not shown as text, whatever its tags."
_VALUE = "The value is unambiguous and reaches the tool as every other session gives it."
_FAILED = "A failed request fails the turn as on every wire; the engine tells it and decides about retries."
_OUTSIDE = "There is no such thing here."

DEVIATIONS: Mapping[str, str] = {
    "std-wins-over-gemma": _LOST,
    "unclosed-then-closed": f"{_LOST} {_ANSWERED}",
    "end-tag-inside-string": "A tag inside a string is the string's.",
    "bad-std-falls-through-to-gemma": _ANSWERED,
    "empty-name-dropped": _ANSWERED,
    "unclosed-tag": _ANSWERED,
    "single-quotes": _ANSWERED,
    "call-colon-no-brace": _ANSWERED,
    "hyphen-key": _ANSWERED,
    "array-of-calls": _ANSWERED,
    "fence-inside-tag": _ANSWERED,
    "step-bad-call-gives-empty-final": _ANSWERED,
    "step-bad-call-with-prose": _ANSWERED,
    "step-bad-gemma-leaks": f"{_ANSWERED} {_SHOWN}",
    "call-colon-broken-args-become-empty": _GUESS,
    "key-newline-before-colon": "White space means nothing in JSON, a line break too: the key is repaired.",
    "lone-surrogate": f"{_VALUE} Half a character becomes U+FFFD.",
    "big-integer": f"{_VALUE} No digit is lost.",
    "strip-calls-gemma-left": _SHOWN,
    "strip-calls-unclosed-left": _SHOWN,
    "fix-bare-value-untouched": "Text that cannot become JSON is read up to the fault; neither form runs.",
    "never-resolving-promise": f"{_GUESS} A tool that never ends is never reported to have gone well.",
    "nudge-http-error": _FAILED,
    "http-error-in-loop": f"{_FAILED} The words are the SDK's.",
    "no-choices": f"{_FAILED} The words are the session's.",
    "user-prompt-args": f"{_OUTSIDE} The prompt is the caller's; there is no command line to join.",
}
"""The id of each case of ``golden/hugind/cases.json`` that comes out differently, and why that is right."""
