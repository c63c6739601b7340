"""The words and phrases of a caption that name a thing, with their number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from functools import cache
from itertools import pairwise

from pytest_vqamt.language.captions.disambiguation import PhraseContext, disambiguate
from pytest_vqamt.language.captions.naming_words import (
    PERSON,
    STOP,
    ClassRow,
    LexiconEntry,
    PhraseSpan,
    WordShape,
    caption_words,
    class_rows,
    entries_by_form,
    grammar,
    people,
    phrases,
    spans_of,
)
from pytest_vqamt.language.captions.number import (
    Mention,
    NounForm,
    PrecedingWords,
    Quantity,
    is_adjective,
    noun_form,
    read_preceding_words,
)
from pytest_vqamt.language.english.nouns import plural, singular
from pytest_vqamt.language.units.lexicon import VerbForm, look_up
from pytest_vqamt.language.wordnet import wordnet

_OF_ANIMALS = frozenset({"adult", "mother", "mama", "momma", "father", "parent", "male", "female", "juvenile"})
"""Of an animal even with an article of its own; "a kid and a baby elephant" are two, one of them a person."""
_DRESSED = frozenset({"dressed", "disguised", "up", "costumed", "looks", "look", "looking", "acting", "posing"})

_SEX_AND_AGE = {
    "man": ("male", "grown"),
    "woman": ("female", "grown"),
    "boy": ("male", "young"),
    "girl": ("female", "young"),
    "child": ("", "young"),
    "adult": ("", "grown"),
}


def mentions_of(caption: str) -> tuple[Mention, ...]:
    """Returns everything that the caption names or may name, from left to right."""
    words = caption_words(caption)
    reader = _MentionReader(words, spans_of(words))
    for at in range(len(reader.spans)):
        reader.read(at)
    return resolve_elided(words, reader.found)


class _MentionReader:
    """Reads the phrases of one caption from left to right."""

    def __init__(self, words: tuple[str, ...], spans: list[PhraseSpan]) -> None:
        self.words = words
        self.spans = spans
        self.found: list[Mention] = []
        self._taken: set[int] = set()  # words that are nouns themselves, where a determiner of a later noun ends
        self._plural: set[int] = set()  # phrases that are two by "a mother and a baby" before them
        self._denied_up_to = -1  # the end of the last denied phrase
        self._kin_of = ""  # the animal of "mother bear", whose young come later
        self._somebody = False  # a person was named

    def read(self, at: int) -> None:
        """Reads one phrase: a mention, words that may name something, or nothing."""
        span = self.spans[at]
        word = disambiguate(self._around(at))
        if word is None or self._only_describes(at, word):
            return
        said = read_preceding_words(self.words, span.start, self._taken, singular=word.shape is WordShape.ONE)
        if not word.classes:
            if word.perhaps:
                # "A fruit" is one thing of the classes that it may name; "fruit" says nothing of number.
                is_one = word.lemma in grammar("one_of_many") and said.count is Quantity.ONE
                form = NounForm.SINGULAR if is_one and word.shape is not WordShape.MANY else NounForm.NONE
                self._add(span, word, form=form, adds=word.lemma not in grammar("evoking"))
            return
        if said.denied or self._denied_with_the_last(span):
            self._denied_up_to = span.end
            return
        self._mention(at, word, said)

    def _mention(self, at: int, word: LexiconEntry, said: PrecedingWords) -> None:
        """Adds the mention of a class, with its number and with what the next words make of it."""
        span, name = self.spans[at], word.classes[0]
        row = class_rows()[name]
        form = (
            NounForm.PLURAL
            if at in self._plural
            else noun_form(word.shape, said, self.words, span.end, is_food=row.kind == "food")
        )
        # "Playing frisbee" is a game, with however many.
        if row.kind == "sports" and self._is_played(span.start):
            form = NounForm.NONE
        adds = word.shape is not WordShape.LACKING and said.count not in (Quantity.PIECE, Quantity.PIECES)
        match self._followed(at, word, said):
            # "Bus stop" names no bus, "zebra suitcase" something that looks like one, "train door" a part of a train.
            case Follower.OTHER:
                return
            case (Follower.LOOKS | Follower.DOUBT) as followed:
                perhaps = replace(word, classes=(), perhaps=(*word.classes, *word.perhaps))
                self._add(span, perhaps, adds=followed is Follower.DOUBT)
                return
            case Follower.PART:
                form, adds = NounForm.NONE, False
        adds = adds and not self._is_the_last_one(span, name) and not self._is_only_like(span)
        self._add(span, word, form=form, definite=said.definite and not said.other, adds=adds)
        self._taken.update(range(span.start, span.end))
        self._somebody = self._somebody or name == PERSON

    def _followed(self, at: int, word: LexiconEntry, said: PrecedingWords) -> Follower | None:
        """What the next words make of the thing; None if it stays what it is."""
        name, end, after = word.classes[0], self.spans[at].end, self._adjacent(at)
        if word.shape is WordShape.MANY:
            return None
        if after is not None and self._says_it_again(word, after):
            return Follower.OTHER
        if name == PERSON:
            return None
        has_article = said.count is Quantity.ONE or said.definite or said.owned
        # What the tables list beats the rules for other nouns.
        listed = follower(self.words, end, name, has_article=has_article)
        if listed is not None or word.shape not in (WordShape.ONE, WordShape.MASS):
            return listed
        if after is not None and PERSON in after.classes[:1]:
            return Follower.DOUBT
        if after is not None:
            # "A zebra suitcase on a bed", but not "with a sink toilet and tub", a list without commas.
            return Follower.LOOKS if said.count is Quantity.ONE and self._ends_a_phrase(at + 1) else None
        return compound(self.words, end, may_be_many=not has_article)

    def _add(
        self,
        span: PhraseSpan,
        word: LexiconEntry,
        *,
        form: NounForm = NounForm.NONE,
        definite: bool = False,
        adds: bool = True,
    ) -> None:
        self.found.append(
            Mention(
                lemma=word.lemma, start=span.start, end=span.end, form=form,
                classes=word.classes, perhaps=word.perhaps, definite=definite, adds=adds,
            )
        )  # fmt: skip

    def _around(self, at: int) -> PhraseContext:
        return PhraseContext(
            words=self.words,
            spans=self.spans,
            at=at,
            person_before=self._somebody,
            kin_of=self._kin_of,
            subject=self._subject(self.spans[at].start),
        )

    def _subject(self, start: int) -> NounForm | None:
        """Returns the form of a person or an animal whose name ends at ``start``."""
        last = self.found[-1] if self.found else None
        if last is None or not last.classes or last.end != start:
            return None
        return last.form if class_rows()[last.classes[0]].kind in (PERSON, "animal") else None

    def _adjacent(self, at: int) -> LexiconEntry | None:
        """Returns the meaning of the phrase right after this one."""
        after = self.spans[at + 1] if at + 1 < len(self.spans) else None
        return after.word if after is not None and after.start == self.spans[at].end else None

    def _ends_a_phrase(self, at: int) -> bool:
        """True if no "and", comma or noun comes after a phrase with a class, so that it is no part of a list."""
        span, words = self.spans[at], self.words
        nothing = all(word == STOP for word in words[span.end :])
        return bool(span.word.classes) and (nothing or words[span.end] in grammar("prepositions", "singular_verbs"))

    def _only_describes(self, at: int, word: LexiconEntry) -> bool:
        """True of the age, sex or trade of the next thing: "police car", "mother and baby elephant"."""
        span = self.spans[at]
        after = self._adjacent(at)
        if " ".join(self.words[span.start : span.end]) not in people()["modifiers"]:
            return False
        if after is None and self.words[span.end : span.end + 1] == ("and",):
            return self._joined_to_another(at)
        # Before people it is a person as well ("police man", "man woman and child"), unless it says more of them.
        if after is None or PERSON in after.classes[:1] or (PERSON in after.perhaps and not after.classes):
            return after is not None and (not word.classes or word.shape is WordShape.MANY)
        if after.is_animal and after.classes:
            self._kin_of = after.classes[0]
        return True

    def _joined_to_another(self, at: int) -> bool:
        """True if "and", another such word and an animal follow, which are two: "an adult and a baby elephant"."""
        end = self.spans[at].end
        both_with_article = self.spans[at].word.lemma in _OF_ANIMALS and self.words[end + 1 : end + 2] in (
            ("a",),
            ("an",),
        )
        if at + 2 >= len(self.spans) or self.spans[at + 1].start != end + (2 if both_with_article else 1):
            return False
        another, animal = self.spans[at + 1], self.spans[at + 2]
        joined = " ".join(self.words[another.start : another.end]) in people()["modifiers"]
        if not (joined and animal.start == another.end and animal.word.is_animal):
            return False
        self._plural.add(at + 2)
        return True

    def _says_it_again(self, word: LexiconEntry, after: LexiconEntry) -> bool:
        """True if the next word names the same thing: "taxi cab", not "man woman and child"."""
        same = word.classes[:1] == after.classes[:1]
        return same and may_corefer(word.lemma, after.lemma, word.classes[0])

    def _is_the_last_one(self, span: PhraseSpan, name: str) -> bool:
        """True of a predicate of the last thing: "the man is a surfer"."""
        last = next((each for each in reversed(self.found) if each.classes), None)
        # Only one thing can be one: "the men are surfers" has another form.
        if last is None or last.classes[0] != name or last.form is not NounForm.SINGULAR:
            return False
        between = self.words[last.end : span.start]
        return len(between) > 1 and between[0] in ("is", "was") and between[1] in grammar("one")

    def _is_only_like(self, span: PhraseSpan) -> bool:
        """True if it is only a likeness: "dressed as a pirate"."""
        near = self.words[max(span.start - 5, 0) : span.start]
        return any(a in _DRESSED and b in ("as", "like") for a, b in pairwise(near))

    def _is_played(self, start: int) -> bool:
        """True if it is a game: "playing frisbee", "a game of frisbee"."""
        return self.words[max(start - 1, 0)] in grammar("playing") or self.words[max(start - 2, 0) : start] == (
            "game",
            "of",
        )

    def _denied_with_the_last(self, span: PhraseSpan) -> bool:
        """True if "or" joins it to something denied: "no cars or people"."""
        return self.words[self._denied_up_to : span.start] in (("or",), ("nor",))


def resolve_elided(words: tuple[str, ...], found: Sequence[Mention]) -> tuple[Mention, ...]:
    """Returns the mentions, in the plural where "another" or "a green one" adds a second thing."""
    mentions = list(found)
    # "A red bus and a green one" are two buses, although only one is named.
    for at in range(1, len(words)):
        if words[at] not in ("another", "other", "one") or not _ends_its_phrase(words, at):
            continue
        before = [number for number, each in enumerate(mentions) if each.end <= at and each.classes]
        again = _again(words, at, mentions, before)
        if again is not None and mentions[again].form is NounForm.SINGULAR:
            mentions[again] = replace(mentions[again], form=NounForm.PLURAL)
    return tuple(mentions)


def _again(words: tuple[str, ...], at: int, mentions: Sequence[Mention], before: Sequence[int]) -> int | None:
    """Returns the place of the mention that "another", "other" or "one" repeats; None if unclear."""
    match words[at]:
        # "One another" is a pronoun; "one zebra beside another" is a second zebra.
        case "another" if words[at - 1] != "one":
            return before[-1] if before else None
        case "other" if words[at - 1] == "the":
            ones = [
                number
                for number in before
                if "one" in words[max(mentions[number].start - 2, 0) : mentions[number].start]
            ]
            return ones[-1] if len(ones) == 1 else None
        case "one" if _tells_apart(words, at):
            # "A man with a red bus and a green one": the one is no man.
            things = [number for number in before if mentions[number].classes[0] != PERSON]
            return things[0] if len(things) == 1 else None
        case _:
            return None


def _ends_its_phrase(words: tuple[str, ...], at: int) -> bool:
    """True if no noun follows: "another one" and "the other one" end with their last word."""
    after = words[at + 1] if at + 1 < len(words) else STOP
    return (
        after in (STOP, "one") or after.endswith("ing") or after in grammar("joining", "prepositions", "singular_verbs")
    )


def _tells_apart(words: tuple[str, ...], at: int) -> bool:
    """True if an article and adjectives stand before "one": "a green one"."""
    first = at
    while first > 0 and is_adjective(words[first - 1]):
        first -= 1
    return 0 < first < at and words[first - 1] in ("a", "an", "the")


def may_corefer(a: str, b: str, name: str) -> bool:
    """True if both words may name the same thing of class ``name``.

    >>> may_corefer("surfer", "man", "person"), may_corefer("woman", "man", "person")
    (True, False)
    >>> may_corefer("puppy", "dog", "dog")
    True
    """
    if name != PERSON:
        return True
    of_a, of_b = _traits().get(a, ("", "")), _traits().get(b, ("", ""))
    return all(not one or not other or one == other for one, other in zip(of_a, of_b, strict=True))


@cache
def _traits() -> Mapping[str, tuple[str, str]]:
    return {name: traits for section, traits in _SEX_AND_AGE.items() for name in people()[section]}


class Follower(StrEnum):
    """What the words after a name make of it, by phrases.toml or as other nouns."""

    PART = "a part of the thing"
    OTHER = "another thing"
    LOOKS = "something that only looks like it"
    DOUBT = "another thing, or one more of a list"


def follower(words: tuple[str, ...], end: int, name: str, *, has_article: bool) -> Follower | None:
    """Returns the kind of the words after the name of a thing of class ``name`` that ends before ``end``.

    "A bus stops" has a verb, since "a" needs a singular; "bus stops" has none.

    >>> follower(("a", "bus", "stop"), 2, "bus", has_article=True)
    <Follower.OTHER: 'another thing'>
    >>> follower(("a", "bus", "stops"), 2, "bus", has_article=True)
    """
    if end >= len(words):
        return None
    found = _followers(name)
    for length in (3, 2, 1):
        after = words[end : end + length]
        kind = found.get(after) if len(after) == length else None
        if kind is not None and not (has_article and _is_verb(words, end)):
            return kind
    return None


def compound(words: tuple[str, ...], end: int, *, may_be_many: bool) -> Follower | None:
    """Returns the kind of an unlisted word after a name in the singular, which may make another thing of it.

    ``may_be_many``: no determiner demands a singular: "dog toys", and not "a dog toys".
    """
    if words[end : end + 1] and words[end].endswith("ed") and _is_noun(words, end + 1, or_class=True):
        # "A boat filled harbor" has boats, "a zebra striped chair" has no zebra.
        return Follower.PART if words[end] in grammar("holding") else Follower.LOOKS
    if not _is_noun(words, end, may_be_many=may_be_many):
        return None
    last = next(at for at in range(end + 1, len(words) + 1) if not _is_noun(words, at))
    bare = grammar("one", "same", "whose").isdisjoint(words[last + 1 : last + 2])
    is_list = words[last : last + 1] == ("and",) and bare
    # "A toilet bathtub and sink" is a list without its comma; "a dog toy and a ball" is not.
    return Follower.DOUBT if is_list else Follower.OTHER


def _is_noun(words: tuple[str, ...], at: int, *, may_be_many: bool = True, or_class: bool = False) -> bool:
    """True if the word there is a noun, of no class unless ``or_class``: "sweater", not "eats" and not "indoors"."""
    if at >= len(words) or words[at] in entries_by_form() or words[at] in phrases()["after"]["likenesses"]:
        return or_class and at < len(words) and not is_adjective(words[at])
    word = look_up(words[at])
    is_noun = word.closed is None and word.forms <= {VerbForm.BASE, *((VerbForm.THIRD,) if word.is_plural else ())}
    is_thing = is_noun and word.thing >= max(word.adjective + word.adverb, 0.5)
    return is_thing and (may_be_many or not word.is_plural) and wordnet().sense(singular(words[at])) is not None


def _is_verb(words: tuple[str, ...], at: int) -> bool:
    """True if a word after "a" and a name is its verb: "a bus stops", "a zebra crossing the street"."""
    if words[at] == "shaped":
        # "A cake shaped like a train", not "a train shaped cake".
        return words[at + 1 : at + 2] != () and words[at + 1] in grammar("prepositions")
    doing = (
        words[at].endswith("ing") and words[at + 1 : at + 2] != () and words[at + 1] in grammar("one", "same", "whose")
    )
    return doing or words[at] in grammar("singular_verbs")


@cache
def _followers(name: str) -> Mapping[tuple[str, ...], Follower]:
    """Returns the words for one class; its own override those for all."""
    row = class_rows().get(name, ClassRow())
    after = phrases()["after"]
    listed = (
        (after["looks"], Follower.LOOKS),
        (after["parts"], Follower.PART),
        (after["others"], Follower.OTHER),
        (after["likenesses"], None),
        (row.parts, Follower.PART),
        (row.others, Follower.OTHER),
    )
    found = {form: kind for names, kind in listed for form in _forms(names)}
    return {form: kind for form, kind in found.items() if kind is not None}


def _forms(names: Iterable[str]) -> Iterable[tuple[str, ...]]:
    for name in names:
        yield caption_words(name)
        if not name.startswith("of "):
            yield caption_words(plural(name))
