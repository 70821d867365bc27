"""What Chat Completions demands of a request: each rule above its check.

book      all of them, in the order in which the API looks
history   a request as the checks look at it
error_templates   texts that many rules share

shape     the request against its schema
tools     declarations, choice and structured answers
messages  what a message holds
models    what the model takes; size: whether it all fits into it
pairing   results and their calls
thinking  what goes back with the calls
"""
