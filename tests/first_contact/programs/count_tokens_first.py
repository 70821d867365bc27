"""Anthropic: count the tokens of every request first, and leave out the appendix where there are too many."""

import anthropic

client = anthropic.Anthropic(max_retries=0)
APPENDIX = "Appendix: " + "data " * 500
for text in ("Short text.", "Long text. " * 40):
    body = {"model": "claude-sonnet-4-5", "messages": [{"role": "user", "content": text + APPENDIX}]}
    try:
        tokens = client.messages.count_tokens(**body).input_tokens
    except anthropic.NotFoundError:
        tokens = len(text + APPENDIX) // 4
    if tokens > 600:
        body["messages"] = [{"role": "user", "content": text}]
    print(tokens, client.messages.create(max_tokens=100, **body).content[0].text)
