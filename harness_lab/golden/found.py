"""What the rules find in the recorded engine, and why. Every line but the first is a bug of the engine."""

from __future__ import annotations

from harness_lab.golden.reasons import Reason

__all__ = ["FOUND"]

_ANTHROPIC = "continuation/anthropic-messages"
_OPENAI = "continuation/openai-responses"
_GEMINI = "continuation/gemini-generate"

FOUND = (
    Reason(
        "The run began with a file, which no event reports: the code that it ends with is that file.",
        {
            "args_null.anthropic args_null.gemini edit_count_zero edit_edits_object edit_multi_second_fails "
            "final_html_with_initial_file length_in_edit_args_new_text.openai "
            "length_in_edit_args_second_edit.openai": ("final/code",),
        },
    ),
    Reason(
        "Where no file was made, the last text becomes the page: prose, half a page, the words after a failed tool.",
        {
            "create_empty_content create_missing_content create_null_content duplicate_ids_same_turn.openai "
            "edit_without_file final_prose_only gemini_signature_alphabet generate_images_disabled "
            "invalid_args_garbage.openai invalid_args_truncated key_named_INVALID_JSON length_in_text "
            "length_in_tool_args length_in_tool_args_item_done missing_name response_failed unknown_tool": (
                "final/code",
            ),
        },
    ),
    Reason(
        "Stop reasons are never looked at: half a page is a completed run.",
        {"length_in_text": ("final/outcome",)},
    ),
    Reason(
        "Stop reasons are never looked at: a paused turn is taken for the end.",
        {"pause_turn.anthropic": ("final/paused-turn",)},
    ),
    Reason(
        "An edit that was cut off at the token limit is run with the text that the SDK made of its arguments.",
        {"length_in_edit_args_new_text.anthropic length_in_edit_args_second_edit.anthropic": ("final/stopped-call",)},
    ),
    Reason(
        "A stream without its terminal event, or with a failed response, is taken as success.",
        {"no_terminal_event.openai response_failed.openai": ("final/failed-turn",)},
    ),
    Reason(
        "Arguments of a wrong type, or that are no JSON, end the run with a crash; a call that was started stays open.",
        {
            "args_list.anthropic args_list.openai args_null.openai edit_count_string edit_edits_strings "
            "invalid_args_garbage.anthropic": ("final/open-call",),
        },
    ),
    Reason(
        "Gemini's SDK refuses the whole response for arguments that are a list, and the engine crashes on that.",
        {"args_list.gemini": ("final/open-call",)},
    ),
    Reason(
        "Anthropic's thinking and its signatures do not go back.",
        {
            "golden_content_only_key.anthropic golden_create_edit_final.anthropic": (
                "history/model-thinking",
                f"{_ANTHROPIC} ANT-15",
            ),
        },
    ),
    Reason(
        "A preview ends in half an escape or half a character.",
        {
            "golden_content_only_key.anthropic golden_content_only_key.openai surrogate_cut_at_preview "
            "u_escape_cut_at_preview u_escape_cut_with_backslashes": ("preview/prefix",),
            "surrogate_cut_at_preview": ("preview/half-character",),
        },
    ),
    Reason(
        "Keys that come after the content leak into its preview.",
        {
            "extra_key_after_content.anthropic extra_key_after_content.openai "
            "key_order_content_then_long_path.anthropic key_order_content_then_long_path.openai": ("preview/prefix",),
        },
    ),
    Reason(
        "The path in an early toolStart runs on into the rest of the arguments.",
        {
            "create_empty_content.anthropic create_empty_content.openai golden_create_edit_final.anthropic "
            "golden_create_edit_final.openai key_order_path_then_content.anthropic key_order_path_then_content.openai "
            "whitespace_pretty_json.anthropic whitespace_pretty_json.openai": ("preview/start-input",),
        },
    ),
    Reason(
        "Where the path has not arrived, an early toolStart says index.html, which is another file than the call's.",
        {
            "create_twice.anthropic create_twice.openai key_order_content_then_long_path.anthropic "
            "key_order_content_then_long_path.openai key_order_content_then_path.anthropic "
            "key_order_content_then_path.openai": ("preview/start-input",),
        },
    ),
    Reason(
        "Content that is an object is shown and stored in its Python spelling.",
        {"create_object_content": ("preview/prefix",)},
    ),
    Reason(
        "Two calls with one id share one entry: the second is not started, and the previews run into each other.",
        {
            "duplicate_ids_same_turn.anthropic duplicate_ids_same_turn.gemini": (
                "order/tool-name",
                "order/tool-result-once",
                "order/tool-result-reported",
            ),
            "duplicate_ids_two_creates.anthropic duplicate_ids_two_creates.gemini": (
                "order/tool-result-once",
                "order/tool-result-reported",
                "preview/prefix",
            ),
            "duplicate_ids_two_creates.anthropic": ("preview/before-run",),
        },
    ),
    Reason(
        "Two calls with one id go back as they are, which Anthropic refuses.",
        {
            "duplicate_ids_same_turn.anthropic duplicate_ids_two_creates.anthropic": (
                f"{_ANTHROPIC} ANT-04",
                f"{_ANTHROPIC} ANT-05",
            ),
        },
    ),
    Reason(
        "On OpenAI the first of two calls with one id is lost: it is not run, and the request has one result for both.",
        {
            "duplicate_ids_same_turn.openai": ("order/tool-name",),
            "duplicate_ids_same_turn.openai duplicate_ids_two_creates.openai": (
                "history/results",
                "order/tool-result-reported",
                "preview/prefix",
                f"{_OPENAI} OAI-12",
            ),
        },
    ),
    Reason(
        "On Anthropic a call without an id is reported under two ids.",
        {"empty_id.anthropic missing_id.anthropic": ("order/tool-id", "order/tool-result-reported")},
    ),
    Reason(
        "Where the model sends no id, null, an empty text or nothing goes back.",
        {
            "missing_id.anthropic": (f"{_ANTHROPIC} ANT-09",),
            "empty_id.anthropic": (f"{_ANTHROPIC} ANT-08",),
            "missing_id.openai": (f"{_OPENAI} OAI-04",),
            "empty_id.openai": (f"{_OPENAI} OAI-08",),
        },
    ),
    Reason(
        "On OpenAI the result of a call without an id goes back under the id of its item.",
        {"empty_id.openai missing_id.openai": (f"{_OPENAI} OAI-11",)},
    ),
    Reason(
        "A call that no event announced is reported, run and answered under the id of its item.",
        {
            "openai_deltas_without_added.openai": (
                "history/no-other-results",
                "history/results",
                "order/tool-id",
                "order/tool-result-reported",
                f"{_OPENAI} OAI-10",
                f"{_OPENAI} OAI-11",
            ),
        },
    ),
    Reason(
        "A call without a name goes back without one.",
        {
            "missing_name.anthropic": (f"{_ANTHROPIC} ANT-09",),
            "missing_name.gemini": (f"{_GEMINI} GEM-11",),
            "missing_name.openai": (f"{_OPENAI} OAI-06",),
        },
    ),
)
