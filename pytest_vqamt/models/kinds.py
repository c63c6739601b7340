"""The kinds of models that come with this package."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from pytest_vqamt.models.prompts import PROMPT_SETTINGS
from pytest_vqamt.models.protocol import ModelOptions

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
        factory="pytest_vqamt.models.openai.load:load",
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
        check="pytest_vqamt.models.openai.load:check",
        reads_meaning=False,
    ),
    Kind(
        name="served",
        factory="pytest_vqamt.models.served.load:load",
        check="pytest_vqamt.models.served.load:check",
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
