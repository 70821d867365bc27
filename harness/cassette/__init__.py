"""Cassettes: HTTP exchanges as recorders keep them in files, read without running anything that stands there.

interaction  what a cassette contains
read         a file as plain values (document), its members under the names of each recorder, bodies decoded
formats      the front door for files of every recorder: HAR, mock servers, SDKs, bodies of responses
write, cassette_writer  our own files: readable bodies; whole on disk after every interaction (files)
secrets/     taken out before anything is kept, and looked for once more afterwards
matching     which recording answers a request, by its match key; index opens a long file fast; misses/ explain
use          recording in process, by way of vcrpy (intercept)
library      the cassettes of a folder

The model endpoint between a loop and real or recorded models:

upstream     the provider, or any compatible server, that is asked while somebody records
record       a source that asks it and keeps the exchanges in a cassette, also on a channel beside HTTP
replay       a source that answers from a cassette, a request by what it means
by_place     a source that answers from a cassette, a request by its place in its conversation
folders      the folders of an agent, which are others in every run
scripted     a scripted endpoint in the place of the upstream
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
