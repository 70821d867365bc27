"""OAI-10 to OAI-19: what a continuation gives back - calls with their outputs, reasoning with its items."""

from __future__ import annotations

from typing import Final

from harness.wire.rule import ErrorTemplate, WireRule

__all__ = [
    "OAI_10",
    "OAI_11",
    "OAI_12",
    "OAI_13",
    "OAI_14",
    "OAI_15",
    "OAI_16",
    "OAI_17",
    "OAI_18",
    "OAI_19",
]

_NO_CALL: Final = "No tool call found for {kind} output with call_id {call_id}."

OAI_10: Final = WireRule(
    "OAI-10",
    "Every call in the history, sent or named, has an output of its kind in the same request.",
    "A loop that stops at a limit, drops a cancelled tool or answers only one of several calls cannot go on: each "
    "later request fails the same way.",
    "certain",
    (
        "https://github.com/router-for-me/CLIProxyAPI/issues/2368",
        "several projects quote the wording for custom tools",
        "recording test_deepseek_responses_rejects_interleaved_function_calls (adjacent calls)",
    ),
    (
        (
            "unanswered",
            ErrorTemplate(
                "No tool output found for {kind} {call_id}.",
                "input",
                seen="No tool output found for function call call_uK3eDRSXx9p45csFRjvXDNPq.",
            ),
        ),
        (
            "parted",
            ErrorTemplate(
                "No tool output found for tool call {call_id}.",
                None,
                "invalid_request_error",
                seen="No tool output found for tool call call-a.",
            ),
        ),
    ),
    applies="DeepSeek's server requires the calls of a turn side by side, too, and answers in words of its own",
)

OAI_11: Final = WireRule(
    "OAI-11",
    "Every output answers a call of its kind that the history has, sent or named.",
    "A loop that trims its history from the front, or makes up ids of its own, leaves outputs without their calls.",
    "certain",
    (
        "https://github.com/microsoft/vscode/issues/320060",
        "https://github.com/continuedev/continue/issues/10092",
    ),
    (
        (
            "orphan",
            ErrorTemplate(
                _NO_CALL,
                "input",
                seen="No tool call found for function call output with call_id call_TnakLSVsqtVt5cJssAhRwMoe.",
            ),
        ),
    ),
    applies="not judged in a history that only the provider knows (a conversation that this case did not begin)",
)

OAI_12: Final = WireRule(
    "OAI-12",
    "A call_id belongs to one call and one output.",
    "A loop that answers a call again after a retry, or keeps one id for two calls, lets the model believe the wrong "
    "result.",
    "likely",
    ("https://github.com/NousResearch/hermes-agent/issues/102629 (a strict server behind gateways)",),
    (
        (
            "duplicate",
            ErrorTemplate(
                "Duplicate {kind} for call_id '{call_id}'. Each function_call must have exactly one matching "
                "function_call_output",
                "input",
                seen="Duplicate function_call_output for call_id '…'. Each function_call must have exactly one "
                "matching function_call_output",
            ),
        ),
    ),
)

OAI_13: Final = WireRule(
    "OAI-13",
    "An output follows its call.",
    "Histories that are sorted by role or put together from two lists show the model a result before the question.",
    "inferred",
    ("inferred: no recording and no issue has an output before its call",),
    (("early", ErrorTemplate(_NO_CALL, "input")),),
)

OAI_14: Final = WireRule(
    "OAI-14",
    "Right behind a reasoning item comes the item that it produced in the same response: a call, known by its own id "
    "or its call_id, or the message with its own id.",
    "A loop that keeps reasoning and drops, moves or rewrites what followed it (compaction, edited answers) fails "
    "until the reasoning is gone, too.",
    "certain",
    (
        "recording test_openai_responses_thinking_with_modified_history (reasoning kept, the message rewritten "
        "without its id: refused)",
        "recordings in which a call comes back without its item id behind its reasoning: all accepted",
    ),
    (
        (
            "lost",
            ErrorTemplate(
                "Item '{id}' of type 'reasoning' was provided without its required following item.",
                "input",
                seen="Item 'rs_68c42de022c881948db7ed1cc2529f2e0202c9ad459e0d23' of type 'reasoning' was provided "
                "without its required following item.",
            ),
        ),
    ),
    applies="certain for reasoning that the endpoint issued in this case; likely for any other that has its id, and "
    "that nothing of the model's follows, or a message without one; inferred for reasoning without id, and for a "
    "message that says the same without its id",
)

OAI_15: Final = WireRule(
    "OAI-15",
    "Before an item that reasoning produced comes that reasoning, if the item is sent with its id. Without its id it "
    "has no known link, and the reasoning may be left out.",
    "A loop that filters reasoning out of its history, or sorts it elsewhere, fails at the first call after thinking.",
    "certain",
    (
        "https://github.com/cline/cline/issues/12242",
        "https://github.com/continuedev/continue/issues/12620",
        "https://github.com/mastra-ai/mastra/issues/8738",
    ),
    (
        (
            "lost",
            ErrorTemplate(
                "Item '{id}' of type '{kind}' was provided without its required 'reasoning' item: '{reasoning}'.",
                "input",
                seen="Item 'fc_0a038568becf80fb0068e9630e5fd081978df905e0edaed49a' of type 'function_call' was "
                "provided without its required 'reasoning' item: "
                "'rs_0a038568becf80fb0068e9630ad5248197a0938f405d5fad2e'.",
            ),
        ),
    ),
    applies="items that the endpoint issued in this case",
)

OAI_16: Final = WireRule(
    "OAI-16",
    "What was not stored is sent back in full: with store false a reasoning item has its encrypted_content, and no "
    "item_reference names an item.",
    "A loop that asks for store false without reasoning.encrypted_content, or an account that stores nothing, works "
    "until the first reasoning comes back. The answer is 404, which many loops take for a wrong URL.",
    "certain",
    (
        "https://github.com/router-for-me/CLIProxyAPI/issues/2381",
        "https://github.com/vercel/ai/issues/7543",
        "https://github.com/can1357/oh-my-pi/issues/41",
        "open servers send reasoning as text in content; with that an item is not bare (recorded with llama.cpp)",
    ),
    (
        (
            "not stored",
            ErrorTemplate(
                "Item with id '{id}' not found. Items are not persisted when `store` is set to false. Try again with "
                "`store` set to true, or remove this item from your input.",
                "input",
                status=404,
                seen="Item with id 'rs_…' not found. Items are not persisted when `store` is set to false. Try again "
                "with `store` set to true, or remove this item from your input.",
            ),
        ),
    ),
    applies="items that were asked for with store false; items of others where this request stores nothing",
)

OAI_17: Final = WireRule(
    "OAI-17",
    "encrypted_content comes back byte for byte, on the item that it was issued for.",
    "A loop that cuts long strings, keeps the unfinished text of response.output_item.added, or brings reasoning from "
    "another organisation, cannot send its history any more.",
    "certain",
    (
        "https://github.com/openai/codex/issues/8145",
        "https://github.com/Wei-Shaw/sub2api/issues/2863",
        "https://github.com/smallmain/vscode-unify-chat-provider/issues/178 (the newer wording)",
        "openai.types.responses.ResponseReasoningItem.encrypted_content: the text of output_item.added may be "
        "incomplete",
    ),
    (
        (
            "item",
            ErrorTemplate(
                "The encrypted content for item {id} could not be verified. Reason: Encrypted content could not be "
                "decrypted or parsed.",
                None,
                "invalid_encrypted_content",
                seen="The encrypted content for item rs_… could not be verified. Reason: Encrypted content could not "
                "be decrypted or parsed.",
            ),
        ),
        (
            "content",
            ErrorTemplate(
                "The encrypted content {first}...{last} could not be verified.",
                None,
                "invalid_encrypted_content",
                seen="The encrypted content gAAA...DQ== could not be verified.",
            ),
        ),
    ),
    applies="reasoning in a case that the endpoint has issued some of; the same bytes in another spelling of base64 "
    "are inferred",
)

OAI_18: Final = WireRule(
    "OAI-18",
    "previous_response_id names a response that was sent and stored.",
    "A loop that goes on from a response asked for with store false, or from one of another account, has lost its "
    "history.",
    "certain",
    (
        "recording nonexistent_previous_response_reference_carries_identity",
        "https://developers.openai.com/api/docs/guides/websocket-mode",
    ),
    (
        (
            "not found",
            ErrorTemplate(
                "Previous response with id '{id}' not found.",
                "previous_response_id",
                "previous_response_not_found",
                seen="Previous response with id 'resp_REDACTED_1' not found.",
            ),
        ),
    ),
    applies="inferred where nothing was sent in this case yet, because the response may be from before it",
)

OAI_19: Final = WireRule(
    "OAI-19",
    "A request names a previous response or a conversation, not both.",
    "A loop that moves to conversations and still sets previous_response_id fails on its second turn.",
    "certain",
    (
        "https://platform.openai.com/docs/api-reference/responses/create",
        "the wording is that of a server that mirrors OpenAI's; param is inferred",
    ),
    (
        (
            "both",
            ErrorTemplate(
                "Mutually exclusive parameters: 'previous_response_id' and 'conversation'. Ensure you are only "
                "providing one of these parameters.",
                None,
                "mutually_exclusive_parameters",
                seen="Mutually exclusive parameters: 'previous_response_id' and 'conversation'. Ensure you are only "
                "providing one of these parameters.",
            ),
        ),
    ),
)
