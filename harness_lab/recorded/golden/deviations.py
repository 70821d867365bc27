"""Where the reference loop differs from the recorded engine on the same script, and why.

``docs/deviations.md`` has more about each, and ``harms`` the consequences if the reference did as the engine, by the
names that they have here. If the order of the reference's events deviates, the events are part of the reason, so that
they cannot change unnoticed.
"""

from __future__ import annotations

from harness.imports.comparison import Reason
from harness_lab.recorded.golden import happened
from harness_lab.recorded.golden.happened import PlayedRun, all_of, deviation, unless

_CREATED = "events: toolStart(create_file 1) setCode toolResult(create_file 1) assistant final(completed)"
_CREATE_FAILED = "events: toolStart(create_file 1) toolResult(create_file 1 failed) assistant final(completed)"
_EDIT_FAILED = "events: toolStart(edit_file 1) toolResult(edit_file 1 failed) assistant final(completed)"
_CREATE_NOT_RUN = "events: toolStart(create_file 1) setCode toolResult(create_file 1 failed) "
_CUT_CREATE_NOT_RUN = (_CREATE_NOT_RUN + "final(truncated)", "texts", "outputs", "code", "requests")
_EDIT_NOT_RUN = ("events: final(truncated)", "texts", "inputs", "outputs", "requests")
_CREATED_AND_EDITED = (
    "events: toolStart(create_file 1) setCode toolResult(create_file 1) "
    "toolStart(edit_file 2) setCode toolResult(edit_file 2) assistant final(completed)"
)
_CREATED_TWICE = (
    "events: toolStart(create_file 1) setCode toolStart(create_file 2) setCode toolResult(create_file 1) "
    "setCode toolResult(create_file 2) assistant final(completed)"
)

_truncated = happened.some_answer(lambda answer: answer.finish == "length")
_whole = unless(_truncated)
_text_count = happened.some_argument(lambda arguments: isinstance(arguments.get("count"), str))
_invalid_json_key = happened.some_argument(lambda arguments: "INVALID_JSON" in arguments)
_on_openai = happened.on("openai-responses")
_no_id = happened.call_without("id", None, "")

DEVIATIONS: tuple[Reason[PlayedRun], ...] = (
    # --- the model's turn -----------------------------------------------------------------------------------
    deviation(
        "what-was-cut-off-is-run",
        "A turn that stopped at its token limit runs no call and ends the run; the engine runs what had arrived.",
        (all_of(happened.cut_off_call("edit_file"), unless(_on_openai)), _EDIT_NOT_RUN),
        (all_of(happened.cut_off_call("edit_file"), happened.ran_a_call), ("codes", "code")),
        (all_of(happened.cut_off_call("create_file"), unless(_on_openai)), _CUT_CREATE_NOT_RUN),
        (
            happened.some_answer(lambda answer: answer.finish == "length" and happened.without_calls(answer)),
            ("events: assistant final(truncated)", "code"),
        ),
    ),
    deviation(
        "what-was-cut-off-is-asked-for-again",
        "A turn that stopped at its token limit ends the run; on OpenAI the engine refuses its call and asks again.",
        (all_of(happened.cut_off_call("edit_file"), _on_openai), _EDIT_NOT_RUN),
        (all_of(happened.cut_off_call("create_file"), _on_openai), _CUT_CREATE_NOT_RUN),
    ),
    deviation(
        "a-broken-stream-is-whole",
        "A stream without its terminal event, or with a failed response, ends the run; the engine takes it for whole.",
        (
            happened.some_answer(lambda answer: answer.ending == "eof"),
            (
                "events: assistant toolStart(create_file 1) setCode toolResult(create_file 1 failed) error(stream)",
                "texts",
                "codes",
                "outputs",
                "code",
                "requests",
            ),
        ),
        (happened.some_answer(lambda answer: answer.ending == "failed"), ("events: assistant error(stream)", "code")),
    ),
    deviation(
        "a-call-stays-open",
        "A call that was announced and is not run gets a toolResult; the engine leaves it open when the stream breaks.",
        (
            happened.some_answer(lambda answer: answer.cut_after is not None and not happened.without_calls(answer)),
            (_CREATE_NOT_RUN + "error(stream)", "outputs"),
        ),
    ),
    deviation(
        "a-pause-is-the-end",
        "A paused turn is sent back, and this script then has nothing more to say; the engine takes it for the end.",
        (
            happened.some_answer(lambda answer: answer.finish == "pause"),
            ("events: assistant error(http)", "code", "requests"),
        ),
    ),
    deviation(
        "retries-are-the-sdk's",
        "Every wire is asked again after 429 and 5xx; the engine leaves that to the SDKs, and Gemini's does not.",
        (happened.gave_up, ("requests",)),
    ),
    # --- arguments ------------------------------------------------------------------------------------------
    deviation(
        "wrong-types-crash",
        "Arguments of a wrong type, or that are no JSON, get an error result; the engine dies.",
        (
            all_of(happened.crashed, happened.call_of("edit_file")),
            (_EDIT_FAILED, "texts", "outputs", "code", "requests"),
        ),
        (
            all_of(happened.crashed, happened.call_of("edit_file"), unless(_text_count, happened.null_arguments)),
            ("inputs",),
        ),
        (
            all_of(happened.crashed, happened.call_of("create_file")),
            (_CREATE_FAILED, "texts", "inputs", "outputs", "code", "requests"),
        ),
    ),
    deviation(
        "no-json-is-shown-as-nothing",
        "Arguments that are no JSON are shown as they came; the engine shows those of an empty object.",
        (all_of(happened.no_json(breaks_off=False), unless(happened.crashed)), ("inputs",)),
    ),
    deviation(
        "arguments-are-completed",
        "Arguments that break off are no JSON; on Anthropic the engine runs what the SDK made of them.",
        (all_of(happened.no_json(breaks_off=True), happened.on("anthropic-messages"), _whole), ("outputs",)),
    ),
    deviation(
        "an-argument-marks-broken-json",
        "An argument may be called INVALID_JSON; the engine marks broken arguments by that name.",
        (_invalid_json_key, (_CREATED, "codes", "outputs", "code")),
    ),
    deviation(
        "count-0-finds-nothing",
        "count 0 is named as the fault; the engine says that old_text was not found.",
        (happened.some_argument(lambda arguments: arguments.get("count") == 0), ("outputs",)),
    ),
    deviation(
        "an-object-becomes-a-page",
        "Content must be a text; the engine stores the Python spelling of an object.",
        (happened.content_is(dict), (_CREATE_FAILED, "codes", "inputs", "outputs", "code")),
    ),
    # --- ids and names --------------------------------------------------------------------------------------
    deviation(
        "one-id-is-one-call",
        "Two calls with one id are reported and run as two; the engine mixes them up, and on OpenAI loses the first.",
        (all_of(happened.same_id_twice, happened.call_of("edit_file")), (_CREATED_AND_EDITED, "inputs")),
        (
            all_of(happened.same_id_twice, happened.call_of("edit_file"), _on_openai),
            ("codes", "outputs", "code"),
        ),
        (all_of(happened.same_id_twice, unless(happened.call_of("edit_file"))), (_CREATED_TWICE, "inputs")),
        (
            all_of(happened.same_id_twice, unless(happened.call_of("edit_file"), happened.on("gemini-generate"))),
            ("codes",),
        ),
        (
            all_of(happened.same_id_twice, unless(happened.call_of("edit_file")), _on_openai),
            ("outputs",),
        ),
    ),
    deviation(
        "no-id-is-two-ids",
        "A call without an id is reported under one id; on Anthropic the engine starts it twice, under two.",
        (
            all_of(_no_id, happened.on("anthropic-messages"), happened.call_of("edit_file")),
            (_CREATED_AND_EDITED, "inputs"),
        ),
        (
            all_of(_no_id, happened.on("anthropic-messages"), unless(happened.call_of("edit_file"))),
            (_CREATED, "inputs"),
        ),
    ),
    deviation(
        "no-name-is-a-name",
        "A call without a name has an empty one; the engine says None or unknown_tool.",
        (
            all_of(happened.call_without("name", None), _on_openai),
            ("events: toolStart( 1) toolResult( 1 failed) assistant final(completed)", "outputs"),
        ),
        (all_of(happened.call_without("name", None), happened.on("anthropic-messages")), ("outputs",)),
    ),
    # --- what the user is shown -----------------------------------------------------------------------------
    deviation(
        "the-path-runs-on",
        "An early toolStart shows a path that has arrived; the engine shows the rest of the arguments behind it.",
        (happened.path_that_runs_on, ("inputs",)),
    ),
    deviation(
        "previews-are-no-beginnings",
        "A preview is a beginning of the content; the engine shows half an escape, half a character or later keys.",
        (all_of(unless(happened.same_id_twice), happened.preview_in_half), ("codes",)),
        (all_of(unless(happened.same_id_twice), happened.preview_past_the_end), ("codes",)),
    ),
    deviation(
        "a-spelt-out-key-is-missed",
        "A key may be spelled with escapes; the engine then previews only the finished arguments, in 18 steps.",
        (happened.escaped_key, ("codes", "inputs")),
    ),
    deviation(
        "fences-are-taken-out",
        "A page is kept with all that is in it; the engine also takes out fences that are part of it.",
        (happened.cut_inside, ("codes", "outputs", "code")),
    ),
    deviation(
        "an-empty-file-is-not-shown",
        "An edit that empties the file sets the empty code, and that is the result; the engine looks for another page.",
        (
            happened.some_argument(lambda arguments: arguments.get("new_text") == ""),
            (
                "events: toolStart(edit_file 1) setCode toolResult(edit_file 1) assistant final(completed)",
                "codes",
                "code",
            ),
        ),
    ),
    deviation(
        "prose-is-the-page",
        "Prose is no code; where no file was made the engine returns the last text as the page.",
        (all_of(happened.made_no_file, unless(happened.same_id_twice)), ("code",)),
    ),
    deviation(
        "tools-are-not-brought",
        "Tools that the reference does not have are unknown tools: it knows no key and no argument that is missing.",
        (happened.unknown_here, ("outputs",)),
        (all_of(happened.unknown_here, happened.filled_in_arguments), ("inputs",)),
    ),
)
