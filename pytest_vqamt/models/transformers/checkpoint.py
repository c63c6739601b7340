"""Where a checkpoint lies: a folder, or a name on the hub, whose files are fetched once."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from threading import Lock

from pytest_vqamt.core.errors import ModelError

_HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+(@[\w./-]+)?")
_SAFETENSORS_PATTERNS = ("*.json", "*.safetensors", "*.jinja", "*.model", "*.txt")
_PICKLE_PATTERNS = ("*.json", "pytorch_model*.bin", "*.jinja", "*.model", "*.txt")

PROCESSOR_FILES = ("preprocessor_config.json", "processor_config.json")
"""Either says how pictures are resized."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A model's files on the disk; ``name`` is what the user typed."""

    folder: Path
    name: str


def locate_checkpoint(
    argument: str, *, default: str, kind: str, typed: str = "", beside: tuple[str, ...] = PROCESSOR_FILES
) -> Checkpoint:
    """The checkpoint that ``kind:argument`` names; ``default`` is the hub name where the argument is empty.

    What is a folder is taken as it is. ``org/name`` or ``org/name@revision`` is looked for in the hub's cache first,
    and what the cache lacks of it is fetched. ``typed`` is what stands before the argument where the user types it, if
    it is not ``kind:``. Weights in the cache without one of the files ``beside`` were another program's.

    Raises:
        ModelError: it is neither, or cannot be fetched.
    """
    named = argument or default
    typed = typed or f"{kind}:"
    return Checkpoint(folder=local_folder(named, typed) or _snapshot(named, typed, beside), name=named)


def local_folder(named: str, typed: str) -> Path | None:
    """The folder of this name; None where it is the name of a model on the hub. ``typed`` stands before it.

    Raises:
        ModelError: it is neither.
    """
    folder = Path(named).expanduser()
    if folder.is_dir():
        return folder
    if not _HUB_NAME.fullmatch(named) or named.startswith((".", "~")) or folder.exists():
        what = "a file" if folder.exists() else "no such folder"
        raise ModelError(
            f"Expected {typed}PATH with a checkpoint folder, or {typed}ORG/NAME of a model on the hub, but got "
            f"{f'{typed}{named}'!r}: that is {what}"
        )
    return None


def _snapshot(named: str, typed: str, beside: tuple[str, ...]) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    repo, _, revision = named.partition("@")
    wanted = revision or None
    try:
        kept = Path(snapshot_download(repo, revision=wanted, local_files_only=True))
    except LocalEntryNotFoundError:
        kept = None
    if kept is not None and _is_complete(kept, beside):
        return kept
    if _is_offline():
        raise ModelError(
            f"Expected model {named!r} in the hub's cache, since HF_HUB_OFFLINE is set, but it is not there, or not "
            f"whole: fetch it where there is a network (hf download {repo}) and copy its folder here, then give "
            f"{typed}FOLDER"
        )
    try:
        return Path(snapshot_download(repo, revision=wanted, allow_patterns=list(_patterns(repo, wanted))))
    except Exception as error:  # the client raises what its HTTP library does, which changes with its version
        told = " ".join(str(error).split()) or type(error).__name__
        raise ModelError(
            f"Expected to fetch model {named!r} from the hub, but: {told[:200]}. Without a network give {typed}FOLDER, "
            "and set HF_HUB_OFFLINE=1, so that nothing waits for it"
        ) from error


def _patterns(repo: str, revision: str | None) -> tuple[str, ...]:
    """Which files to fetch: weights as safetensors where there are any, else in torch's older form; never both."""
    from huggingface_hub import list_repo_files

    files = list_repo_files(repo, revision=revision)
    return _SAFETENSORS_PATTERNS if any(file.endswith(".safetensors") for file in files) else _PICKLE_PATTERNS


def _is_complete(folder: Path, beside: tuple[str, ...]) -> bool:
    """Whether the cached files are all there is: a download may have been interrupted, or another program's.

    That fetches what it reads itself: the configuration, or the weights and nothing that makes inputs for them.
    """
    has_weights = any(
        (folder / name).is_file() or _has_shards(folder / f"{name}.index.json")
        for name in ("model.safetensors", "pytorch_model.bin")
    )
    has_others = not beside or any((folder / name).is_file() for name in beside)
    return has_weights and has_others and (folder / "config.json").is_file()


def _has_shards(index: Path) -> bool:
    try:
        named = set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values())
    except (OSError, ValueError, LookupError, TypeError, AttributeError):  # there is none, or it is cut short
        return False
    return bool(named) and all((index.parent / name).is_file() for name in named)


def _is_offline() -> bool:
    return os.environ.get("HF_HUB_OFFLINE", "").strip().upper() in ("1", "ON", "YES", "TRUE")


ADAPTERS: Mapping[str, str] = {"vilt": "vilt", "blip": "blip", "lxmert": "lxmert", "visual_bert": "visualbert"}
"""The kinds of checkpoints that have an adapter of their own, and what its specs begin with."""


def read_checkpoint_config(checkpoint: Checkpoint) -> Mapping[str, object]:
    """What ``config.json`` holds.

    Raises:
        ModelError: there is none, or it is no JSON object.
    """
    file = checkpoint.folder / "config.json"
    try:
        read: object = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ModelError(
            f"Expected a checkpoint folder, but {str(checkpoint.folder)!r} has no config.json: give the folder that "
            "save_pretrained wrote, or that the hub's files were copied to"
        ) from None
    except (OSError, ValueError) as error:
        raise ModelError(f"Expected JSON in {file}, but it cannot be read ({error}): copy the file again") from error
    if not isinstance(read, dict):
        raise ModelError(f"Expected a JSON object in {file}, but got {type(read).__name__}: copy the file again")
    return read


def check_model_type(checkpoint: Checkpoint, expected: tuple[str, ...], advice: str = "") -> str:
    """The ``model_type`` of the checkpoint, one of ``expected``; ``advice`` ends the message where it is another.

    Raises:
        ModelError: it is another.
    """
    found = read_checkpoint_config(checkpoint).get("model_type")
    if not isinstance(found, str) or found not in expected:
        adapter = ADAPTERS.get(str(found))
        takes = f"give --vqamt-model={adapter}:" if adapter else "is it a checkpoint of another kind? many are for hf:"
        hint = advice or f"{takes}{checkpoint.name}"
        raise ModelError(
            f"Expected model_type {' or '.join(map(repr, expected))} in {checkpoint.folder / 'config.json'}, but got "
            f"model_type={found!r}; {hint}"
        )
    return found


def first_architecture(checkpoint: Checkpoint) -> str:
    """The first of ``architectures`` in the configuration; "" where there is none."""
    named = read_checkpoint_config(checkpoint).get("architectures")
    return str(named[0]) if isinstance(named, list) and named else ""


_DIGESTED_SUFFIXES = (".safetensors", ".bin", ".json", ".jinja", ".model", ".txt", ".yaml", ".pkl")

_file_digests: dict[tuple[str, int, int], str] = {}


def files_digest(folder: Path) -> str:
    """SHA-256 over names and contents of the files in ``folder`` that a model is read from, 16 hexadecimal digits."""
    total = sha256()
    for file in sorted(folder.iterdir()):
        if file.suffix in _DIGESTED_SUFFIXES and file.is_file():
            total.update(f"{file.name}\0{sha256_of(file)}\0".encode())
    return total.hexdigest()[:16]


def sha256_of(file: Path) -> str:
    """SHA-256 of a file, 64 hexadecimal digits; read once, as long as its size and its time stay."""
    stat = file.stat()
    key = (str(file.resolve()), stat.st_size, stat.st_mtime_ns)
    if key not in _file_digests:
        total = sha256()
        with file.open("rb") as opened:
            while block := opened.read(1 << 20):
                total.update(block)
        _file_digests[key] = total.hexdigest()
    return _file_digests[key]


_lock = Lock()
_saved_settings: list[tuple[int, bool]] = []
"""For each that is quiet just now, what transformers was set to before the first of them: its level, and its bars.

Transformers has one setting for all threads. The last to leave puts it back, whoever came first: one that put back what
it had found itself might put back the silence of another.
"""


@contextmanager
def quiet() -> Iterator[None]:
    """No progress bars and no advice of transformers; its settings afterwards as before. Threads may overlap."""
    from transformers.utils import logging

    with _lock:
        _saved_settings.append(
            _saved_settings[0] if _saved_settings else (logging.get_verbosity(), logging.is_progress_bar_enabled())
        )
        if len(_saved_settings) == 1:
            logging.set_verbosity_error()  # type: ignore[no-untyped-call]  # transformers does not annotate it
            logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # as above
    try:
        yield
    finally:
        with _lock:
            level, bars = _saved_settings.pop()
            if not _saved_settings:
                logging.set_verbosity(level)
                if bars:
                    logging.enable_progress_bar()  # type: ignore[no-untyped-call]  # as above


def first_line(error: BaseException) -> str:
    """The first line of what an exception says, for messages of one line; at most 300 characters."""
    line = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    told = f"{type(error).__name__}: {line}" if line else type(error).__name__
    return told if len(told) <= 300 else f"{told[:299]}…"
