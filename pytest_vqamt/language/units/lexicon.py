"""The possible tags and forms of a word, without its neighbours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum, auto
from functools import cache, lru_cache, partial
from importlib.resources import files
from types import MappingProxyType
from typing import NamedTuple

from pytest_vqamt.core.lazy_pattern import pattern_of
from pytest_vqamt.language.english.nouns import NUMBER_WORDS, is_plural, singular
from pytest_vqamt.language.tables import toml_table, word_set

_FILE = "units/words.toml"

THING, IDEA, VERB, ADJECTIVE, ADVERB = "nivar"
"""The letters of ``parts_of_speech.txt``."""


_IRREGULAR_THIRD = {"have": "has", "do": "does", "go": "goes", "be": "is", "are": "is", "were": "was"}
_IRREGULAR_MANY = {third: base for base, third in _IRREGULAR_THIRD.items() if base != "be"}
_MODAL = frozenset({"can", "could", "may", "might", "must", "shall", "should", "will", "would"})
_VOWELS = "aeiou"

_PART = pattern_of(r"([a-z])(\d?)")
_CURATED = {
    # Verbs that are younger than WordNet 3.0, and what is no verb in a picture's description.
    "rollerblade": {VERB: 1.0},
    "longboard": {VERB: 0.5, THING: 0.5},
    "wakeboard": {VERB: 0.5, THING: 0.5},
    "match": {IDEA: 0.9, VERB: 0.1},
}

_NOTHING: Mapping[str, float] = MappingProxyType({})


class Tag(StrEnum):
    """The part of speech of a word in its sentence."""

    DETERMINER = auto()
    POSSESSIVE = auto()
    NUMBER = auto()
    ADJECTIVE = auto()
    NOUN = auto()
    PRONOUN = auto()
    BE = auto()
    FINITE = auto()
    """A verb that a clause has only once: walks, walked, has, can."""
    BASE = auto()
    """An infinitive."""
    ING = auto()
    PARTICIPLE = auto()
    TO = auto()
    NOT = auto()
    PREPOSITION = auto()
    ADVERB = auto()
    AND = auto()
    SUBORDINATOR = auto()
    RELATIVE = auto()
    THERE = auto()
    MARK = auto()


VERBS = frozenset({Tag.BE, Tag.FINITE, Tag.BASE, Tag.ING, Tag.PARTICIPLE})

_BY_NEIGHBOURS = {
    "to": Tag.PREPOSITION,
    "there": Tag.ADVERB,
    "that": Tag.DETERMINER,
    "another": Tag.DETERMINER,
    "other": Tag.DETERMINER,
    "be": Tag.BASE,
    "been": Tag.PARTICIPLE,
    "being": Tag.ING,
    "'s": Tag.POSSESSIVE,
}
"""Their usual tags, for a look ahead; tagger.py decides by their neighbours."""

_CLOSED = {
    "article": Tag.DETERMINER,
    "determiner": Tag.DETERMINER,
    "possessive": Tag.POSSESSIVE,
    "pronoun": Tag.PRONOUN,
    "be": Tag.BE,
    "have": Tag.FINITE,
    "modal": Tag.FINITE,
    "negation": Tag.NOT,
    "and": Tag.AND,
    "subordinator": Tag.SUBORDINATOR,
    "relative": Tag.RELATIVE,
    "preposition": Tag.PREPOSITION,
    "adverb": Tag.ADVERB,
}
"""Tags of the words of these lists of ``words.toml``."""


class VerbForm(StrEnum):
    """A form of a verb; a word can have several ("put")."""

    BASE = auto()
    THIRD = auto()
    PAST = auto()
    PARTICIPLE = auto()
    ING = auto()


_OF_BE = {
    "be": VerbForm.BASE, "is": VerbForm.THIRD, "are": VerbForm.BASE, "was": VerbForm.PAST, "were": VerbForm.PAST,
    "been": VerbForm.PARTICIPLE, "being": VerbForm.ING,
}  # fmt: skip

_ENDINGS = {
    "ing": frozenset({VerbForm.ING}),
    "ed": frozenset({VerbForm.PAST, VerbForm.PARTICIPLE}),
    "s": frozenset({VerbForm.THIRD}),
}
"""The forms of regular verbs by their ending."""


class TaggedWord(NamedTuple):
    """A word in lower case with the likelihoods of its kinds, from 0 to 1; a closed word has its tag."""

    text: str
    closed: Tag | None
    """Its tag if it is of a closed class ("the", "and", "3"), else None."""
    verb: float
    """As a verb, by its own line or by that of its infinitive."""
    forms: frozenset[VerbForm]
    """Those that it can be; empty if it is no form of a verb."""
    thing: float
    """As the name of something that a picture shows."""
    idea: float
    """As another noun."""
    adjective: float
    """As an adjective of this very form."""
    adverb: float
    is_plural: bool
    """True of "leaves" and "scissors"; "sheep" counts as a singular."""

    @property
    def noun(self) -> float:
        return self.thing + self.idea

    @property
    def is_nominal(self) -> bool:
        """True if it can stand in a noun phrase, after its determiner."""
        return self.closed is Tag.NUMBER or (self.closed is None and self.noun + self.adjective > 0)


@lru_cache(maxsize=65536)
def look_up(text: str) -> TaggedWord:
    """Returns the entry of a word; an unlisted word is the name of a thing.

    >>> wave, the = look_up("waves"), look_up("the")
    >>> wave.is_plural, wave.verb, wave.idea, [str(form) for form in wave.forms], str(the.closed)
    (True, 0.3, 0.6, ['third'], 'determiner')
    """
    lemma, forms = verb_forms(text)
    own = shares(text)
    is_many = is_plural(text)
    one = singular(text) if is_many else text
    # What the file lacks names a thing ("giraffe"), unless it ends as adverbs do or is a form of a verb.
    as_noun = shares(one) or ({} if own or (forms and not is_many) else {ADVERB if text.endswith("ly") else THING: 1.0})
    return TaggedWord(
        text=text,
        closed=_closed(text),
        verb=(own if VerbForm.BASE in forms else shares(lemma)).get(VERB, 1.0) if forms else 0.0,
        forms=forms,
        thing=as_noun.get(THING, 0.0),
        idea=as_noun.get(IDEA, 0.0),
        adjective=own.get(ADJECTIVE, 0.0),
        adverb=max(own.get(ADVERB, 0.0), as_noun.get(ADVERB, 0.0)),
        is_plural=is_many,
    )


def _closed(text: str) -> Tag | None:
    if not text[0].isalnum() and text[0] not in "'&":
        return Tag.MARK
    return Tag.NUMBER if text[0].isdigit() or text in NUMBER_WORDS else _classes().get(text)


words_of = partial(word_set, _FILE)
"""Returns the words of these lists of ``words.toml``."""


@cache
def _classes() -> Mapping[str, Tag]:
    return _BY_NEIGHBOURS | {word: tag for key, tag in _CLOSED.items() for word in words_of(key)}


@lru_cache(maxsize=65536)
def verb_forms(word: str) -> tuple[str, frozenset[VerbForm]]:
    """Returns the verb of a form and the forms that it can be; ("", nothing) for other words.

    >>> verb_forms("hopping"), verb_forms("ate")
    (('hop', frozenset({<VerbForm.ING: 'ing'>})), ('eat', frozenset({<VerbForm.PAST: 'past'>})))
    """
    if word in _OF_BE:
        return "be", frozenset({_OF_BE[word]})
    # "Has", "does" and "goes" would lose too much by their endings.
    if word in _IRREGULAR_MANY:
        return _IRREGULAR_MANY[word], _ENDINGS["s"]
    if word in _of_irregular():
        return _of_irregular()[word]
    if _is_verb(word):
        return word, frozenset({VerbForm.BASE})
    for ending, forms in _ENDINGS.items():
        if word.endswith(ending):
            lemma = next(filter(_is_verb, _stems(word, ending)), None)
            # An irregular verb has its own past, and none in -ed.
            if lemma is None or (lemma in _irregular() and ending == "ed"):
                continue
            return lemma, forms
    if word.endswith("ing") and len(word) > 5 and not shares(word):
        return word.removesuffix("ing"), _ENDINGS["ing"]  # an unlisted verb: "parkouring"
    return "", frozenset()


def third_person(verb: str) -> str:
    """Returns the verb after "he": "walks" for "walk", "was" for "were". Verbs without a number stay.

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
    """Returns the verb after "they": "walk" for "walks", "were" for "was". Verbs without a number stay.

    >>> plural_form("walks"), plural_form("is"), plural_form("carries"), plural_form("sat")
    ('walk', 'are', 'carry', 'sat')
    """
    if verb in _IRREGULAR_MANY:
        return _IRREGULAR_MANY[verb]
    lemma, forms = verb_forms(verb)
    return lemma if VerbForm.THIRD in forms else verb


def _stems(word: str, ending: str) -> Iterator[str]:
    """The verbs that a form with this ending may be of, the likeliest first."""
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
    # "Lying" is of "lie".
    if ending == "ing" and stem.endswith("y"):
        yield f"{stem[:-1]}ie"
    doubled = len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in _VOWELS
    # "Hopping" is of "hop", but "falling", "passing" and "buzzing" keep both letters.
    if doubled and stem[-1] not in "lsz":
        yield stem[:-1]
    # "Picnicking" is of "picnic".
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
    return {verb: tuple(forms.split()) for verb, forms in toml_table(_FILE)["irregular"].items()}


@cache
def _of_irregular() -> Mapping[str, tuple[str, frozenset[VerbForm]]]:
    """The verb and the forms by each past and participle that has no regular ending."""
    found: dict[str, tuple[str, frozenset[VerbForm]]] = {}
    for verb, forms in _irregular().items():
        for form, is_ in ((forms[0], VerbForm.PAST), (forms[-1], VerbForm.PARTICIPLE)):
            lemma, known = found.get(form, (verb, frozenset()))
            found[form] = lemma, known | {is_}
    # "Put" is its own past, and "lay" that of "lie" as well.
    for verb in found.keys() & _irregular().keys():
        found[verb] = verb, found[verb][1] | {VerbForm.BASE}
    return found


def shares(word: str) -> Mapping[str, float]:
    """Returns the shares of a word, lower case, by the letters of ``parts_of_speech.txt``; empty if unlisted.

    >>> dict(shares("wave")), dict(shares("feel")), dict(shares("giraffe"))
    ({'i': 0.6, 'v': 0.3}, {'v': 1.0}, {})
    """
    curated = _CURATED.get(word)
    if curated is not None:
        return curated
    listed = _lines().get(word)
    return _NOTHING if listed is None else _parsed(listed)


@cache
def _lines() -> Mapping[str, str]:
    text = files("pytest_vqamt.language.units").joinpath("parts_of_speech.txt").read_text(encoding="ascii")
    # Parsed when it is looked up: most runs need few of the 18,700 lines.
    rows = (line.partition(" ") for line in text.splitlines() if not line.startswith("#"))
    return {word: parts for word, _, parts in rows}


@cache
def _parsed(parts: str) -> Mapping[str, float]:
    return MappingProxyType({part: int(tenths or 10) / 10 for part, tenths in _PART.findall(parts)})
