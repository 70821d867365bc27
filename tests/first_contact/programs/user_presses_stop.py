"""A streaming UI: the user stops the answer, and goes on; what was on the screen stays in the history."""

from plain import OPENAI, events, opened

history = []
for question, stops_after in (("Tell me a long story.", 2), ("Shorter, please.", None)):
    history.append({"role": "user", "content": question})
    shown = ""
    body = {"model": "gpt-4o", "messages": history, "stream": True}
    with opened(f"{OPENAI}/chat/completions", body) as answer:
        for at, chunk in enumerate(events(answer)):
            piece = chunk["choices"][0]["delta"].get("content") or ""
            print(piece, end="", flush=True)
            shown += piece
            if at == stops_after:
                break
    print()
    if shown:
        history.append({"role": "assistant", "content": shown})
