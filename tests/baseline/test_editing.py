"""The text of a baseline is changed as a person would change it: nothing else in it is."""

from __future__ import annotations

from collections.abc import Set
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from harness.baseline.drafting import DraftEntry
from harness.baseline.editing import add, remove
from harness.baseline.holding import Unneeded
from harness.baseline.loader import load
from harness.baseline.model import Baseline
from harness.errors import BadInput

FILE = """\
# Where these come from: the thread of 🚀 and é.
baseline: some-loop

findings:
  # --- streams ---
  - cases: [cut.*, "*.openai-chat.byte", lost.*]   # all of them
    rules: [order/one-end, ANT-01]
    reason: |
      It never ends.
      # not a comment
    link: https://example.com/thread
    source:
      - {package: some-loop, file: a/b.py, says: "while not self._ended  # 🚀"}

  # --- calls ---
  - cases:
      - call.*      # one
      # before the second
      - other.*
    rules:
      - expect/outcome
      - expect/events
    reason: "É: it calls — 🚀"
  # the last word
"""

DRAFT = DraftEntry(("new.*",), ("order/one-end",), ("order/one-end: expected a, got b",), {})
ADDED = """\
  - cases: [new.*]
    rules: [order/one-end]
    # order/one-end: expected a, got b
    reason: "TODO: say why"
"""


def file(folder: Path, text: str = FILE) -> Path:
    path = folder / "a.yaml"
    path.write_bytes(text.encode())
    return path


def unneeded(baseline: Baseline, number: int, cases: Set[int] = frozenset(), rules: Set[int] = frozenset()) -> Unneeded:
    entry = baseline.entries[number]
    return Unneeded(
        entry, tuple(entry.cases[at] for at in sorted(cases)), tuple(entry.rules[at] for at in sorted(rules))
    )


def removed(folder: Path, number: int, cases: Set[int] = frozenset(), rules: Set[int] = frozenset()) -> str:
    path = file(folder)
    baseline = load(path)
    remove(path, [unneeded(baseline, number, cases, rules)], of=baseline)
    assert list(folder.iterdir()) == [path]
    return path.read_text(encoding="utf-8")


# --- entries that are added ----------------------------------------------------------------------------------


def test_new_entries_stand_behind_the_old_text_which_stays_as_it_is(tmp_path: Path) -> None:
    path = file(tmp_path)
    add(path, "some-loop", [DRAFT], onto=load(path))
    assert path.read_text(encoding="utf-8") == FILE + ADDED


def test_a_file_that_is_not_there_is_made_with_its_folder(tmp_path: Path) -> None:
    add(tmp_path / "baselines" / "a.yaml", "some-loop", [DRAFT])
    assert (tmp_path / "baselines" / "a.yaml").read_text() == "baseline: some-loop\nfindings:\n" + ADDED


@pytest.mark.parametrize("before", ["findings: []", "findings: [ ]  # none yet", "findings:\n  []"])
def test_a_list_of_none_gets_its_first_entry(before: str, tmp_path: Path) -> None:
    path = file(tmp_path, f"baseline: some-loop\n{before}\n")
    add(path, "some-loop", [DRAFT], onto=load(path))
    assert len(load(path, drafts=True).entries) == 1
    assert ("none yet" in path.read_text()) is ("none yet" in before)


def test_the_indentation_and_the_ends_of_lines_are_those_of_the_file(tmp_path: Path) -> None:
    flat = "\r\n".join(line.removeprefix("  ") for line in FILE.splitlines()).rstrip()
    path = file(tmp_path, flat)
    add(path, "some-loop", [DRAFT], onto=load(path))
    text = path.read_bytes().decode()
    assert text.startswith(flat)
    assert "\r\n- cases: [new.*]\r\n  rules:" in text
    assert "\n" not in text.replace("\r\n", "")


def test_a_file_begins_as_the_one_that_it_takes_the_place_of(tmp_path: Path) -> None:
    shipped = file(tmp_path)
    add(tmp_path / "own.yaml", "some-loop", [DRAFT], onto=load(shipped))
    assert (tmp_path / "own.yaml").read_text(encoding="utf-8") == FILE + ADDED
    assert shipped.read_text(encoding="utf-8") == FILE


@pytest.mark.parametrize(
    "text",
    [
        "findings:\n  - {cases: [a.*], rules: [ANT-01], reason: x}\nbaseline: some-loop\n",
        "baseline: some-loop\nfindings: [{cases: [a.*], rules: [ANT-01], reason: x}]\n",
        "{baseline: some-loop, findings: []}\n",
    ],
)
def test_a_file_of_another_form_is_left_alone(text: str, tmp_path: Path) -> None:
    path = file(tmp_path, text)
    with pytest.raises(BadInput, match=r"a.yaml: expected a file that can be changed line by line"):
        add(path, "some-loop", [DRAFT], onto=load(path))
    assert path.read_text() == text
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_cannot_be_written_to_is_told(tmp_path: Path) -> None:
    (tmp_path / "baselines").write_text("")
    with pytest.raises(BadInput, match=r"a\.yaml: its folder cannot be made: File exists"):
        add(tmp_path / "baselines" / "a.yaml", "some-loop", [DRAFT])


# --- what is removed -----------------------------------------------------------------------------------------


def test_an_entry_goes_and_the_comments_beside_it_stay(tmp_path: Path) -> None:
    assert (
        removed(tmp_path, 0, {0, 1, 2}, {0, 1})
        == FILE[: FILE.index("  - cases: [cut")] + FILE[FILE.index("\n  # --- calls") :]
    )
    assert removed(tmp_path, 1, {0, 1}, {0, 1}) == FILE[: FILE.index("  - cases:\n")] + "  # the last word\n"


def test_a_word_goes_from_a_list_in_brackets(tmp_path: Path) -> None:
    assert removed(tmp_path, 0, cases={0}) == FILE.replace("cut.*, ", "")
    assert removed(tmp_path, 0, cases={1}) == FILE.replace('"*.openai-chat.byte", ', "")
    assert removed(tmp_path, 0, cases={1, 2}) == FILE.replace(', "*.openai-chat.byte", lost.*', "")
    assert removed(tmp_path, 0, cases={0, 2}) == FILE.replace("cut.*, ", "").replace(", lost.*", "")
    assert removed(tmp_path, 0, rules={1}) == FILE.replace(", ANT-01", "")


def test_a_word_goes_from_a_list_of_lines(tmp_path: Path) -> None:
    assert removed(tmp_path, 1, cases={0}) == FILE.replace("      - call.*      # one\n", "")
    assert removed(tmp_path, 1, cases={1}) == FILE.replace("      - other.*\n", "")
    assert removed(tmp_path, 1, rules={1}) == FILE.replace("      - expect/events\n", "")


def test_what_is_left_of_a_shipped_file_may_be_written_elsewhere(tmp_path: Path) -> None:
    shipped = load(file(tmp_path))
    remove(tmp_path / "own.yaml", [unneeded(shipped, 1, {0, 1}, {0, 1})], of=shipped)
    assert shipped.path.read_text(encoding="utf-8") == FILE
    assert len(load(tmp_path / "own.yaml").entries) == 1


def test_without_its_last_entry_a_file_has_an_empty_list(tmp_path: Path) -> None:
    path = file(tmp_path)
    baseline = load(path)
    remove(path, [unneeded(baseline, 0, {0, 1, 2}, {0, 1}), unneeded(baseline, 1, {0, 1}, {0, 1})], of=baseline)
    assert load(path).entries == ()
    for comment in ("# Where these come from", "# --- streams ---", "# --- calls ---", "# the last word"):
        assert comment in path.read_text(encoding="utf-8")


def test_a_file_that_cannot_be_read_back_is_left_alone(tmp_path: Path) -> None:
    anchored = FILE.replace("order/one-end, ANT-01", "&rule order/one-end, ANT-01").replace(
        "- expect/events", "- *rule"
    )
    path = file(tmp_path, anchored)
    baseline = load(path)
    with pytest.raises(BadInput, match="write each entry and each word on a line of its own, or remove them by hand"):
        remove(path, [unneeded(baseline, 0, {0, 1, 2}, {0, 1})], of=baseline)
    assert path.read_text(encoding="utf-8") == anchored


# --- whatever the file ---------------------------------------------------------------------------------------

_RULES = ["order/one-end", "ANT-01", "expect/outcome", "expect/events"]
_ENDS = ["\n", "\r\n"]


def _list(key: str, words: list[str], lines: bool, indent: str) -> str:
    quoted = [f'"{word}"' if word.startswith("*") else word for word in words]
    if lines:
        return f"{key}:" + "".join(f"\n{indent}    - {word}  # beside {word[:1]}" for word in quoted)
    return f"{key}: [{', '.join(quoted)}]"


@st.composite
def _files(draw: st.DrawFn) -> tuple[str, list[tuple[set[int], set[int]]]]:
    """The text of a file, and for each entry which of its patterns and rules are needed no more."""
    indent = draw(st.sampled_from(["", "  ", "    "]))
    parts, drops = ["# 🚀 head", "baseline: some-loop", "findings:"], []
    for number in range(draw(st.integers(1, 4))):
        cases = draw(st.lists(st.sampled_from(["a.*", "b.*", "*.openai-chat.*", "c.*.byte"]), min_size=1, unique=True))
        rules = draw(st.lists(st.sampled_from(_RULES), min_size=1, unique=True))
        keys = [
            _list("cases", cases, draw(st.booleans()), indent),
            _list("rules", rules, draw(st.booleans()), indent),
            draw(
                st.sampled_from(
                    [
                        "reason: É 🚀.",
                        f"reason: >\n{indent}      folded\n{indent}      # text",
                        f'reason: "a\n{indent}      b"',
                    ]
                )
            ),
        ]
        ordered = draw(st.permutations(keys))
        parts += [f"{indent}# above {number} 🚀"] * draw(st.booleans()) + [""] * draw(st.booleans())
        parts.append(f"{indent}- " + f"\n{indent}  ".join(ordered))
        some_cases = draw(st.sets(st.sampled_from(range(len(cases)))))
        some_rules = draw(st.sets(st.sampled_from(range(len(rules)))))
        everything = len(some_cases) == len(cases) or len(some_rules) == len(rules)
        drops.append((set(range(len(cases))), set(range(len(rules)))) if everything else (some_cases, some_rules))
    parts += ["# the end"] * draw(st.booleans())
    text = "\n".join(parts) + "\n" * draw(st.booleans())
    return text.replace("\n", draw(st.sampled_from(_ENDS))), drops


_TEXT_LAST = "- cases: [a.*]\n  rules: [ANT-01]\n  reason: >\n      folded\n      # text\n"


@given(_files())
@example((f"baseline: some-loop\nfindings:\n{_TEXT_LAST}{_TEXT_LAST}", [(set(), set()), ({0}, {0})]))
@settings(deadline=None)
def test_exactly_what_is_stale_is_gone_from_any_file(
    tmp_path_factory: pytest.TempPathFactory, made: tuple[str, list[tuple[set[int], set[int]]]]
) -> None:
    text, drops = made
    path = file(tmp_path_factory.mktemp("any"), text)
    before = load(path)
    found = [unneeded(before, number, *drop) for number, drop in enumerate(drops) if any(drop)]
    remove(path, found, of=before)
    expected = []
    for entry, (cases, rules) in zip(before.entries, drops, strict=True):
        if len(cases) < len(entry.cases):
            left = [word.text for at, word in enumerate(entry.cases) if at not in cases]
            expected.append((left, [word.text for at, word in enumerate(entry.rules) if at not in rules], entry.reason))
    after = [
        ([one.text for one in each.cases], [one.text for one in each.rules], each.reason) for each in load(path).entries
    ]
    assert after == expected
    now = path.read_bytes().decode()
    assert now.count("# above") == text.count("# above")
    assert now.count("# the end") == text.count("# the end")
