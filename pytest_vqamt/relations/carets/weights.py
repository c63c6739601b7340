"""How likely an argument is drawn: the rarer in the data, the likelier.

Jimenez et al., ACL 2022, section 4.1, draw a question with a probability inverse to how often its hypernym, attribute
class or action class, and its answer, were drawn before. **Deviation:** what was drawn before is global state. Here the
weights are inverse to how often each *can* be drawn, by the frequencies of the frozen corpus, so that any worker draws
the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from statistics import median_low

from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.relations.lexical_knowledge import Knowledge
from pytest_vqamt.sampling.chooser import Chooser


def of_name(name: str, corpus: Corpus) -> float:
    """One over the number of scenes with the name."""
    return 1 / max(1, corpus.frequency.get(name, 0))


def of_attribute(attribute: str, corpus: Corpus) -> float:
    """One over the number of things that bear it."""
    return 1 / max(1, bearers(corpus).get(attribute, 0))


def of_class_and_name(word: str, name: str, corpus: Corpus, known: Knowledge) -> float:
    """One over the scenes with the class (counted once for each of its names), and over those with the name."""
    return of_name(name, corpus) / max(1, _of_class(corpus, known).get(word, 0))


def of_category_and_attribute(attribute: str, corpus: Corpus, known: Knowledge) -> float:
    """One over the things that bear some attribute of its category, and over those that bear it."""
    category = known.kinds.category_of(attribute)
    return of_attribute(attribute, corpus) / max(1, _of_category(corpus, known).get(category or "", 0))


def drawn(choose: Chooser, counted: Sequence[tuple[str, int]]) -> str:
    """Any of the words, as likely as it is frequent."""
    return choose.weighted([word for word, _ in counted], [n for _, n in counted])


def share_kept(attribute: str, corpus: Corpus, known: Knowledge) -> float:
    """How many of the questions that an attribute answers are kept, so that no answer is right nearly always.

    All where it is borne no more often than half of its category are; else the fewer the more often, and at least one
    in four. A scene where everyone stands gives no other answer, however it is weighted.
    """
    usual = _usual(corpus, known).get(known.kinds.category_of(attribute) or "", 1)
    return min(1.0, max(_LEAST_KEPT, usual / max(1, bearers(corpus).get(attribute, 0))))


_LEAST_KEPT = 0.25


@lru_cache(maxsize=4)
def _usual(corpus: Corpus, known: Knowledge) -> Mapping[str, int]:
    """How many things bear the attribute in the middle of each category, the rarest first."""
    counts: dict[str, list[int]] = {}
    for attribute, n in bearers(corpus).items():
        counts.setdefault(known.kinds.category_of(attribute) or "", []).append(n)
    return {category: median_low(each) for category, each in counts.items()}


@lru_cache(maxsize=4)
def bearers(corpus: Corpus) -> Mapping[str, int]:
    """How many things bear each attribute."""
    found: Counter[str] = Counter()
    for pairs in corpus.attributes.values():
        for attribute, n in pairs:
            found[attribute] += n
    return found


@lru_cache(maxsize=4)
def _of_category(corpus: Corpus, known: Knowledge) -> Mapping[str, int]:
    found: Counter[str] = Counter()
    for attribute, n in bearers(corpus).items():
        found[known.kinds.category_of(attribute) or ""] += n
    return found


@lru_cache(maxsize=4)
def _of_class(corpus: Corpus, known: Knowledge) -> Mapping[str, int]:
    found: Counter[str] = Counter()
    for name, n in corpus.frequency.items():
        for each in known.classes_of(name):
            found[each.word] += n
    return found
