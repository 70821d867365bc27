"""The proof of the harness: what breaks its rules on purpose, and what compares it with recordings of others.

The product (``harness``) never imports it. It adds commands, targets and examples through the same entry points that
are open to every package (``harness.plugins``).

mutants    wrong loops, traces and requests: each rule is proven by one that it finds
selftest   ``harness lab selftest``: every rule against every mutant
fuzz       ``harness fuzz``: generated input for parsers, streams, loops and rules
corpus     recorded provider traffic, read and judged
golden     recorded runs of a real loop, compared with the reference loop
imports    recordings of other tools, replayed and written as cassettes
drift      what scripted models answer, compared with what real ones answered
"""
