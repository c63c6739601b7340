"""What a relation variant makes of every scene of a sample: cases drawn scene by scene, and why there are none."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from random import Random

from pytest_vqamt.core.case import Case, NotApplicable
from pytest_vqamt.relations.contradictions import derive_case
from pytest_vqamt.sampling.chooser import RandomChooser
from tests.soundness.asking import Item
from tests.soundness.samples import Sample


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What became of a sample's scenes.

    Attributes:
        applies: how many of them gave a case.
        cases: all distinct ones.
    """

    applies: int
    cases: tuple[Case, ...]

    @property
    def presumed(self) -> int:
        return sum(case.is_presumed for case in self.cases)


@cache
def survey(item: Item, sample: Sample) -> Survey:
    """The survey of the sample's scenes."""
    source = sample.load()
    found: dict[str, Case] = {}
    applies = 0
    for index in range(sample.scenes):
        chooser = RandomChooser(Random(f"{item.relation.info.name} of scene {index}"))  # alike for all variants
        fruitful = False
        for _ in range(sample.draws):
            outcome = derive_case(item.relation, source.scene(index), source.corpus, chooser, item.variant)
            if isinstance(outcome, NotApplicable):
                continue
            fruitful = True
            found.setdefault(outcome.id, outcome)
            if sample.one_is_enough:
                break
        applies += fruitful
    return Survey(applies=applies, cases=tuple(found.values()))
