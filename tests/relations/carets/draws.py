"""What many draws give of a made scene: arguments and cases, in a line each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
from typing import TypeVar

from pytest_vqamt.core.case import Case, NotApplicable
from pytest_vqamt.core.corpus import Corpus, gather_corpus
from pytest_vqamt.core.meaning import Both, Choice, Either, Exists, Group, Has
from pytest_vqamt.core.scene import Relationship, Scene
from pytest_vqamt.language.questions.templates import Askable, QuestionType
from pytest_vqamt.relations.askable_scene import AskableScene
from pytest_vqamt.relations.base import Relation
from pytest_vqamt.relations.carets_arguments import Argument
from pytest_vqamt.relations.carets_sampling import sample_argument
from pytest_vqamt.relations.lexical_knowledge import load_knowledge
from pytest_vqamt.sampling.chooser import Chooser, RandomChooser
from tests.relations.deriving import derive

T = TypeVar("T")

KNOWN = load_knowledge("bundled", "bundled")
MEAN = (120, 110, 100)


def corpus_of(*scenes: Scene) -> Corpus:
    return gather_corpus(scenes, measure=lambda: MEAN)


def view_of(scene: Scene, *others: Scene, gradable: bool = True) -> AskableScene:
    """The scene in a source that has the others, too."""
    return AskableScene(scene=scene, corpus=corpus_of(scene, *others), known=KNOWN, gradable=gradable)


def many(draw: Callable[[Chooser], T | NotApplicable], draws: int = 250, seed: int = 0) -> list[T]:
    """What many draws from one seeded chooser give, but for those that do not apply."""
    choose = RandomChooser(Random(seed))
    found = (draw(choose) for _ in range(draws))
    return [each for each in found if not isinstance(each, NotApplicable)]


def arguments(type_: QuestionType, view: AskableScene, draws: int = 250, seed: int = 0) -> list[Argument]:
    return many(lambda choose: sample_argument((type_,), view, choose), draws, seed)


def cases(relation: Relation, scene: Scene, *others: Scene, variant: str = "", draws: int = 250) -> list[Case]:
    corpus = corpus_of(scene, *others)
    return many(lambda choose: derive(relation, scene, choose, variant, corpus), draws)


def asked(found: Iterable[Argument], truth: str = "") -> set[str]:
    """What the arguments ask, in short; of one truth alone, where it is given."""
    return {short(each.asking.meaning) for each in found if truth in ("", each.truth)}


def short(meaning: Askable) -> str:
    """In the order of the alphabet: "cow or red dog", "car: red", "car: blue, red"."""
    match meaning:
        case Exists(group=group):
            return phrase(group)
        case Both(groups=groups):
            return " and ".join(sorted(map(phrase, groups)))
        case Either(groups=groups):
            return " or ".join(sorted(map(phrase, groups)))
        case Has(group=group, attribute=attribute):
            return f"{phrase(group)}: {attribute}"
        case Choice(what=what, options=options):
            return f"{phrase(what)}: {', '.join(sorted(options))}"


def phrase(group: Group) -> str:
    words = " ".join((*group.attributes, group.name))
    return " ".join((words, *(f"{each.predicate} {phrase(each.to)}" for each in group.related)))


def one_is(predicate: str, subject: str = "0", target: str = "1") -> Relationship:
    return Relationship(subject=subject, predicate=predicate, object=target)
