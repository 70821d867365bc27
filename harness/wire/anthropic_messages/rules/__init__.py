"""What Messages demand of a request: each rule above its check.

book       all of them, and in which order the provider complains
judge      how a request is judged; ``memory`` says what need not be judged again
history    a request as the checks look at it, and ``issued`` what the endpoint sent
shape, settings, version, tools, strict, content, images, limits, pairing, ends, server_tools, threads   the rules
thinking, signatures, signers, latest, binding   those about thinking
"""
