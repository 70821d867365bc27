#!/bin/sh
# A whole agent with curl and jq, on Anthropic Messages.
set -e
messages='[{"role":"user","content":"How large are a.txt and b.txt?"}]'
tools='[{"name":"file_size","description":"Bytes of a file.","input_schema":{"type":"object",
    "properties":{"path":{"type":"string"}},"required":["path"]}}]'
while :; do
    answer=$(jq -n --argjson messages "$messages" --argjson tools "$tools" \
        '{model: "claude-sonnet-4-5", max_tokens: 500, messages: $messages, tools: $tools}' |
        curl -sS --fail-with-body "$ANTHROPIC_BASE_URL/v1/messages" -H "x-api-key: $ANTHROPIC_API_KEY" \
            -H "anthropic-version: 2023-06-01" -H "content-type: application/json" -d @-)
    [ "$(printf "%s" "$answer" | jq -r .stop_reason)" = tool_use ] || break
    messages=$(jq -n --argjson messages "$messages" --argjson answer "$answer" '
        $messages + [{role: "assistant", content: $answer.content},
        {role: "user", content: [$answer.content[] | select(.type == "tool_use") |
            {type: "tool_result", tool_use_id: .id, content: (.input.path + ": 12")}]}]')
done
printf "%s" "$answer" | jq -r '.content[] | select(.type == "text") | .text'
