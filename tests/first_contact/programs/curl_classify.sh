#!/bin/sh
# Sorts lines with curl and jq; the two examples are the same in every request.
set -e
for line in "The bus was late" "Lovely weather" "Rain again"; do
    jq -n --arg line "$line" '{model: "gpt-4o-mini", max_tokens: 5, messages: [
        {role: "system", content: "Answer good or bad."},
        {role: "user", content: "I won"}, {role: "assistant", content: "good"},
        {role: "user", content: "I lost"}, {role: "assistant", content: "bad"},
        {role: "user", content: $line}]}' |
        curl -sS --fail-with-body "$OPENAI_BASE_URL/chat/completions" \
            -H "Authorization: Bearer $OPENAI_API_KEY" -H "Content-Type: application/json" -d @- |
        jq -r --arg line "$line" '$line + ": " + .choices[0].message.content'
done
