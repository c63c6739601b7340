# ruff: noqa: E501
"""Published questions at the end of conversations: no relation asks one alone, and changes are made to all pictures."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest_vqamt as vqamt
from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus, gather_corpus
from pytest_vqamt.core.edits import Erase, Pad, Rescale
from pytest_vqamt.core.meaning import Annotated
from pytest_vqamt.core.query import Query, Task
from pytest_vqamt.core.scene import PHOTO_MARK, Photo, PublishedQuestion, PublishedTurn, Scene, ShownPhoto
from pytest_vqamt.models.reference.oracle import true_answer
from pytest_vqamt.relations import catalogue
from pytest_vqamt.relations.base import Relation
from pytest_vqamt.relations.contradictions import contradiction, derive_case
from pytest_vqamt.relations.contrasts import with_contrast
from pytest_vqamt.relations.expectations import same_answer
from pytest_vqamt.relations.in_conversation import NOT_OF_ALL, edited_alike
from pytest_vqamt.relations.lexical_knowledge import knowledge_of
from pytest_vqamt.relations.presets import preset
from pytest_vqamt.relations.user import UserRelation
from pytest_vqamt.sampling.chooser import Chooser
from tests.making import choosers
from tests.rows import each_row

M = PHOTO_MARK
SIZES = {"a": (640, 480), "b": (640, 480), "c": (800, 600), "tall": (480, 900)}
IN_TURNS = (
    PublishedTurn(role="system", text="You are helpful."),
    PublishedTurn(text=f"{M} What is this?", photos=()),
    PublishedTurn(role="assistant", text="It is an umbrella."),
)


def shown(*names: str) -> tuple[ShownPhoto, ...]:
    photos = (Photo(id=name, digest=name.rjust(16, "0")) for name in names)
    return tuple(ShownPhoto(photo=each, width=SIZES[each.id][0], height=SIZES[each.id][1]) for each in photos)


def asked(text: str, answer: str = "", *options: str, turns: tuple[PublishedTurn, ...]) -> PublishedQuestion:
    return PublishedQuestion(id=text, text=text, answers=(answer,) * bool(answer), options=options, turns=turns)


def after(*names: str) -> tuple[PublishedTurn, ...]:
    return (PublishedTurn(text=M * len(names), photos=shown(*names)),)


def scene(*questions: PublishedQuestion) -> Scene:
    (own,) = shown("a")
    return Scene(id="a", photo=own.photo, width=own.width, height=own.height, questions=questions)


TWO = after("a", "b")
SPOKEN = (IN_TURNS[0], replace(IN_TURNS[1], photos=shown("a")), IN_TURNS[2], PublishedTurn())
WITHIN = (PublishedTurn(photos=shown("a", "c")),)
EVERY = scene(
    asked("Is the umbrella open?", "yes", turns=TWO),
    asked("How many people are waiting?", "3", turns=after("a", "c")),
    asked("Which animal is it?", "horse", "horse", "elephant", "rabbit", turns=TWO),
    asked("Is it open?", "yes", turns=SPOKEN),
    asked(f"Is the dog in {M} the dog in {M} ?", "yes", turns=WITHIN),
)
RELATIONS = tuple(
    (relation, variant) for relation, variant in catalogue.select(["*"]) if relation.info.task is Task.VQA
)
PRESET = tuple(
    (relation, variant)
    for relation, variant in catalogue.select(list(preset("questions").relations))
    if relation.info.task is Task.VQA
)


def cases(relation: Relation, variant: str, of: Scene, draws: int = 12) -> list[Case]:
    corpus = gather_corpus((of,), scene=lambda _index: of)
    found = (derive_case(relation, of, corpus, choose, variant) for choose in choosers(draws))
    return [with_contrast(relation, each, corpus, 1.0) for each in found if isinstance(each, Case)]


def said(query: Query) -> list[tuple[str, list[str]]]:
    """Roles and pictures, and the words of all but the last turn."""
    *before, last = query.conversation
    pictures = [part.photo.id for part in last.parts if not isinstance(part, str) and hasattr(part, "photo")]
    return [
        *((turn.role.value, [(getattr(part, "photo", None) and "picture") or str(part) for part in turn.parts]) for turn in before),
        ("user", pictures),
    ]  # fmt: skip


def test_no_relation_asks_a_question_without_its_conversation() -> None:
    wanted = {
        "turns": [("system", ["You are helpful."]), ("user", ["picture", "What is this?"]), ("assistant", ["It is an umbrella."]), ("user", [])],
    }  # fmt: skip
    found = 0
    for relation, variant in RELATIONS:
        for case in cases(relation, variant, EVERY):
            for query in (*case.queries, *((case.contrast.query,) if case.contrast else ())):
                if not isinstance(query.meaning, Annotated):
                    continue
                found += 1
                assert said(query) in (wanted["turns"], [("user", ["a", "b"])], [("user", ["a", "c"])]), relation
    assert found > 200


def test_each_picture_has_the_same_edits() -> None:
    changed: set[str] = set()
    for relation, variant in PRESET:
        for case in cases(relation, variant, EVERY, 40):
            for query in case.queries:
                kinds = [[type(edit) for edit in picture.edits] for picture in query.pictures]
                assert all(one == other for one, other in pairwise(kinds)), relation
                changed.update(kind.__name__ for kind in kinds[-1] if len(kinds) > 1)
    assert changed >= {"Shift", "Pad", "Rescale", "Jpeg", "Tilt", "Mirror", "Corrupt", "Reencode"}


def test_another_size_has_the_edit_in_proportion_or_no_case() -> None:
    own = scene()
    of_c = Scene(id="c", photo=shown("c")[0].photo, width=800, height=600).picture
    padded = edited_alike(of_c, own, own.picture.pad(top=80, bottom=80).edits)
    assert padded is not None
    assert padded.edits == (Pad(top=100, bottom=100),)
    scaled = edited_alike(of_c, own, own.picture.rescale(320, 240).edits)
    assert scaled is not None
    assert scaled.edits == (Rescale(width=400, height=300),)
    tall = Scene(id="tall", photo=shown("tall")[0].photo, width=480, height=900).picture
    # 900 px would become 1,200 and the other 640 stay.
    assert edited_alike(tall, own, own.picture.pad(bottom=480).edits) is None
    assert edited_alike(of_c, own, own.picture.blur((vqamt.Box(0, 0, 9, 9),), sigma=1).edits) is None


def test_an_edit_that_one_picture_cannot_have_gives_no_case() -> None:
    own = scene(asked("Is it open?", turns=after("a", "tall")))
    relation, variant = next(each for each in PRESET if each[0].info.name == "view.pad")
    corpus = gather_corpus((own,))
    found = [derive_case(relation, own, corpus, choose, variant) for choose in choosers(20)]
    assert NOT_OF_ALL in found or all(isinstance(each, Case) for each in found)
    wide = replace(own, width=300, height=900)
    found = [derive_case(relation, wide, gather_corpus((wide,)), choose, variant) for choose in choosers(20)]
    assert set(found) == {NOT_OF_ALL}


@each_row(
    ("item", "question", "has_cases"),
    [
        ("question.mirror", asked("Is it open?", turns=TWO), True),
        ("question.mirror", asked("Is the first one open?", turns=TWO), False),
        ("question.mirror", asked("Is the left picture a dog?", turns=TWO), False),
        ("question.mirror", asked("Is it open?", turns=SPOKEN), True),
        ("question.mirror", asked("Is it?", turns=(SPOKEN[0], SPOKEN[1], replace(SPOKEN[2], text="It is left."), SPOKEN[3])), False),
        ("question.mirror", asked("Is it?", turns=(replace(SPOKEN[1], text=f"{M} Was ist links?"), SPOKEN[3])), False),
        ("view.rescale[down]", asked("Are they the same?", turns=TWO), False),
        ("view.jpeg", asked("Are they the same?", turns=TWO), True),
        ("question.frame[context]", asked("Is it open?", turns=TWO), False),
        ("question.frame[context]", asked("Is it open?", turns=SPOKEN), False),
        ("question.frame[brief]", asked("Is it open?", turns=TWO), True),
        ("overlay.question", asked("Is it open?", turns=TWO), False),
        ("lead.belief", asked("Is it open?", turns=TWO), True),
    ],
)  # fmt: skip
def test_what_is_said_and_shown_decides(item: str, question: PublishedQuestion, has_cases: bool) -> None:
    (relation, variant), = catalogue.select([item])  # fmt: skip
    assert bool(cases(relation, variant, scene(question))) is has_cases, question


def test_a_lead_speaks_of_the_conversation() -> None:
    (relation, variant), = catalogue.select(["lead.belief"])  # fmt: skip
    for case in cases(relation, variant, scene(asked("Is it open?", turns=TWO))):
        assert "this conversation" in case.queries[0].text
        assert not any("picture" in query.text for query in case.queries)


def test_a_contrast_has_gray_pictures_alone_and_none_where_a_turn_tells() -> None:
    (relation, variant), = catalogue.select(["question.frame[brief]"])  # fmt: skip
    for question, wanted in ((EVERY.questions[0], True), (EVERY.questions[3], False)):
        for case in cases(relation, variant, scene(question)):
            assert (case.contrast is not None) is wanted
            if case.contrast:
                pictures = case.contrast.query.pictures
                assert [each.photo.id for each in pictures] == ["a", "b"]
                assert all(len(each.edits) == 1 and isinstance(each.edits[0], Erase) for each in pictures)
                assert true_answer(case.contrast.query) == "no"
                assert true_answer(case.queries[0]) == "yes"


def test_only_the_same_conversation_contradicts() -> None:
    (relation, variant), = catalogue.select(["question.frame[brief]"])  # fmt: skip
    yes, no, other = (asked("Is it open?", answer, turns=turns) for answer, turns in (("yes", TWO), ("no", TWO), ("no", after("a", "c"))))  # fmt: skip
    knowledge = knowledge_of(relation)
    for questions, contradicts in (((yes, other), False), ((yes, replace(no, id="no")), True)):
        of = scene(*questions)
        (case, *_) = cases(relation, variant, scene(yes))
        own = replace(case.queries[0].picture, scene=of)
        corpus = gather_corpus((of,))
        query = case.queries[0].with_picture(0, own)
        assert isinstance(contradiction(query, corpus, knowledge), NotApplicable) is contradicts


def test_a_relation_of_a_user_does_not_see_them() -> None:
    alone = PublishedQuestion(id="1", text="Is it?", answers=())
    of = scene(*EVERY.questions, alone)
    given: list[PublishedQuestion] = []

    def draft(scene: Scene, _corpus: Corpus, _choose: Chooser) -> NotApplicable:
        given.extend(scene.questions)
        return NotApplicable(reason="seen")

    info = RelationInfo(name="own.sees", task=Task.VQA, source="here")
    relation = UserRelation(info=info, draft=draft, expect=same_answer)
    derive_case(relation, of, gather_corpus((of,)), next(iter(choosers(1))), "")
    assert given == [alone]


@each_row(
    ("text", "compares"),
    [
        ("Do these match?", True),
        ("Is one of them a copy of the other?", True),
        ("Is the first one larger than the second?", True),
        ("Do both of them have a dog?", False),
    ],
)
def test_pictures_that_are_compared_get_neither_noise_of_their_own_nor_gray(text: str, compares: bool) -> None:
    # Two gray pictures match and keep their sizes; of two that are the same, each would get noise of its own.
    of = scene(asked(text, "yes", turns=TWO))
    for relation, variant in PRESET:
        found = cases(relation, variant, of)
        if relation.info.name == "corruption":
            assert bool(found) is not compares, variant
        elif found and relation.info.contrast != 0 and relation.info.name.startswith("question.frame"):
            assert all((each.contrast is None) is compares for each in found), relation
