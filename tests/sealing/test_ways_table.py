"""What docs/security.md says of each way out is what the tests find."""

from __future__ import annotations

from pathlib import Path

from tests.sealing.python_ways import beyond_the_network, ways
from tests.sealing.test_ways_out import PAST_THE_GUARDS
from tests.sealing.ways_table import OUT_THEN, WHY, node_ways, table

PAGE = Path(__file__).resolve().parents[2] / "docs" / "security.md"


def test_the_page_has_every_way_with_what_becomes_of_it() -> None:
    expected = table()
    assert expected in PAGE.read_text(encoding="utf-8"), f"docs/security.md: 'Each way out' is to be\n{expected}"


def test_what_is_said_to_get_out_is_tried() -> None:
    tried = {"python": {*ways("192.0.2.9", 1), *beyond_the_network("", "", 0)}, "node": {*node_ways()}}
    tried["function"] = tried["python"]
    for loop in OUT_THEN:
        assert tried[loop] >= OUT_THEN[loop] | PAST_THE_GUARDS[loop]
    assert {loop: len(names) for loop, names in OUT_THEN.items()} == {"function": 14, "python": 26, "node": 9}


def test_what_gets_past_the_guards_has_a_reason() -> None:
    assert WHY.keys() >= PAST_THE_GUARDS["function"] | PAST_THE_GUARDS["node"]
