"""WordNet for the names of things in pictures: their kinds, parts and synonyms."""

from __future__ import annotations

from pytest_vqamt.language.wordnet.words import WordNet, wordnet

__all__ = ["WordNet", "wordnet"]
