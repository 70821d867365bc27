"""What the provider demands of a request.

table      every rule: what it says, why, and in which words the provider refuses
judge      all checks, in the order in which the provider complains
history    the request, taken apart; ``issued`` what the endpoint sent, ``memory`` what need not be judged again
shape      in the provider's words what the schema forbids
settings, version, tools, content, images, pairing, thinking, binding, limits, threads   the checks beside it
"""
