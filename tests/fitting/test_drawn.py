"""Schemas that nobody has thought of: those that accept something for certain, and those that are any JSON at all."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from random import Random
from typing import Any, Final

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.fitting import Fit, fitting
from tests.fitting.satisfiable import drawn
from tests.fitting.validity import fits

SEEDS: Final = range(50_000, 50_400)
"""No value was ever looked for with these while the search was made; it was made with the seeds from 0 to 600."""

MOST_MISSED: Final = 0.01


def test_nearly_every_schema_that_accepts_something_gets_a_value_and_none_a_wrong_one() -> None:
    missed = 0
    for seed in SEEDS:
        schema, _ = drawn(Random(seed))
        for number in range(2):
            fit = fitting(schema, number=number, arguments=True)
            missed += fit.text is None
            assert fit.text is None or fits(schema, json.loads(fit.text)), (seed, fit.text)
    assert missed <= MOST_MISSED * 2 * len(SEEDS)


KEYWORDS: Final = (
    *("$ref", "$id", "$schema", "$defs", "$anchor", "$dynamicRef", "type", "enum", "const", "properties", "required"),
    *(
        "additionalProperties",
        "patternProperties",
        "propertyNames",
        "minProperties",
        "dependencies",
        "dependentSchemas",
    ),
    *("items", "prefixItems", "contains", "minContains", "minItems", "uniqueItems", "pattern", "format", "minLength"),
    *("minimum", "multipleOf", "exclusiveMinimum", "allOf", "anyOf", "oneOf", "not", "if", "then", "examples"),
)
WORDS: Final = (
    *("object", "array", "string", "integer", "number", "null", "#", "#/$defs/a", "#a", "a", "^a$", "(", "date"),
    *("http://127.0.0.1:9/", "http://json-schema.org/draft-04/schema#", "https://json-schema.org/draft/2019-09/schema"),
)
VALUES: Final = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 12) | st.floats() | st.sampled_from(WORDS) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from((*KEYWORDS, "a", "b")), inner, max_size=4)
    ),
    max_leaves=25,
)


@settings(max_examples=400, deadline=None)
@given(VALUES)
def test_whatever_a_schema_is_the_answer_is_a_value_or_a_reason(schema: Any) -> None:
    for arguments in (True, False):
        fit = fitting(schema, number=1, arguments=arguments)
        assert (fit.text is None) == (fit.why != "")
        if fit.text is not None and arguments:
            assert isinstance(json.loads(fit.text), dict)


IN_ANOTHER_PROCESS: Final = """
import json, sys
from random import Random
from harness.fitting import fitting
from tests.fitting.satisfiable import drawn
fits = [fitting(drawn(Random(seed))[0], number=number, arguments=True) for seed in range(40) for number in range(4)]
print(json.dumps([fit.text for fit in fits]))
"""


def test_every_process_makes_the_same_values() -> None:
    def made(hash_seed: str) -> str:
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        return subprocess.run(
            [sys.executable, "-c", IN_ANOTHER_PROCESS], env=environment, capture_output=True, text=True, check=True
        ).stdout

    assert made("1") == made("2")


def test_a_value_is_the_same_however_often_it_is_asked_for() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"enum": [1, 2]}}, "required": ["a"]}
    asked = [[fitting(schema, number=number, arguments=True) for number in range(8)] for _ in range(2)]
    assert asked[0] == asked[1]
    assert all(isinstance(fit, Fit) for fit in asked[0])
    assert len({fit.text for fit in asked[0]}) >= 3
