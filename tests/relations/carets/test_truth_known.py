"""Whatever is drawn, the answer is known, and what is asked keeps the rules of docs/explanation/soundness.md."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import combinations
from random import Random

import pytest

from pytest_vqamt.core.case import Case, PairKind
from pytest_vqamt.core.meaning import Both, Choice, Either, Exists, Group, Has, Meaning, groups_of, members, truth
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.language.english.nouns import is_mass, plural, singular
from pytest_vqamt.language.questions.templates import Asking, QuestionType
from pytest_vqamt.relations import catalogue
from pytest_vqamt.relations.askable_scene import askable_scene_of
from pytest_vqamt.relations.carets_arguments import Argument
from pytest_vqamt.relations.carets_sampling import sample_argument
from pytest_vqamt.sampling.chooser import RandomChooser
from tests.making import group_of, scene_of
from tests.relations.carets.draws import KNOWN, short
from tests.relations.deriving import derive
from tests.soundness.samples import PICTURES, REAL, Sample, each_of

ITEMS = [
    (name, variant)
    for name in catalogue.TABLE
    if name.startswith("carets.") and name != "carets.published"
    for variant in catalogue.get(name).info.variants
]
"""Each of CARETS' relations in words, with each of its variants."""

SAMPLES = (PICTURES, *(sample for sample in REAL if sample.source in ("coco", "gqa", "visual-genome")))
DRAWS = 80

LEAST_SHARE = 1 / 8
"""Of draws that give a case on the picture world."""


def scenes(source: SceneSource, choose: RandomChooser) -> Iterator[Scene]:
    return (source.scene(choose.between(0, len(source) - 1)) for _ in range(DRAWS))


def cases(source: SceneSource, name: str, variant: str) -> Iterator[Case]:
    relation, choose = catalogue.get(name), RandomChooser(Random(1))
    drawn = (derive(relation, scene, choose, variant, source.corpus) for scene in scenes(source, choose))
    return (each for each in drawn if isinstance(each, Case))


def arguments(source: SceneSource, type_: QuestionType) -> Iterator[tuple[Scene, Argument]]:
    choose = RandomChooser(Random(2))
    for scene in scenes(source, choose):
        drawn = sample_argument((type_,), askable_scene_of(scene, source.corpus, KNOWN), choose)
        if isinstance(drawn, Argument):
            yield scene, drawn


def right(meaning: Meaning, scene: Scene) -> str:
    """The answer in words, and of choices the only one that is right."""
    value = truth(meaning, scene)
    if isinstance(meaning, Choice):
        things = members(meaning.what, scene)
        fitting = [
            option for option in meaning.options for thing in things if option in (thing.name, *thing.attributes)
        ]
        assert fitting == [value], meaning
    assert value is not None
    return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)


@each_of(PICTURES, full=SAMPLES[1:])
@pytest.mark.parametrize(("name", "variant"), ITEMS, ids=[f"{name}[{variant}]" for name, variant in ITEMS])
def test_each_answer_of_a_case_is_known(sample: Sample, name: str, variant: str) -> None:
    opposite = catalogue.get(name).info.pairs is PairKind.OPPOSITE
    found = tuple(cases(sample.load(), name, variant))
    assert sample != PICTURES or len(found) > DRAWS * LEAST_SHARE
    for case in found:
        first, second = (right(query.meaning, query.picture.scene) for query in case.queries)
        if case.fact("answers") == "binary":
            assert first == case.fact("truth"), case
            assert (first != second) is opposite, case
        else:
            assert case.fact("truth") is None
            assert first == second, case


@each_of(PICTURES, full=SAMPLES[1:])
@pytest.mark.parametrize("type_", QuestionType)
def test_the_truth_of_an_argument_is_that_of_its_meaning(sample: Sample, type_: QuestionType) -> None:
    for scene, argument in arguments(sample.load(), type_):
        assert argument.truth == right(argument.asking.meaning, scene), short(argument.asking.meaning)


@each_of(PICTURES, full=SAMPLES[1:])
@pytest.mark.parametrize("type_", QuestionType)
def test_no_argument_breaks_a_rule(sample: Sample, type_: QuestionType) -> None:
    for scene, argument in arguments(sample.load(), type_):
        broken = list(broken_by(argument, scene))
        assert not broken, (short(argument.asking.meaning), argument.truth, broken, named(scene))


@pytest.mark.slow
@each_of(*SAMPLES)
@pytest.mark.parametrize("type_", QuestionType)
def test_no_argument_of_many_breaks_a_rule(
    sample: Sample, type_: QuestionType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules[__name__], "DRAWS", 10_000)
    test_no_argument_breaks_a_rule(sample, type_)


def broken_by(argument: Argument, scene: Scene) -> Iterator[str]:
    """The rules that it breaks, read from the annotations anew."""
    meaning = argument.asking.meaning
    here = {thing.name for thing in scene.objects} | {region.name for region in scene.regions}
    crowds = {region.name for region in scene.regions}
    for group in groups_of(meaning):
        yield from _broken_by_targets(group, scene)
        if not members(group, scene):
            yield from _broken_by_absence(group, scene, here)
        elif not crowds.isdisjoint({group.name, *group.covers}):
            yield "a crowd is asked about"
    there = [bool(members(group, scene)) for group in groups_of(meaning)]
    match meaning:
        case Both() if sum(there) != (2 if argument.truth == "yes" else 1):
            yield "one side of either: a false conjunction has exactly one there"
        case Either() if sum(there) != (1 if argument.truth == "yes" else 0):
            yield "one side of either: a true disjunction has exactly one there"
        case Has(group=group) | Choice(what=group):
            if len(members(group, scene)) != 1:
                yield "the only one: not the only one"
    match meaning:
        case Has(group=group, attribute=word) if argument.truth == "no":
            (thing,) = members(group, scene)
            if not any(KNOWN.ontology.excludes(own, word) for own in thing.attributes):
                yield "sure falsehood: the false attribute is merely not annotated"
        case Choice(options=options) if argument.asking.type is not QuestionType.OBJECT_CHOICE:
            if not all(KNOWN.ontology.excludes(a, b) for a, b in combinations(options, 2)):
                yield "exclusive properties: choices do not exclude each other"


def _broken_by_targets(group: Group, scene: Scene) -> Iterator[str]:
    for condition in group.related:
        if scene.count(condition.to.name) != 1 or len(members(condition.to, scene)) != 1:
            yield "the only one: related to one of several"
        if any(region.name == condition.to.name for region in scene.regions):
            yield "the only one: related to one of a crowd"


def _broken_by_absence(group: Group, scene: Scene, here: set[str]) -> Iterator[str]:
    bearers = [thing for thing in scene.objects if thing.name == group.name]
    if bearers and group.related:
        yield "sure falsehood: a relation that is merely not annotated"
    if bearers:
        (word,) = group.attributes
        if not all(any(KNOWN.ontology.excludes(own, word) for own in thing.attributes) for thing in bearers):
            yield "sure falsehood: a false attribute that one bearer has none to exclude"
        return
    for other in here:
        if not is_mass(other) and other in (plural(group.name), singular(group.name)):
            yield f"sure absence: {group.name} is absent beside {other}"
        if {group.name, other} <= scene.exhaustive:
            continue
        words = KNOWN.wordnet
        if words.is_kind_of(other, group.name) or words.is_kind_of(group.name, other):
            yield f"sure absence: {group.name} is absent beside its kind {other}"
        if words.part_related(group.name, other):
            yield f"sure absence: {group.name} is absent beside its part or whole {other}"


def named(scene: Scene) -> list[str]:
    return [" ".join((*thing.attributes, thing.name)) for thing in scene.objects]


def test_a_broken_rule_is_found() -> None:
    """The rules above can fail."""
    scene = scene_of("brown dog", "dog", "car", crowds=("sheep",))

    def broken(meaning: Exists | Both | Either | Has | Choice, answer: str, type_: QuestionType) -> list[str]:
        return list(broken_by(Argument(asking=Asking(type=type_, meaning=meaning), truth=answer, subject=""), scene))

    q1 = QuestionType.OBJECT
    assert broken(Exists(group=group_of("dog")), "yes", q1) == []
    assert broken(Exists(group=group_of("tire")), "no", q1) == [
        "sure absence: tire is absent beside its part or whole car"
    ]
    assert broken(Exists(group=group_of("puppy")), "no", q1) == ["sure absence: puppy is absent beside its kind dog"]
    assert broken(Exists(group=group_of("white dog")), "no", q1) == [
        "sure falsehood: a false attribute that one bearer has none to exclude"
    ]
    assert broken(Exists(group=group_of("cars")), "no", q1)[0] == "sure absence: cars is absent beside car"
    assert broken(Has(group=group_of("dog"), attribute="brown"), "yes", QuestionType.ATTRIBUTE) == [
        "the only one: not the only one"
    ]
    assert broken(Either(groups=(group_of("dog"), group_of("car"))), "yes", QuestionType.DISJUNCTION) == [
        "one side of either: a true disjunction has exactly one there"
    ]
    two = Both(groups=(group_of("bed"), group_of("lamp")))
    assert broken(two, "no", QuestionType.CONJUNCTION) == [
        "one side of either: a false conjunction has exactly one there"
    ]
