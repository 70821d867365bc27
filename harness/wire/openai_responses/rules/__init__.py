"""What the provider demands of a request: each rule stands above the check that finds where it is broken.

book      all rules, and how a request is judged by them
asked     the request, beside what was issued; ``words`` writes values briefly
kinds     the kinds of calls, and how they are joined to their outputs
"""
