"""What Interactions demands of a request: each rule above its check.

book       all of them, and in which order the API is thought to complain
request    a request as the checks look at it
body, history, thoughts   the rules
"""
