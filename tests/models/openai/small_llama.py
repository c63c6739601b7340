"""llama.cpp's server with a random model of two layers that sees: written in a moment, and of no use but for tests.

python -m tests.models.openai.small_llama DIR PORT
"""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

TOKENS_OF_A_PICTURE = 16

_WIDTH, _WIDER, _LAYERS, _HEADS = 32, 64, 2, 4
_PATCH, _SIDE = 14, 56

_TEMPLATE = (
    "{% for message in messages %}<{{ message['role'] }}>{% if message['content'] is string %}"
    "{{ message['content'] }}{% else %}{% for part in message['content'] %}{{ part['text'] }}{% endfor %}{% endif %}"
    "</>{% endfor %}<assistant>"
)
"""Roles and parts as they come; llama.cpp puts a mark of its own where a picture is."""


def write_model(folder: Path) -> None:
    """Writes ``text.gguf`` and its projector ``seeing.gguf``, as LLaVA-1.5 has it."""
    gguf: Any = import_module("gguf")
    _write_text_model(gguf.GGUFWriter(folder / "text.gguf", "llama"))
    _write_projector(gguf.GGUFWriter(folder / "seeing.gguf", "clip"))


class _Weights:
    def __init__(self, writer: Any, seed: int) -> None:
        self._writer = writer
        self._random = np.random.default_rng(seed)

    def add(self, name: str, *shape: int) -> None:
        self._writer.add_tensor(name, self._random.normal(0, 0.3, shape).astype(np.float32))

    def add_norm(self, name: str) -> None:
        self._writer.add_tensor(name, np.ones(_WIDTH, np.float32))

    def end(self) -> None:
        self._writer.write_header_to_file()
        self._writer.write_kv_data_to_file()
        self._writer.write_tensors_to_file()
        self._writer.close()


def _write_text_model(writer: Any) -> None:
    letters = [chr(code) for code in range(33, 127)] + ["\u2581"]
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *letters]
    writer.add_context_length(4096)
    writer.add_embedding_length(_WIDTH)
    writer.add_block_count(_LAYERS)
    writer.add_feed_forward_length(_WIDER)
    writer.add_head_count(_HEADS)
    writer.add_head_count_kv(_HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(_WIDTH // _HEADS)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([token.encode() for token in tokens])
    writer.add_token_scores([0.0] * len(tokens))
    # Unknown, two control tokens, bytes, and letters.
    writer.add_token_types([2, 3, 3, *[6] * 256, *[1] * len(letters)])
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_chat_template(_TEMPLATE)
    weights = _Weights(writer, 0)
    weights.add("token_embd.weight", len(tokens), _WIDTH)
    weights.add_norm("output_norm.weight")
    weights.add("output.weight", len(tokens), _WIDTH)
    for layer in range(_LAYERS):
        for name in ("attn_norm", "ffn_norm"):
            weights.add_norm(f"blk.{layer}.{name}.weight")
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            weights.add(f"blk.{layer}.{name}.weight", _WIDTH, _WIDTH)
        for name in ("ffn_gate", "ffn_up"):
            weights.add(f"blk.{layer}.{name}.weight", _WIDER, _WIDTH)
        weights.add(f"blk.{layer}.ffn_down.weight", _WIDTH, _WIDER)
    weights.end()


def _write_projector(writer: Any) -> None:
    writer.add_bool("clip.has_vision_encoder", True)
    writer.add_bool("clip.use_gelu", True)
    writer.add_string("clip.projector_type", "mlp")
    for name, value in {
        "image_size": _SIDE,
        "patch_size": _PATCH,
        "embedding_length": _WIDTH,
        "feed_forward_length": _WIDER,
        "block_count": _LAYERS,
        "projection_dim": _WIDTH,
        "attention.head_count": _HEADS,
    }.items():
        writer.add_uint32(f"clip.vision.{name}", value)
    writer.add_float32("clip.vision.attention.layer_norm_epsilon", 1e-5)
    writer.add_array("clip.vision.image_mean", [0.5] * 3)
    writer.add_array("clip.vision.image_std", [0.5] * 3)
    weights = _Weights(writer, 1)
    weights.add("v.class_embd", _WIDTH)
    weights.add("v.patch_embd.weight", _WIDTH, 3, _PATCH, _PATCH)
    weights.add("v.position_embd.weight", TOKENS_OF_A_PICTURE + 1, _WIDTH)
    layers = [f"v.blk.{layer}." for layer in range(_LAYERS)]
    for norm in ("v.pre_ln", "v.post_ln", *(f"{layer}{name}" for layer in layers for name in ("ln1", "ln2"))):
        weights.add_norm(f"{norm}.weight")
        weights.add(f"{norm}.bias", _WIDTH)
    for layer in layers:
        for name in ("attn_q", "attn_k", "attn_v", "attn_out"):
            weights.add(f"{layer}{name}.weight", _WIDTH, _WIDTH)
            weights.add(f"{layer}{name}.bias", _WIDTH)
        weights.add(f"{layer}ffn_up.weight", _WIDER, _WIDTH)
        weights.add(f"{layer}ffn_up.bias", _WIDER)
        weights.add(f"{layer}ffn_down.weight", _WIDTH, _WIDER)
        weights.add(f"{layer}ffn_down.bias", _WIDTH)
    for name in ("mm.0", "mm.2"):
        weights.add(f"{name}.weight", _WIDTH, _WIDTH)
        weights.add(f"{name}.bias", _WIDTH)
    weights.end()


@contextmanager
def llama_server(folder: Path) -> Iterator[str]:
    """The URL of a server of its own process, which ends with the context."""
    write_model(folder)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    log = folder / "log.txt"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", __name__, str(folder), str(port)],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        until = time.monotonic() + 60
        while not _listens(port):
            if process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"Expected llama.cpp to listen, but got:\n{log.read_text(errors='replace')}")
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.communicate()


def _listens(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


def main(folder: Path, port: int) -> None:
    """Serves until standard input ends."""
    xllamacpp: Any = import_module("xllamacpp")
    options = xllamacpp.CommonParams()
    options.model.path = str(folder / "text.gguf")
    options.mmproj.path = str(folder / "seeing.gguf")
    options.n_ctx, options.n_parallel, options.n_gpu_layers = 4096, 1, 0
    options.hostnames, options.port = ["127.0.0.1"], port
    options.use_jinja, options.warmup, options.mmproj_use_gpu = True, False, False
    server = xllamacpp.Server(options)
    sys.stdin.read()
    del server


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
