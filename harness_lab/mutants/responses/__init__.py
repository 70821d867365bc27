"""Answers of servers and gateways that are broken on purpose, for the rules about what they send.

answers    the answers that are broken, rendered as the endpoint sends them
mutant     one edit of an answer, and the ways in which edits are written
transfers  an identity gateway with one fault each, on any wire and between any two
NAME       the edits of a wire, in the file that has its name, and what else it has, in a module
"""

from harness_lab.mutants.responses.answers import ANSWERS, ServedAnswer, served
from harness_lab.mutants.responses.catalogue import answers_of, response_mutants
from harness_lab.mutants.responses.mutant import ResponseMutant
from harness_lab.mutants.responses.transfers import TRANSFERS, TransferMutant

__all__ = [
    "ANSWERS",
    "TRANSFERS",
    "ResponseMutant",
    "ServedAnswer",
    "TransferMutant",
    "answers_of",
    "response_mutants",
    "served",
]
