"""The opposites of adjectives that WordNet has."""

from __future__ import annotations

from functools import cache

from pytest_vqamt.language.question_ranking.word_overlap import NltkSynsets
from pytest_vqamt.language.wordnet.words import find_wordnet


def opposites(word: str, setting: str) -> set[str]:
    """Direct opposites of an adjective in all senses, and those of similar ones."""
    own = _synsets(setting).of(word)
    lemmas = [lemma for synset in own for lemma in synset.lemmas() if lemma.name() == word]
    lemmas += [lemma for synset in own for similar in synset.similar_tos() for lemma in similar.lemmas()]
    return {other.name().replace("_", " ") for lemma in lemmas for other in lemma.antonyms()}


@cache
def _synsets(setting: str) -> NltkSynsets:
    return NltkSynsets(find_wordnet(setting))
