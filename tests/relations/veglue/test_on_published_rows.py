"""Who knows what the authors' rows say violates no relation about hypotheses, and each has cases there."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random

import pytest

from pytest_vqamt.core.case import Case, Outcome
from pytest_vqamt.data import catalogue as sources
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.models.reference.oracle import answer_text, true_answer
from pytest_vqamt.relations import catalogue
from pytest_vqamt.sampling.chooser import RandomChooser
from tests.making import answers_of
from tests.relations.deriving import derive
from tests.rows import each_row

SNLI_VE = Path(__file__).parents[3] / "../shared/data/snli_ve"
LEAST = {
    # The authors' rows have boxes of what they speak of alone, and hardly anything is erased without a part of it.
    "veglue.mr3_unlinked_erase": 1,
    "veglue.mr1_joint_erase": 5,
}
"""So many cases at least; of others, 30."""

pytestmark = pytest.mark.skipif(not SNLI_VE.exists(), reason="needs ../shared/data")


@cache
def rows() -> SceneSource:
    return sources.load(f"snli-ve:{SNLI_VE}")


@each_row(
    "name",
    [
        "veglue.mr1_joint_erase",
        "veglue.mr2_linked_erase",
        "veglue.mr3_unlinked_erase",
        "veglue.corruption",
        "text.antonym_swap",
        "text.word_substitution",
    ],
)
def test_the_oracle_holds(name: str) -> None:
    relation = catalogue.get(name)
    found: dict[str, Case] = {}
    for number in range(len(rows())):
        for draw in range(3):
            made = derive(
                relation, rows().scene(number), RandomChooser(Random(draw)), relation.info.variants[0], rows().corpus
            )
            if isinstance(made, Case):
                found.setdefault(made.id, made)
    assert len(found) >= LEAST.get(name, 30)
    for case in found.values():
        verdict = relation.judge(case, answers_of(*(answer_text(true_answer(query)) for query in case.queries)))
        assert verdict.outcome is Outcome.HOLDS, [query.text for query in case.queries]
        assert case.fact("shape") == "published"
