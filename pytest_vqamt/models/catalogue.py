"""The kinds of models that ``--vqamt-model`` can name."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib.util import find_spec
from operator import attrgetter
from typing import Any, TypeAlias

from pytest_vqamt.core.entry_points import entry_points
from pytest_vqamt.core.errors import ModelError, OptionError, VqamtError, did_you_mean
from pytest_vqamt.core.identity import split_name
from pytest_vqamt.core.input_files import expanded
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.spelling import option
from pytest_vqamt.models.prompts import CHAT_SETTINGS, PROMPT_SETTINGS, QUERY_PROMPT_SETTINGS
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.wrapped import LoadedModel, wrap_model

ENTRY_POINTS = "pytest_vqamt.models"
"""The group of entry points by which installed packages add kinds: ``name = "module:factory"``."""

REGION_SETTINGS = ("detector", "features", "features-dtype", "region-min-size", "region-max-size")
"""The settings of models over region features."""

OPENAI_SETTINGS = (
    "timeout-s", "in-flight", "retries-s", "temperature", "seed", "detail", "token-limit", "revision", "response",
    "header.NAME", "image-format", "price", "price-in", "price-out",
)  # fmt: skip
"""The settings of requests to an OpenAI-compatible server."""

ModelFactory: TypeAlias = Callable[[str, ModelOptions], object]
"""Makes a model from the argument of its spec and the options."""

QUICK = "quick"
"""The preset of most kinds of models."""


class ModelCatalogue:
    """The kinds of models of a session: built in, from installed packages, and registered by hooks."""

    def __init__(self) -> None:
        self._registered: list[ModelKind] = []

    def register(self, name: str, factory: str | ModelFactory, description: str = "") -> None:
        """Adds a kind whose models ``factory(argument, options)`` makes.

        Raises:
            OptionError: the name is taken or invalid.
        """
        # A spec is split at its first ':', and a short name at '='.
        if not name or name != name.strip() or set(":=").intersection(name):
            raise OptionError(f"Expected a name without ':' and '=' to register a kind of model, but got name={name!r}")
        for kind in self.kinds:
            if kind.name == name:
                raise OptionError(
                    f"Expected a new name to register a kind of model, but got name={name!r}, which {kind.origin} has"
                )
        self._registered.append(
            ModelKind(name=name, factory=factory, description=description, settings=None, origin="a hook")
        )

    @property
    def kinds(self) -> tuple[ModelKind, ...]:
        """Every kind, in the order in which they are listed."""
        return (*MODELS, *self._installed, *self._registered)

    def describe(self) -> tuple[tuple[str, str], ...]:
        """The syntax and the description of each kind. Imports none of them."""
        return tuple((kind.form, kind.description) for kind in self.kinds)

    def check(self, spec: str, options: ModelOptions) -> None:
        """Checks ``spec`` without loading anything.

        Raises:
            OptionError: no such kind, a missing or superfluous argument, or an invalid setting.
            ModelError: what it names does not exist.
        """
        kind, argument = self._parsed(spec)
        # By name, so that listing the kinds imports none of them.
        if kind.check:
            check = _import_object(kind.check) if isinstance(kind.check, str) else kind.check
            check(argument, options)

    def tasks(self, spec: str, options: ModelOptions) -> tuple[Task, ...] | None:
        """The tasks of the model of this spec, where they can be told without loading it; else None.

        Raises:
            VqamtError: what it names does not exist.
        """
        kind, argument = self._parsed(spec)
        if isinstance(kind.tasks, str):
            with _needing(kind, split_name(spec)[1]):
                told: tuple[Task, ...] | None = _import_object(kind.tasks)(argument, options)
            return told
        return kind.tasks

    def settings_of(self, specs: Iterable[str]) -> tuple[str, ...] | None:
        """The names of the settings that models of these specs take; None if one of them takes any setting.

        Raises:
            OptionError: there is no such kind.
        """
        taken = [self.kind(spec).settings for spec in specs]
        # One model of a kind from elsewhere may take any setting, so none can be called unknown.
        return None if None in taken else tuple(dict.fromkeys(name for names in taken for name in names or ()))

    def load(self, spec: str, options: ModelOptions) -> LoadedModel:
        """The model of a spec, ``name`` or ``name:argument``, under its short name in ``NAME=SPEC``.

        Raises:
            OptionError: no such kind, a missing or superfluous argument, or a package that is not installed.
            ModelError: the model cannot be loaded.
        """
        kind, argument = self._parsed(spec)
        short_name, spec = split_name(spec)
        model = _load_kind(kind, argument, spec, options)
        # Of a served model items and reports show the name that it has on the server.
        name: object = getattr(model, "name", None) if kind.is_remote else None
        loaded = wrap_model(name if isinstance(name, str) else spec, model, options)
        loaded = replace(loaded, kind=self._served_kind(name, kind) if isinstance(name, str) else kind.name)
        # A model is wrapped under its spec, which may be its fingerprint: no answer depends on the short name.
        return replace(loaded, name=short_name, spec=spec) if short_name else loaded

    def _served_kind(self, name: str, kind: ModelKind) -> str:
        try:
            return self.kind(name).name
        except OptionError:  # a kind of a package that is installed on the server alone
            return kind.name

    def kind(self, spec: str) -> ModelKind:
        """The kind of model that a spec names.

        Raises:
            OptionError: no such kind.
        """
        return self._parsed(spec)[0]

    def _parsed(self, spec: str) -> tuple[ModelKind, str]:
        _, spec = split_name(spec)
        name, _, argument = spec.partition(":")
        kind = self._kind_named(name, spec)
        if kind.argument and not argument and not kind.is_optional:
            raise OptionError(f"Expected {option('model')}={kind.form}, but got {spec!r}")
        # "oracle:" is refused, too: spec and name differ by the colon.
        if kind.argument == "" and spec != name:
            raise OptionError(f"Expected {option('model')}={kind.form} with nothing after it, but got {spec!r}")
        return kind, argument

    @cached_property
    def _installed(self) -> tuple[ModelKind, ...]:
        # Sorted: the order of installed packages differs between machines.
        found = sorted(entry_points(group=ENTRY_POINTS), key=lambda point: (point.name, point.value))
        return tuple(
            ModelKind(
                name=point.name,
                factory=point.value,
                description=f"from the package {package}",
                settings=None,
                origin=package,
            )
            for point in found
            if (package := point.dist.name if point.dist else point.module)
        )

    def _kind_named(self, name: str, spec: str) -> ModelKind:
        found = [kind for kind in self.kinds if kind.name == name]
        if not found:
            hint = did_you_mean(name, (kind.name for kind in self.kinds))
            if not spec:
                hint = "name one, such as tiny or python:MODULE:NAME (vqamt list)"
            # Users type what they type elsewhere: the folder or the name of a checkpoint, or MODULE:NAME.
            elif checkpoint := _own_checkpoint(spec):
                hint = f"did you mean {checkpoint!r}? (vqamt list has the other kinds)"
            elif "did you mean" not in hint and (own := _own_code(spec)):
                hint = f"did you mean {own!r}?"
            raise OptionError(f"Expected {option('model')} to begin with a kind of model, but got {spec!r}; {hint}")
        if len(found) > 1:
            origins = " and ".join(kind.origin for kind in found)
            raise OptionError(f"Expected one kind of model called {name!r}, but got one each from {origins}")
        return found[0]


def _own_code(spec: str) -> str:
    """Guesses the spec of the user's code from a module or the path of its file; "" for anything else.

    >>> _own_code("./models/m.py:Model"), _own_code("m:Model"), _own_code("m.py")
    ('python:models.m:Model', 'python:m:Model', 'python:m:NAME')
    """
    file, _, name = spec.partition(":")
    if file.endswith(".py"):
        module = file.removeprefix("./").removesuffix(".py").replace("/", ".")
        return f"python:{module}:{name or 'NAME'}"
    return f"python:{spec}" if re.fullmatch(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*", spec) else ""


def _own_checkpoint(spec: str) -> str:
    """Guesses the spec of a checkpoint from its folder or its name on the hub; "" for anything else.

    A folder with a model type that has an adapter of its own gets the kind of that adapter.

    >>> _own_checkpoint("./checkpoint"), _own_checkpoint("org/name"), _own_checkpoint("oracel")
    ('hf:./checkpoint', 'hf:org/name', '')
    """
    from pytest_vqamt.models.transformers.checkpoint import ADAPTERS, Checkpoint, read_checkpoint_config

    with suppress(OSError, ValueError, ModelError):  # no path can have this name, or its configuration is damaged
        folder = expanded(spec)
        if (folder / "config.json").is_file():
            config = read_checkpoint_config(Checkpoint(folder=folder, name=spec))
            return f"{ADAPTERS.get(str(config.get('model_type')), 'hf')}:{spec}"
    # A path of code or of answers is no checkpoint: "./m.py:load", "./answers.jsonl".
    is_path = spec.startswith((".", "/", "~")) and not re.search(r"\.(py|jsonl)\b", spec)
    return f"hf:{spec}" if is_path or re.fullmatch(r"[\w.-]+/[\w.-]+", spec) else ""


def _load_kind(kind: ModelKind, argument: str, spec: str, options: ModelOptions) -> object:
    with _needing(kind, spec):
        factory: ModelFactory = _import_object(kind.factory) if isinstance(kind.factory, str) else kind.factory
        return factory(argument, options)


@contextmanager
def _needing(kind: ModelKind, spec: str) -> Iterator[None]:
    """Turns the errors of a kind's code into errors for the user."""
    try:
        yield
    except VqamtError:
        raise
    except Exception as error:
        # Only for the packages of an extra: a module of ours that is missing is a bug.
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        if kind.extra and missing and missing.partition(".")[0] != "pytest_vqamt":
            raise OptionError(
                f"Expected what model={spec!r} needs to be installed, but there is no {missing}; "
                f'run: pip install "pytest-vqamt[{kind.extra}]"'
            ) from error
        raise ModelError(f"Loading model={spec!r} raised {type(error).__name__}: {error}") from error


def _import_object(where: str) -> Any:
    """Imports "module:name"."""
    module, _, name = where.partition(":")
    return attrgetter(name)(importlib.import_module(module))


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelKind:
    """One kind of model."""

    name: str
    """The beginning of its specs."""
    factory: str | ModelFactory
    """The factory, or "module:callable", imported when the first model of this kind is made."""
    description: str
    """One line."""
    argument: str | None = None
    """The form of what follows the colon ("FILE"), in brackets where optional; "" for nothing; None if unknown here."""
    extra: str = ""
    """The extra of this package that installs its dependencies."""
    on_device: bool = False
    """True if it uses a CUDA device, where there is one."""
    settings: tuple[str, ...] | None = ()
    """The names that ``--vqamt-option NAME=VALUE`` may have; None for any. One that ends in ".NAME" stands for each
    name that begins so."""
    check: str | Callable[[str, ModelOptions], None] | None = None
    """Called like the factory, raises on invalid specs without loading; in either form, None for no check."""
    tasks: str | tuple[Task, ...] | None = None
    """The tasks of its models, or "module:callable", which is called like the factory and tells them without loading.
    None, also where that returns it: only a loaded model tells."""
    reads_meaning: bool = True
    """True if its models may read the meaning of a query, so that it must be sent to a server."""
    needs_scenes: bool = False
    """True if its models read scenes, so that pixels alone are not enough."""
    preset: str = QUICK
    """The preset that its models are tested by where no relations are named; "" for none."""
    is_remote: bool = False
    """True if a spec names a server. The model there has a name of its own, known once it is loaded, which items and
    reports show."""
    origin: str = "pytest-vqamt"
    """Who adds it."""

    @property
    def form(self) -> str:
        """The syntax of its specs: "answers:FILE"; what is optional is in brackets."""
        if not self.argument:
            return self.name
        return f"{self.name}[:{self.argument[1:-1]}]" if self.is_optional else f"{self.name}:{self.argument}"

    @property
    def takes_prices(self) -> bool:
        """True if its models may keep to ``ModelOptions.budget``."""
        return self.settings is None or "price" in self.settings

    @property
    def is_optional(self) -> bool:
        """True if the argument is optional."""
        return bool(self.argument) and str(self.argument).startswith("[")


def _check_checkpoint(kind: str, argument: str, options: ModelOptions) -> None:
    """Checks the settings, and the model type in ``config.json`` where the argument is a folder."""
    from pytest_vqamt.models.prompts import prompts_from
    from pytest_vqamt.models.transformers import checkpoint
    from pytest_vqamt.models.transformers.runtime import precision_of

    precision_of(options)
    prompts_from(options)
    folder = checkpoint.local_folder(argument, f"{kind}:") if argument else None
    if folder is None:
        return
    found = checkpoint.Checkpoint(folder=folder, name=argument)
    checkpoint.read_checkpoint_config(found)
    if model_types := tuple(name for name, adapter in checkpoint.ADAPTERS.items() if adapter == kind):
        checkpoint.check_model_type(found, model_types)


def _check_region_model(kind: str, argument: str, options: ModelOptions) -> None:
    """Checks the checkpoint, and that its list of answers and a detector are here or can be fetched."""
    _check_checkpoint(kind, argument, options)
    if find_spec("transformers") is None:  # loading says what to install
        return
    _import_object(f"pytest_vqamt.models.region_models.{kind}:check")(argument, options)


def _checkpoint_kind(
    name: str,
    module: str,
    description: str,
    *,
    argument: str = "[PATH]",
    settings: tuple[str, ...] = (),
    preset: str = QUICK,
    check: Callable[[str, str, ModelOptions], None] = _check_checkpoint,
    tasks: str | tuple[Task, ...] = "",
) -> ModelKind:
    """A kind of model that transformers loads from a folder or the hub."""
    return ModelKind(
        name=name,
        factory=f"pytest_vqamt.models.{module}:load",
        check=partial(check, name),
        description=description,
        argument=argument,
        extra="transformers",
        on_device=True,
        settings=settings,
        tasks=tasks or f"pytest_vqamt.models.{module}:tasks",
        reads_meaning=False,
        preset=preset,
    )


MODELS: tuple[ModelKind, ...] = (
    ModelKind(
        name="tiny",
        factory="pytest_vqamt.models.transformers.tiny:load",
        description="the small trained model that comes with this package; does every task",
        argument="",
        extra="demo",
        tasks=tuple(Task),
        reads_meaning=False,
    ),
    _checkpoint_kind(
        "lxmert",
        "region_models.lxmert",
        "LXMERT with its region detector; answers questions",
        settings=(*REGION_SETTINGS, "answers"),
        check=_check_region_model,
        tasks=(Task.VQA,),
    ),
    _checkpoint_kind(
        "visualbert",
        "region_models.visualbert",
        "VisualBERT with the same region detector; answers questions",
        settings=(*REGION_SETTINGS, "answers"),
        check=_check_region_model,
        tasks=(Task.VQA,),
    ),
    _checkpoint_kind(
        "vilt", "transformers.vilt", "ViLT; answers questions, or judges hypotheses where its head is NLVR2's"
    ),
    _checkpoint_kind(
        "blip",
        "transformers.blip",
        "BLIP; answers questions, describes pictures or judges hypotheses, as its head is made for",
        settings=("prompt-caption", "longest-answer", "longest-caption"),
    ),
    _checkpoint_kind(
        "hf",
        "transformers.prompted.generative",
        "any model of transformers that is shown a picture and prompted: LLaVA, Qwen2-VL, BLIP-2, ...",
        argument="REPO-OR-PATH",
        settings=(*PROMPT_SETTINGS, *CHAT_SETTINGS, "attention"),
        preset="today",
    ),
    ModelKind(
        name="openai",
        factory="pytest_vqamt.models.openai.chat_model:load",
        description="a model behind an HTTP endpoint of the form that OpenAI's chat completions have",
        argument="MODEL@URL",
        extra="http",
        settings=(*PROMPT_SETTINGS, *CHAT_SETTINGS, *OPENAI_SETTINGS),
        check="pytest_vqamt.models.openai.chat_model:check",
        reads_meaning=False,
        preset="today",
    ),
    ModelKind(
        name="served",
        factory="pytest_vqamt.models.served.remote_model:load",
        check="pytest_vqamt.models.served.remote_model:check",
        description="the model that `vqamt serve` holds at a URL, one for all workers and machines",
        argument="URL",
        extra="http",
        settings=("send", "timeout-s", "retries-s"),
        preset="today",
        is_remote=True,
    ),
    ModelKind(
        name="python",
        factory="pytest_vqamt.models.python:load",
        description="a model that your own code makes, or a function f(image, text)",
        argument="module:factory",
        settings=QUERY_PROMPT_SETTINGS,
        tasks="pytest_vqamt.models.python:tasks",
    ),
    ModelKind(
        name="answers",
        factory="pytest_vqamt.models.answers_file:load",
        description="answers obtained elsewhere; lists the queries it lacks in FILE.todo.jsonl",
        argument="FILE",
    ),
    ModelKind(
        name="oracle",
        factory="pytest_vqamt.models.reference.oracle:load",
        description="knows every scene: holds on every relation, or the relation is wrong",
        argument="",
        needs_scenes=True,
        preset="",
    ),
    ModelKind(
        name="fault",
        factory="pytest_vqamt.models.reference.faults:load",
        check="pytest_vqamt.models.reference.faults:check",
        description="the oracle with one planted fault, which relations must catch; NAME@0.05: in 5 % of the queries",
        argument="NAME",
        needs_scenes=True,
        preset="",
    ),
)
