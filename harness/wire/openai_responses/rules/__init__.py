"""What the provider demands of a request.

table      every rule: what it says, why, and in which words the provider refuses
judge      all checks, in the order in which the provider complains
asked      the request, beside what was issued; ``words`` writes values briefly
faults     in the provider's words what the schema forbids
kinds      the kinds of calls, and how they are joined to their outputs
settings, lengths, pairing, compaction, approvals, reasoning, thinking, functions, files, tools, support, growth   the
           checks
"""
