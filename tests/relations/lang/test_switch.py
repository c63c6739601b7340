"""One question in two languages: what is asked, what is not, and the verdict."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from pytest_vqamt.core.case import Case, Outcome
from pytest_vqamt.core.corpus import gather_corpus
from pytest_vqamt.core.meaning import truth
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.translations.translated import ANSWER_IN_ENGLISH, LANGUAGES
from pytest_vqamt.models.reference.faults import FAULTS
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.relations.contrasts import with_contrast
from pytest_vqamt.relations.lang import Switch
from pytest_vqamt.relations.own_wordings import RewordedRelation, read_wordings
from tests.language.translations.reader import read
from tests.making import answers_of, choosers, scene_of, thing_of
from tests.relations.deriving import cases_of, derive
from tests.rows import each_row

SWITCH = Switch()
WORLD = PictureWorld(120)
each_language = pytest.mark.parametrize("code", LANGUAGES)


def cases(scene: Scene, code: str, n: int = 60) -> list[Case]:
    return cases_of(SWITCH, scene, code, draws=n)


def of_the_world(code: str) -> list[Case]:
    drawn = (
        derive(SWITCH, WORLD.scene(place), choose, code, WORLD.corpus)
        for place, choose in enumerate(choosers(len(WORLD)))
    )
    return [each for each in drawn if isinstance(each, Case)]


def subjects(some: list[Case]) -> set[object]:
    return {case.fact("subject") for case in some}


@each_language
def test_both_questions_ask_the_same_and_the_second_is_in_the_language(code: str) -> None:
    for case in of_the_world(code):
        english, foreign = case.queries
        assert english.meaning == foreign.meaning
        assert english.picture == foreign.picture
        assert truth(english.meaning, english.picture.scene) is not None
        assert not english.text.endswith(ANSWER_IN_ENGLISH)
        found = read(foreign.text, code)
        assert (found.kind.replace("choice", "colour"), case.fact("subject") in found.names) == (
            case.fact("kind"),
            True,
        )
        assert found.colours == tuple(getattr(foreign.meaning, "options", ()))


@each_language
def test_every_kind_is_asked_and_yes_as_often_as_no(code: str) -> None:
    found = Counter((case.fact("kind"), case.fact("truth")) for case in of_the_world(code))
    kinds = Counter(case.fact("kind") for case in of_the_world(code))
    assert min(kinds[kind] for kind in ("exists", "count", "colour")) > 15
    assert 0.3 < found["exists", "yes"] / kinds["exists"] < 0.7


@each_row(
    ("code", "scene", "asked"),
    [
        ("de", scene_of("dog", "chair", exhaustive=("dog", "chair")), {"dog"}),  # a Stuhl is no Sessel
        ("ja", scene_of("dog", "chair", exhaustive=("dog", "chair")), {"dog"}),
        ("zh", scene_of("horse", "zebra", exhaustive=("horse", "zebra")), {"zebra"}),  # 斑马
        ("de", scene_of("horse", "zebra", exhaustive=("horse", "zebra")), {"horse", "zebra"}),
        ("de", scene_of("tv", "television", "dog"), {"dog"}),
        ("de", scene_of("dog", "cat", crowds=("cat",)), {"dog"}),
        ("fr", scene_of("bird", "duck", "dog", exhaustive=("bird", "duck", "dog")), {"dog"}),  # a duck is a bird
        ("es", scene_of("boy", "dog"), {"dog"}),  # niños are boys and girls
    ],
)
def test_only_what_one_noun_covers_is_asked_about(code: str, scene: Scene, asked: set[str]) -> None:
    assert subjects(cases(scene, code)) == asked


def colours_asked(*scenes: Scene) -> set[tuple[object, object]]:
    corpus = gather_corpus(scenes)
    drawn = (derive(SWITCH, scenes[0], choose, "de", corpus) for choose in choosers(80))
    found = (each for each in drawn if isinstance(each, Case) and each.fact("kind") == "colour")
    return {(case.fact("subject"), case.fact("truth")) for case in found}


BLUE_CAR = scene_of("blue car", id="other")


@each_row(
    ("scene", "asked"),
    [
        (scene_of("red car", "dog"), {("car", "red")}),
        (scene_of("red car", "red car"), set()),  # "the car" is one of two
        (scene_of(thing_of("red car", multi_coloured=True)), set()),
        (scene_of("red blue car"), set()),
        (scene_of("red woman"), set()),  # people have no colour
        (scene_of("car"), set()),
    ],
)
def test_the_colour_is_that_of_the_one_thing(scene: Scene, asked: set[tuple[str, str]]) -> None:
    assert colours_asked(scene, BLUE_CAR) == asked


@each_row(
    ("texts", "outcome"),
    [
        (("yes", "Yes."), Outcome.HOLDS),
        (("yes", "Ja, da ist einer."), Outcome.HOLDS),
        (("yes", "no"), Outcome.VIOLATED),
        (("yes", "Nein."), Outcome.VIOLATED),
        (("yes", "perhaps"), Outcome.UNPARSED),
    ],
)
def test_the_verdict(texts: tuple[str, str], outcome: Outcome) -> None:
    case = next(case for case in of_the_world("de") if case.fact("kind") == "exists")
    assert SWITCH.judge(case, answers_of(*texts)).outcome is outcome


def test_no_case_is_presumed() -> None:
    assert not any(case.is_presumed for code in LANGUAGES for case in cases(scene_of("red car", "dog"), code, 20))


def test_the_contrast_is_the_english_question_on_another_picture() -> None:
    found = [with_contrast(SWITCH, case, WORLD.corpus, 1.0).contrast for case in of_the_world("zh")]
    contrasts = [each for each in found if each is not None]
    assert len(contrasts) > len(found) / 2
    assert all(each.of == 0 and each.query.text.isascii() for each in contrasts)


def test_own_wordings_are_english_and_leave_other_languages_as_they_are(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text('[[count]]\ntext = "number of {nouns} ?"\n', encoding="utf-8")
    reworded = RewordedRelation(SWITCH, read_wordings(file))
    scene = scene_of("dog", "dog")
    drawn = [derive(reworded, scene, choose, "de") for choose in choosers(30)]
    found = [case for case in drawn if isinstance(case, Case)]
    assert {case.queries[0].text for case in found} == {"number of dogs ?"}
    assert all(re.match("Wie viele Hunde ", case.queries[1].text) for case in found)


@each_row(("fault", "kinds"), [("english-only", {"exists", "count", "colour"}), ("counts-in-english-only", {"count"})])
def test_a_model_that_knows_english_alone_is_found(fault: str, kinds: set[str]) -> None:
    reply = FAULTS[fault].replies()
    broken = {
        case.fact("kind")
        for case in of_the_world("pt")
        if SWITCH.judge(case, answers_of(*map(reply, case.queries))).outcome is Outcome.VIOLATED
    }
    assert broken == kinds
