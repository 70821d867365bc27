"""A cassette that is being recorded.

Nothing recorded is ever lost. Each interaction is on disk when ``CassetteWriter.add`` returns, in a part file that is
a whole cassette at every moment. At the end the part file replaces the cassette in one step. If the process is killed
before, the cassette is unchanged, and the part file lies beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, Protocol, Self

from harness.cassette.files import only_recorder, unused
from harness.cassette.interaction import Cassette, Interaction, Provenance
from harness.cassette.read import read_cassette
from harness.cassette.write import document, written
from harness.errors import BadInput
from harness.ground.disk import put, take_place

Mode = Literal["none", "once", "new_episodes", "all"]
"""The modes of vcrpy. ``none`` never records, ``once`` records only if there is no file yet, ``new_episodes`` plays
known interactions and adds new ones, ``all`` records everything anew."""


class Redacts(Protocol):
    """Removes secrets from an interaction. It does not change what it has already redacted."""

    def redact(self, interaction: Interaction, /) -> Interaction:
        """Return the interaction without its secrets."""


class FoundSecret(Protocol):
    """A secret in a YAML text: its kind, its line from 1, and the member that contains it."""

    @property
    def kind(self) -> str:
        """The kind of secret, ``openai-key`` for instance."""

    @property
    def line(self) -> int:
        """The line of the text, from 1."""

    @property
    def where(self) -> str:
        """The member of the recording that has the secret."""


Scan = Callable[[str], Sequence[FoundSecret]]
"""Finds the secrets in the text of a cassette, or of one of its interactions."""


class CassetteWriter:
    """A cassette being recorded, or only replayed (see ``records``). It is not thread-safe.

    ``known`` are the interactions that may be replayed.
    """

    def __init__(self, path: Path, known: Sequence[Interaction], part: _Part | None) -> None:
        self.path = path
        self.known = tuple(known)
        self._part = part

    @classmethod
    @contextmanager
    def open(
        cls, path: Path, mode: Mode, provenance: Provenance | None, *, redactor: Redacts, scan: Scan
    ) -> Iterator[Self]:
        """Open a cassette for a block. At its end the recording replaces the file.

        If nothing was recorded, the cassette is unchanged, even in mode ``all``. If the block raises, the cassette is
        unchanged, too, and the recording stays beside it, in ``NAME.interrupted-N.yaml``. In mode ``new_episodes`` the
        known interactions are redacted as well, because they are written again.

        Raises ``BadInput`` if the cassette cannot be read, if there is none in mode ``none``, if another recorder has
        it open, and if the provenance or a known interaction contains a secret that is not redacted.
        """
        if mode == "none" or (mode == "once" and path.exists()):
            yield cls(path, _existing(path, mode).interactions, None)
            return
        with only_recorder(path):
            if mode == "once" and path.exists():  # another recorder was faster
                yield cls(path, read_cassette(path).interactions, None)
                return
            old = read_cassette(path) if mode == "new_episodes" and path.exists() else Cassette(path, ())
            known = tuple(map(redactor.redact, old.interactions))
            writer = cls(path, known, _Part(path, provenance or old.provenance, redactor, scan, known))
            yield writer
            writer._finish()

    @property
    def records(self) -> bool:
        """Whether an unknown request may be recorded."""
        return self._part is not None

    def add(self, interaction: Interaction) -> Interaction:
        """Redact and record an interaction. Returns it as recorded, when it is on disk.

        Raises ``BadInput`` if a secret is left in it; then nothing of it is on disk.
        """
        if self._part is None:
            raise ValueError("this cassette is only replayed")
        return self._part.add(interaction)

    def _finish(self) -> None:
        if self._part is not None:
            self._part.finish()


def _existing(path: Path, mode: Mode) -> Cassette:
    if not path.exists():
        raise BadInput(f"{path}: there is no such cassette, and mode {mode!r} does not record one; use mode 'once'")
    return read_cassette(path)


class _Part:
    """The part file with the interactions so far. It keeps its name if the recording is never finished."""

    def __init__(
        self, path: Path, provenance: Provenance | None, redactor: Redacts, scan: Scan, known: Sequence[Interaction]
    ) -> None:
        self._place = path
        self._path = unused(path)
        self._provenance = provenance
        self._redactor = redactor
        self._scan = scan
        self._added = 0
        self._blocks: list[str] = []
        self._check(document(provenance, ()), "the provenance of this recording", 1)
        for number, interaction in enumerate(known, 1):
            block = written(interaction)
            self._check(block, f"interaction {number} of the cassette", interaction.line)
            self._blocks.append(block)

    def add(self, interaction: Interaction) -> Interaction:
        redacted = self._redactor.redact(interaction)
        block = written(redacted)
        text = document(self._provenance, [*self._blocks, block])
        first_line = text.count("\n", 0, len(text) - len(block)) + 1
        self._check(block, f"interaction {len(self._blocks) + 1}", first_line)
        put(self._path, text.encode())
        self._blocks.append(block)
        self._added += 1
        return redacted

    def finish(self) -> None:
        if self._added:
            take_place(self._path, self._place)

    def _check(self, text: str, what: str, first_line: int) -> None:
        """Raise ``BadInput`` if a secret is left in ``text``, which begins on ``first_line``."""
        problems = [
            f"{self._place}:{first_line + found.line - 1}: {what} is not kept: it contains a secret ({found.kind}) "
            f"that is not redacted, at {found.where.removeprefix('[0].')}; add a pattern for it"
            for found in self._scan(text)
        ]
        if problems:
            raise BadInput(*problems)
