"""Cassettes: files of recorded HTTP exchanges. Reading one never executes anything in it.

interaction  what a cassette contains
read         a file as plain values (document), its members under the names of each recorder, bodies decoded
formats      reads files of every recorder: HAR, mock servers, SDKs, bodies of responses
write, cassette_writer  our own files: readable bodies; whole on disk after every interaction (files)
secrets/     removed before anything is stored, and searched for once more afterwards
matching     which recording answers a request, by its match key; index opens a long file fast; misses/ explain
use          recording in process, by way of vcrpy (intercept)
library      the cassettes of a folder

The model endpoint between a loop and real or recorded models:

upstream     the provider, or any compatible server, that answers during a recording
record       a source that asks the upstream and stores the exchanges in a cassette, also on other channels than HTTP
replay       a source that answers from a cassette by the meaning of a request
by_place     a source that answers from a cassette by the place of a request in its conversation
folders      the folders of an agent, which differ in every run
scripted     a scripted endpoint that replaces the upstream
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
