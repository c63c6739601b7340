"""Cases put to the perceiver of pixels, and what is wrong with those that are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pytest_vqamt.core.case import Case, Outcome
from pytest_vqamt.core.edits import Cut
from pytest_vqamt.core.meaning import Describe
from pytest_vqamt.core.query import Answer, Query
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.captions.caption_reader import class_of, classes_in
from pytest_vqamt.language.captions.number import NounForm
from pytest_vqamt.models.reference.oracle import answer_text
from tests.soundness.asking import Item, Judged
from tests.soundness.perceiver import Perceiver
from tests.soundness.pixels import view


@dataclass(frozen=True, slots=True)
class Wrong:
    """A case that does not hold for one who looks, or whose scenes say what the pictures do not show."""

    what: str
    judged: Judged

    def __str__(self) -> str:
        return f"{self.what}\n{self.judged}"


def wrong(item: Item, some: Iterable[Case], perceiver: Perceiver) -> Iterator[Wrong]:
    """The cases that are wrong, each with the first thing that is."""
    for case in some:
        answers = tuple(Answer(perceiver.answer(query)) for query in case.queries)
        judged = Judged(case, answers, item.relation.judge(case, answers))
        if what := _what_is_wrong(judged, perceiver):
            yield Wrong(what, judged)


def _what_is_wrong(judged: Judged, perceiver: Perceiver) -> str:
    if judged.verdict.outcome is not Outcome.HOLDS:
        return "It does not hold for one who looks at the pixels."
    for number, (query, answer) in enumerate(zip(judged.case.queries, judged.answers, strict=True), start=1):
        told = answer_text(query.truth)
        if _differ(query, told, answer.text):
            return f"Picture {number} shows {answer.text!r}, and its scene says {told!r}."
    if torn := ", ".join(_torn(judged.case, perceiver)):
        return f"Shown by two pieces: {torn}."
    return ""


def _differ(query: Query, told: str, shown: str) -> bool:
    """Whether a scene says something else than its picture shows.

    Of two descriptions, whether they have other classes, or other numbers of them. By the words they may differ: who
    looks sees the hat that came with a person, and the crowd, which a scene need not tell of.
    """
    if not isinstance(query.meaning, Describe):
        return told != shown
    return _classes(told, query.picture.scene) != _classes(shown, query.picture.scene)


def _classes(caption: str, scene: Scene) -> dict[str, NounForm]:
    crowds = {class_of(region.name) for region in scene.regions}
    return {named: form for named, form in classes_in(caption).items() if named not in crowds}


def _torn(case: Case, perceiver: Perceiver) -> Iterator[str]:
    """What is shown by two pieces of one picture."""
    cut = dict.fromkeys(query.picture for query in case.queries if _is_a_piece(query.picture.edits))
    seen: set[str] = set()
    for picture in cut:
        for each in view(picture, perceiver.outlines).shown:
            if each.pixels.any():
                if each.thing.id in seen:
                    yield f"{each.thing.name} {each.thing.id}"
                seen.add(each.thing.id)


def _is_a_piece(edits: tuple[object, ...]) -> bool:
    return bool(edits) and isinstance(edits[-1], Cut)
