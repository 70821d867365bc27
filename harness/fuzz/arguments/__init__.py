r"""Fuzzing of partial parsing of tool-call arguments.

``harness fuzz arguments --target package.module:show`` checks your own parser with the oracles. ``show`` is
given the deltas and says after every one of them what it would show. A parser that keeps state is wrapped like this:

    def show(deltas):
        parser = MyParser()
        for delta in deltas:
            parser.feed(delta)
            yield parser.arguments              # a dict of the keys and values so far

and a function that reads all of the text anew like this:

    def show(deltas):
        text = ""
        for delta in deltas:
            text += delta
            yield parse_partial_json(text) or {}
"""
