"""The protocol of relations, and the base class of the relations of this package."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Protocol, runtime_checkable

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo, Verdict
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.errors import VqamtError
from pytest_vqamt.core.query import Answer
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.relations.expectations import Expectation

if TYPE_CHECKING:
    from pytest_vqamt.relations.draw import Draw


class Relation(Protocol):
    """A rule that derives cases from scenes and judges the answers. Both methods are pure."""

    @property
    def info(self) -> RelationInfo: ...

    def derive(self, draw: Draw) -> Case | NotApplicable:
        """Returns one case of ``draw.scene``; ``draw.choose`` makes all choices."""
        ...

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        """Returns the verdict on ``answers``, which are in the order of ``case.queries``."""
        ...


class BuiltInRelation:
    """Base class of this package's relations: the docstring's first line is the claim, and ``expect`` is the judge.

    A subclass sets ``info``, without a claim, and ``expect``, and defines ``derive``. Where the verdict depends on more
    than one expectation it defines ``judge`` instead of ``expect``.
    """

    __slots__ = ()

    info: ClassVar[RelationInfo]
    expect: ClassVar[Expectation]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "info" in cls.__dict__:
            claim = (cls.__doc__ or cls.info.name).strip().splitlines()[0]
            cls.info = replace(cls.info, claim=cls.info.claim or claim)

    def judge(self, case: Case, answers: Sequence[Answer]) -> Verdict:
        return type(self).expect(case, answers)


@runtime_checkable
class PublishedRelation(Protocol):
    """A relation whose cases are published with a data set, so that all of them can be enumerated.

    With data that has none, the relation is left out of a run that does not name it.
    """

    def every(self, scene: Scene, variant: str) -> tuple[Case, ...] | NotApplicable:
        """Returns every case of ``scene``, at least one, in the order of the data set."""
        ...


def checked(relation: Relation) -> Relation:
    """Returns the relation of a user or a plugin, whose ``derive`` takes the draw alone.

    Raises:
        VqamtError: it does not.
    """
    signature = bare_signature(relation.derive)
    try:
        signature.bind("draw")
    except TypeError:
        raise VqamtError(
            f"Expected derive of relation {relation.info.name!r} to take (draw), but it takes {signature}: "
            "draw.scene, draw.corpus, draw.choose and draw.variant are its parts"
        ) from None
    return relation


def bare_signature(function: Callable[..., object]) -> inspect.Signature:
    """The signature of a function without its annotations, as messages show it.

    Raises:
        ValueError: the function is written in C and has none.
    """
    signature = inspect.signature(function)
    parameters = [each.replace(annotation=inspect.Parameter.empty) for each in signature.parameters.values()]
    return signature.replace(parameters=parameters, return_annotation=inspect.Signature.empty)


def resources_of(relation: Relation) -> tuple[tuple[str, str], ...]:
    """Returns name and version of each resource that the relation uses besides the data ("wordnet")."""
    named: tuple[tuple[str, str], ...] = getattr(relation, "resources", ())
    return named


def check_data(relation: Relation, corpora: Iterable[Corpus]) -> None:
    """Checks the relation's settings against the data of the run, by its ``check_data``.

    Raises:
        OptionError: a setting names what none of the data has.
    """
    check: Callable[[Iterable[Corpus]], None] | None = getattr(relation, "check_data", None)
    if check is not None:
        check(corpora)
