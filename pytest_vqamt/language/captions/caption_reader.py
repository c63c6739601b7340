"""The classes that a caption names, each as one thing or several."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from types import MappingProxyType

from pytest_vqamt.core.lazy_pattern import pattern_of
from pytest_vqamt.language.captions.mentions import may_corefer, mentions_of
from pytest_vqamt.language.captions.naming_words import (
    PERSON,
    STOP,
    WordShape,
    caption_words,
    class_rows,
    descriptive_adjectives,
    entries_by_form,
    grammar,
)
from pytest_vqamt.language.captions.number import Mention, NounForm, Quantity, read_preceding_words
from pytest_vqamt.language.english.nouns import plural

_DENIALS: tuple[tuple[re.Pattern[str], str], ...] = (
    # "a street without any cars"
    (pattern_of(r"\bwithout (?:any|a single)\b", re.IGNORECASE), "with no"),
    # "neither a cat nor a dog"
    (pattern_of(r"\bneither(?: (?:an?|any|the))?\b", re.IGNORECASE), "no"),
    (
        pattern_of(
            r"\bnor(?: (?:is|are|does|do)(?: there| it| the \w+)?(?: \w+)??)?(?: (?:an?|any|the))?\b", re.IGNORECASE
        ),
        "and no",
    ),
    # "the picture does not show a cat", "there isn't any dog"
    (
        pattern_of(
            r"\b(?:does|do|did|is|are|can|could)(?: not|n['\u2019]t)(?: (?:seem|appear) to)?"
            r"(?: (?:show|contain|have|include|feature|depict|display|see|be))?(?:ing)? (?:any|an?)\b",
            re.IGNORECASE,
        ),
        "no",
    ),
    # "a cloud shaped like a dog" shows no dog
    (
        pattern_of(
            r"\b(?:shaped like|in the shape of|in the form of|resembling|reminiscent of|dressed (?:up )?as|disguised as"
            r"|imitating|as if it were|like that of) (?:an?|the)\b",
            re.IGNORECASE,
        ),
        "no",
    ),
)
"""What denies a mention, or only compares with it, and is written as "no"."""
_NAME = r"[a-z-]+(?: [a-z-]+){0,2}"
_NO_LIST = pattern_of(rf"\bno ({_NAME}(?:, {_NAME}){{0,8}}),? or (?=[a-z])", re.IGNORECASE)

_KINDS = ("animal", "vehicle", "food")
"""Super-categories that name what their classes are; those of "kitchen" are no kitchens, and plants no furniture."""

_UNREAD = frozenset({"skis", "knife", "donut", "tv", "mouse"})
"""Classes of COCO with names of one word that are not among the tool's 60."""

_TOKEN = pattern_of(r"[^\W\d_]+|\d+|[^\s\w]")
_NOUNS_WITH_ORANGE = frozenset(
    {"juice", "slice", "slices", "peel", "peels", "tree", "trees", "soda", "wedge", "wedges"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedClasses:
    """The classes of things that a caption mentions."""

    forms: Mapping[str, NounForm]
    """The form of each class (one thing or several), in the order of first mention."""
    instead: Mapping[str, tuple[str, ...]]
    """The other classes that the word for a class may mean, if only an ambiguous word names it ("bike")."""
    perhaps: Mapping[str, int]
    """The number of words that may name each class, or each super-category ("vehicles"); 0 if a word is only related to
    it ("tennis")."""
    single: tuple[tuple[str, ...], ...]
    """For each word for one thing of several possible classes ("a fruit"), these classes."""


@lru_cache(maxsize=65536)
def read_classes(caption: str) -> NamedClasses:
    """Reads a caption with synonyms, kinds and compounds."""
    mentions = mentions_of(_denials_as_no(caption))
    of_class: dict[str, list[Mention]] = {}
    perhaps: dict[str, int] = {}
    for mention in mentions:
        if mention.classes:
            of_class.setdefault(mention.classes[0], []).append(mention)
        for name in mention.perhaps:
            # A word that is only related to it ("tennis") is 0: it lets the class appear, but excuses no missing one.
            is_name = bool(mention.classes) or (mention.adds and mention.form is NounForm.NONE)
            perhaps[name] = perhaps.get(name, 0) + is_name
    return NamedClasses(
        forms=MappingProxyType({name: _form(name, some) for name, some in of_class.items()}),
        instead=MappingProxyType(
            {
                name: some[0].classes[1:]
                for name, some in of_class.items()
                if all(len(each.classes) > 1 for each in some)
            }
        ),
        perhaps=MappingProxyType(perhaps),
        single=tuple(each.perhaps for each in mentions if not each.classes and each.form is NounForm.SINGULAR),
    )


def _denials_as_no(caption: str) -> str:
    """The caption with all that it denies behind "no": a list, too ("no dogs, cats or birds")."""
    # Mentions are read by the word before them, so all denials are written as that one.
    for pattern, plain in _DENIALS:
        caption = pattern.sub(plain, caption)
    return _NO_LIST.sub(lambda found: f"no {found[1].strip().replace(',', ' or')} or ", caption)


def _form(name: str, mentions: Sequence[Mention]) -> NounForm:
    """Returns plural for two mentions, unless the second is the same thing again ("the dog")."""
    if any(mention.form is NounForm.PLURAL for mention in mentions):
        return NounForm.PLURAL
    things = 0
    for number, mention in enumerate(mentions):
        # "A dog ... the puppy" may be one; "a dog and another dog" are two.
        if mention.form is NounForm.SINGULAR and mention.adds:
            again = mention.definite and any(
                may_corefer(earlier.lemma, mention.lemma, name) for earlier in mentions[:number]
            )
            things += not again
    if things > 1:
        return NounForm.PLURAL
    is_one = things or any(mention.form is NounForm.SINGULAR for mention in mentions)
    return NounForm.SINGULAR if is_one else NounForm.NONE


class CaptionReading(StrEnum):
    """The refined reading, or that of MetaIC's published tool, for comparison.

    Strict names a class of two words where it was inserted; published never names one, as the tool does not.
    """

    REFINED = "refined"
    STRICT = "strict"
    PUBLISHED = "published"


def classes_in(caption: str, reading: CaptionReading = CaptionReading.REFINED) -> Mapping[str, NounForm]:
    """Returns the classes of a caption in the order of first mention, each with its form.

    >>> for name, form in classes_in("a woman and two men with a parrot and a pair of scissors").items():
    ...     print(name, form)
    person plural
    bird singular
    scissors none
    >>> tuple(classes_in("a man and a hot dog", CaptionReading.STRICT))
    ('hot dog', 'dog')
    """
    if reading is CaptionReading.REFINED:
        return read_classes(caption).forms
    asked = _not_published() if reading is CaptionReading.STRICT else ()
    return read_classes_as_published(caption, asked, apart=False)


@cache
def class_of(name: str) -> str | None:
    """Returns the class of a name, None if it has none, such as clothes and sky.

    >>> class_of("man"), class_of("television"), class_of("stuffed bear"), class_of("train station"), class_of("hat")
    ('person', 'tv', 'teddy bear', None, None)
    """
    # As in a caption, so that a compound is of the class of its last word, or of none ("train station").
    words = caption_words(f"a {name}")
    last = next((each for each in reversed(mentions_of(f"a {name}")) if each.classes), None)
    return last.classes[0] if last is not None and last.end == len(words) else None


@cache
def hyponyms(name: str) -> frozenset[str]:
    """Returns the singular words that name nothing but a kind of this class, or of this super-category of classes.

    >>> "puppy" in hyponyms("dog"), "puppy" in hyponyms("animal"), hyponyms("puppy")
    (True, True, frozenset())
    """
    # A word with alternatives ("bike") names no kind for certain.
    classes = {(name,)} if class_of(name) == name else _classes_of_kind(name)
    return frozenset(entry.lemma for entry in entries_by_form().values() if entry.classes in classes)


def _classes_of_kind(kind: str) -> set[tuple[str, ...]]:
    return {(name,) for name, row in class_rows().items() if row.kind == kind} if kind in _KINDS else set()


@cache
def _not_published() -> tuple[str, ...]:
    return tuple(name for name, row in class_rows().items() if row.kind and name not in published_classes())


# The tool (RobustNLP/TestIC, meta_relation_error_report_0.py) goes through Stanza's tokens. A token that is tagged NN
# or NNS and is one of 60 singulars or of their plurals names a class; the tag of the last plural is the class's form,
# and a singular that comes a second time makes it NNS. Here the same is done with a tagger's rules for these words
# instead of a tagger: "orange" and "remote" before a noun are adjectives, "sheep" is NNS but after an article or
# before a verb in the singular, "scissors" always is, "skateboards" after "a man" is a verb, a capital within a
# sentence makes a proper name.
#
# **Deviation:** the paper has no classes but the 60. Others are read as the sequence of their words where they are
# asked for.


@cache
def published_classes() -> tuple[str, ...]:
    """Returns the 60 classes of the paper: those of COCO with names of one word, but for five."""
    return tuple(name for name, row in class_rows().items() if row.kind and " " not in name and name not in _UNREAD)


@lru_cache(maxsize=65536)
def read_classes_as_published(
    caption: str, asked: tuple[str, ...] = (), *, apart: bool = True
) -> Mapping[str, NounForm]:
    """Returns the classes that the caption names by their own words, with their forms: the paper's 60 and ``asked``.

    ``apart``: the words of a longer name name nothing else, such as the bear of "teddy bear" if that is in ``asked``.

    >>> dict(read_classes_as_published("a dog with two hot dogs"))
    {'dog': <NounForm.PLURAL: 'plural'>}
    >>> dict(read_classes_as_published("a hot dog", ("hot dog",)))
    {'hot dog': <NounForm.SINGULAR: 'singular'>}
    """
    spelled = tuple(_TOKEN.findall(caption))
    words = tuple(token.lower() if token[0].isalnum() else STOP for token in spelled)
    phrases, longest = _forms(asked)
    found: dict[str, NounForm] = {}
    at = 0
    while at < len(words):
        step = 1
        for length in range(min(longest, len(words) - at), 0, -1):
            named = phrases.get(words[at : at + length])
            if named is None:
                continue
            if length > 1 or _is_noun(words, at, proper=_is_proper(spelled, at)):
                name, shape = named
                found[name] = NounForm.PLURAL if name in found else _strict_form(words, at, shape)
            # The published tool looks up each token alone, so "hot dog" names a dog there.
            if apart:
                step = length
                break
        at += step
    return MappingProxyType(found)


@cache
def _forms(asked: tuple[str, ...]) -> tuple[Mapping[tuple[str, ...], tuple[str, WordShape]], int]:
    """Returns the words of each form of a name with its class and shape, and the greatest number of words."""
    forms: dict[tuple[str, ...], tuple[str, WordShape]] = {}
    for name in (*published_classes(), *asked):
        many = "broccolis" if name == "broccoli" else plural(name)
        forms[tuple(many.split(" "))] = (name, WordShape.MANY)
        if many != name:
            forms[tuple(name.split(" "))] = (name, WordShape.ONE)
        elif name == "sheep":
            forms[(name,)] = (name, WordShape.BOTH)
    return MappingProxyType(forms), max(map(len, forms))


def _strict_form(words: tuple[str, ...], at: int, shape: WordShape) -> NounForm:
    if shape is not WordShape.BOTH:
        return NounForm.PLURAL if shape is WordShape.MANY else NounForm.SINGULAR
    said = read_preceding_words(words, at, set(), singular=False).count
    is_one = said is Quantity.ONE or (
        said is Quantity.OPEN and words[at + 1 : at + 2] and words[at + 1] in grammar("singular_verbs")
    )
    return NounForm.SINGULAR if is_one else NounForm.PLURAL


def _is_proper(spelled: tuple[str, ...], at: int) -> bool:
    """True if a capital within a sentence makes it a name ("a Frisbee"), unless all is in capitals."""
    word = spelled[at]
    if not word[0].isupper() or at == 0 or spelled[at - 1] in ".!?":
        return False
    # In a caption all in capitals they say nothing.
    return sum(each.isalpha() and each == each.lower() for each in spelled) > len(spelled) / 2


def _is_noun(words: tuple[str, ...], at: int, *, proper: bool) -> bool:
    word = words[at]
    if proper:
        return False
    if word in ("orange", "remote"):
        return not _stands_before_a_noun(words, at)
    return not _is_verb(words, at)


def _stands_before_a_noun(words: tuple[str, ...], at: int) -> bool:
    after = words[at + 1] if at + 1 < len(words) else STOP
    if after in grammar("joining"):
        return at + 2 < len(words) and words[at + 2] in descriptive_adjectives()
    if after == STOP or after in grammar("prepositions", "after_a_fruit", "singular_verbs"):
        # "red and orange": what closes a list of colours is one itself
        return at > 1 and words[at - 1] in grammar("joining") and words[at - 2] in descriptive_adjectives()
    return not (after.endswith(("ing", "ed")) or (words[at] == "orange" and after in _NOUNS_WITH_ORANGE))


def _is_verb(words: tuple[str, ...], at: int) -> bool:
    """True of the verb of the noun before it: "a man skateboards down", "people snowboard"."""
    entry = entries_by_form()[words[at]]
    is_compound = at + 1 < len(words) and words[at + 1].endswith("ing")  # "people kite surfing"
    if at == 0 or is_compound or entry.lemma not in grammar("verbs"):
        return False
    one = entry.shape is WordShape.ONE
    if words[at - 1] == "to":
        return one and (at == 1 or words[at - 2] not in grammar("towards"))
    subject = entries_by_form().get(words[at - 1])
    if subject is None or subject.classes[:1] != (PERSON,):
        return False
    return one == (subject.shape is WordShape.MANY)
