"""What Converse demands of a request: each rule above its check.

book       all of them, and in which order the service is thought to complain
request    a request as the checks look at it
body, history, families, reasoning   the rules
"""
