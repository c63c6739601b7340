"""The words of a question and an answer that matter, in one form each, and what excludes what."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import Any

from pytest_vqamt.core.lazy_pattern import pattern_of
from pytest_vqamt.language.captions.naming_words import entries_by_form
from pytest_vqamt.language.english.nouns import singular
from pytest_vqamt.language.english.phrases import descriptions
from pytest_vqamt.language.ontology import ontology
from pytest_vqamt.language.tables import toml_table

_IN_THE_PICTURE = pattern_of(r" (?:in|on|of) (?:the|this) (?:picture|image|photo(?:graph)?|scene)\b")
"""Adds nothing: "the man in the picture" is the man, "the man in the chair" may be another."""

_WORD = pattern_of(r"[^\W_]+(?:-[^\W_]+)*")

POSTURES = frozenset(
    {"stand", "lie", "sit", "locat", "position", "rest", "plac", "kept", "found", "seen", "visible", "park"}
)
"""Verbs that say no more than "is" of a thing in a place, unless they are asked about."""
_ENDS = pattern_of(r"(?!\w*ss$)(\w{2,}?)(?:(?<=([^aeiouls]))\2?|(?<!ss))(?:ing|es|s|ed)")
"""The ends of verbs and plurals: "walks" and "walking" are the same, "walker" is not."""

_LETTERS = pattern_of(r"[a-z]{3,}")

_TOO_SHORT = 3
"""In words of so few letters one more or one less makes another word: "do" of "dog", "cart" of "cat"."""

_NEAR = frozenset(
    [
        "act", "acts", "tow", "for", "our", "flour", "tree", "thee", "there", "then", "even", "sever", "height",
        "weight", "nice", "fie", "fiver", "fried", "hose", "hoses", "cares", "care", "dots", "doge", "does",
        "ended", "mend", "men", "man", "bend", "lien", "line", "lines", "love", "stoned", "laugh", "thought",
        "through", "though", "thorough", "form", "from", "house", "bead", "beads", "beard", "late", "pate",
        "plat", "cot", "cots", "ding", "dong", "weed", "seed", "hot", "sot", "chin", "trail", "trial", "quite",
        "quiet", "angle", "angel", "filed", "sacred", "diary", "dairy", "desert", "dessert", "brown", "blow",
        "below", "blew", "grown",
    ]
)  # fmt: skip
"""Words of English that are a slip away from a number, a colour or a thing, and name neither."""


def content(text: str) -> list[str]:
    """Returns the words that matter, in one form each: verbs without their ends, synonyms as one.

    >>> content("the sofas are standing in front of the fridge")
    ['couch', 'stand', 'before', 'refrigerator']
    """
    return [content_word(word) for word in plain_words(text)]


def plain_words(text: str) -> list[str]:
    """Returns the words that matter as they stand."""
    pattern, words = _phrases()
    text = pattern.sub(lambda found: words[found.lastgroup or ""], text)
    return [word for word in _WORD.findall(_IN_THE_PICTURE.sub("", text)) if word not in _fillers()]


@lru_cache(maxsize=65536)
def content_word(word: str) -> str:
    """The word without the ends of verbs and nouns, so that "sits" and "sitting" are the same."""
    if (form := _forms().get(word)) is not None:
        return form
    # Synonyms are listed in the singular; verbs in -s must not be taken for plurals first.
    word = _synonyms().get(word) or _synonyms().get(singular(word), word)
    found = _ENDS.fullmatch(word)
    return found[1] if found else word


@cache
def _synonyms() -> dict[str, str]:
    """Words that stand for each other in any sentence, by the first of them."""
    pairs = toml_table("english/synonyms.toml")["names"]
    both = {second: first for first, second, *_ in pairs["both_ways"] if " " not in first + second}
    return {**both, **{first: second for first, second, *_ in pairs["one_way"] if " " not in first + second}}


def exclude(one: str, other: str) -> bool:
    """True if no thing is both: by opposites of places and poses, and by the ontology."""
    if frozenset((one, other)) in _opposites() or (one != other and any({one, other} <= each for each in _exclusive())):
        return True
    attributes = _attributes()
    return one in attributes and other in attributes and ontology().excludes(attributes[one], attributes[other])


@cache
def _attributes() -> dict[str, str]:
    """The attributes of the ontology by their forms here: "strip" is "striped"."""
    single = [each for each in sorted(ontology().category_by_attribute) if " " not in each]
    # Where two share a form, the one that is spelled like it is set last, and stays.
    return {content_word(each): each for each in sorted(single, key=lambda each: content_word(each) == each)}


def _table() -> Mapping[str, Any]:
    return toml_table("answers/same_words.toml")


@cache
def _phrases() -> tuple[re.Pattern[str], dict[str, str]]:
    rows = {f"p{number}": row for number, row in enumerate(_table()["phrases"].items())}
    either = "|".join(f"(?P<{name}>{ways})" for name, (ways, _) in rows.items())
    return re.compile(rf"\b(?:{either})\b"), {name: word for name, (_, word) in rows.items()}


@cache
def _fillers() -> frozenset[str]:
    return frozenset(_table()["fillers"])


@cache
def _forms() -> dict[str, str]:
    return {form: word for word, forms in _table()["forms"].items() for form in forms}


@cache
def _opposites() -> frozenset[frozenset[str]]:
    return frozenset(frozenset(map(content_word, pair)) for pair in _table()["opposites"])


@cache
def _exclusive() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(map(content_word, words)) for words in _table()["exclusive"].values())


def without_typing_errors(text: str, expected: Iterable[str]) -> str:
    """Replaces unknown words by the only expected one that a slip of a finger makes of them.

    A slip drops a letter, doubles or adds one, or exchanges two neighbours; in words of three letters only the last, as
    "do" and "cart" are words. Words that English has are left alone.

    >>> without_typing_errors("thre hosres and a tree", ["three", "horses", "four"])
    'three horses and a tree'
    """
    words = tuple(word for word in expected if word.isalpha())
    return _LETTERS.sub(lambda found: _meant(found[0], words), text)


@lru_cache(maxsize=4096)
def _meant(word: str, expected: tuple[str, ...]) -> str:
    if word in expected or word in _known():
        return word
    meant = {each for each in expected if _is_slip(word, each)}
    return meant.pop() if len(meant) == 1 else word


def _is_slip(word: str, meant: str) -> bool:
    """True if one slip of a finger makes ``word`` of what was meant."""
    longer, shorter = sorted((word, meant), key=len, reverse=True)
    if len(longer) == len(shorter):
        differ = [place for place, (one, other) in enumerate(zip(word, meant, strict=True)) if one != other]
        return (
            len(differ) == 2
            and differ[1] == differ[0] + 1
            and (word[differ[0]], word[differ[1]]) == (meant[differ[1]], meant[differ[0]])
        )
    if word.rstrip(word[-1]) == meant.rstrip(meant[-1]) and word[-1] == meant[-1] and len(word) > len(meant):
        return True  # "noooo"
    return (
        len(meant) > _TOO_SHORT
        and len(longer) == len(shorter) + 1
        and any(longer[:place] + longer[place + 1 :] == shorter for place in range(1, len(longer)))
        # Singular and plural are two words, and one or several things.
        and longer != f"{shorter}s"
    )


@cache
def _known() -> frozenset[str]:
    # The package has no dictionary: names, attributes and the words listed above are all it knows.
    return frozenset(" ".join((*entries_by_form(), *descriptions())).split()) | _NEAR
