"""WordNet for the names of things in pictures: what is a kind, a part, a synonym or an antonym of what."""

from __future__ import annotations

from pytest_vqamt.language.wordnet.words import WordNet, wordnet

__all__ = ["WordNet", "wordnet"]
