"""What a continuation gives back - calls with their outputs, reasoning with its items: OAI-10 to OAI-19,
OAI-COMPACT, OAI-CONNECTION, OAI-DS, OAI-NS, OAI-OUTSCHEMA."""

from __future__ import annotations

from typing import Final

from harness.wire.rule import ErrorTemplate, WireRule, verbatim

_NO_CALL: Final = "No tool call found for {kind} with call_id {call_id}."

OAI_10: Final = WireRule(
    "OAI-10",
    "Every call in the history, sent or named, has an output of its kind in the same request, and every request for "
    "an approval its answer. Calls are those of functions, free-text tools, shells, patches, the computer and searches "
    "that the client runs.",
    "A loop that stops at a limit, drops a cancelled tool or answers only one of several calls cannot go on: each "
    "later request fails the same way. So does one that does not know all kinds of calls.",
    "certain",
    (
        "https://github.com/router-for-me/CLIProxyAPI/issues/2368",
        "several projects quote the wording for custom tools",
        "shell: https://github.com/microsoft/agent-framework/issues/8663",
        "local shell, also that an output under id in place of call_id answers nothing: "
        "https://github.com/openai/openai-agents-python/pull/1855",
        "tool search: https://github.com/openai/codex/issues/31053; patches and the computer: public code quotes the "
        "wording",
        "a function_call_output answers a search that the client runs: recording "
        "test_tool_availability_portability_matrix[R5-T3-native-search]; Codex answers local shells so",
        "approvals: https://github.com/openai/openai-agents-js/issues/131",
        "recordings rejects-continuation-with-an-unresolved-tool and "
        "rejects-continuation-with-a-missing-parallel-tool-result",
        "recording test_deepseek_responses_rejects_interleaved_function_calls (adjacent calls)",
    ),
    (
        ErrorTemplate(
            "No tool output found for {kind} {call_id}.",
            "input",
            seen="No tool output found for function call call_uK3eDRSXx9p45csFRjvXDNPq.",
            name="unanswered",
        ),
        ErrorTemplate(
            "The following MCP approval requests do not have an approval: {ids}",
            "input",
            seen="The following MCP approval requests do not have an approval: mcpr_...",
            name="approval",
        ),
        ErrorTemplate(
            "No tool output found for tool call {call_id}.",
            None,
            "invalid_request_error",
            seen="No tool output found for tool call call-a.",
            name="parted",
        ),
    ),
    applies="not judged: calls that the provider itself runs (a search on its side, a shell in a container); "
    "DeepSeek's server requires the calls of a turn side by side, too, and answers in words of its own",
    about=("results",),
    needs=("ids",),
)

OAI_11: Final = WireRule(
    "OAI-11",
    "Every output answers a call of its kind that the history has, sent or named, and every approval a request.",
    "A loop that trims its history from the front, or makes up ids of its own, leaves outputs without their calls. "
    "With store false the calls of the provider's own tools must be sent, too.",
    "certain",
    (
        "https://github.com/microsoft/vscode/issues/320060",
        "https://github.com/continuedev/continue/issues/10092",
        "shell, with store false: the recorded refusal issue-18134-shell-store-false-error of vercel/ai",
        "tool search: public code quotes the wording; of patches, local shells and the computer it is inferred",
        "approvals: https://community.openai.com/t/1365706",
    ),
    (
        ErrorTemplate(
            _NO_CALL,
            "input",
            seen="No tool call found for function call output with call_id call_TnakLSVsqtVt5cJssAhRwMoe.",
            name="orphan",
        ),
        ErrorTemplate(
            "The following MCP approval requests have approval responses but weren't passed as input: {ids}",
            "input",
            seen="The following MCP approval requests have approval responses but weren't passed as input: ...",
            name="approval",
        ),
    ),
    applies="not judged in a history that only the provider knows (a conversation that this case did not begin), nor "
    "for the output of a search that the provider ran",
    about=("results",),
    needs=("ids",),
)

OAI_12: Final = WireRule(
    "OAI-12",
    "A call_id belongs to one call and one output.",
    "A loop that answers a call again after a retry, or keeps one id for two calls, lets the model believe the wrong "
    "result.",
    "likely",
    ("https://github.com/NousResearch/hermes-agent/issues/102629 (a strict server behind gateways)",),
    (
        ErrorTemplate(
            "Duplicate {kind} for call_id '{call_id}'. Each function_call must have exactly one matching "
            "function_call_output",
            "input",
            seen="Duplicate function_call_output for call_id '…'. Each function_call must have exactly one "
            "matching function_call_output",
            name="duplicate",
        ),
    ),
    about=("results",),
    needs=("ids",),
)

OAI_13: Final = WireRule(
    "OAI-13",
    "An output follows its call.",
    "Histories that are sorted by role or put together from two lists show the model a result before the question.",
    "inferred",
    ("inferred: no recording and no issue has an output before its call",),
    (ErrorTemplate(_NO_CALL, "input", name="early"),),
    about=("results",),
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
        "nothing of the model's behind it: https://github.com/continuedev/continue/issues/8933, "
        "https://github.com/openclaw/openclaw/issues/19582, "
        "https://github.com/openai/openai-agents-python/issues/1611",
        "a message without its id behind reasoning, accepted: recordings test_mcp_builtin_zdr, "
        "test_stream_encrypted_reasoning",
        "recordings in which a call comes back without its item id behind its reasoning: all accepted, one of them "
        "with that id in its call_id",
    ),
    (
        ErrorTemplate(
            "Item '{id}' of type 'reasoning' was provided without its required following item.",
            "input",
            seen="Item 'rs_68c42de022c881948db7ed1cc2529f2e0202c9ad459e0d23' of type 'reasoning' was provided "
            "without its required following item.",
            name="lost",
        ),
    ),
    applies="certain for reasoning that the endpoint issued in this case, and for any other of OpenAI's models that "
    "has its id, and that nothing of the model's follows; likely for a call that has its call_id and another id; "
    "inferred for reasoning without id, and for a message without its id that says the same, or that follows reasoning "
    "which was not issued here",
    about=("thinking", "words"),
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
        ErrorTemplate(
            "Item '{id}' of type '{kind}' was provided without its required 'reasoning' item: '{reasoning}'.",
            "input",
            seen="Item 'fc_0a038568becf80fb0068e9630e5fd081978df905e0edaed49a' of type 'function_call' was "
            "provided without its required 'reasoning' item: "
            "'rs_0a038568becf80fb0068e9630ad5248197a0938f405d5fad2e'.",
            name="lost",
        ),
    ),
    applies="items that the endpoint issued in this case",
    about=("thinking",),
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
        ErrorTemplate(
            "Item with id '{id}' not found. Items are not persisted when `store` is set to false. Try again with "
            "`store` set to true, or remove this item from your input.",
            "input",
            status=404,
            seen="Item with id 'rs_…' not found. Items are not persisted when `store` is set to false. Try again "
            "with `store` set to true, or remove this item from your input.",
            name="not stored",
        ),
    ),
    applies="items that were asked for with store false; items of others where this request stores nothing",
    about=("thinking",),
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
        ErrorTemplate(
            "The encrypted content for item {id} could not be verified. Reason: Encrypted content could not be "
            "decrypted or parsed.",
            None,
            "invalid_encrypted_content",
            seen="The encrypted content for item rs_… could not be verified. Reason: Encrypted content could not "
            "be decrypted or parsed.",
            name="item",
        ),
        ErrorTemplate(
            "The encrypted content {first}...{last} could not be verified.",
            None,
            "invalid_encrypted_content",
            seen="The encrypted content gAAA...DQ== could not be verified.",
            name="content",
        ),
    ),
    applies="reasoning in a case that the endpoint has issued some of, and compacted histories; the same bytes in "
    "another spelling of base64 are inferred. Whose account it is no request shows: what comes back as it was issued "
    "breaks nothing, though a gateway that changes accounts, or an incident of the provider, is answered so, too",
    about=("thinking",),
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
        ErrorTemplate(
            "Previous response with id '{id}' not found.",
            "previous_response_id",
            "previous_response_not_found",
            seen="Previous response with id 'resp_REDACTED_1' not found.",
            name="not found",
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
        verbatim(
            "Mutually exclusive parameters: 'previous_response_id' and 'conversation'. Ensure you are only "
            "providing one of these parameters.",
            None,
            "mutually_exclusive_parameters",
            name="both",
        ),
    ),
)

OAI_COMPACT: Final = WireRule(
    "OAI-COMPACT",
    "A history is compacted (POST /responses/compact) only where every call has its output.",
    "A loop that compacts as soon as the history is long enough does so between a call and its output, and its run "
    "ends.",
    "certain",
    (
        "https://github.com/openai/openai-agents-python/issues/2317",
        "accepted: recordings test_openai_responses_compact_messages and its like, none with an open call",
    ),
    (
        ErrorTemplate(
            "No tool output found for {kind} {call_id}.",
            "input",
            seen="No tool output found for function call ...",
            name="unanswered",
        ),
    ),
    applies="requests to /responses/compact",
    aside=True,
)

OAI_CONNECTION: Final = WireRule(
    "OAI-CONNECTION",
    "Over a WebSocket the response of a request with store false lives in its connection: it is named on no other "
    "connection, in no request over HTTP, and not again once a request that goes on from it has got an error.",
    "Connections end after an hour and whenever a network does. A loop that names the response before the loss is "
    "refused for as long as it does so; the whole input, without an id, goes through.",
    "certain",
    (
        "https://developers.openai.com/api/docs/guides/websocket-mode",
        "README of the Responses WebSocket client in the official SDK for Python, 3.54.0",
        "https://github.com/can1357/oh-my-pi/issues/925 (asked again with all input)",
    ),
    (
        ErrorTemplate(
            "Previous response with id '{id}' not found.",
            "previous_response_id",
            "previous_response_not_found",
            seen="Previous response with id 'resp_REDACTED_1' not found.",
            name="not found",
        ),
    ),
    applies="responses that were asked for over a WebSocket with store false",
)

OAI_CONVERSATION: Final = WireRule(
    "OAI-CONVERSATION",
    "conversation names one that is stored: not one that was deleted.",
    "A loop that deletes a conversation and goes on in it has lost its history.",
    "certain",
    (
        "recording test_openai_conversation_id_auto_respects_pydantic_ai_conversation_id (a conversation is deleted)",
        "openai.resources.conversations of the SDK for Python, 3.54.0; the wording is that of servers that mirror the "
        "provider's",
    ),
    (ErrorTemplate("Conversation with id '{id}' not found.", status=404, name="deleted"),),
    applies="conversations that were deleted at this endpoint: one that it does not know may be from before the case",
)

OAI_DS: Final = WireRule(
    "OAI-DS",
    "On DeepSeek's server the calls of a message have reasoning with its text (content with reasoning_text) in front "
    "of them. Calls that follow each other are one message; a call behind an output begins another.",
    "A loop that keeps only summaries, or puts each output right behind its call, is refused as soon as the model "
    "makes two calls at once, with a text that speaks of reasoning and not of order.",
    "certain",
    (
        "https://github.com/rikkahub/rikkahub/issues/1690 (accepted and refused variants), "
        "https://github.com/rikkahub/rikkahub/issues/1629, "
        "https://github.com/Kohaku-Lab/KohakuTerrarium/issues/322 (calls and outputs in turn)",
        "accepted: recordings test_deepseek_responses[function_tool] and "
        "test_deepseek_responses_replay_own_reasoning_history, reasoning with content in front of two calls",
    ),
    (
        verbatim(
            "The `reasoning_text` in the thinking mode must be passed back to the API.",
            None,
            "invalid_request_error",
            name="lost",
        ),
    ),
    applies="DeepSeek's own models, but deepseek-chat, in requests with tools that do not switch thinking off "
    "(reasoning.effort none)",
)

OAI_NS: Final = WireRule(
    "OAI-NS",
    "A function_call that came with a namespace goes back with it.",
    "Adapters that know only name and arguments drop it, and the request after the first such call is refused.",
    "certain",
    ("the recorded refusal openai-missing-function-call-namespace-error of vercel/ai",),
    (
        ErrorTemplate(
            "Missing namespace for function_call '{name}'. It does not exist in the default namespace. Round-trip "
            "the model's function_call item with its namespace field included.",
            "{param}",
            seen="Missing namespace for function_call 'create_widget'. It does not exist in the default namespace. "
            "Round-trip the model's function_call item with its namespace field included.",
            name="lost",
        ),
    ),
    applies="certain where the request declares the function in namespaces only; likely where the call came with one "
    "and the default namespace has such a function, too, or nobody declares it",
)

OAI_OUTSCHEMA: Final = WireRule(
    "OAI-OUTSCHEMA",
    "The output of a function that declares output_schema is JSON text.",
    "Loops that report a failed tool as plain text work until the first tool with an output schema fails.",
    "certain",
    ("the recorded refusal openai-output-schema-tool-error of vercel/ai",),
    (
        verbatim(
            "Invalid function_call_output.output: expected a JSON string because the function declares output_schema.",
            "input",
            "invalid_value",
            name="text",
        ),
    ),
    applies="functions whose declaration is in the request",
)
