"""Units found by rules against those that the authors of VEglue had from a language model, and against ours by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from pytest_vqamt.language.units import DescriptionUnit, units_of
from tests.language.units.hypotheses import HYPOTHESES
from tests.language.units.scoring import Agreement, of_objects, of_properties

AUTHORS = Path(__file__).parents[3] / "../shared/data/snli_ve/hypotheses_with_units.jsonl"


@pytest.mark.skipif(not AUTHORS.is_file(), reason="needs ../shared/data/snli_ve")
def test_units_agree_with_those_of_the_authors() -> None:
    rows = [json.loads(line) for line in AUTHORS.read_text(encoding="utf-8").splitlines()]
    found = [units_of(row["sentence"]) for row in rows]
    objects = of_objects(zip(found, (_listed(row["subject"]) for row in rows), strict=True))
    properties = of_properties(zip(found, (_listed(row["modifier"]) for row in rows), strict=True))
    _tell(f"{len(rows)} hypotheses of SNLI-VE", objects, properties)
    assert objects.f1 >= 0.944
    assert properties.f1 >= 0.970


def test_units_agree_with_those_written_by_hand() -> None:
    rows = [(units_of(sentence), units) for sentence, units in HYPOTHESES]
    objects = of_objects((found, [name for name, _ in units]) for found, units in rows)
    properties = of_properties((found, [said for _, said in units]) for found, units in rows)
    _tell(f"{len(rows)} hypotheses of ours", objects, properties)
    assert len(rows) >= 120
    assert objects.f1 >= 0.97
    assert properties.f1 >= 0.97


def test_units_agree_with_those_of_sentences_that_the_rules_were_not_made_from() -> None:
    rows = list(_more())
    found = [units_of(sentence) for sentence, _ in rows]
    objects = of_objects(zip(found, ([name for name, _ in units] for _, units in rows), strict=True))
    properties = of_properties(zip(found, ([said for _, said in units] for _, units in rows), strict=True))
    _tell(f"{len(rows)} more of ours", objects, properties)
    assert len(rows) >= 300
    assert objects.f1 >= 0.97
    assert properties.f1 >= 0.97


def test_scoring_counts_words_that_come_twice_twice() -> None:
    """Worked by hand: of the objects man, man, dog one man and the dog are wanted, and a cat that is not found."""
    units = [DescriptionUnit(object=name, property="is old") for name in ("old man", "man", "dog")]
    objects = of_objects([(units, ["the man", "dog", "cat"])])
    assert (objects.shared, objects.found, objects.wanted) == (2, 3, 3)
    properties = of_properties([(units, ["is old", "is very old"])])
    assert (properties.shared, properties.found, properties.wanted) == (4, 6, 5)


def _more() -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """The sentences of ``more_hypotheses.txt``, each with its objects and properties."""
    for line in Path(__file__).with_name("more_hypotheses.txt").read_text(encoding="utf-8").splitlines():
        sentence, bars, units = line.partition(" ||")
        if bars and not line.startswith("#"):
            parts = (unit.partition(":") for unit in units.split(" | ") if unit.strip())
            yield sentence, [(name.strip(), said.strip()) for name, _, said in parts]


def _listed(field: str) -> Sequence[str]:
    return field.split(";")[1:]


def _tell(what: str, objects: Agreement, properties: Agreement) -> None:
    print(f"\n{what}\n  objects     {objects}\n  properties  {properties}")
