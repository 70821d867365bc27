"""Where the text protocol of ours says something else than the measured program, and why (``docs/deviations.md``)."""

from __future__ import annotations

from harness_lab.golden.reasons import Reason

__all__ = ["TEXT_DEVIATIONS"]


def _reason(why: str, *cases: str) -> Reason:
    return Reason(why, {" ".join(cases): ("differs",)})


TEXT_DEVIATIONS = (
    _reason(
        "A block that is no call is a call with invalid arguments: the model gets an error, the loop does not end.",
        "unclosed-then-closed",
        "bad-std-falls-through-to-gemma",
        "empty-name-dropped",
        "unclosed-tag",
        "single-quotes",
        "call-colon-no-brace",
        "hyphen-key",
        "array-of-calls",
        "fence-inside-tag",
        "step-bad-call-gives-empty-final",
        "step-bad-call-with-prose",
        "step-bad-gemma-leaks",
    ),
    _reason("No call is lost because of the text before or around it.", "std-wins-over-gemma"),
    _reason("A tag inside a string is the string's.", "end-tag-inside-string"),
    _reason(
        "Nothing runs on arguments that the model did not write.",
        "call-colon-broken-args-become-empty",
    ),
    _reason(
        "White space means nothing in JSON, a line break too: the key is repaired.",
        "key-newline-before-colon",
    ),
    _reason(
        "The value is unambiguous and reaches the tool as every other session gives it: half a character as U+FFFD, "
        "and no digit is lost.",
        "lone-surrogate",
        "big-integer",
    ),
    _reason(
        "What is no text for the user is not shown as text, whatever its tags.",
        "strip-calls-gemma-left",
        "strip-calls-unclosed-left",
    ),
    _reason(
        "Text that cannot become JSON is read up to the fault; neither form runs.",
        "fix-bare-value-untouched",
    ),
    _reason("A tool that never ends is never reported to have gone well.", "never-resolving-promise"),
    _reason(
        "A failed request fails the turn as on every wire; the engine reports it, in its own words, and may try again.",
        "nudge-http-error",
        "http-error-in-loop",
        "no-choices",
    ),
    _reason("The prompt is the caller's; there is no command line to join.", "user-prompt-args"),
)
