"""The stream campaign: the bytes of streamed responses, on every wire, through every reader of them."""

from __future__ import annotations

from harness.fuzz.stream.campaign import StreamCampaign

__all__ = ["StreamCampaign"]
