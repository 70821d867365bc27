"""What the provider demands of a request.

table      every rule: what it says, why, and in which words the provider refuses
judge      all checks, in the order in which the provider complains
asked      the request, beside what was issued; ``words`` tells values briefly
schema     the shape of a request; ``faults`` says in the provider's words what is wrong with one
settings, pairing, reasoning, files, tools, support, growth   the checks that a schema cannot say
"""
