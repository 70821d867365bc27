"""Runs the loop as a command: the harness starts this program in the Python environment of the loop."""

from harness_client import serve
from openai_loop import run

serve(run)
