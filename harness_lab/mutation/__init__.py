"""Open mutation testing: small mistakes are generated in the source of the harness, and its own judges must find them.

The mutants of ``harness_lab.mutants`` were each written for a rule. Those made here were written for none, so the share
of them that is found says what the scenarios and the rules see. ``scripts/mutation-score`` is the command, and
``docs/mutation.md`` has the result.

source      a module as text and tree: where a node is, and in which function
operators   the mistakes: expressions, statements, and what a call is given
mutants     the mutants of a module, each with a key that survives a change of line numbers, and a sample of them
notes       the table notes.yaml: which mutants change nothing, and what would find one that survives
importing   a module imported with another source than its file has
forking     judgements in forks of one warm process, each with limits
subjects    what is mutated, and who judges it
by_cases, by_stated_traces, by_selftest, by_pytest   the judges: ``harness run``, ``harness lab selftest``, tests
covering    which cases, or parts of the selftest, run which line
scoring     everything together: the score of a subject
document    the scores as docs/mutation.md
command     ``scripts/mutation-score``
"""
