"""What all benchmarks share.

figure    one thing that was measured, beside a peer, with its goals
measure   CPU time, rounds, ratios; what a process costs
table     figures in Markdown
document  tables in a document, between markers
machine   on what it was measured
one       one benchmark in a process of its own
command   ``python -m benchmarks``
"""
