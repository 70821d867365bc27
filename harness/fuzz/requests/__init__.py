"""What loops send, under the rules of the wires.

example    a loop on a base request's terms, and what becomes of its last request
making     the examples that come first, and those that are drawn; features: what they are made of
loop       a loop of an example, played and judged
ours       checks the wires' own rules, reading and writing; official, traced: by other means
theirs     checks a user's validator
smaller    simpler examples
files, scenario   examples in files
campaign   all of it as a campaign
"""
