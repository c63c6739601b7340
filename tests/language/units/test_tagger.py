"""Words that can be several things, told apart by those around them; tags by hand."""

from __future__ import annotations

from pytest_vqamt.language.units.tagger import tag_words
from tests.rows import each_row

SHORT = {
    "determiner": "d", "possessive": "s", "number": "#", "adjective": "a", "noun": "n", "pronoun": "p", "be": "b",
    "finite": "F", "base": "B", "ing": "G", "participle": "P", "to": "t", "not": "x", "preposition": "i", "adverb": "r",
    "and": "&", "subordinator": "w", "relative": "R", "there": "T", "mark": ".",
}  # fmt: skip

SENTENCES = {
    "a boy waves": "dnF",
    "the waves break": "dnF",
    "two dogs race": "#nF",
    "the race car races": "dnnF",
    "a man waves flags": "dnFn",
    "a rock band plays": "dnnF",
    "a boy and girl race": "dn&nF",
    "people rock climbing": "nnG",
    "they watch": "pF",
    "a smiling boy sits": "danF",
    "a boy smiling": "dnG",
    "an elderly man": "dan",
    "the elderly sit": "dnF",
    "a human sleeps": "dnF",
    "a human standing": "dnG",
    "a black and white dog": "da&an",
    "a swimming pool": "dan",
    "people outside the pool": "nidn",
    "people sit outside": "nFr",
    "she loves her": "pFp",
    "she loves her dog": "pFsn",
    "a man that sings": "dnRF",
    "that man sings": "dnF",
    "a girl wants to dance": "dnFtB",
    "a girl walks to school": "dnFin",
    "a man like him": "dnip",
    "dogs like bones": "nFn",
    "a trash can": "dnn",
    "a dog can swim": "dnFB",
    "there is a dog": "Tbdn",
    "a dog is there": "dnbr",
    "a man dressed in black": "dnPin",
    "a man walked home": "dnFr",
    "a snow covered road": "dnan",
    "boy in trunks jumps": "ninF",
    "a child with toy cars": "dninn",
    "a man sits and reads": "dnF&F",
    "dogs and cats": "n&n",
    "a man is eating and drinking": "dnbG&G",
}


@each_row(("sentence", "tags"), SENTENCES.items())
def test_tags(sentence: str, tags: str) -> None:
    assert "".join(SHORT[tag] for tag in tag_words(sentence.split())) == tags
