"""Locates checkpoints, in a folder or on the hub, and reads their configuration."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from pytest_vqamt.core.errors import ModelError, OptionError
from pytest_vqamt.core.input_files import expanded, parse_json, read_text
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.spelling import option, setting
from pytest_vqamt.core.text import cut, one_line
from pytest_vqamt.models.batching import is_out_of_memory
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.transformers.file_digests import sha256_of
from pytest_vqamt.models.transformers.placement import (
    attention_of,
    check_placed,
    check_room,
    loading_arguments,
    no_room_for_layers,
    overlooked_gpu,
    saved_precision,
    spread_devices,
    weight_files,
)
from pytest_vqamt.models.transformers.quantised import check_quantised, quantisation_of
from pytest_vqamt.models.transformers.runtime import Runtime, device_of, no_room, quiet

if TYPE_CHECKING:
    import torch


_HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+(@[\w./-]+)?")
# One kind of weights, or a repository that has both would be fetched twice.
_SAFETENSORS_PATTERNS = ("*.json", "*.safetensors", "*.jinja", "*.model", "*.txt")
_PICKLE_PATTERNS = ("*.json", "pytorch_model*.bin", "*.jinja", "*.model", "*.txt")

PROCESSOR_FILES = ("preprocessor_config.json", "processor_config.json")
"""Either file says how pictures are resized."""

ADAPTERS: Mapping[str, str] = {"vilt": "vilt", "blip": "blip", "lxmert": "lxmert", "visual_bert": "visualbert"}
"""Model types that have an adapter of their own, and the kind in its specs."""

_DIGESTED_SUFFIXES = (".safetensors", ".bin", ".json", ".jinja", ".model", ".txt", ".yaml", ".pkl")

_PACKAGES = {"torchvision": "pytest-vqamt[torchvision]", "timm": "timm"}
"""Packages that parts of transformers want, and what to install for them."""

_MAX_UNUSED_SHARE = 0.25
"""Training heads and computed tables are often left over. More than this share of the used weights is another model.
"""

M = TypeVar("M", bound="torch.nn.Module")


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A model's folder."""

    folder: Path
    """Holds config.json and the weights; for a model on the hub, its snapshot in the cache."""
    name: str
    """The name that the user gave: a path, "org/name" or "org/name@revision"."""


def locate_checkpoint(
    argument: str,
    *,
    default: str,
    kind: str,
    typed: str = "",
    required: tuple[str, ...] = PROCESSOR_FILES,
    holds: str = "",
) -> Checkpoint:
    """The checkpoint of ``kind:argument``; ``default`` is the hub name for an empty argument.

    A folder is used as it is. ``org/name`` or ``org/name@revision`` is looked up in the hub's cache first, and the
    missing files are downloaded. ``typed`` replaces ``kind:`` in messages. Cached weights without one of the files
    ``required`` are taken for an incomplete download. ``holds`` says what else a folder must have, in messages.

    Raises:
        ModelError: it is neither, or cannot be downloaded, or torchvision does not fit.
    """
    check_torchvision()  # before transformers is imported, which would fail with a message that names neither
    named = argument or default
    typed = typed or f"{kind}:"
    return Checkpoint(
        folder=local_folder(named, typed) or _snapshot(named, f"{typed}FOLDER{holds}", required), name=named
    )


def check_torchvision() -> None:
    """Checks that an installed torchvision belongs to the installed torch.

    Raises:
        ModelError: it does not: transformers would fail to import with a message that names neither.
    """
    if find_spec("torchvision") is None:
        return
    try:
        import_module("torchvision")
    except Exception as error:  # a mismatch shows as a RuntimeError, an ImportError or an OSError
        raise ModelError(
            f"Expected a torchvision that belongs to torch {_version('torch')}, but got torchvision "
            f"{_version('torchvision')}, which cannot be imported with it ({first_line(error)}): uninstall "
            "torchvision, which this plugin does not need, or install the one made for this torch"
        ) from error


def _version(package: str) -> str:
    try:
        # "2.13.0+cpu" to "2.13.0".
        return re.sub(r"\+.*", "", version(package))
    except PackageNotFoundError:
        return "(unknown version)"


def local_folder(named: str, typed: str) -> Path | None:
    """The folder of this name; None for the name of a model on the hub. ``typed`` precedes it in messages.

    Raises:
        ModelError: it is neither.
    """
    exists = False
    with suppress(OSError):  # the name is too long for a path
        folder = expanded(named)
        if folder.is_dir():
            return folder
        exists = folder.exists()
    # "./checkpoint" and "~/checkpoint" look like names of the hub, and a missing folder must not be looked for there.
    if not _HUB_NAME.fullmatch(named) or named.startswith((".", "~")) or exists:
        what = "a file" if exists else "no such folder"
        raise ModelError(
            f"Expected {typed}PATH with a checkpoint folder, or {typed}ORG/NAME of a model on the hub, but got "
            f"{f'{typed}{named}'!r}: that is {what}"
        )
    return None


def config_alone(argument: str, *, default: str, kind: str) -> Checkpoint | None:
    """The checkpoint with its ``config.json``, which is fetched alone where nothing of it is here; None without one.

    What is wrong then is for loading to say.

    Raises:
        ModelError: it is neither a folder nor a name on the hub.
    """
    named = argument or default
    folder = local_folder(named, f"{kind}:")
    with suppress(Exception):  # the hub's client raises what its HTTP library does
        folder = folder or fetched_folder(named)
        if folder is None and not _offline_by():
            from huggingface_hub import hf_hub_download

            repo, _, revision = named.partition("@")
            folder = Path(hf_hub_download(repo, "config.json", revision=revision or None)).parent
    found = folder and Checkpoint(folder=folder, name=named)
    return found if found and (found.folder / "config.json").is_file() else None


def tasks_by_head(argument: str, default: str, kind: str, heads: Mapping[str, Task]) -> tuple[Task, ...] | None:
    """The one task of a checkpoint, by its first architecture; None where that is none of ``heads``."""
    checkpoint = config_alone(argument, default=default, kind=kind)
    if checkpoint is None or read_checkpoint_config(checkpoint).get("model_type") != kind:
        return None
    task = heads.get(first_architecture(checkpoint))
    return (task,) if task else None


def fetched_folder(named: str) -> Path | None:
    """The folder of a hub model in the hub's cache; None where nothing of it was fetched."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    repo, _, revision = named.partition("@")
    try:
        return Path(snapshot_download(repo, revision=revision or None, local_files_only=True))
    except LocalEntryNotFoundError:
        return None


def _snapshot(named: str, instead: str, required: tuple[str, ...]) -> Path:
    from huggingface_hub import snapshot_download

    repo, _, revision = named.partition("@")
    wanted = revision or None
    cached = fetched_folder(named)
    # The cache first: it needs no network, which the hub's client would try for 25 s.
    if cached is not None and _is_complete(cached, required):
        return cached
    if variable := _offline_by():
        raise ModelError(
            f"Expected model {named!r} in the hub's cache, since {variable} is set, but it is not there, or not "
            f"whole: fetch it where there is a network (hf download {repo}) and copy its folder here, then give "
            f"{instead}"
        )
    try:
        return Path(snapshot_download(repo, revision=wanted, allow_patterns=list(_patterns(repo, wanted))))
    except Exception as error:  # the client raises what its HTTP library does, which changes with its version
        reason = one_line(str(error)) or type(error).__name__
        raise ModelError(
            f"Expected to fetch model {named!r} from the hub, but: {reason[:200]}. Without a network give "
            f"{instead}, and set HF_HUB_OFFLINE=1, so that nothing waits for it"
        ) from error


def _patterns(repo: str, revision: str | None) -> tuple[str, ...]:
    """The files to download: weights as safetensors where there are any, else in torch's older format."""
    from huggingface_hub import list_repo_files

    files = list_repo_files(repo, revision=revision)
    return _SAFETENSORS_PATTERNS if any(file.endswith(".safetensors") for file in files) else _PICKLE_PATTERNS


def _is_complete(folder: Path, required: tuple[str, ...]) -> bool:
    """True if the cache has all files: a download may have been interrupted, or made in part by another program."""
    has_weights = bool(weight_files(folder))
    # The repositories of LXMERT and VisualBERT hold weights alone, so their adapters want nothing required them.
    has_others = not required or any((folder / name).is_file() for name in required)
    return has_weights and has_others and (folder / "config.json").is_file()


def _offline_by() -> str:
    """The variable that keeps the hub's client from the network; "" if none does."""
    # As in huggingface_hub: the first that has a value decides, and these values are true.
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        if value := os.environ.get(name):
            return name if value.strip().upper() in ("1", "ON", "YES", "TRUE") else ""
    return ""


def read_checkpoint_config(checkpoint: Checkpoint) -> Mapping[str, object]:
    """The content of ``config.json``.

    Raises:
        ModelError: there is none, or it is no JSON object.
    """
    file = checkpoint.folder / "config.json"
    try:
        read = parse_json(read_text(file))
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
    """The ``model_type`` of the checkpoint, one of ``expected``; ``advice`` ends the message if it is not.

    Raises:
        ModelError: it is another.
    """
    found = read_checkpoint_config(checkpoint).get("model_type")
    if not isinstance(found, str) or found not in expected:
        adapter = ADAPTERS.get(str(found))
        takes = (
            f"give {option('model')}={adapter}:" if adapter else "is it a checkpoint of another kind? many are for hf:"
        )
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


def files_digest(folder: Path) -> str:
    """SHA-256 over names and contents of the model files in ``folder``, 16 hexadecimal digits."""
    total = sha256()
    for file in sorted(folder.iterdir()):
        if file.suffix in _DIGESTED_SUFFIXES and file.is_file():
            total.update(f"{file.name}\0{sha256_of(file)}\0".encode())
    return total.hexdigest()[:16]


def first_line(error: BaseException) -> str:
    """Type and first line of an exception, at most 300 characters."""
    line = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    text = f"{type(error).__name__}: {line}" if line else type(error).__name__
    return cut(text, 300)


def check_packages(error: BaseException, what: str) -> None:
    """Raises ModelError if transformers could not load ``what`` for want of a package."""
    for package, named in _PACKAGES.items():
        # A message that lists all image processors has one of timm among them, and wants none.
        wanted = rf"requires the {package} library|optional dependencies: [^.]*\b{package}\b"
        if re.search(wanted, str(error), re.IGNORECASE) and find_spec(package) is None:
            raise ModelError(
                f"Expected {what}, but transformers has none that works without {package}, which is not installed: "
                f'pip install "{named}" (for torch without CUDA, both from the index that torch came from)'
            ) from error


class _PretrainedClass(Protocol):
    @property
    def from_pretrained(self) -> Callable[..., object]: ...


def load_head(name: str, checkpoint: Checkpoint, runtime: Runtime) -> Any:
    """Loads the weights of a class of transformers by its name; see ``load_weights``."""
    import transformers

    return load_weights(getattr(transformers, name), checkpoint, runtime)


def load_weights(cls: type[M], checkpoint: Checkpoint, runtime: Runtime, *, ignored: Iterable[str] = ()) -> M:
    """The model of class ``cls`` of transformers, on the runtime's device, in its precision, in evaluation mode.

    Keys that match a pattern in ``ignored`` may be missing, since the class computes them itself.

    Raises:
        ModelError: a file is missing or damaged, or a weight has no value or another shape.
    """
    from transformers import PreTrainedConfig

    config = read_checkpoint_config(checkpoint)
    quantised = quantisation_of(config)
    if quantised:
        check_quantised(checkpoint.name, quantised, on_gpu=runtime.device.type != "cpu")
    check_room(checkpoint.name, checkpoint.folder, config, runtime)
    load = cast("_PretrainedClass", cls).from_pretrained
    try:
        # Its progress bars and its list of missing keys, which are reported below in one line.
        with quiet():
            model, report = cast(
                "tuple[M, dict[str, set[object]]]",
                load(
                    checkpoint.folder,
                    dtype=runtime.dtype,
                    output_loading_info=True,
                    ignore_mismatched_sizes=True,  # else it raises, and names them in its log only
                    local_files_only=True,
                    trust_remote_code=False,  # or it would ask on the terminal whether to run what lies there
                    **loading_arguments(runtime),
                ),
            )
    except ModelError:
        raise
    except Exception as error:  # a damaged file raises whatever the library that reads it does
        check_packages(error, f"a class for the model in {checkpoint.folder}")
        if is_out_of_memory(error):
            raise ModelError(no_room(runtime)) from error
        if runtime.others and "offload" in str(error):
            raise ModelError(no_room_for_layers(checkpoint.name, runtime, "disk")) from error
        if runtime.attention and "attention" in str(error).lower():
            raise OptionError(
                f"Expected a way to compute attention that {cls.__name__} has, but got "
                f"{setting('attention', runtime.attention)}: {first_line(error)}"
            ) from error
        if quantised:
            raise ModelError(
                f"Expected a model that can be computed here, but {checkpoint.name!r} is quantised ({quantised}), and "
                f"transformers cannot load it: {first_line(error)}"
            ) from error
        raise ModelError(
            f"Expected a whole checkpoint of {cls.__name__} in {checkpoint.folder}, but: {first_line(error)}"
        ) from error
    patterns = [re.compile(pattern) for pattern in ignored]
    # transformers gives such weights random values, and the model answers like any other.
    for kind in ("missing_keys", "mismatched_keys"):
        names = (_name(key) for key in report.get(kind, ()))
        wrong = sorted(name for name in names if not any(pattern.search(name) for pattern in patterns))
        if wrong:
            raise ModelError(
                f"Expected weights for all of {cls.__name__} in {checkpoint.folder}, but got {kind}={wrong[:3]!r} "
                f"({len(wrong)} in all), which would be made up at random: take the whole checkpoint, of the same kind"
            )
    left = sorted(_name(key) for key in report.get("unexpected_keys", ()))
    # Scales and tables of quantised weights have names of their own, more of them than weights.
    if not quantised and len(left) > _MAX_UNUSED_SHARE * len(model.state_dict()):
        raise ModelError(
            f"Expected a checkpoint of {cls.__name__} in {checkpoint.folder}, but got weights of another model: "
            f"unexpected_keys={left[:3]!r} ({len(left)} in all); its config.json names the wrong architecture"
        )
    for module in model.modules():
        if isinstance(part := getattr(module, "config", None), PreTrainedConfig):
            part.return_dict = True  # some were saved so that what comes out is read by its place
    check_placed(checkpoint.name, model, runtime)
    return runtime.place(model)


def runtime_for(
    checkpoint: Checkpoint, options: ModelOptions, *, threads: int | None = None, spreads: bool = False
) -> Runtime:
    """The runtime of the options for this checkpoint, whose precision is told where it is the one as saved.

    ``spreads`` lets several devices share one model.

    Raises:
        OptionError: no such precision, or no such way to compute attention.
        ModelError: no such device, or the configuration cannot be read.
    """
    import torch

    # Read before a device is looked for: a folder without a configuration is the plainer mistake.
    config = read_checkpoint_config(checkpoint)
    first, *others = spread_devices(options) if spreads else (device_of(options),)
    runtime = Runtime.of(replace(options, device=first), threads=threads)
    if runtime.dtype == "auto":
        runtime = replace(runtime, dtype=saved_precision(checkpoint.folder, config))
    return replace(
        runtime,
        others=tuple(map(torch.device, others)),
        attention=attention_of(options.settings, runtime),
        note=overlooked_gpu(options),
    )


def _name(key: object) -> str:
    """A key as transformers reports it: alone, or first in a tuple with the shapes."""
    return str(key[0]) if isinstance(key, tuple) and key else str(key)
