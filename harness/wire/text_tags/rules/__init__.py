"""What a continuation in the text protocol must keep: each rule above its check.

No server refuses a text, so these rules have no answer of a provider and no endpoint refuses such requests: their
status is 200, and their wordings say what happens. The level says how sure it is that the protocol is broken: certain
if the request itself shows it, likely if the same text also has a harmless reading.

book      all of them, and what the Chat API refuses
turn      a turn in a later request, as the checks look at it
message   the model's message; results: the message behind it; native: tools of another protocol
"""
