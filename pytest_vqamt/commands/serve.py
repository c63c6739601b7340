"""``vqamt serve``: serves one model to any number of sessions, workers and machines."""

from __future__ import annotations

import argparse
import os
import re
import secrets
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from pytest_vqamt.commands.main import ExitStatus
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.input_files import expanded
from pytest_vqamt.data import catalogue as sources
from pytest_vqamt.integration.options import check_device, parse_settings
from pytest_vqamt.models.catalogue import ModelCatalogue, ModelKind
from pytest_vqamt.models.http.picture_files import SETTING, Form
from pytest_vqamt.models.protocol import ONE_DEVICE
from pytest_vqamt.models.served import TOKEN_VARIABLE
from pytest_vqamt.relations.edits import INPAINT
from pytest_vqamt.serving.config import ServeConfig, bind_socket, is_loopback, reachable_cluster

_SHORTEST_TOKEN = 16
"""Characters; shorter ones can be guessed."""
_MIB = 2**20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    parser.epilog = (
        "Sessions use it with --vqamt-model=served:URL. It runs on Ray Serve, on a private Ray or on the cluster at "
        "RAY_ADDRESS. Other machines can connect if --host is not a loopback address, and only with "
        f"{TOKEN_VARIABLE} set on both sides. Ctrl-C ends it."
    )
    parser.add_argument("--model", metavar="SPEC", required=True, help="the model, as sessions name it")
    parser.add_argument(
        "--data",
        metavar="SPEC",
        action="append",
        default=[],
        help="data whose photos are here, so that sessions need not send them (default: pictures); may be given again",
    )
    parser.add_argument(
        "--option", metavar="NAME=VALUE", action="append", default=[], help="a setting of the model, or inpaint"
    )
    parser.add_argument("--device", metavar="DEVICE", default="auto", help=ONE_DEVICE)
    parser.add_argument("--dtype", metavar="DTYPE", help="the precision of the weights")
    parser.add_argument("--batch-size", metavar="N", default="auto", help="queries per batch, or auto")
    parser.add_argument(
        "--cache",
        metavar="DIR",
        type=Path,
        help="where the model may keep features and other results",
    )
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (default: 127.0.0.1)")
    parser.add_argument("--port", default="8000", help="the port; 0 for a free one (default: 8000)")
    parser.add_argument(
        "--replicas", metavar="N", default="auto", help="copies of the model; auto (default) is one per CUDA device"
    )
    parser.add_argument(
        "--wait-ms", metavar="MS", default="10", help="how long a batch that is not full waits for more (default: 10)"
    )
    parser.add_argument(
        "--max-request-mb", metavar="MB", default="32", help="the largest body of a request (default: 32)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Serves until a signal comes."""
    # Mistakes come before Ray, which takes seconds to start.
    config = _config(arguments)
    token = _token(config.host)
    if find_spec("ray") is None or find_spec("uvicorn") is None:
        raise OptionError(
            'Expected Ray Serve to be installed, but there is no ray; run: pip install "pytest-vqamt[ray]"'
        )
    from pytest_vqamt.serving.supervisor import StopSignals, Supervisor, server_folder  # of the extra `ray`

    # An address that nobody answers is reported here, and not by a replica.
    config = replace(config, cluster=reachable_cluster(config.cluster))
    if config.cluster and ":" in config.device:
        raise OptionError(
            f"Expected --device to be auto, cpu or cuda at a cluster, but got {config.device!r}: Ray chooses the "
            "device of a replica"
        )
    with StopSignals().handled() as signals, bind_socket(config.host, config.port) as listener:
        folder = server_folder()
        try:
            # With --port=0 the system chooses one; sessions need the number.
            placed = replace(config, port=listener.getsockname()[1], folder=str(folder.path))
            Supervisor(placed, token, lambda line: print(line, flush=True), signals).run(listener, os.environ)
        finally:
            folder.remove()
    return ExitStatus.OK


def _config(arguments: argparse.Namespace) -> ServeConfig:
    """Checks the arguments, without loading anything."""
    spec: str = arguments.model
    data = tuple(dict.fromkeys(arguments.data)) or ("pictures",)
    for each in data:
        sources.check(each)
    of_relations, of_model = parse_settings(arguments.option, "--option", ModelCatalogue().kind(spec).settings)
    kind = _kind(spec)
    if SETTING in (kind.settings or ()) and of_model.get(SETTING, Form.AUTO) == Form.AUTO:
        # Clients may send the pixels, and keep the answers as those to the pixels.
        of_model = {**of_model, SETTING: Form.PNG.value}
    # Inpainting is done where pictures are rendered, which is here.
    if others := sorted(set(of_relations) - {INPAINT.name}):
        raise OptionError(
            f"Expected --option to set the model or {INPAINT.name}, but got {others[0]!r}, which is for "
            "relations: give it to the sessions that use the server"
        )
    size = arguments.batch_size
    replicas = arguments.replicas
    if "+" in arguments.device:
        raise OptionError(
            f"Expected one --device, since a replica has one, but got {arguments.device!r}: serve a larger model by "
            "vLLM, and test it as openai:MODEL@URL"
        )
    config = ServeConfig(
        model=spec,
        data=data,
        settings=of_model,
        inpaint=_absolute(of_relations.get(INPAINT.name, "")),
        batch_size=None if size == "auto" else _whole(size, "--batch-size", 1, 1_000_000),
        device=check_device(arguments.device, "--device"),
        dtype=arguments.dtype,
        cache=None if arguments.cache is None else str(expanded(arguments.cache).absolute()),
        on_device=kind.on_device,
        reads_meaning=kind.reads_meaning,
        needs_scenes=kind.needs_scenes,
        replicas=None if replicas == "auto" else _whole(replicas, "--replicas", 1, 10_000),
        wait_ms=_whole(arguments.wait_ms, "--wait-ms", 0, 60_000),
        max_bytes=_MIB * _whole(arguments.max_request_mb, "--max-request-mb", 1, 1_000),
        host=arguments.host,
        port=_whole(arguments.port, "--port", 0, 65_535),
        session=secrets.token_hex(8),
        cluster=os.environ.get("RAY_ADDRESS", "").strip(),
    )
    ModelCatalogue().check(spec, config.model_options)
    return config


def _kind(spec: str) -> ModelKind:
    kind = ModelCatalogue().kind(spec)
    if kind.is_remote:
        raise OptionError(
            f"Expected a model to serve, but got model={spec!r}, which is served already: name the model itself"
        )
    return kind


def _token(host: str) -> str:
    """The token of the environment; required unless only this machine can connect."""
    token = os.environ.get(TOKEN_VARIABLE, "").strip()
    # It travels in an HTTP header, which takes no others.
    if re.search(r"[^\x21-\x7e]", token):
        raise OptionError(
            f"Expected a token of ASCII characters without blanks in the environment variable {TOKEN_VARIABLE}, but "
            "got others (not shown): make one with `openssl rand -hex 32`"
        )
    if token and len(token) < _SHORTEST_TOKEN:
        raise OptionError(
            f"Expected a token of {_SHORTEST_TOKEN} characters or more in the environment variable {TOKEN_VARIABLE}, "
            f"but got one of {len(token)}: make one with `openssl rand -hex 32`"
        )
    if not token and not is_loopback(host):
        raise OptionError(
            f"Expected a token in the environment variable {TOKEN_VARIABLE} for --host={host}, which other machines "
            "can reach, but got none: make one with `openssl rand -hex 32`, and set it here and where pytest runs"
        )
    return token


def _absolute(inpaint: str) -> str:
    """The inpainter with the absolute path of its checkpoint."""
    kind, colon, path = inpaint.partition(":")
    # Replicas run in another folder, and perhaps on another machine.
    return f"{kind}:{expanded(path).absolute()}" if colon else kind


def _whole(text: str, option: str, least: int, most: int) -> int:
    if not re.fullmatch("[0-9]{1,9}", text) or not least <= int(text) <= most:
        raise OptionError(f"Expected {option} to be a whole number from {least} to {most}, but got {text!r}")
    return int(text)
