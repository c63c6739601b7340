"""``vqamt doctor``: shows what is installed here, and whether a model loads and answers."""

from __future__ import annotations

import argparse
import os
import platform
import sqlite3
import time
import webbrowser
from collections.abc import Iterator
from contextlib import closing
from importlib.metadata import PackageNotFoundError, metadata, version
from importlib.util import find_spec
from itertools import islice
from pathlib import Path

from packaging.requirements import Requirement

from pytest_vqamt.commands.main import ExitStatus, print_error
from pytest_vqamt.commands.open import has_display
from pytest_vqamt.core.errors import CACHE_HOME_VARIABLE, OptionError, VqamtError, cache_home
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.text import count_noun, shown
from pytest_vqamt.data.catalogue import load as load_data
from pytest_vqamt.execution.answer_cache import ANSWERS_FILE
from pytest_vqamt.execution.plan import Plan, Sampling
from pytest_vqamt.integration.options import check_device, parse_settings
from pytest_vqamt.integration.replaying import DEFAULT_CACHE, answer_queries
from pytest_vqamt.language.wordnet.words import FULL, find_wordnet
from pytest_vqamt.models.catalogue import ModelCatalogue
from pytest_vqamt.models.openai.openai_settings import KEY_VARIABLE
from pytest_vqamt.models.protocol import SEVERAL_DEVICES, ModelOptions
from pytest_vqamt.models.region_models.frcnn.loading import DETECTOR_VARIABLE
from pytest_vqamt.models.served import TOKEN_VARIABLE
from pytest_vqamt.models.wrapped import LoadedModel
from pytest_vqamt.relations.catalogue import get
from pytest_vqamt.sampling.chooser import Sampler

_DISTRIBUTION = "pytest-vqamt"
_OF_DEVELOPERS = ("test", "dev")
"""Extras that users need not have."""
_GIB = 2**30

_SECRETS = (KEY_VARIABLE, "OPENAI_API_KEY", TOKEN_VARIABLE, "HF_TOKEN")
"""Environment variables that are printed as set or not set, never with their value."""

_VARIABLES = (
    "HF_HOME",
    "HF_HUB_OFFLINE",
    "CUDA_VISIBLE_DEVICES",
    CACHE_HOME_VARIABLE,
    DETECTOR_VARIABLE,
)
"""Environment variables that are printed with their value where they are set."""

_RELATION_OF = {
    Task.VQA: "control.repeat",
    Task.ENTAILMENT: "veglue.mr1_joint_erase",
    Task.CAPTIONING: "metaic.object_appearance",
}
"""A relation of each task: a model is sent the first query of its first case."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    parser.epilog = (
        "With --model the model is loaded, and sent one query about a picture of the built-in picture world; the exit "
        "status is 1 if it does not load or answer. Keys and tokens are never shown, only whether they are set."
    )
    parser.add_argument(
        "--model", metavar="SPEC", help="a model to load and query, as --vqamt-model of pytest takes it"
    )
    parser.add_argument(
        "--option", metavar="NAME=VALUE", action="append", default=[], help="a setting of the model; may be given again"
    )
    parser.add_argument("--device", metavar="DEVICE", default="auto", help=SEVERAL_DEVICES)
    parser.add_argument("--dtype", metavar="DTYPE", help="the precision of the weights")
    parser.add_argument(
        "--cache", metavar="DIR", type=Path, default=DEFAULT_CACHE, help="the answer cache (default: %(default)s)"
    )
    parser.add_argument("--devices", action="store_true", help="import torch, which takes seconds, to show its devices")


def run(arguments: argparse.Namespace) -> int:
    """Prints what is here, and loads the model.

    Raises:
        OptionError: an option cannot be used.
    """
    # They are about a model: without one they would be ignored in silence.
    if (arguments.option or arguments.dtype or arguments.device != "auto") and arguments.model is None:
        raise OptionError("Expected --model SPEC with --option, --device and --dtype, but got no --model: name it")
    check_device(arguments.device, "--device")
    print(f"{_DISTRIBUTION} {version(_DISTRIBUTION)} in {Path(__file__).parents[1]}")
    print(f"Python {platform.python_version()}, {platform.platform()}, pytest {version('pytest')}")
    for heading, lines in (
        ("Extras", _extras()),
        ("Devices", _devices(with_torch=arguments.devices or _needs_torch(arguments.model))),
        ("Caches", _caches(arguments.cache)),
        ("WordNet", _wordnet()),
        ("Browser", _browser()),
        ("Environment", _environment()),
    ):
        # Flushed part by part: importing torch takes seconds, and loading a model longer.
        print(f"\n{heading}", *(f"  {line}" for line in lines), sep="\n", flush=True)
    if arguments.model is None:
        return ExitStatus.OK
    print("\nModel", flush=True)
    try:
        for line in _model_lines(arguments):
            print(f"  {line}", flush=True)
    except VqamtError as error:
        print_error(error)
        return ExitStatus.FINDING
    return ExitStatus.OK


def _extras() -> Iterator[str]:
    """One line for each extra: its packages, or the pip line that brings those that are missing."""
    about = metadata(_DISTRIBUTION)
    requirements = [Requirement(text) for text in about.get_all("Requires-Dist") or ()]
    extras = [extra for extra in about.get_all("Provides-Extra") or () if extra not in _OF_DEVELOPERS]
    width = max(map(len, extras))
    for extra in extras:
        of_extra = [
            each
            for each in requirements
            # Of this extra, and not of the package itself on this platform.
            if each.marker and each.marker.evaluate({"extra": extra}) and not each.marker.evaluate({"extra": ""})
        ]
        found = {each: _installed_version(each.name) for each in of_extra}
        wrong = [
            f"{each.name} is missing" if have is None else f"{each.name} {have} is not {each.specifier}"
            for each, have in found.items()
            # prereleases: an installed 3.0rc1 is what the user has, and satisfies >=2.
            if have is None or not each.specifier.contains(have, prereleases=True)
        ]
        yield f"{extra:{width}}  " + (
            f'no:  {", ".join(wrong)}; run: pip install "{_DISTRIBUTION}[{extra}]"'
            if wrong
            else f"yes: {', '.join(f'{each.name} {have}' for each, have in found.items())}"
        )


def _installed_version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _needs_torch(spec: str | None) -> bool:
    """True if loading the model imports torch anyway."""
    try:
        return spec is not None and ModelCatalogue().kind(spec).extra in ("demo", "transformers")
    except OptionError:
        return False


def _devices(*, with_torch: bool) -> Iterator[str]:
    # What this process may use: containers and job schedulers give fewer than the machine has.
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    yield f"CPU: {usable} threads"
    # Found without importing it.
    if find_spec("torch") is None:
        yield "torch is not installed"
        return
    if not with_torch:
        yield f"torch {version('torch')}: not imported; `vqamt doctor --devices` shows its devices"
        return
    import torch  # takes seconds

    from pytest_vqamt.models.transformers.placement import overlooked_gpu

    yield f"torch {torch.__version__}: {torch.get_num_threads()} threads, {_accelerators()}"
    for number in range(torch.cuda.device_count()):
        free, total = torch.cuda.mem_get_info(number)
        name = torch.cuda.get_device_name(number)
        yield f"cuda:{number}: {name}, {free / _GIB:.1f} of {total / _GIB:.1f} GiB of memory free"
    if not torch.cuda.device_count():
        yield f"{'ROCm' if torch.version.hip else 'CUDA'}: no device"
    if torch.backends.mps.is_available():
        yield "mps: the GPU of this Mac"
    if overlooked := overlooked_gpu(ModelOptions()):
        yield overlooked


def _accelerators() -> str:
    """What this build of torch is made for. One for ROCm has no CUDA, and calls its devices cuda all the same."""
    import torch

    built = {"CUDA": torch.version.cuda, "ROCm": torch.version.hip}
    return ", ".join(f"{name} {number}" for name, number in built.items() if number) or "CUDA not built in"


def _caches(answers: Path) -> Iterator[str]:
    yield f"answers:      {_place(answers)}{_number_of_answers(answers / ANSWERS_FILE)}"
    yield f"other files:  {_place(cache_home())}"
    # As huggingface_hub finds its cache.
    home = Path(os.environ.get("HF_HOME") or Path.home() / ".cache" / "huggingface")
    yield f"Hugging Face: {_place(Path(os.environ.get('HF_HUB_CACHE') or home / 'hub'))}"


def _place(folder: Path) -> str:
    if not folder.is_dir():
        return f"{folder} (not there yet)"
    size = 0
    for where, _, names in os.walk(folder):
        for name in names:
            file = Path(where, name)
            # Hugging Face's cache links each file of a snapshot to one blob: it counts once.
            size += 0 if file.is_symlink() or not file.exists() else file.stat().st_size
    return f"{folder} ({_size(size)})"


def _size(size: float) -> str:
    for unit in ("bytes", "KB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def _number_of_answers(file: Path) -> str:
    if not file.is_file():
        return ""
    try:
        # Read only, and not through AnswerStore, which would create the file's tables.
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as database:
            [(number,)] = database.execute("select count(*) from answers")
    except sqlite3.Error as error:
        return f", which cannot be read ({error}): delete it"
    return f", {count_noun(number, 'answer')}"


def _wordnet() -> Iterator[str]:
    yield "bundled: yes"
    try:
        yield f"full:    {find_wordnet(FULL).folder}"
    except OptionError as error:
        yield f"full:    {error}"


def _browser() -> Iterator[str]:
    if not has_display():
        yield "no display: `vqamt open` prints the path of the page"
        return
    try:
        found = webbrowser.get()
        yield str(getattr(found, "name", type(found).__name__))
    except webbrowser.Error:
        yield "none found: `vqamt open` prints the path of the page"


def _environment() -> Iterator[str]:
    # A server may have a key of its own: VQAMT_OPENAI_KEY_ and its host.
    names = dict.fromkeys((*_SECRETS, *sorted(name for name in os.environ if name.startswith(KEY_VARIABLE))))
    for name in names:
        yield f"{name}: {'set' if os.environ.get(name) else 'not set'}"
    for name in _VARIABLES:
        if name in os.environ:
            yield f"{name}={shown(os.environ[name])}"


def _model_lines(arguments: argparse.Namespace) -> Iterator[str]:
    """Loads the model and sends it a query."""
    catalogue, spec = ModelCatalogue(), arguments.model
    of_relations, settings = parse_settings(arguments.option, "--option", catalogue.settings_of([spec]))
    if of_relations:
        raise OptionError(f"Expected --option to set the model, but got {next(iter(of_relations))!r}: leave it off")
    options = ModelOptions(device=arguments.device, dtype=arguments.dtype, settings=settings)
    catalogue.check(spec, options)
    started = time.monotonic()
    model = catalogue.load(spec, options)
    yield f"name:        {shown(model.name)}"
    yield f"loads:       yes, in {time.monotonic() - started:.1f} s"
    yield f"tasks:       {', '.join(model.tasks)}"
    if model.placement:
        yield f"computes:    {model.placement}"
    yield f"fingerprint: {shown(model.fingerprint)}"
    yield f"answers:     {_reply(model)}"


def _reply(model: LoadedModel) -> str:
    """The reply to one query."""
    # A model of written answers would list the query as missing.
    if model.deferred:
        return "from a file; it is not asked"
    task = model.tasks[0]
    relation, source = get(_RELATION_OF[task]), load_data("pictures:10")
    # At random: Hypothesis would begin with the simplest scene.
    sampling = Sampling(max_cases=1, seed=0, sampler=Sampler.RANDOM, contrast=0.0)
    [case] = islice(Plan(relation=relation, variant=relation.info.variants[0], source=source, sampling=sampling), 1)
    query = case.queries[0]
    started = time.monotonic()
    [answer] = answer_queries([query], source, model)
    took = time.monotonic() - started
    about = f"to {shown(query.text)!r} about picture {case.scene}" if query.text else f"as the caption of {case.scene}"
    return f"{shown(answer.text)!r} {about}, in {took:.1f} s"
