"""What is broken on purpose, so that the rules are seen to find it.

loops       whole loops: in their policy, sessions, parsers, tools, or in what they report
traces      what a loop has emitted and asked, in the records of a run in which it made no mistake
requests    single requests of a loop that makes no other mistake
"""
