"""The model endpoint between a loop and real or recorded models.

upstream   the provider, or any compatible server, that is asked while somebody records
record     a source that asks it and keeps the exchanges in a cassette, also on a channel beside HTTP
replay     a source that answers from a cassette, a request by what it means
by_place   a source that answers from a cassette, a request by its place in its conversation
folders    the folders of an agent, which are others in every run
scripted   a scripted endpoint in the place of the upstream
"""

from __future__ import annotations

from harness.recording.by_place import PlaceSource
from harness.recording.folders import as_secrets
from harness.recording.record import RecordSource
from harness.recording.replay import ReplaySource
from harness.recording.scripted import ScriptedTransport
from harness.recording.upstream import Upstream, scripted_upstream, upstream_of

__all__ = [
    "PlaceSource",
    "RecordSource",
    "ReplaySource",
    "ScriptedTransport",
    "Upstream",
    "as_secrets",
    "scripted_upstream",
    "upstream_of",
]
