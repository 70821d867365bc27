"""The examples that Hypothesis makes."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from hypothesis import strategies as st

from harness.fuzz.loop.example import Play
from harness.fuzz.strategies.edits import edits, may_be_edited
from harness.fuzz.strategies.scripts import CLOSING, DrawnScript, scripts, with_approval
from harness.fuzz.strategies.timelines import acts, runs
from harness.wire import NATIVE_WIRES, WIRES, WireName
from harness.wire import wire as wire_named
from harness.wire.chunking import Chunking

_PAIRS: Final = tuple((one, other) for one in NATIVE_WIRES for other in NATIVE_WIRES if one < other)
_CUTS: Final[tuple[Chunking, ...]] = ("whole", "token", "byte", "adversarial", "random")
_PROFILES: Final = ("universal", "universal", "universal", "screenshot-to-code", "pydantic-ai", "tool-runner", "hugind")


_DIALECTS: Final = tuple((wire, name) for wire in NATIVE_WIRES for name in wire_named(wire).dialects)


@st.composite
def plays(draw: st.DrawFn) -> Play:
    """Mostly on two wires of providers, which is fast; one in eight on any wire, cut in two ways, which is slow.

    A quarter of the scripts has no fault of model or provider, so that runs continue to their last answer. In a quarter
    of all a caller acts, and in half of those without a fault a caller edits the history instead; a quarter of the
    other streamed ones uses a dialect.
    """
    sound = draw(st.integers(0, 3)) == 3
    script = draw(scripts(sound=sound))
    if sound and draw(st.booleans()) and list(may_be_edited(script.steps)):
        return draw(_edited_play(script))
    if draw(st.integers(0, 3)) == 3:
        return draw(_play_with_caller(script))
    profile = draw(st.sampled_from(_PROFILES))
    if script.stream and draw(st.integers(0, 3)) == 3:
        wire, dialect = draw(st.sampled_from(_DIALECTS))
        cut = draw(st.lists(st.sampled_from(_CUTS), max_size=1))
        return Play(script, (wire,), ("event", *cut), profile, dialect)
    if draw(st.integers(0, 7)) < 7:
        return Play(script, draw(st.sampled_from(_PAIRS)), profile=profile)
    return Play(script, (draw(st.sampled_from(WIRES)),), ("event", draw(st.sampled_from(_CUTS))), profile)


@st.composite
def _edited_play(draw: st.DrawFn, script: DrawnScript) -> Play:
    """With a caller that edits the history, as the turn-by-turn loop allows it."""
    return Play(script, draw(st.sampled_from(_PAIRS)), profile="tool-runner", edits=draw(edits(script.steps)))


@st.composite
def _play_with_caller(draw: st.DrawFn, script: DrawnScript) -> Play:
    """A play with a caller. The model has one more answer for each run, and for each message that continues a run.

    In a third of them a tool needs approval.
    """
    wires: tuple[WireName, ...] = (
        (draw(st.sampled_from(WIRES)),) if draw(st.booleans()) else draw(st.sampled_from(_PAIRS))
    )
    asking = ""
    if draw(st.integers(0, 2)) == 2:
        script, asking = with_approval(script)
    acted, following = draw(acts(script.steps, wires)), draw(runs(wires, asking))
    more = (CLOSING,) * (len(acted) + len(following))
    return Play(replace(script, steps=(*script.steps, *more)), wires, acts=acted, runs=following)
