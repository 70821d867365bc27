"""What a continuation in the text protocol must keep: each rule above its check.

No server refuses a text, so these have no answer of a provider and no endpoint refuses them: their status is 200, and
their wordings say what comes of it. The level says how sure it is that the protocol is broken: certain where the
request itself shows it, likely where there is a harmless reading of the same text.

book      all of them, and what the Chat API refuses
turn      a turn in a later request, as the checks look at it
message   the model's message; results: the message behind it; native: tools of another protocol
"""
