#!/bin/sh
# FAULT: asks once, prints the text with jq, ends with 0 though the model has called.
jq -n '{model: "gpt-4o", messages: [{role: "user", content: "Any mail?"}], tools: [{type: "function",
    function: {name: "list_mail", parameters: {type: "object", properties: {}}}}]}' |
    curl -sS "$OPENAI_BASE_URL/chat/completions" -H "Content-Type: application/json" -d @- |
    jq -r '.choices[0].message.content'
