"""The relations ``multi.*``: questions about several pictures at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pytest_vqamt.core.case import Case, NotApplicable, Outcome, RelationInfo, Verdict
from pytest_vqamt.core.conversation import Ability, Part, Turn
from pytest_vqamt.core.edits import Fill
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.meaning import ORDINALS, Group
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, Query, Task
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.english.families import family
from pytest_vqamt.language.questions import several, simple
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.relations.askable_scene import AskableScene, askable_scene_of
from pytest_vqamt.relations.draw import Draw
from pytest_vqamt.relations.expectations import expectation, same_answer, sum_of_parts
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.presence import seen_names
from pytest_vqamt.relations.soundness import annotated_names, countable_names, is_surely_seen

_SOURCE = "a relation of this project, after public failures of served models and Facet-Probe (arXiv 2606.26079)"

_MOST_TRIED = 24
"""Scenes that are tried as the other picture of a case."""

_OF_EQUAL_SIZE = 0.6
"""Of the cases use pictures of one size where there are some: that is where engines merge pictures."""

_WITH_MARGIN = 0.4
"""Of the cases have a margin beside the other pictures, where all pictures have one size."""

_MARGIN_PX = 56
"""Its width beside the first, twice that beside the second: two patches of most encoders, so that the pictures also
differ in their number of patches."""

_THREE = 0.3
"""Of the cases have three pictures."""

_BREAKDOWN = ("pictures", "size")

_NO_OTHER = NotApplicable(reason="no other picture fits beside this one")
_NOTHING_SEEN = NotApplicable(reason="nothing in the picture is large enough and can be named for sure")


def message(pictures: Sequence[Picture], text: str) -> Turn:
    """One turn with pictures, and a text behind them."""
    return Turn((*pictures, text))


def of_several(pictures: Sequence[Picture], asked: Question) -> Query:
    """The query of a question behind several pictures."""
    return Query.of(message(pictures, asked.text), meaning=asked.meaning)


def other_scenes(draw: Draw, fits: Callable[[AskableScene], bool], count: int = 1) -> tuple[Scene, ...]:
    """Draws scenes of other photos that fit; fewer than ``count`` where few are found.

    Photos that the data puts together with it come first, then, in most draws, those of the picture's own size.
    """
    drawn = draw.choose.several(range(draw.corpus.scenes), min(draw.corpus.scenes, _MOST_TRIED))
    groups = draw.corpus.groups
    together = groups.get(draw.scene.photo.id, ())
    if together:
        own = draw.choose.several(together, min(len(together), _MOST_TRIED))
        drawn = (*own, *(index for index in drawn if index not in together))
    found = list(_fitting(draw, drawn, fits))
    if draw.choose.chance(_OF_EQUAL_SIZE):
        size = draw.scene.width, draw.scene.height
        found.sort(key=lambda scene: (scene.width, scene.height) != size)
    if together:
        found.sort(key=lambda scene: groups.get(scene.photo.id) != together)
    return tuple(found[:count])


def _fitting(draw: Draw, drawn: Sequence[int], fits: Callable[[AskableScene], bool]) -> Iterator[Scene]:
    photos = {draw.scene.photo.id}
    same = set(draw.corpus.same_picture.get(draw.scene.photo.id, ()))
    for index in drawn:
        try:
            scene = draw.corpus.scene(index)
        except DataError:  # a broken record, which is told where it is drawn itself
            continue
        # Data may have several scenes of one photo, or photos of one picture, which show the same.
        if scene.photo.id in photos or index in same or not fits(askable_scene_of(scene, draw.corpus, draw.known)):
            continue
        photos.add(scene.photo.id)
        same.update(draw.corpus.same_picture.get(scene.photo.id, ()))
        yield scene


def _mixed(draw: Draw, others: Sequence[Scene]) -> tuple[Picture, ...]:
    """The picture and the others in an order that is drawn."""
    pictures = draw.picture, *_with_margins(draw, others)
    return tuple(draw.choose.several(pictures, len(pictures)))


def beside(draw: Draw, other: Scene, place: int) -> tuple[Picture, Picture]:
    """The picture at this place, 0 or 1, and the other scene's at the other."""
    (behind,) = _with_margins(draw, (other,))
    return (draw.picture, behind) if place == 0 else (behind, draw.picture)


def _with_margins(draw: Draw, others: Sequence[Scene]) -> tuple[Picture, ...]:
    """The pictures of the other scenes, in some draws with a margin where all have the size of the picture."""
    pictures = tuple(each.picture for each in others)
    # Drawn pictures all have one size: nothing would tell an engine that merges those from one that sees one alone.
    if size_of((draw.picture, *pictures)) == "different" or not draw.choose.chance(_WITH_MARGIN):
        return pictures
    return tuple(each.pad(right=_MARGIN_PX * number) for number, each in enumerate(pictures, start=1))


def lacks(name: str) -> Callable[[AskableScene], bool]:
    """Tells scenes where the name is surely absent."""
    return lambda view: view.is_absent(name)


def is_far_from(name: str) -> Callable[[AskableScene], bool]:
    """Tells scenes that show nothing of the name's family, and where the name is surely absent."""
    of = family(name)
    return lambda view: view.is_absent(name) and all(family(other) != of for other in annotated_names(view.scene))


def names_the_same_picture(case: Case, answers: Sequence[Answer]) -> Verdict:
    """The answers name one picture, wherever it stands."""
    verdict = same_answer(case, answers)
    if "unparsed" in verdict.readings:
        return verdict
    named = [_named(query, reading) for query, reading in zip(case.queries, verdict.readings, strict=True)]
    holds = named[0] is not None and all(each == named[0] for each in named)
    return _verdict(verdict.readings, holds, "the number must move with the picture")


def _named(query: Query, reading: str) -> str | None:
    place = ORDINALS.index(reading) if reading in ORDINALS else len(ORDINALS)
    return query.pictures[place].digest if place < len(query.pictures) else None


def _verdict(readings: tuple[str, ...], holds: bool, reason: str) -> Verdict:
    return Verdict(
        outcome=Outcome.HOLDS if holds else Outcome.VIOLATED, reason="" if holds else reason, readings=readings
    )


@expectation
def alike_but_for_the_edit(copy: bool, edited: bool, padded: bool) -> bool:
    """A picture shows the same as its copy, with or without a border, and not the same as the edited one."""
    return copy and padded and not edited


@dataclass(frozen=True, slots=True)
class Which(LexicalRelation):
    """Asked which picture shows a thing, a model names that picture wherever it stands.

    Two pictures in both orders, or three that are rotated. The thing is salient in one and surely absent from the
    others.
    """

    info = RelationInfo(
        name="multi.which",
        task=Task.VQA,
        source=_SOURCE,
        breakdown=_BREAKDOWN,
        settings=(WORDNET, ONTOLOGY),
        directional=("",),
        needs=(Ability.PICTURES,),
    )
    expect = names_the_same_picture

    def derive(self, draw: Draw) -> Case | NotApplicable:
        names = seen_names(draw.view)
        if not names:
            return _NOTHING_SEEN
        name = draw.choose.one(names)
        others = other_scenes(draw, lacks(name), 2 if draw.choose.chance(_THREE) else 1)
        if not others:
            return _NO_OTHER
        pictures = _mixed(draw, others)
        asked = several.which(Group(name=name), len(pictures), draw.wording(several.WHICH_WORDINGS))
        return draw.case_of(
            (of_several(each, asked) for each in rotations(pictures)),
            expected="the same picture, where it now stands",
            facts=(("pictures", len(pictures)), ("size", size_of(pictures)), ("name", name)),
            presumed=any(askable_scene_of(each, draw.corpus, draw.known).is_presumed(name) for each in others),
        )


def rotations(pictures: Sequence[Picture]) -> Iterator[tuple[Picture, ...]]:
    """Yields the pictures beginning with each of them."""
    return ((*pictures[first:], *pictures[:first]) for first in range(len(pictures)))


def size_of(pictures: Sequence[Picture]) -> str:
    """The fact whether the pictures have one size."""
    return "equal" if len({(each.scene.width, each.scene.height) for each in pictures}) == 1 else "different"


@dataclass(frozen=True, slots=True)
class Order(LexicalRelation):
    """A question about all pictures has the same answer in any order of the pictures."""

    info = RelationInfo(
        name="multi.order",
        task=Task.VQA,
        source=_SOURCE,
        variants=("count", "exists"),
        breakdown=_BREAKDOWN,
        settings=(WORDNET, ONTOLOGY),
        needs=(Ability.PICTURES,),
    )
    expect = same_answer

    def derive(self, draw: Draw) -> Case | NotApplicable:
        found = _of_all(draw)
        if isinstance(found, NotApplicable):
            return found
        group, pictures, presumed = found
        if draw.variant == "count":
            asked = several.count_in_all(group, len(pictures), draw.wording(several.COUNT_IN_ALL_WORDINGS))
        else:
            asked = several.exists_in_any(group, draw.wording(several.EXISTS_IN_ANY_WORDINGS))
        return draw.case_of(
            (of_several(each, asked) for each in (pictures, pictures[::-1])),
            expected="first = second",
            facts=(("pictures", len(pictures)), ("size", size_of(pictures))),
            presumed=presumed,
        )


def _of_all(draw: Draw) -> tuple[Group, tuple[Picture, ...], bool] | NotApplicable:
    """Draws a name that can be counted here, and other pictures where it can be counted or is surely absent."""
    names = countable_names(draw.scene)
    if not names:
        return _NOTHING_SEEN
    name = draw.choose.one(names)

    def fits(view: AskableScene) -> bool:
        return name in countable_names(view.scene) or view.is_absent(name)

    others = other_scenes(draw, fits, 2 if draw.choose.chance(_THREE) else 1)
    if not others:
        return _NO_OTHER
    pictures = _mixed(draw, others)
    presumed = any(name not in each.exhaustive for each in (draw.scene, *others))
    return Group(name=name), pictures, presumed


@dataclass(frozen=True, slots=True)
class Sum(LexicalRelation):
    """The number of things in several pictures together is the sum of the numbers in each."""

    info = RelationInfo(
        name="multi.sum",
        task=Task.VQA,
        source=_SOURCE,
        breakdown=_BREAKDOWN,
        settings=(WORDNET, ONTOLOGY),
        needs=(Ability.PICTURES,),
        contrast=1,
    )
    expect = sum_of_parts

    def derive(self, draw: Draw) -> Case | NotApplicable:
        found = _of_all(draw)
        if isinstance(found, NotApplicable):
            return found
        group, pictures, presumed = found
        total = several.count_in_all(group, len(pictures), draw.wording(several.COUNT_IN_ALL_WORDINGS))
        part = simple.count((group,), draw.wording(simple.COUNT_WORDINGS))
        parts = (Query(picture=each, text=part.text, meaning=part.meaning) for each in pictures)
        return draw.case_of(
            (of_several(pictures, total), *parts),
            expected="first = " + " + ".join(ORDINALS[1 : len(pictures) + 1]),
            facts=(("pictures", len(pictures)), ("size", size_of(pictures))),
            presumed=presumed,
        )


@dataclass(frozen=True, slots=True)
class Same(LexicalRelation):
    """A picture shows the same as its copy, also with one more column, and not the same as one without a thing.

    Servers that tell pictures apart by their size take the edited one for a copy, or the padded one for another.
    """

    info = RelationInfo(
        name="multi.same",
        task=Task.VQA,
        source=_SOURCE,
        settings=(WORDNET, ONTOLOGY),
        directional=("",),
        needs=(Ability.PICTURES,),
    )
    expect = alike_but_for_the_edit

    def derive(self, draw: Draw) -> Case | NotApplicable:
        things = [thing for thing in draw.scene.objects if is_surely_seen(thing, draw.scene)]
        if not things:
            return _NOTHING_SEEN
        thing = draw.choose.one(things)
        asked = several.show_same(draw.wording(several.SHOW_SAME_WORDINGS))
        picture = draw.picture
        others = (picture, picture.erase(thing.box, Fill.WHITE), picture.pad(right=1))
        return draw.case_of(
            (of_several((picture, other), asked) for other in others),
            expected="yes, no, yes",
            facts=(("erased", thing.name),),
        )


@dataclass(frozen=True, slots=True)
class Distract(LexicalRelation):
    """Another picture beside it changes nothing about a picture that the question names.

    The other shows nothing of the family of what is asked about. It stands before the picture or behind it.
    """

    info = RelationInfo(
        name="multi.distract",
        task=Task.VQA,
        source=_SOURCE,
        variants=("before", "behind"),
        breakdown=("size",),
        settings=(WORDNET, ONTOLOGY),
        needs=(Ability.PICTURES,),
    )
    expect = same_answer

    def derive(self, draw: Draw) -> Case | NotApplicable:
        found = question_of_one(draw)
        if isinstance(found, NotApplicable):
            return found
        asked, other, presumed = found
        place = 1 if draw.variant == "before" else 0
        named = several.in_picture(asked, place, draw.wording(several.IN_PICTURE_WORDINGS))
        pictures = beside(draw, other, place)
        return draw.case_of(
            (Query(picture=draw.picture, text=asked.text, meaning=asked.meaning), of_several(pictures, named)),
            expected="first = second",
            facts=(("size", size_of(pictures)),),
            presumed=presumed,
        )


def question_of_one(draw: Draw) -> tuple[Question, Scene, bool] | NotApplicable:
    """Draws a question about the picture, in a wording that can name it, and a scene far from what is asked about.

    Also whether it is presumed. Counts are of things that are there; that there is one is asked of salient things, and
    of names that are surely absent.
    """
    view = draw.view
    kind = draw.choose.one(("count", "there", "absent"))
    names = {"count": countable_names(draw.scene), "there": seen_names(view), "absent": view.countable_absent}[kind]
    if not names:
        return _NOTHING_SEEN
    name = draw.choose.one(names)
    others = other_scenes(draw, is_far_from(name))
    if not others:
        return _NO_OTHER
    group = Group(name=name)
    if kind == "count":
        asked = simple.count((group,), draw.choose.one(several.COUNT_THERE))
    else:
        asked = simple.exists(group, draw.choose.one(several.EXISTS_THERE))
    return asked, others[0], kind != "there" and view.is_presumed(name)


@dataclass(frozen=True, slots=True)
class Interleave(LexicalRelation):
    """A question about one of two pictures has the same answer before, between and behind them."""

    info = RelationInfo(
        name="multi.interleave",
        task=Task.VQA,
        source=_SOURCE,
        breakdown=("size",),
        settings=(WORDNET, ONTOLOGY),
        needs=(Ability.PICTURES, Ability.INTERLEAVED),
    )
    expect = same_answer

    def derive(self, draw: Draw) -> Case | NotApplicable:
        found = question_of_one(draw)
        if isinstance(found, NotApplicable):
            return found
        asked, other, presumed = found
        place = draw.choose.between(0, 1)
        named = several.in_picture(asked, place, draw.wording(several.IN_PICTURE_WORDINGS))
        first, second = beside(draw, other, place)
        ways: tuple[tuple[Part, ...], ...] = (
            (first, second, named.text),
            (named.text, first, second),
            (first, named.text, second),
        )
        return draw.case_of(
            (Query.of(Turn(parts), meaning=named.meaning) for parts in ways),
            expected="all answers are the same",
            facts=(("size", size_of((first, second))),),
            presumed=presumed,
        )
