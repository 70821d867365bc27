"""Cassettes: HTTP exchanges as recorders keep them in files, read without running anything that stands there.

interaction  what a cassette contains
read         a file as plain values (document), its members under the names of each recorder, bodies decoded
formats      the front door for files of every recorder: HAR, mock servers, SDKs, bodies of responses
write, cassette_writer  our own files: readable bodies; whole on disk after every interaction (files)
secrets/     taken out before anything is kept, and looked for once more afterwards
matching     which recording answers a request, by its match key; index opens a long file fast; misses/ explain
use          recording in process, by way of vcrpy (intercept)
library      the cassettes of a folder
"""

from __future__ import annotations

from harness.cassette.failures import Missed, Unplayed
from harness.cassette.formats import RecordedFile, read_recording
from harness.cassette.interaction import Cassette, Delivery, Headers, Interaction, OverSocket, Provenance
from harness.cassette.read import read_cassette
from harness.cassette.use import use

__all__ = [
    "Cassette",
    "Delivery",
    "Headers",
    "Interaction",
    "Missed",
    "OverSocket",
    "Provenance",
    "RecordedFile",
    "Unplayed",
    "read_cassette",
    "read_recording",
    "use",
]
