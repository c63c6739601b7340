"""As many yes as no: a model that always says the same is right half of the time, whatever relation it is asked by."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from pytest_vqamt.core.case import Case, NotApplicable
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.data.catalogue import load
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.language.questions.templates import QuestionType
from pytest_vqamt.relations import carets_arguments as arguments
from pytest_vqamt.relations import catalogue
from pytest_vqamt.relations.askable_scene import askable_scene_of
from pytest_vqamt.relations.carets_arguments import Argument
from pytest_vqamt.relations.carets_sampling import action_choice
from pytest_vqamt.relations.lexical_knowledge import LexicalKnowledge
from pytest_vqamt.sampling.chooser import RandomChooser
from tests.making import scene_of
from tests.relations.carets import draws
from tests.relations.carets.draws import KNOWN
from tests.relations.deriving import derive

BALANCED = (
    ("carets.rephrase", ""),
    ("carets.order", "conjunction"),
    ("carets.order", "disjunction"),
    ("carets.negation", ""),
    ("carets.antonym", ""),
    ("carets.visual", "blur3"),
    ("carets.visual", "mask"),
    ("carets.visual", "crop"),
)
each_that_is = pytest.mark.parametrize(("name", "variant"), BALANCED, ids=[f"{a}[{b}]" for a, b in BALANCED])


@pytest.fixture(scope="module")
def pictures() -> SceneSource:
    return load("pictures")


@pytest.fixture(scope="module")
def many_pictures() -> SceneSource:
    return load("pictures:3000")


def truths(source: SceneSource, name: str, variant: str, wanted: int) -> Counter[tuple[str, str]]:
    """How often each truth was drawn, by the type of question, in so many yes/no cases."""
    relation, choose, found = catalogue.get(name), RandomChooser(Random(5)), Counter[tuple[str, str]]()
    while found.total() < wanted:
        case = derive(relation, source.scene(choose.between(0, len(source) - 1)), choose, variant, source.corpus)
        if isinstance(case, Case) and case.fact("answers") == "binary":
            found[str(case.fact("question_type")), str(case.fact("truth"))] += 1
    return found


def share(found: Counter[tuple[str, str]], type_: str = "") -> float:
    of_type = {key: n for key, n in found.items() if type_ in ("", key[0])}
    return sum(n for (_, truth), n in of_type.items() if truth == "yes") / sum(of_type.values())


@pytest.mark.parametrize(("n", "most"), [(250, 0.1), pytest.param(1000, 0.05, marks=pytest.mark.full)])
@each_that_is
def test_half_are_true(pictures: SceneSource, name: str, variant: str, n: int, most: float) -> None:
    # Of 250 a standard deviation is 3.2 points, of 1000 it is 1.6.
    found = truths(pictures, name, variant, n)
    assert share(found) == pytest.approx(0.5, abs=most)
    assert {truth for _, truth in found} == {"yes", "no"}


@pytest.mark.slow
@each_that_is
def test_half_of_10_000_are_true(many_pictures: SceneSource, name: str, variant: str) -> None:
    # Of 10,000 a standard deviation is 0.5 points; of one type in four it is 1.
    found = truths(many_pictures, name, variant, 10_000)
    assert share(found) == pytest.approx(0.5, abs=0.02)
    for type_ in {type_ for type_, _ in found}:
        assert share(found, type_) == pytest.approx(0.5, abs=0.045), type_


def test_the_share_is_of_what_is_true() -> None:
    found = Counter({("a", "yes"): 3, ("a", "no"): 1, ("b", "no"): 4})
    assert (share(found), share(found, "a"), share(found, "b")) == (3 / 8, 3 / 4, 0)


# Of questions that are answered alike nearly always some are dropped, so that no answer is right nearly always.

DRAWS = 3000
OFTEN_ENOUGH = NotApplicable(reason="left out, so that no answer is right in too many cases")


def right(source: SceneSource) -> Counter[str]:
    """How often each action was right, in so many draws."""
    choose, found = RandomChooser(Random(4)), Counter[str]()
    for _ in range(DRAWS):
        scene = source.scene(choose.between(0, len(source) - 1))
        drawn = action_choice(askable_scene_of(scene, source.corpus, KNOWN), choose)
        if isinstance(drawn, Argument):
            found[drawn.truth] += 1
    return found


def all_kept(_attribute: str, _corpus: Corpus, _known: LexicalKnowledge) -> float:
    return 1.0


def test_no_action_is_right_in_more_than_about_half_of_the_choices(
    pictures: SceneSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Were all kept, two in three would be standing, for most scenes show nobody who does anything else. Of these one in
    # four is kept. With all others that is a third, (2/3)/4 of (2/3)/4 + 1/3; with half of them, the least that comes
    # of any other one, it is a half. Some 900 are kept: a standard deviation is 1.7 points.
    kept = right(pictures)
    assert kept.total() > 600
    assert max(kept.values()) / kept.total() < 0.5 + 0.05
    monkeypatch.setattr(arguments, "keep_probability", all_kept)
    everything = right(pictures)
    assert everything["standing"] / everything.total() > 0.6, "there would be nothing to thin out"


def test_what_is_kept_is_kept_by_its_share(pictures: SceneSource, monkeypatch: pytest.MonkeyPatch) -> None:
    thinned = right(pictures)
    shares = {word: arguments.keep_probability(word, pictures.corpus, KNOWN) for word in thinned}
    monkeypatch.setattr(arguments, "keep_probability", all_kept)
    everything = right(pictures)
    expected = {word: everything[word] * share for word, share in shares.items()}
    for word, n in expected.items():
        # Both are drawn: three times their standard deviation, that of a count being its root.
        deviation = (n + everything[word] * shares[word] ** 2) ** 0.5
        assert abs(thinned[word] - n) < 3 * deviation, (word, thinned, expected)


def test_a_question_that_is_dropped_says_why() -> None:
    view = draws.view_of(
        scene_of("standing man"),
        *(scene_of("standing dog", id=str(n)) for n in range(8)),
        scene_of("lying cat", id="b"),
    )
    choose = RandomChooser(Random(0))
    drawn = [action_choice(view, choose) for _ in range(400)]
    dropped = sum(each == OFTEN_ENOUGH for each in drawn)
    # Three in four: 9 stand and 1 lies, and 1 in 9 is less than the least. A standard deviation is 2.2 points.
    assert dropped / 400 == pytest.approx(0.75, abs=0.08)
    assert all(isinstance(each, Argument) for each in drawn if each != OFTEN_ENOUGH)


def test_yes_no_questions_are_not_thinned() -> None:
    others = [scene_of("standing dog", id=str(n)) for n in range(8)]
    view = draws.view_of(scene_of("standing man"), *others, scene_of("lying cat", "lying man", id="b"))
    assert len(draws.arguments(QuestionType.ATTRIBUTE, view, draws=200)) == 200
