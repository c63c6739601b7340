"""Verdicts on the caption of a picture into which a thing was inserted, given the caption without it.

The expectations of MetaIC (Yu et al., ISSTA 2022, section 3.4):

- object appearance: the classes named after are those named before, and the inserted one;
- singular-plural form: every other class keeps its form; the inserted one is singular, or plural where it was there
  before. It is judged where the first holds.

A class that is missing is an omission, unless an unexpected one appears, which is a misclassification; a form
that is wrong is a quantity.

**Deviations** (``Reading.REFINED``): the paper says in section 4.2.3 what its reading reports without reason; here
that is read right: kinds and synonyms, words without a singular, and beyond it compounds, number words and groups, and
things spoken of twice. A word that may name a class excuses that the class is missing after, or that it appears where
the word was there before ("a surfer", then "a man with a surfboard"; "animals", then "cows"). For the inserted thing
there must be one such word more, and one for all of a super-category ("an animal") does not name it. A word of two
classes ("bike") is of the one that the other caption names. No verdict rests on trees, bushes and flowers that were not
inserted: captions mention them as they please.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations, islice
from typing import NamedTuple

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.lazy_pattern import pattern_of
from pytest_vqamt.language.answers.answer_text import prepare
from pytest_vqamt.language.captions.caption_reader import (
    CaptionReading,
    NamedClasses,
    class_of,
    published_classes,
    read_classes,
    read_classes_as_published,
)
from pytest_vqamt.language.captions.mentions import mentions_of
from pytest_vqamt.language.captions.naming_words import (
    PERSON,
    caption_words,
    class_rows,
    descriptive_adjectives,
    grammar,
)
from pytest_vqamt.language.captions.number import Mention, NounForm, is_adjective
from pytest_vqamt.language.english.nouns import NUMBER_WORDS
from pytest_vqamt.language.wordnet import wordnet

_LARGEST = 20
"""Greater numbers before a noun are mostly years, speeds and names: "a 1950 car"."""
_NEAR = 4
"""Words between a noun and what it is for, or is on, at most."""
_SEVERAL = 2
"""What a plural without a number says at least."""

_SENTENCE_END = pattern_of(r"(?<=[.!?;:\n])\s+")

_PEOPLE = frozenset({"people", "persons"})
_DISPUTED = frozenset({"burger", "cheeseburger", "hamburger", "cupcake", "kayak", "moped"})
"""Kinds by WordNet of which many people say that they are none: a burger is no sandwich to them."""

APPEARANCE = "object_appearance"
FORMS = "singular_plural"


@lru_cache(maxsize=65536)
def least_claimed(caption: str, name: str) -> int:
    """Returns the least number of things of this name that the caption surely says are there; 0 if it says of none.

    A mention counts if its word names a thing of the name and nothing else: the name itself, or a kind of it by
    WordNet. Left out are things denied or guessed, likenesses, parts, games and purposes, and whatever else stands in
    one sentence with a word for these. Mentions are not added up: "two dogs and another dog" may be two.

    >>> least_claimed("Two puppies lie on a couch.", "dog"), least_claimed("a dog with a ball", "dog")
    (2, 1)
    >>> [least_claimed(caption, "dog") for caption in ("There is no dog.", "a statue of a dog", "an animal", "a cat")]
    [0, 0, 0, 0]
    """
    words, named = caption_words(caption), class_of(name)
    return max(
        (
            _number(each, words)
            for each in _sure_mentions(caption, words)
            if each.classes[0] == named and _is_kind(each.lemma, name)
        ),
        default=0,
    )


@lru_cache(maxsize=4096)
def _sure_mentions(caption: str, words: tuple[str, ...]) -> tuple[Mention, ...]:
    """Returns the mentions that stand in a sentence without any word of doubt."""
    mentions = mentions_of(caption)
    of_names = {at for each in mentions if each.classes for at in range(each.start, each.end)}
    doubtful = [
        range(start, end) for start, end in _sentences(caption, words) if _is_doubtful(words, start, end, of_names)
    ]
    return tuple(
        each
        for each in mentions
        if len(each.classes) == 1
        and each.adds
        and each.form is not NounForm.NONE
        and not any(each.start in sentence for sentence in doubtful)
        and grammar("purposes").isdisjoint(_before(words, each.start))
    )


def _sentences(caption: str, words: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Yields the first word of each sentence and the one after its last; all is one sentence where they are unclear."""
    # Split apart, marks may be read as other words ("T.V."); then no sentence can be told from another.
    lengths = [len(caption_words(each)) for each in _SENTENCE_END.split(caption)]
    if sum(lengths) != len(words):
        lengths = [len(words)]
    start = 0
    for length in lengths:
        yield start, start + length
        start += length


def _is_doubtful(words: tuple[str, ...], start: int, end: int, of_names: set[int]) -> bool:
    """True if the words from ``start`` to ``end`` deny, guess, or speak of pictures and toys; names do not count."""
    opening = _opening(words, start, end)
    for at in range(start, end):
        word = words[at]
        if at in opening:
            continue
        # "A dog on a shirt" is a picture of one.
        if word in grammar("carriers") and "on" in _before(words, at):
            return True
        if at not in of_names and (word in grammar("unsure") or (word == "t" and words[at - 1].endswith("n"))):
            return True
    return False


def _opening(words: tuple[str, ...], start: int, end: int) -> Sequence[int]:
    """Returns the words of "A picture of" and "The image shows" at the begin of a sentence."""
    at = start
    while at < end and words[at] in grammar("before_a_picture"):
        at += 1
    if words[at : at + 1] == () or words[at] not in grammar("pictures") or at + 1 >= end:
        return ()
    if words[at + 1] not in grammar("after_a_picture") or not grammar("framing").isdisjoint(words[start:end]):
        return ()
    return range(start, at + 2)


def _before(words: tuple[str, ...], at: int) -> tuple[str, ...]:
    return words[max(at - _NEAR, 0) : at]


@cache
def _is_kind(lemma: str, name: str) -> bool:
    """True if whatever goes by the word is a thing of this name."""
    is_kind = lemma not in _DISPUTED and wordnet().is_kind_of(lemma, name)
    return lemma == name or is_kind or (name == PERSON and lemma in _PEOPLE)


def _number(mention: Mention, words: tuple[str, ...]) -> int:
    """The number of things that a mention says at least, by the words before it."""
    if mention.form is NounForm.SINGULAR:
        return 1
    # Leftward over adjectives: "three small brown dogs".
    for at in range(mention.start - 1, max(mention.start - 1 - _NEAR, -1), -1):
        number = _value(words[at])
        if number is not None:
            return max(_SEVERAL, number)
        if not (is_adjective(words[at]) or words[at] in descriptive_adjectives()):
            break
    return _SEVERAL


def _value(word: str) -> int | None:
    if word.isdecimal():
        # Cut first: Python refuses to read thousands of digits.
        return int(word) if int(word[:4]) <= _LARGEST and len(word) <= len(str(_LARGEST)) else None
    return NUMBER_WORDS.index(word) if word in NUMBER_WORDS[: _LARGEST + 1] else None


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptionVerdict:
    """What a pair of captions violates, or that it violates nothing."""

    violated: bool = False
    """True if it violates a relation; the other fields are empty if not."""
    relation: str = ""
    """``APPEARANCE`` or ``FORMS``."""
    kind: str = ""
    """The kind of error in MetaIC's terms: "omission", "misclassification" or "quantity"."""
    reason: str = ""
    """One clause for each class: "dog is not named"."""


def check_captions(
    before: str, after: str, inserted: str, reading: CaptionReading = CaptionReading.REFINED
) -> CaptionVerdict:
    """Checks both relations; a pair that violates the first is reported for that.

    >>> check_captions("a man on a bench", "a woman and a puppy on a bench", "dog")
    CaptionVerdict(violated=False, relation='', kind='', reason='')
    >>> check_captions("a man on a bench", "a man on a bench", "dog")
    CaptionVerdict(violated=True, relation='object_appearance', kind='omission', reason='dog is not named')

    Raises:
        DataError: a thing of that name is of no class.
    """
    pair = _CaptionPair.of(before, after, inserted, reading)
    appearance = pair.appearance()
    return appearance if appearance.violated else pair.forms()


def check_appearance(
    before: str, after: str, inserted: str, reading: CaptionReading = CaptionReading.REFINED
) -> CaptionVerdict:
    """Checks that the classes named after are those named before and the inserted one.

    Raises:
        DataError: a thing of that name is of no class.
    """
    return _CaptionPair.of(before, after, inserted, reading).appearance()


def check_forms(
    before: str, after: str, inserted: str, reading: CaptionReading = CaptionReading.REFINED
) -> CaptionVerdict | None:
    """Checks singular and plural; None if classes are wrong.

    Raises:
        DataError: a thing of that name is of no class.
    """
    pair = _CaptionPair.of(before, after, inserted, reading)
    return None if pair.appearance().violated else pair.forms()


class CaptionChange(NamedTuple):
    """The classes that one of two captions surely says are there, and the other neither names nor may name."""

    missing: tuple[str, ...]
    """Those of the first caption, in its order."""
    appeared: tuple[str, ...]
    """Those of the second caption, in its order."""


def caption_change(before: str, after: str) -> CaptionChange:
    """Compares the classes of two captions.

    >>> caption_change("a woman with two dogs", "a puppy and a cat near someone")
    CaptionChange(missing=(), appeared=('cat',))
    >>> caption_change("a statue of a horse", "a statue"), caption_change("a bike", "a motorcycle")
    (CaptionChange(missing=(), appeared=()), CaptionChange(missing=(), appeared=()))
    """
    before, after = prepare(before).said, prepare(after).said
    pair = _refined(read_classes(before), read_classes(after))
    return CaptionChange(
        missing=tuple(name for name in pair.missing() if least_claimed(before, name)),
        appeared=tuple(name for name in pair.appeared() if least_claimed(after, name)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _CaptionPair:
    """Two captions as read."""

    inserted: str
    """The class of what was inserted, "" where nothing was."""
    before: Mapping[str, NounForm]
    """The classes of the first caption, each with its form."""
    after: Mapping[str, NounForm]
    """The classes of the second caption, each with its form."""
    excused: frozenset[str]
    """Classes that may be missing, as a word of the second caption may name them."""
    allowed: frozenset[str]
    """Classes that may appear, as a word of the first caption may have named them."""

    @classmethod
    def of(cls, before: str, after: str, inserted: str, reading: CaptionReading) -> _CaptionPair:
        before, after = prepare(before).said, prepare(after).said
        name = class_of(inserted)
        if name is None:
            raise DataError(
                f"Expected the name of a thing that captions are read for, but got inserted={inserted!r}, which is of "
                "no class: name one of COCO's classes, or a thing that is of one"
            )
        # The published reading knows 60 classes. STRICT adds the inserted one; PUBLISHED misses it, as the tool does.
        if reading is not CaptionReading.REFINED:
            asked = () if name in published_classes() or reading is CaptionReading.PUBLISHED else (name,)
            first, second = read_classes_as_published(before, asked), read_classes_as_published(after, asked)
            return cls(inserted=name, before=first, after=second, excused=frozenset(), allowed=frozenset())
        return _refined(read_classes(before), read_classes(after), name)

    def missing(self) -> tuple[str, ...]:
        wanted = dict.fromkeys((*self.before, *((self.inserted,) if self.inserted else ())))
        return tuple(name for name in wanted if name not in self.after and name not in self.excused)

    def appeared(self) -> tuple[str, ...]:
        return tuple(
            name for name in self.after if name not in (*self.before, self.inserted) and name not in self.allowed
        )

    def appearance(self) -> CaptionVerdict:
        """The verdict on the classes: none missing, none new but the inserted one."""
        missing, appeared = self.missing(), self.appeared()
        if not missing and not appeared:
            return CaptionVerdict()
        reasons = [f"{name} is not named" for name in missing]
        reasons += [f"{name} is named, which was neither there nor inserted" for name in appeared]
        return CaptionVerdict(
            violated=True,
            relation=APPEARANCE,
            kind="misclassification" if appeared else "omission",
            reason="; ".join(reasons),
        )

    def forms(self) -> CaptionVerdict:
        """The verdict on singular and plural."""
        reasons = []
        for name, form in self.after.items():
            expected = self._expected_form(name)
            if NounForm.NONE not in (form, expected) and form is not expected:
                reasons.append(f"{name} is {form}, and must be {expected}")
        if not reasons:
            return CaptionVerdict()
        return CaptionVerdict(violated=True, relation=FORMS, kind="quantity", reason="; ".join(reasons))

    def _expected_form(self, name: str) -> NounForm:
        """The form that the class must have after; NONE where any will do."""
        known = self.before.get(name)
        if name != self.inserted:
            return known or NounForm.NONE
        # A new thing is one; where a vague word was before, it may have been another.
        if known is None:
            return NounForm.NONE if name in self.allowed else NounForm.SINGULAR
        return NounForm.NONE if known is NounForm.NONE else NounForm.PLURAL


def _refined(before: NamedClasses, after: NamedClasses, inserted: str = "") -> _CaptionPair:
    """The pair by the refined reading: ambiguous words settled, excuses and scenery apart."""
    first = _settled(before, after.forms)
    second = _settled(after, first, inserted)
    # For the inserted thing a vague word counts only if there is one more of it than before.
    more = _times(after, inserted) > _times(before, inserted)
    may_after = _of_classes(name for name, times in after.perhaps.items() if times)
    excused = {name for name in may_after if name != inserted or more or name in first}
    # "A fruit" is one thing of several classes, so it can stand for one missing class only.
    for names in after.single:
        one = (name for name in first if name != inserted and first[name] is not NounForm.PLURAL)
        missing = (name for name in (*one, *((inserted,) if more and inserted not in first else ())))
        kinds = _of_classes(names)
        excused.update(islice((name for name in missing if name in kinds and name not in {*second, *excused}), 1))
    return _CaptionPair(
        inserted=inserted,
        before=_judged(first, inserted),
        after=_judged(second, inserted),
        excused=frozenset(excused),
        allowed=_of_classes(before.perhaps),
    )


def _times(named: NamedClasses, name: str) -> int:
    return named.perhaps.get(name, 0) + sum(name in names for names in named.single)


def _of_classes(perhaps: Iterable[str]) -> frozenset[str]:
    """Returns the classes that these words may name; for a super-category, all of its classes."""
    return frozenset(each for name in perhaps for each in ((name,) if name in class_rows() else _classes_of(name)))


@cache
def _classes_of(kind: str) -> tuple[str, ...]:
    return tuple(name for name, row in class_rows().items() if row.kind == kind)


def _settled(named: NamedClasses, others: Mapping[str, NounForm], inserted: str = "") -> Mapping[str, NounForm]:
    """Returns the forms; a word of two classes counts for the one among ``others``, or inserted and of its kind."""
    found: dict[str, NounForm] = {}
    for name, form in named.forms.items():
        own = {*others, *((inserted,) if inserted and class_rows()[inserted].kind == class_rows()[name].kind else ())}
        instead = next((each for each in named.instead.get(name, ()) if each in own), name)
        chosen = name if name in {*own, inserted} else instead
        # Two words for one class are two things of it.
        found[chosen] = NounForm.PLURAL if chosen in found else form
    return found


def _judged(forms: Mapping[str, NounForm], inserted: str) -> Mapping[str, NounForm]:
    return {name: form for name, form in forms.items() if name == inserted or not class_rows()[name].scenery}


# For captions c1, c2, c3 of a picture, the super-categories that c1 and c2 both name must be among those of c3: what
# two people speak of is what the picture is about. **Deviation:** the paper looks for ten classes; here it is all 80
# of COCO. A word that may name something of a super-category, and one for all of it ("vehicles"), counts for c3, not
# for c1, c2.


class SuperCategories(NamedTuple):
    """The super-categories that a caption names and may name, as bits."""

    named: int
    """Those that it names for certain."""
    perhaps: int
    """Those that a word of it may name, without those that it names."""


class IncompleteCaption(NamedTuple):
    """A caption that leaves out what two others of its picture share."""

    place: int
    """Its place among the captions of the picture, from 0."""
    missing: int
    """The super-categories that it lacks, as bits."""
    times: int
    """The pairs of other captions that share one of them."""


def super_categories(caption: str) -> SuperCategories:
    """Returns COCO's super-categories of the caption.

    >>> [super_category_names(some) for some in super_categories("a woman with a bag and a cup of tea")]
    [('person', 'kitchen'), ('accessory',)]
    """
    named = read_classes(caption)
    sure = _bits(named.forms)
    return SuperCategories(sure, _bits(named.perhaps) & ~sure)


def incomplete_captions(captions: Sequence[SuperCategories]) -> Iterator[IncompleteCaption]:
    """Yields the captions of one picture that lack what two others share."""
    for place, caption in enumerate(captions):
        has = caption.named | caption.perhaps
        others = [other.named & ~has for number, other in enumerate(captions) if number != place]
        shared = [both for a, b in combinations(others, 2) if (both := a & b)]
        if shared:
            missing = 0
            for both in shared:
                missing |= both
            yield IncompleteCaption(place, missing, len(shared))


def super_category_names(bits: int) -> tuple[str, ...]:
    """Returns the names in COCO's order."""
    kinds = dict.fromkeys(row.kind for row in class_rows().values() if row.kind)
    return tuple(kind for kind in kinds if bits & _bit_of()[kind])


@cache
def _bit_of() -> Mapping[str, int]:
    """Returns a bit by super-category, and the same bit by each of its classes."""
    rows = class_rows()
    kinds = tuple(dict.fromkeys(row.kind for row in rows.values() if row.kind))
    bits = {kind: 1 << number for number, kind in enumerate(kinds)}
    return {**{name: bits.get(row.kind, 0) for name, row in rows.items()}, **bits}


def _bits(names: Iterable[str]) -> int:
    found = 0
    for name in names:
        found |= _bit_of()[name]
    return found
