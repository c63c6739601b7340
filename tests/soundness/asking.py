"""Every item of our catalogue asked of a model that looks at no pixels, and judged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NoReturn

import pytest
from _pytest.mark import ParameterSet

from pytest_vqamt.core.case import Case, Outcome, Verdict
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.pairs import PairTally
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, ModelInput
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.execution.plan import Plan, Sampling
from pytest_vqamt.models.catalogue import ModelCatalogue
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.wrapped import LoadedModel
from pytest_vqamt.relations import catalogue
from pytest_vqamt.relations.base import PublishedRelation, Relation
from pytest_vqamt.relations.contrasts import judge_contrast
from tests.soundness.fault_effects import Row
from tests.soundness.fault_table import TABLE

_PAIR = 2
_LEFT_OUT = ("severity", "wordnet", "overlap", "pool", "ranking", "embedding")


@dataclass(frozen=True, slots=True)
class Item:
    """One variant of one relation of our catalogue."""

    relation: Relation
    variant: str

    @property
    def name(self) -> str:
        return self.relation.info.item(self.variant)


@dataclass(frozen=True, slots=True)
class Judged:
    """A case with a model's answers to it, and the verdict."""

    case: Case
    answers: tuple[Answer, ...]
    verdict: Verdict

    def __str__(self) -> str:
        """The case as a person checks it: what was asked and said, and what there is to see."""
        case = self.case
        lines = [f"{self.verdict.outcome}: {self.verdict.reason}", f"expected: {case.expected}"]
        for query, answer in zip(case.queries, self.answers, strict=True):
            lines += [f"  {query.text or '(no text)'}  ->  {answer.text!r}", f"    means {query.meaning}"]
            if query.picture.edits:
                lines.append(f"    after {query.picture.edits}")
        scenes = dict.fromkeys(_inventory(query.picture.scene) for query in case.queries)
        return "\n".join([*lines, *scenes, f"case {case.id} of {case.scene}, facts {dict(case.facts)}"])


_QUICK = {"ranking": "bleu-1", "pool": str(Path(__file__).parents[1] / "basic_questions.txt")}
"""Which basic questions are taken changes no answer of a model that knows what is asked; LASSO would take minutes.

The pool is each sixteenth question of the package's own.
"""


_OF_QUESTIONS = "question."


def items() -> tuple[Item, ...]:
    """Every variant of every relation of ours, in the order of the catalogue; none of a plugin's or a session's.

    Relations of published cases have none on any of the samples, and are left out; so are those of a data set's own
    questions, which drawn scenes have none of (tests/relations/question).
    """
    every = [catalogue.get(name, _QUICK) for name in catalogue.BUILT_IN if not name.startswith(_OF_QUESTIONS)]
    relations = [relation for relation in every if not isinstance(relation, PublishedRelation)]
    return tuple(Item(relation, variant) for relation in relations for variant in relation.info.variants)


def representatives() -> frozenset[str]:
    """The first item of each distinct row of the fault table: what the default tier runs of all items."""
    first: dict[Row, str] = {}
    for name, row in TABLE.items():
        first.setdefault(row, name)
    return frozenset(first.values())


REPRESENTATIVES = representatives()


def tier_of(item: Item) -> tuple[pytest.MarkDecorator, ...]:
    """The marks of a test of the item: all but the representatives run in the full tier only."""
    return () if item.name in REPRESENTATIVES else (pytest.mark.full,)


each_item = pytest.mark.parametrize("item", [pytest.param(each, id=each.name, marks=tier_of(each)) for each in items()])
"""Marks a test that runs for the representatives in the default tier, and for every item in the full one."""


def third_of_items(first: int) -> list[Item]:
    """Every third representative from the one at ``first``, 0 to 2."""
    return [each for each in items() if each.name in REPRESENTATIVES][first::3]


def each_item_with(few: int, *, many: int, third: int | None = None) -> pytest.MarkDecorator:
    """Marks a test that takes ``item`` and ``count``: in the full tier every item with ``many`` cases.

    In the default tier it has each representative, or of those the ``third`` (0 to 2): no matter of one relation alone
    is tested so, and tests that are alike have different thirds.
    """
    chosen = [each for each in items() if each.name in REPRESENTATIVES] if third is None else third_of_items(third)
    default = [pytest.param(each, few, id=each.name) for each in chosen]
    full = [pytest.param(each, many, id=f"{each.name} x{many}", marks=pytest.mark.full) for each in items()]
    return pytest.mark.parametrize(("item", "count"), [*default, *full])


def set_otherwise() -> tuple[tuple[str, Item], ...]:
    """Our items as each value of their settings makes them that is not the default, with what was set.

    But for files that nobody has, the WordNet that is not everywhere, what only makes a picture harder to see, and the
    published rule for what may be erased, which takes other things along.
    """
    return tuple(
        (f"{setting.name}={value}", Item(catalogue.get(name, {setting.name: value}), item.variant))
        for item in items()
        for name in (item.relation.info.name,)
        for setting in item.relation.info.settings
        for value in setting.values
        if value != setting.default and not value.endswith("PATH") and setting.name not in _LEFT_OUT
    )


def _each_item_set_otherwise() -> Iterator[ParameterSet]:
    values: set[str] = set()
    for what, item in set_otherwise():
        yield pytest.param(item, id=f"{item.name} {what}", marks=(pytest.mark.full,) if what in values else ())
        values.add(what)


each_item_set_otherwise = pytest.mark.parametrize("item", list(_each_item_set_otherwise()))
"""Marks a test that runs for one item of each value of a setting, and in the full tier for all items."""


@cache
def model(spec: str) -> LoadedModel:
    return ModelCatalogue().load(spec, ModelOptions())


def cases(item: Item, source: SceneSource, sampling: Sampling) -> Iterator[Case]:
    return iter(Plan(relation=item.relation, variant=item.variant, source=source, sampling=sampling))


def judged(item: Item, asked: LoadedModel, some: Iterable[Case]) -> Iterator[Judged]:
    """Cases of ``item``, one by one; each query is put to the model on its own."""
    for case in some:
        answers = tuple(asked.ask(query.task, [ModelInput(query, no_pixels)])[0] for query in case.queries)
        yield Judged(case, answers, item.relation.judge(case, answers))


def contrasted(each: Judged, asked: LoadedModel) -> Verdict:
    """The verdict with that on the case's contrast, if it has one."""
    if each.case.contrast is None:
        return each.verdict
    query = each.case.contrast.query
    answer = asked.ask(query.task, [ModelInput(query, no_pixels)])[0]
    return replace(each.verdict, contrast=judge_contrast(each.case, each.answers, answer))


def assert_it_is_right(item: Item, each: Judged) -> None:
    """The case holds; and where pairs are counted, both answers are right, and consistent however it is counted."""
    if each.verdict.outcome is not Outcome.HOLDS:
        pytest.fail(f"{item.name} is wrong, or an edit of it:\n{each}", pytrace=False)
    kind = item.relation.info.pairs
    if kind is not None and len(each.case.queries) == _PAIR:
        counted = PairTally.of(kind, each.case, each.answers, each.verdict.readings)
        shares = counted.acc, counted.c_acc, counted.cons, counted.cons_authors, counted.c_acc_authors
        if set(shares) != {1}:
            pytest.fail(f"{item.name} makes a right answer count as {counted}:\n{each}", pytrace=False)


def no_pixels(picture: Picture) -> NoReturn:
    raise AssertionError(f"a model that knows the scene looked at {picture}")


def _inventory(scene: Scene) -> str:
    return "  to see: " + ", ".join(" ".join((*thing.attributes, thing.name)) for thing in scene.objects)
