"""Where the reference loop does something else than the recorded engine on the same script, and why.

``docs/deviations.md`` tells more of each. What the reference tells where the order of events deviates is part of the
entry, so that it cannot change unnoticed.
"""

from __future__ import annotations

from harness_lab.golden.reasons import Reason

__all__ = ["DEVIATIONS"]

_CREATED = "events: toolStart(create_file 1) setCode toolResult(create_file 1) assistant final(completed)"
_CREATE_FAILED = "events: toolStart(create_file 1) toolResult(create_file 1 failed) assistant final(completed)"
_EDIT_FAILED = "events: toolStart(edit_file 1) toolResult(edit_file 1 failed) assistant final(completed)"
_CREATE_NOT_RUN = "events: toolStart(create_file 1) setCode toolResult(create_file 1 failed) "
_CREATED_AND_EDITED = (
    "events: toolStart(create_file 1) setCode toolResult(create_file 1) "
    "toolStart(edit_file 2) setCode toolResult(edit_file 2) assistant final(completed)"
)
_CREATED_TWICE = (
    "events: toolStart(create_file 1) setCode toolStart(create_file 2) setCode toolResult(create_file 1) "
    "setCode toolResult(create_file 2) assistant final(completed)"
)

DEVIATIONS = (
    # --- the model's turn -----------------------------------------------------------------------------------
    Reason(
        "A turn that stopped at its token limit runs no call and ends the run; the engine runs what had arrived.",
        {
            "length_in_edit_args_new_text.anthropic length_in_edit_args_second_edit.anthropic": (
                "events: final(truncated)",
                "texts",
                "codes",
                "inputs",
                "outputs",
                "code",
                "requests",
            ),
            "length_in_edit_args_new_text.openai length_in_edit_args_second_edit.openai": (
                "events: final(truncated)",
                "texts",
                "inputs",
                "outputs",
                "requests",
            ),
            "length_in_tool_args length_in_tool_args_item_done": (
                _CREATE_NOT_RUN + "final(truncated)",
                "texts",
                "outputs",
                "code",
                "requests",
            ),
            "length_in_text": ("events: assistant final(truncated)", "code"),
        },
    ),
    Reason(
        "A stream without its terminal event, or with a failed response, ends the run; the engine takes it for whole.",
        {
            "no_terminal_event.openai": (
                "events: assistant toolStart(create_file 1) setCode toolResult(create_file 1 failed) error(stream)",
                "texts",
                "codes",
                "outputs",
                "code",
                "requests",
            ),
            "response_failed.openai": ("events: assistant error(stream)", "code"),
        },
    ),
    Reason(
        "A call that was announced and is not run gets a toolResult; the engine leaves it open when the stream breaks.",
        {"cut_mid_args cut_after_tool.gemini": (_CREATE_NOT_RUN + "error(stream)", "outputs")},
    ),
    Reason(
        "A paused turn is sent back, and this script then has nothing more to say; the engine takes it for the end.",
        {"pause_turn.anthropic": ("events: assistant error(http)", "code", "requests")},
    ),
    Reason(
        "Every wire is asked again after 429 and 5xx; the engine leaves that to the SDKs, and Gemini's does not.",
        {"http_429.gemini http_529.gemini": ("requests",)},
    ),
    # --- arguments ------------------------------------------------------------------------------------------
    Reason(
        "Arguments of a wrong type, or that are no JSON, get an error result; the engine dies.",
        {
            "edit_count_string": (_EDIT_FAILED, "texts", "outputs", "code", "requests"),
            "edit_edits_strings args_list.anthropic args_list.openai args_null.openai": (
                _EDIT_FAILED,
                "texts",
                "inputs",
                "outputs",
                "code",
                "requests",
            ),
            "invalid_args_garbage.anthropic": (_CREATE_FAILED, "texts", "inputs", "outputs", "code", "requests"),
        },
    ),
    Reason(
        "Gemini's SDK refuses the whole response for arguments that are a list; here that is a broken stream.",
        {"args_list.gemini": ("events: error(stream)",)},
    ),
    Reason(
        "Arguments that are no object are named as the fault and shown as they came; the engine takes them for {}.",
        {"args_null.anthropic": ("inputs", "outputs"), "invalid_args_garbage.openai": ("inputs",)},
    ),
    Reason(
        "A text that a call does not give is shown as null; the engine shows an empty one.",
        {"args_null.gemini": ("inputs",)},
    ),
    Reason(
        "Arguments that break off are no JSON; on Anthropic the engine runs what the SDK made of them.",
        {"invalid_args_truncated.anthropic": ("outputs",)},
    ),
    Reason(
        "An argument may be called INVALID_JSON; the engine marks broken arguments by that name.",
        {"key_named_INVALID_JSON": (_CREATED, "codes", "outputs", "code")},
    ),
    Reason(
        "count 0 is named as the fault; the engine says that old_text was not found.",
        {"edit_count_zero": ("outputs",)},
    ),
    Reason(
        "Content must be a text; the engine stores the Python spelling of an object.",
        {"create_object_content": (_CREATE_FAILED, "codes", "inputs", "outputs", "code")},
    ),
    # --- ids and names --------------------------------------------------------------------------------------
    Reason(
        "Two calls with one id are reported and run as two; the engine mixes them up, and on OpenAI loses the first.",
        {
            "duplicate_ids_same_turn.anthropic duplicate_ids_same_turn.gemini": (
                _CREATED_AND_EDITED,
                "inputs",
            ),
            "duplicate_ids_same_turn.openai": (_CREATED_AND_EDITED, "codes", "inputs", "outputs", "code"),
            "duplicate_ids_two_creates": (_CREATED_TWICE, "codes", "inputs", "outputs", "code"),
        },
    ),
    Reason(
        "A call without an id is reported under one id; on Anthropic the engine starts it twice, under two.",
        {
            "missing_id.anthropic": (_CREATED_AND_EDITED, "inputs"),
            "empty_id.anthropic": (_CREATED, "inputs"),
        },
    ),
    Reason(
        "A call without a name has an empty one; the engine says None or unknown_tool.",
        {
            "missing_name.openai": (
                "events: toolStart( 1) toolResult( 1 failed) assistant final(completed)",
                "outputs",
            ),
            "missing_name.anthropic": ("outputs",),
        },
    ),
    # --- what the user is told ------------------------------------------------------------------------------
    Reason(
        "An early toolStart shows a path that has arrived; the engine shows the rest of the arguments behind it.",
        {
            "create_empty_content.anthropic create_empty_content.openai golden_create_edit_final.anthropic "
            "golden_create_edit_final.openai invalid_args_truncated key_order_path_then_content.anthropic "
            "key_order_path_then_content.openai length_in_tool_args length_in_tool_args_item_done "
            "whitespace_pretty_json.anthropic whitespace_pretty_json.openai": ("inputs",),
        },
    ),
    Reason(
        "A preview is a beginning of the content; the engine shows half an escape, half a character or later keys.",
        {
            "extra_key_after_content.anthropic extra_key_after_content.openai golden_content_only_key.anthropic "
            "golden_content_only_key.openai key_order_content_then_long_path.anthropic "
            "key_order_content_then_long_path.openai surrogate_cut_at_preview u_escape_cut_at_preview "
            "u_escape_cut_with_backslashes": ("codes",),
        },
    ),
    Reason(
        "A key may be spelled with escapes; the engine then previews only the finished arguments, in 18 steps.",
        {"preview_chunk_loop_450 preview_chunk_loop_5k": ("codes", "inputs")},
    ),
    Reason(
        "The step of previews grows with the code; the engine's is always 40 characters.",
        {
            "golden_create_edit_final.anthropic golden_create_edit_final.openai golden_content_only_key.anthropic "
            "golden_content_only_key.openai": ("codes",),
        },
    ),
    Reason(
        "Content is kept as it came; the engine cuts a page out of it.",
        {
            "content_after_html_end content_two_html_documents content_with_fence_inside golden_content_only_key "
            "golden_create_edit_final": ("codes", "outputs", "code"),
        },
    ),
    Reason(
        "An edit that empties the file sets the empty code, and that is the result; the engine looks for another page.",
        {
            "edit_to_empty": (
                "events: toolStart(edit_file 1) setCode toolResult(edit_file 1) assistant final(completed)",
                "codes",
                "outputs",
                "code",
            ),
        },
    ),
    Reason(
        "Diffs can be applied, also those of files without a final line break.",
        {
            "edit_count_all edit_count_null edit_to_empty missing_id duplicate_ids_same_turn.anthropic "
            "duplicate_ids_same_turn.gemini": ("outputs",),
        },
    ),
    Reason(
        "Prose is no code; where no file was made the engine returns the last text as the page.",
        {
            "create_empty_content create_missing_content create_null_content edit_without_file final_prose_only "
            "gemini_signature_alphabet generate_images_disabled invalid_args_garbage.openai invalid_args_truncated "
            "missing_name unknown_tool": ("code",),
        },
    ),
    Reason(
        "Arguments of other tools are shown as the model gave them; the engine fills in those that it left out.",
        {
            "exactly_19_tool_turns_then_final gemini_signature_alphabet generate_images_disabled "
            "html_in_text_with_tool": ("inputs",),
        },
    ),
    Reason(
        "Tools that the reference does not have are unknown tools, and it knows no keys that could be missing.",
        {"generate_images_disabled": ("outputs",)},
    ),
)
