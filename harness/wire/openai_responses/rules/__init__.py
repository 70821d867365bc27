"""What the provider demands of a request: each rule above the check that finds where it is broken.

book       all of them, and in which order the provider is thought to complain
asked      a request as the checks look at it, ``issued`` what was sent before; ``kinds`` of calls, ``words`` for values
right      loops without a mistake; ``places`` is where edits find what they change in them
"""
