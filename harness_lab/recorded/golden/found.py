"""The findings of the rules in the recorded engine, and why. Every reason but the first is a bug of the engine."""

from __future__ import annotations

from harness.imports.comparison import Reason
from harness_lab.recorded.golden import happened
from harness_lab.recorded.golden.happened import PlayedRun, all_of, reason, unless

_ANTHROPIC = "continuation/anthropic-messages"
_OPENAI = "continuation/openai-responses"
_GEMINI = "continuation/gemini-generate"

_on_anthropic = happened.on("anthropic-messages")
_on_openai = happened.on("openai-responses")
_on_gemini = happened.on("gemini-generate")
_no_id = happened.call_without("id", None, "")
_thinking = happened.some_answer(lambda answer: any(part.kind == "thinking" for part in answer.parts))
_edited_too = happened.call_of("edit_file")

FOUND: tuple[Reason[PlayedRun], ...] = (
    reason(
        "Where no file was made, the last text becomes the page: prose, half a page, the words after a failed tool.",
        (happened.last_text_is_the_code, ("final/code",)),
    ),
    reason(
        "Stop reasons are never looked at: half a page is a completed run.",
        (happened.last_answer(lambda answer: answer.finish == "length"), ("final/outcome",)),
    ),
    reason(
        "Stop reasons are never looked at: a paused turn is taken for the end.",
        (happened.last_answer(lambda answer: answer.finish == "pause"), ("final/paused-turn",)),
    ),
    reason(
        "An edit that was cut off at the token limit is run with the text that the SDK made of its arguments.",
        (all_of(happened.cut_off_call("edit_file"), happened.ran_a_call), ("final/stopped-call",)),
    ),
    reason(
        "A stream without its terminal event, or with a failed response, is taken as success.",
        (happened.some_answer(lambda answer: answer.ending != "complete"), ("final/failed-turn",)),
    ),
    reason(
        "Arguments of a wrong type, or that are no JSON, end the run with a crash; a call that was started stays open.",
        (happened.crashed, ("final/open-call",)),
    ),
    reason(
        "Anthropic's thinking and its signatures do not go back.",
        (all_of(_on_anthropic, _thinking), ("history/model-thinking", f"{_ANTHROPIC} ANT-15")),
    ),
    reason(
        "A preview ends in half an escape or half a character.",
        (all_of(happened.preview_in_half, unless(happened.same_id_twice)), ("preview/prefix",)),
        (happened.half_a_character, ("preview/half-character",)),
    ),
    reason(
        "Keys that come after the content leak into its preview.",
        (all_of(happened.preview_past_the_end, unless(happened.same_id_twice)), ("preview/prefix",)),
    ),
    reason(
        "The path in an early toolStart runs on into the rest of the arguments.",
        (all_of(happened.path_that_runs_on, unless(happened.unfinished_arguments)), ("preview/start-input",)),
    ),
    reason(
        "Where the path has not arrived, an early toolStart says index.html, which is another file than the call's.",
        (happened.path_of_another_file, ("preview/start-input",)),
    ),
    reason(
        "Content that is an object is shown and stored in its Python spelling.",
        (happened.content_is(dict), ("preview/prefix",)),
    ),
    reason(
        "Two calls with one id share one entry: the second is not started, and the previews run into each other.",
        (
            all_of(happened.same_id_twice, unless(_on_openai)),
            ("order/tool-result-once", "order/tool-result-reported"),
        ),
        (all_of(happened.same_id_twice, _edited_too, unless(_on_openai)), ("order/tool-name",)),
        (all_of(happened.same_id_twice, unless(_edited_too, _on_openai)), ("preview/prefix",)),
        (all_of(happened.same_id_twice, _on_anthropic, unless(_edited_too)), ("preview/before-run",)),
    ),
    reason(
        "Two calls with one id go back as they are, which Anthropic refuses.",
        (all_of(happened.same_id_twice, _on_anthropic), (f"{_ANTHROPIC} ANT-04", f"{_ANTHROPIC} ANT-05")),
    ),
    reason(
        "On OpenAI the first of two calls with one id is lost: it is not run, and the request has one result for both.",
        (all_of(happened.same_id_twice, _on_openai, _edited_too), ("order/tool-name",)),
        (
            all_of(happened.same_id_twice, _on_openai),
            ("history/results", "order/tool-result-reported", "preview/prefix", f"{_OPENAI} OAI-12"),
        ),
    ),
    reason(
        "On Anthropic a call without an id is reported under two ids.",
        (all_of(_no_id, _on_anthropic), ("order/tool-id", "order/tool-result-reported")),
    ),
    reason(
        "Where the model sends no id, null, an empty text or nothing goes back.",
        (all_of(happened.call_without("id", None), _on_anthropic), (f"{_ANTHROPIC} ANT-09",)),
        (all_of(happened.call_without("id", ""), _on_anthropic), (f"{_ANTHROPIC} ANT-08",)),
        (all_of(happened.call_without("id", None), _on_openai), (f"{_OPENAI} OAI-04",)),
        (all_of(happened.call_without("id", ""), _on_openai), (f"{_OPENAI} OAI-08",)),
    ),
    reason(
        "On OpenAI the result of a call without an id goes back under the id of its item.",
        (all_of(_no_id, _on_openai), (f"{_OPENAI} OAI-11",)),
    ),
    reason(
        "A call that no event announced is reported, run and answered under the id of its item.",
        (
            happened.some_answer(lambda answer: not answer.announced),
            (
                "history/no-other-results",
                "history/results",
                "order/tool-id",
                "order/tool-result-reported",
                f"{_OPENAI} OAI-10",
                f"{_OPENAI} OAI-11",
            ),
        ),
    ),
    reason(
        "A call without a name goes back without one.",
        (all_of(happened.call_without("name", None), _on_anthropic), (f"{_ANTHROPIC} ANT-09",)),
        (all_of(happened.call_without("name", None), _on_gemini), (f"{_GEMINI} GEM-11",)),
        (all_of(happened.call_without("name", None), _on_openai), (f"{_OPENAI} OAI-06",)),
    ),
)
