"""Reasons as files have them: what explains a recorded run, and the places that it explains.

The clauses of a reason have a ``when``: words with what they need, all of which must be true of the run, and none of
those under ``not``. Of an answer of the model, and of the arguments of a call, it has a pattern
(``harness_lab.mutants.json_edits``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from harness.ground.data_files import read_data
from harness.imports.comparison import Reason
from harness_lab.mutants.json_edits import matches
from harness_lab.recorded.golden import happened
from harness_lab.recorded.golden.happened import PlayedRun, When, all_of, reason, unless
from harness_lab.recorded.run import ModelAnswer

_FACTS: Final[Mapping[str, When]] = {
    each.__name__.replace("_", " "): each
    for each in (
        *(happened.crashed, happened.cut_inside, happened.escaped_key, happened.filled_in_arguments, happened.gave_up),
        *(happened.half_a_character, happened.last_text_is_the_code, happened.made_no_file, happened.null_arguments),
        *(happened.path_of_another_file, happened.path_that_runs_on, happened.preview_in_half),
        *(happened.preview_past_the_end, happened.ran_a_call, happened.same_id_twice, happened.unfinished_arguments),
        happened.unknown_here,
    )
}
"""What ``is`` so."""

_WORDS: Final[Mapping[str, Callable[[Any], When]]] = {
    "is": lambda names: all_of(*(_FACTS[name] for name in names)),
    "not": lambda words: unless(*_each(words)),
    "wire": happened.on,
    "call": happened.call_of,
    "cut off call": happened.cut_off_call,
    "call id": lambda values: happened.call_without("id", *values),
    "call name": lambda values: happened.call_without("name", *values),
    "no json": lambda how: happened.no_json(breaks_off=how == "breaks off"),
    "argument": lambda pattern: happened.some_argument(lambda arguments: matches(arguments, pattern)),
    "answer": lambda pattern: happened.some_answer(lambda answer: matches(_facts_of(answer), pattern)),
    "last answer": lambda pattern: happened.last_answer(lambda answer: matches(_facts_of(answer), pattern)),
}


def _facts_of(answer: ModelAnswer) -> dict[str, Any]:
    return {
        "finish": answer.finish,
        "ending": answer.ending,
        "announced": answer.announced,
        "cut": answer.cut_after is not None,
        "calls": not happened.without_calls(answer),
        "thinking": any(part.kind == "thinking" for part in answer.parts),
    }


def _each(words: Mapping[str, Any]) -> Iterator[When]:
    return (_WORDS[word](needed) for word, needed in words.items())


def read_reasons(path: Path) -> tuple[Reason[PlayedRun], ...]:
    """The reasons of a file, some of which have names. Raises ``BadInput`` with the line of a mistake."""
    return tuple(_read(read_data(path)["reasons"]))


def _read(rows: Any) -> Iterator[Reason[PlayedRun]]:
    for name in rows:
        with rows.at(name):
            row = rows[name]
            why, clauses = (name, row) if isinstance(row, list) else (row["why"], row["clauses"])
            made = reason(why, *((all_of(*_each(each["when"])), tuple(each["places"])) for each in clauses))
            yield made if why == name else replace(made, name=name)
