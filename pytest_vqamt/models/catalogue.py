"""Every kind of model that ``--vqamt-model`` can name."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import entry_points
from operator import attrgetter
from typing import Any, TypeAlias

from pytest_vqamt.core.errors import ModelError, OptionError, VqamtError, did_you_mean
from pytest_vqamt.models.base import LoadedModel, ModelOptions, adopt
from pytest_vqamt.models.prompts import PROMPT_SETTINGS

ENTRY_POINTS = "pytest_vqamt.models"
"""The group of entry points by which installed packages add kinds: ``name = "module:factory"``."""


class Catalogue:
    """The kinds of models of a session: ours, those of installed packages, and those that hooks register."""

    def __init__(self) -> None:
        self._registered: list[Kind] = []

    def register(self, name: str, factory: str | Factory, description: str = "") -> None:
        """Adds a kind whose models ``factory(argument, options)`` makes.

        Raises:
            OptionError: the name is taken, or no spec can begin with it.
        """
        if not name or name != name.strip() or ":" in name:
            raise OptionError(f"Expected a name without colons to register a kind of model, but got name={name!r}")
        for kind in self.kinds:
            if kind.name == name:
                raise OptionError(
                    f"Expected a new name to register a kind of model, but got name={name!r}, which {kind.origin} has"
                )
        self._registered.append(
            Kind(name=name, factory=factory, description=description, settings=None, origin="a hook")
        )

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Every kind, in the order in which they are listed."""
        return (*MODELS, *self._installed, *self._registered)

    def describe(self) -> tuple[tuple[str, str], ...]:
        """How a spec of each kind is written, and what it is. Imports none of them."""
        return tuple((kind.form, kind.description) for kind in self.kinds)

    def check(self, spec: str, options: ModelOptions) -> None:
        """Checks ``spec`` as far as that goes without loading anything.

        Raises:
            OptionError: no such kind, a missing or needless argument, or a setting that cannot be.
            ModelError: what it names is not there.
        """
        kind, argument = self._parsed(spec)
        if kind.check:
            check: Callable[[str, ModelOptions], None] = _named(kind.check)
            check(argument, options)

    def load(self, spec: str, options: ModelOptions) -> LoadedModel:
        """The model that ``spec``, ``name`` or ``name:argument``, names.

        Raises:
            OptionError: no such kind, a missing or needless argument, or a package that is not installed.
            ModelError: the model cannot be made.
        """
        kind, argument = self._parsed(spec)
        model = _made(kind, argument, spec, options)
        return adopt(_own_name(model, spec) if kind.is_elsewhere else spec, model, options)

    def settings(self, spec: str) -> tuple[str, ...] | None:
        """The names of the settings that a model of this spec can be given; None for any.

        Raises:
            OptionError: no such kind.
        """
        return self._parsed(spec)[0].settings

    def is_on_device(self, spec: str) -> bool:
        """Whether a model of this spec computes on a CUDA device, where there is one.

        Raises:
            OptionError: no such kind.
        """
        return self._parsed(spec)[0].on_device

    def reads_meaning(self, spec: str) -> bool:
        """Whether a model of this spec may look at what a query means.

        Raises:
            OptionError: no such kind.
        """
        return self._parsed(spec)[0].reads_meaning

    def needs_scenes(self, spec: str) -> bool:
        """Whether a model of this spec looks at scenes, so that pixels alone say nothing to it.

        Raises:
            OptionError: no such kind.
        """
        return self._parsed(spec)[0].needs_scenes

    def is_elsewhere(self, spec: str) -> bool:
        """Whether the model at this spec has a name of its own, which is known once it is loaded.

        Raises:
            OptionError: no such kind.
        """
        return self._parsed(spec)[0].is_elsewhere

    def _parsed(self, spec: str) -> tuple[Kind, str]:
        name, _, argument = spec.partition(":")
        kind = self._kind(name, spec)
        if kind.argument and not argument and not kind.is_optional:
            raise OptionError(f"Expected --vqamt-model={kind.form}, but got model={spec!r}")
        if kind.argument == "" and spec != name:
            raise OptionError(f"Expected --vqamt-model={kind.form} with nothing after it, but got model={spec!r}")
        return kind, argument

    @cached_property
    def _installed(self) -> tuple[Kind, ...]:
        found = sorted(entry_points(group=ENTRY_POINTS), key=lambda point: (point.name, point.value))
        return tuple(
            Kind(
                name=point.name,
                factory=point.value,
                description=f"from the package {package}",
                settings=None,
                origin=package,
            )
            for point in found
            if (package := point.dist.name if point.dist else point.module)
        )

    def _kind(self, name: str, spec: str) -> Kind:
        found = [kind for kind in self.kinds if kind.name == name]
        if not found:
            hint = did_you_mean(name, (kind.name for kind in self.kinds))
            raise OptionError(f"Expected --vqamt-model to begin with a kind of model, but got model={spec!r}; {hint}")
        if len(found) > 1:
            origins = " and ".join(kind.origin for kind in found)
            raise OptionError(f"Expected one kind of model called {name!r}, but got one each from {origins}")
        return found[0]


def _made(kind: Kind, argument: str, spec: str, options: ModelOptions) -> object:
    try:
        return _factory(kind)(argument, options)
    except VqamtError:
        raise
    except Exception as error:
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        if kind.extra and missing and missing.partition(".")[0] != "pytest_vqamt":
            raise OptionError(
                f"Expected what model={spec!r} needs to be installed, but there is no {missing}; "
                f'run: pip install "pytest-vqamt[{kind.extra}]"'
            ) from error
        raise ModelError(f"Loading model={spec!r} raised {type(error).__name__}: {error}") from error


def _own_name(model: object, spec: str) -> str:
    """The name of what was found at a place."""
    name: object = getattr(model, "name", None)
    return name if isinstance(name, str) else spec


def _factory(kind: Kind) -> Factory:
    if not isinstance(kind.factory, str):
        return kind.factory
    factory: Factory = _named(kind.factory)
    return factory


def _named(where: str) -> Any:
    """What "module:name" names."""
    module, _, name = where.partition(":")
    return attrgetter(name)(importlib.import_module(module))


REGION_SETTINGS = ("detector", "features", "features-dtype", "region-min-size", "region-max-size")
"""What the models over region features can be given."""

Factory: TypeAlias = Callable[[str, ModelOptions], object]
"""Makes a model from what follows the first colon of its spec, and the options."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of model.

    Attributes:
        name: what its specs begin with.
        factory: the factory, or where it is: "module:callable", imported when a model of this kind is first made.
        description: one line.
        argument: what follows the colon ("FILE"), in brackets where it may be left out; "" where nothing may follow;
            None where the factory alone can tell.
        extra: the extra of this package that installs what it needs.
        on_device: whether it computes on a CUDA device, where there is one.
        settings: the names that ``--vqamt-option NAME=VALUE`` may give it; None for any.
        check: where a function is, "module:callable", that gets what the factory does and refuses what cannot be, but
            loads nothing; "" where there is nothing to check.
        reads_meaning: whether its models may look at what a query means, and so must be told of it from afar.
        needs_scenes: whether they look at scenes, and pixels alone say nothing to them.
        is_elsewhere: whether a spec names a place and not a model: what answers there has a name of its own, by which
            items and reports go, and that is known once it is asked.
        origin: who adds it.
    """

    name: str
    factory: str | Factory
    description: str
    argument: str | None = None
    extra: str = ""
    on_device: bool = False
    settings: tuple[str, ...] | None = ()
    check: str = ""
    reads_meaning: bool = True
    needs_scenes: bool = False
    is_elsewhere: bool = False
    origin: str = "pytest-vqamt"

    @property
    def form(self) -> str:
        """How a spec of this kind is written: "answers:FILE"; what may be left out is in brackets."""
        if not self.argument:
            return self.name
        return f"{self.name}[:{self.argument[1:-1]}]" if self.is_optional else f"{self.name}:{self.argument}"

    @property
    def is_optional(self) -> bool:
        """Whether the argument may be left out."""
        return bool(self.argument) and str(self.argument).startswith("[")


MODELS: tuple[Kind, ...] = (
    Kind(
        name="tiny",
        factory="pytest_vqamt.models.transformers.tiny:load",
        description="the small trained model that comes with this package; does every task",
        argument="",
        extra="demo",
        reads_meaning=False,
    ),
    Kind(
        name="lxmert",
        factory="pytest_vqamt.models.region_models.lxmert:load",
        check="pytest_vqamt.models.transformers.spec_checks:check_lxmert",
        description="LXMERT with its region detector; answers questions",
        argument="[PATH]",
        extra="transformers",
        on_device=True,
        settings=(*REGION_SETTINGS, "answers"),
        reads_meaning=False,
    ),
    Kind(
        name="visualbert",
        factory="pytest_vqamt.models.region_models.visualbert:load",
        check="pytest_vqamt.models.transformers.spec_checks:check_visualbert",
        description="VisualBERT with the same region detector; answers questions",
        argument="[PATH]",
        extra="transformers",
        on_device=True,
        settings=(*REGION_SETTINGS, "answers"),
        reads_meaning=False,
    ),
    Kind(
        name="vilt",
        factory="pytest_vqamt.models.transformers.vilt:load",
        check="pytest_vqamt.models.transformers.spec_checks:check_vilt",
        description="ViLT; answers questions, or judges hypotheses where its head is NLVR2's",
        argument="[PATH]",
        extra="transformers",
        on_device=True,
        reads_meaning=False,
    ),
    Kind(
        name="blip",
        factory="pytest_vqamt.models.transformers.blip:load",
        check="pytest_vqamt.models.transformers.spec_checks:check_blip",
        description="BLIP; answers questions, describes pictures or judges hypotheses, as its head is made for",
        argument="[PATH]",
        extra="transformers",
        on_device=True,
        settings=("prompt-caption", "longest-answer", "longest-caption"),
        reads_meaning=False,
    ),
    Kind(
        name="hf",
        factory="pytest_vqamt.models.transformers.prompted.adapter:load",
        check="pytest_vqamt.models.transformers.spec_checks:check_hf",
        description="any model of transformers that is shown a picture and prompted: LLaVA, Qwen2-VL, BLIP-2, ...",
        argument="REPO-OR-PATH",
        extra="transformers",
        on_device=True,
        settings=PROMPT_SETTINGS,
        reads_meaning=False,
    ),
    Kind(
        name="openai",
        factory="pytest_vqamt.models.openai.model:load",
        description="a model behind an HTTP endpoint of the form that OpenAI's chat completions have",
        argument="MODEL@URL",
        extra="http",
        settings=(
            *PROMPT_SETTINGS,
            "timeout-s",
            "in-flight",
            "retries-s",
            "temperature",
            "seed",
            "revision",
            "detail",
            "token-limit",
        ),
        check="pytest_vqamt.models.openai.model:check",
        reads_meaning=False,
    ),
    Kind(
        name="served",
        factory="pytest_vqamt.models.served.model:load",
        check="pytest_vqamt.models.served.model:check",
        description="the model that `vqamt serve` holds at a URL, one for all workers and machines",
        argument="URL",
        extra="http",
        settings=("send", "timeout-s", "retries-s"),
        is_elsewhere=True,
    ),
    Kind(
        name="python",
        factory="pytest_vqamt.models.python:load",
        description="a model that your own code makes, or a function f(image, text)",
        argument="module:factory",
    ),
    Kind(
        name="answers",
        factory="pytest_vqamt.models.answers_file:load",
        description="answers obtained elsewhere; lists the queries it lacks in FILE.todo.jsonl",
        argument="FILE",
    ),
    Kind(
        name="oracle",
        factory="pytest_vqamt.models.reference.oracle:load",
        description="knows every scene: holds on every relation, or the relation is wrong",
        argument="",
        needs_scenes=True,
    ),
    Kind(
        name="fault",
        factory="pytest_vqamt.models.reference.faults:load",
        description="the oracle with one planted fault, which relations must catch",
        argument="NAME",
        needs_scenes=True,
    ),
)
