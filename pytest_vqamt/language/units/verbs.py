"""The forms of English verbs, read and made."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from enum import StrEnum, auto
from functools import cache, lru_cache
from importlib.resources import files

from pytest_vqamt.language.units.parts_of_speech import shares


class VerbForm(StrEnum):
    """What a form of a verb can be; one word can be several ("put")."""

    BASE = auto()
    THIRD = auto()
    PAST = auto()
    PARTICIPLE = auto()
    ING = auto()


_OF_BE = {
    "be": VerbForm.BASE, "is": VerbForm.THIRD, "are": VerbForm.BASE, "was": VerbForm.PAST, "were": VerbForm.PAST,
    "been": VerbForm.PARTICIPLE, "being": VerbForm.ING,
}  # fmt: skip
_IRREGULAR_THIRD = {"have": "has", "do": "does", "go": "goes", "be": "is", "are": "is", "were": "was"}
_IRREGULAR_MANY = {third: base for base, third in _IRREGULAR_THIRD.items() if base != "be"}
_MODAL = frozenset({"can", "could", "may", "might", "must", "shall", "should", "will", "would"})
_VOWELS = "aeiou"


@lru_cache(maxsize=65536)
def verb_forms(word: str) -> tuple[str, frozenset[VerbForm]]:
    """The verb that a word is a form of, and which of its forms; ("", nothing) where it is none.

    >>> verb_forms("hopping"), verb_forms("ate")
    (('hop', frozenset({<VerbForm.ING: 'ing'>})), ('eat', frozenset({<VerbForm.PAST: 'past'>})))
    """
    if word in _OF_BE:
        return "be", frozenset({_OF_BE[word]})
    if word in _IRREGULAR_MANY:
        return _IRREGULAR_MANY[word], _ENDINGS["s"]
    if word in _of_irregular():
        return _of_irregular()[word]
    if _is_verb(word):
        return word, frozenset({VerbForm.BASE})
    for ending, forms in _ENDINGS.items():
        if word.endswith(ending):
            lemma = next(filter(_is_verb, _stems(word, ending)), None)
            if lemma is None or (lemma in _irregular() and ending == "ed"):
                continue
            return lemma, forms
    if word.endswith("ing") and len(word) > 5 and not shares(word):
        return word.removesuffix("ing"), _ENDINGS["ing"]  # a verb that nobody has listed: "parkouring"
    return "", frozenset()


_ENDINGS = {
    "ing": frozenset({VerbForm.ING}),
    "ed": frozenset({VerbForm.PAST, VerbForm.PARTICIPLE}),
    "s": frozenset({VerbForm.THIRD}),
}


def third_person(verb: str) -> str:
    """The verb as "he" has it: "walks" for "walk", "was" for "were"; what knows no number stays as it is.

    >>> third_person("walk"), third_person("carry"), third_person("are"), third_person("can"), third_person("ran")
    ('walks', 'carries', 'is', 'can', 'ran')
    """
    if verb in _IRREGULAR_THIRD:
        return _IRREGULAR_THIRD[verb]
    if VerbForm.BASE not in verb_forms(verb)[1] or verb in _MODAL:
        return verb
    if verb.endswith(("s", "x", "z", "ch", "sh")):
        return f"{verb}es"
    if verb.endswith("y") and verb[-2:-1] not in _VOWELS:
        return f"{verb[:-1]}ies"
    return f"{verb}s"


def plural_form(verb: str) -> str:
    """The verb as "they" have it: "walk" for "walks", "were" for "was"; what knows no number stays as it is.

    >>> plural_form("walks"), plural_form("is"), plural_form("carries"), plural_form("sat")
    ('walk', 'are', 'carry', 'sat')
    """
    if verb in _IRREGULAR_MANY:
        return _IRREGULAR_MANY[verb]
    lemma, forms = verb_forms(verb)
    return lemma if VerbForm.THIRD in forms else verb


def _stems(word: str, ending: str) -> Iterator[str]:
    """What the ending may have been put to."""
    stem = word.removesuffix(ending)
    if ending == "s":
        yield stem
        if stem.endswith("ie"):
            yield f"{stem[:-2]}y"
        if stem.endswith("e"):
            yield stem[:-1]
        return
    if ending == "ed" and stem.endswith("i"):
        yield f"{stem[:-1]}y"
    if ending == "ing" and stem.endswith("y"):
        yield f"{stem[:-1]}ie"
    doubled = len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in _VOWELS
    if doubled and stem[-1] not in "lsz":
        yield stem[:-1]
    if stem.endswith("ck"):
        yield stem[:-1]
    # "hoping" is of hope and "hopping" of hop, "seeing" of see, "dancing" of dance.
    if (len(stem) > 1 and stem[-1] not in "aeouy" and stem[-2] in _VOWELS) or stem[-1:] in "cuvsz":
        yield f"{stem}e"
    yield stem
    if doubled:
        yield stem[:-1]
    yield f"{stem}e"


def _is_verb(word: str) -> bool:
    return "v" in shares(word)


@cache
def _irregular() -> Mapping[str, tuple[str, ...]]:
    table = tomllib.loads(files("pytest_vqamt.language.units").joinpath("words.toml").read_text(encoding="utf-8"))
    return {verb: tuple(forms.split()) for verb, forms in table["irregular"].items()}


@cache
def _of_irregular() -> Mapping[str, tuple[str, frozenset[VerbForm]]]:
    found: dict[str, tuple[str, frozenset[VerbForm]]] = {}
    for verb, forms in _irregular().items():
        for form, is_ in ((forms[0], VerbForm.PAST), (forms[-1], VerbForm.PARTICIPLE)):
            lemma, known = found.get(form, (verb, frozenset()))
            found[form] = lemma, known | {is_}
    for verb in found.keys() & _irregular().keys():  # "put", and "lay", which is the past of "lie" as well
        found[verb] = verb, found[verb][1] | {VerbForm.BASE}
    return found
