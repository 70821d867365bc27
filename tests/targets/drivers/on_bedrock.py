"""Scenarios of what loops on Bedrock were seen to do differently, beside those that are shipped."""

from __future__ import annotations

from pathlib import Path

_ORDER = """
tools:
  - name: order
    description: Order dishes.
    parameters:
      {type: object, properties: {dishes: {type: array, items: {type: string}}}, required: [dishes]}
    returns: ordered
"""

HALF_A_CALL = f"""
scenario: half-a-call
profile: universal
summary: The stream ends in the middle of a call, at the end of a frame.
prompt: Order lunch.
{_ORDER}
model:
  - text: I order.
    calls: [{{name: order, arguments: '{{"dishes": ["soup", "sal', invalid: true}}]
    ending: eof
  - text: Ordered.
expect: {{outcome: failed}}
"""

THROTTLED_IN_THE_STREAM = f"""
scenario: throttled-in-the-stream
profile: universal
summary: The answer breaks off, since there were too many requests.
prompt: Order lunch.
{_ORDER}
model:
  - text: I order
    error: {{kind: rate_limit}}
  - text: Ordered.
expect: {{outcome: [failed, completed]}}
"""


def written(folder: Path, scenario: str) -> Path:
    """The scenario as a file in the folder."""
    path = folder / f"{scenario.split()[1]}.yaml"
    path.write_text(scenario, encoding="utf-8")
    return path
