"""Arguments of templates: questions without a wording, with their answers, and the weights of their sampling."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import median_low

from pytest_vqamt.core.case import Fact
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.meaning import Choice, Exists, Group, groups_of, members
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.language.questions import templates
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.language.questions.templates import Asking, QuestionType
from pytest_vqamt.relations.lexical_knowledge import LexicalKnowledge
from pytest_vqamt.sampling.chooser import Chooser

# Not less, or scenes with just one common attribute would hardly ever give a case.
_MIN_KEEP_PROBABILITY = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """A question without a wording."""

    asking: Asking
    """The type of question with its meaning, which the templates put into words."""
    truth: str
    """"yes", "no", or the option that is right."""
    subject: str
    """The name or attribute that it was sampled by."""
    rests_on_absence: bool = False
    """It names absent things, some of which may be there without being annotated (rule: sure absence)."""
    rests_on_the_only_one: bool = False
    """It says "the dog", and another dog may be there without being annotated."""

    @property
    def is_related(self) -> bool:
        """True if its first group is related to another, which has templates of its own."""
        return bool(groups_of(self.asking.meaning)[0].related)

    @property
    def is_one_of_two(self) -> bool:
        """True for "either A or B" of a thing that is there and one that may be, without being annotated."""
        return self.asking.type is QuestionType.DISJUNCTION and self.truth == "yes" and self.rests_on_absence

    @property
    def templates(self) -> int:
        return templates.count(self.asking.type, self.is_related)

    def worded(self, template: int, *, negated: bool = False) -> Question:
        return templates.question(self.asking, template, negated=negated)

    def facts(self, *, template: int, other_template: int) -> tuple[tuple[str, Fact], ...]:
        meaning = self.asking.meaning
        choices = len(meaning.options) if isinstance(meaning, Choice) else 0
        return (
            ("question_type", self.asking.type.value),
            ("answers", "choices" if choices else "binary"),
            *((("choices", choices),) if choices else (("truth", self.truth),)),
            ("related", self.is_related),
            ("subject", self.subject),
            ("template", template),
            ("other_template", other_template),
        )


def existence_argument(group: Group, *, subject: str, truth: str, unsure: bool = False) -> Argument:
    """Returns the argument of Q1: whether there is any of the group."""
    asking = Asking(type=QuestionType.OBJECT, meaning=Exists(group=group))
    return Argument(asking=asking, truth=truth, subject=subject, rests_on_absence=unsure)


def two_templates(argument: Argument, choose: Chooser) -> tuple[int, int]:
    """Draws two different templates for the argument."""
    first, second = choose.several(range(argument.templates), 2)
    return first, second


def one_template(argument: Argument, choose: Chooser) -> int:
    """Draws a template for the argument."""
    return choose.between(0, argument.templates - 1)


def things_named(asking: Asking, scene: Scene) -> tuple[tuple[Thing, ...], tuple[Group, ...]]:
    """Returns the things that a question names, related ones included, and its groups that name nothing."""
    found: set[str] = set()
    absent: list[Group] = []
    for group in groups_of(asking.meaning):
        there = members(group, scene)
        if not there:
            absent.append(group)
        found.update(thing.id for thing in there)
        found.update(thing.id for condition in group.related for thing in members(condition.to, scene))
    return tuple(thing for thing in scene.objects if thing.id in found), tuple(absent)


# Jimenez et al., ACL 2022, section 4.1, weight a question by the inverse of how often its hypernym, attribute class or
# action class, and its answer, were drawn before. **Deviation:** previous draws are global state. Here the weights are
# inverse frequencies in the frozen corpus, so that every worker draws the same.


def name_weight(name: str, corpus: Corpus) -> float:
    """Returns the inverse of the number of scenes with the name."""
    return 1 / max(1, corpus.frequency.get(name, 0))


def attribute_weight(attribute: str, corpus: Corpus) -> float:
    """Returns the inverse of the number of things with the attribute."""
    return 1 / max(1, attribute_counts(corpus).get(attribute, 0))


def class_and_name_weight(word: str, name: str, corpus: Corpus, known: LexicalKnowledge) -> float:
    """Returns the inverse of the scenes with the class, counted for each of its names, times those with the name."""
    return name_weight(name, corpus) / max(1, _class_counts(corpus, known).get(word, 0))


def category_and_attribute_weight(attribute: str, corpus: Corpus, known: LexicalKnowledge) -> float:
    """Returns the inverse of the things with the attribute's category times those with the attribute."""
    category = known.ontology.category_of(attribute)
    return attribute_weight(attribute, corpus) / max(1, _category_counts(corpus, known).get(category or "", 0))


def sample_by_frequency(choose: Chooser, counted: Sequence[tuple[str, int]]) -> str:
    """Draws a word with a probability proportional to its frequency."""
    return choose.weighted([word for word, _ in counted], [n for _, n in counted])


def keep_probability(attribute: str, corpus: Corpus, known: LexicalKnowledge) -> float:
    """Returns the share of questions with this attribute for an answer that are kept, in [0.25, 1].

    It is 1 up to the median count of the category, then falls with the count, so that no answer is nearly always right.
    Weights alone do not help in a scene where everyone stands.
    """
    usual = _median_counts(corpus, known).get(known.ontology.category_of(attribute) or "", 1)
    return min(1.0, max(_MIN_KEEP_PROBABILITY, usual / max(1, attribute_counts(corpus).get(attribute, 0))))


@lru_cache(maxsize=4)
def _median_counts(corpus: Corpus, known: LexicalKnowledge) -> Mapping[str, int]:
    """Returns the median count of the attributes of each category."""
    counts: dict[str, list[int]] = {}
    for attribute, n in attribute_counts(corpus).items():
        counts.setdefault(known.ontology.category_of(attribute) or "", []).append(n)
    return {category: median_low(each) for category, each in counts.items()}


@lru_cache(maxsize=4)
def attribute_counts(corpus: Corpus) -> Mapping[str, int]:
    """Counts the things with each attribute in the corpus."""
    found: Counter[str] = Counter()
    for pairs in corpus.attributes.values():
        for attribute, n in pairs:
            found[attribute] += n
    return found


@lru_cache(maxsize=4)
def _category_counts(corpus: Corpus, known: LexicalKnowledge) -> Mapping[str, int]:
    found: Counter[str] = Counter()
    for attribute, n in attribute_counts(corpus).items():
        found[known.ontology.category_of(attribute) or ""] += n
    return found


@lru_cache(maxsize=4)
def _class_counts(corpus: Corpus, known: LexicalKnowledge) -> Mapping[str, int]:
    found: Counter[str] = Counter()
    for name, n in corpus.frequency.items():
        for each in known.classes_of(name):
            found[each.word] += n
    return found
