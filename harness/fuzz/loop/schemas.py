"""Checks whether a call fits the schema of its tool. Validators are cached, since schemas are few and calls are
many."""

from __future__ import annotations

import json
from functools import lru_cache

from harness.scenario import Tool
from harness.scenario.arguments import Validator, argument_problems, validator
from harness.wire import Call


def fits(call: Call, tool: Tool) -> bool:
    """Whether ``tool`` can be run on the arguments of ``call``."""
    return _fit(call.arguments, json.dumps(tool.declaration.parameters))


@lru_cache(maxsize=4096)
def _fit(arguments: str, parameters: str) -> bool:
    return not any(argument_problems(arguments, _validator(parameters)))


@lru_cache(maxsize=64)
def _validator(parameters: str) -> Validator:
    return validator(json.loads(parameters))
