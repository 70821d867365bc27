"""A loop in any language: a process that reads a case, or one case after another, and may report what it does.

``case_line`` writes the case for the process, ``surroundings`` has its environment, ``process`` starts and ends it,
``conversation`` reads what it says on standard output, and ``target`` puts these together.
"""
