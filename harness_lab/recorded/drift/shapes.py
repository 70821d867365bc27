"""Compares the shapes of rendered responses with those of recorded ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from harness.cassette.forms import FORMS, Form, Shape, shapes_of
from harness.wire import NativeWireName
from harness_lab.recorded.reading.servers import Server, ServerResponse

ENOUGH = 10
"""From so many recordings of a form on, a shape that none of them has counts as unreal."""


@dataclass(slots=True)
class Seen:
    """How many responses have a shape, and the name of the first."""

    example: str
    count: int = 0


@dataclass(slots=True)
class Shapes:
    """The shapes of many responses, and how many responses there are of each form."""

    seen: dict[Shape, Seen] = field(default_factory=dict)
    responses: Counter[Form] = field(default_factory=Counter)

    def add(self, name: str, shapes: Iterable[Shape]) -> None:
        """Add the shapes of one response."""
        distinct = dict.fromkeys(shapes)
        self.responses.update({shape.form for shape in distinct})
        for shape in distinct:
            self.seen.setdefault(shape, Seen(name)).count += 1

    def of(self, place: str) -> Seen | None:
        """The count of the shape whose text is ``place``; None if no response has it."""
        return next((seen for shape, seen in self.seen.items() if str(shape) == place), None)

    @classmethod
    def together(cls, several: Iterable[Shapes]) -> Shapes:
        """All of them as one."""
        joint = cls()
        for shapes in several:
            joint.responses.update(shapes.responses)
            for shape, seen in shapes.seen.items():
                joint.seen.setdefault(shape, Seen(seen.example)).count += seen.count
        return joint


@dataclass(frozen=True, slots=True)
class ServedShapes:
    """One wire as one server speaks it: the fake's responses in its name, and the server's recorded ones.

    ``elsewhere`` are the recordings of all other servers of the wire.
    """

    wire: NativeWireName
    server: Server
    rendered: Shapes
    recorded: Shapes
    elsewhere: Shapes

    @property
    def judged(self) -> tuple[Form, ...]:
        """The forms with enough recordings to judge."""
        return tuple(form for form in FORMS if self.recorded.responses[form] >= ENOUGH)

    @property
    def unreal(self) -> list[Shape]:
        """Shapes that are rendered, and in no recording."""
        return sorted(
            shape for shape in self.rendered.seen if shape.form in self.judged and shape not in self.recorded.seen
        )

    @property
    def unrendered(self) -> list[Shape]:
        """Shapes that are recorded, and not rendered, although something of their form is."""
        return sorted(
            shape
            for shape in self.recorded.seen
            if shape not in self.rendered.seen and self.rendered.responses[shape.form]
        )


def of_sample(sampled: Iterable[ServerResponse]) -> Mapping[Server, Shapes]:
    """The shapes of a sample, by the server that it speaks as."""
    by_server: dict[Server, Shapes] = {}
    for each in sampled:
        shapes = by_server.setdefault(each.server, Shapes())
        shapes.add(each.name, shapes_of(each.response, whole=each.whole))
    return by_server


def of_recordings(recordings: Iterable[ServerResponse]) -> Mapping[tuple[NativeWireName, Server], Shapes]:
    """The shapes of recordings, by wire and server."""
    by_server: dict[tuple[NativeWireName, Server], Shapes] = {}
    for each in recordings:
        shapes = by_server.setdefault((each.wire, each.server), Shapes())
        shapes.add(each.name, shapes_of(each.response))
    return by_server


def served_shapes(
    wire: NativeWireName,
    rendered: Mapping[Server, Shapes],
    recorded: Mapping[tuple[NativeWireName, Server], Shapes],
) -> Iterator[ServedShapes]:
    """One wire, for every server in whose name the fake renders."""
    for server, shapes in rendered.items():
        others = (those for (name, each), those in recorded.items() if name == wire and each != server)
        own = recorded.get((wire, server), Shapes())
        yield ServedShapes(wire, server, shapes, own, Shapes.together(others))
