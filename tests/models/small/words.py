"""The words that small tokenizers know whole; all others fall into letters, so that no text is unknown to them."""

from __future__ import annotations

WORDS = (
    "a", "all", "and", "any", "are", "at", "ball", "big", "bird", "black", "blue", "boat", "brown", "bus", "can",
    "car", "cat", "cats", "colour", "describe", "different", "does", "dog", "dogs", "every", "few", "green", "grey",
    "has", "he", "horse", "house", "how", "in", "is", "it", "kind", "left", "man", "many", "more", "no", "not",
    "number", "of", "on", "one", "or", "orange", "people", "person", "photo", "picture", "pink", "purple", "red",
    "right", "same", "see", "she", "shown", "small", "some", "than", "that", "the", "there", "this", "to", "total",
    "tree", "two", "what", "which", "white", "with", "woman", "yellow", "yes", "you",
)  # fmt: skip
