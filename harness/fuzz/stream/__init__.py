"""The stream campaign: the bytes of streamed responses, on every wire, through every reader of them."""
