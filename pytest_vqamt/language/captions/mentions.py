"""What a caption mentions: each word or phrase that names a thing, with its number, as the words around it have it."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from pytest_vqamt.language.captions.disambiguation import Around, meant
from pytest_vqamt.language.captions.elided import with_elided
from pytest_vqamt.language.captions.followers import Follower, follower
from pytest_vqamt.language.captions.forms import Form, form_of
from pytest_vqamt.language.captions.lexicon import Shape, Span, Word, spans_of
from pytest_vqamt.language.captions.mention import Mention
from pytest_vqamt.language.captions.number import Before, Count, before
from pytest_vqamt.language.captions.persons import may_be_the_same
from pytest_vqamt.language.captions.tables import PERSON, class_rows, grammar, people
from pytest_vqamt.language.captions.words import words_of


def mentions_of(caption: str) -> tuple[Mention, ...]:
    """Everything that the caption names or may name, from left to right."""
    words = words_of(caption)
    reader = _Reader(words, spans_of(words))
    for at in range(len(reader.spans)):
        reader.read(at)
    return with_elided(words, reader.found)


class _Reader:
    """Goes through the phrases of one caption from left to right."""

    def __init__(self, words: tuple[str, ...], spans: list[Span]) -> None:
        self.words = words
        self.spans = spans
        self.found: list[Mention] = []
        self._taken: set[int] = set()
        self._plural: set[int] = set()
        self._denied_up_to = -1
        self._kin_of = ""
        self._somebody = False

    def read(self, at: int) -> None:
        span = self.spans[at]
        word = meant(self._around(at))
        if word is None or self._only_describes(at, word):
            return
        if not word.classes:
            if word.perhaps:
                self._add(span, word)
            return
        said = before(self.words, span.start, self._taken, singular=word.shape is Shape.ONE)
        if said.denied or self._denied_with_the_last(span):
            self._denied_up_to = span.end
            return
        self._mention(at, word, said)

    def _mention(self, at: int, word: Word, said: Before) -> None:
        span, name = self.spans[at], word.classes[0]
        row = class_rows()[name]
        form = (
            Form.PLURAL
            if at in self._plural
            else form_of(word.shape, said, self.words, span.end, is_food=row.kind == "food")
        )
        if row.kind == "sports" and self._is_played(span.start):
            form = Form.NONE
        adds = word.shape is not Shape.LACKING and said.count not in (Count.PIECE, Count.PIECES)
        if word.shape is not Shape.MANY:
            has_article = said.count is Count.ONE or said.definite or said.owned
            followed = None if name == PERSON else follower(self.words, span.end, name, has_article=has_article)
            after = self._adjacent(at)
            if followed is Follower.OTHER or (after is not None and self._says_it_again(word, after)):
                return
            if followed is Follower.LOOKS or (after is not None and name != PERSON and PERSON in after.classes[:1]):
                self._add(span, replace(word, classes=(), perhaps=(*word.classes, *word.perhaps)))
                return
            if followed is Follower.PART:
                form, adds = Form.NONE, False
        adds = adds and not self._is_the_last_one(span, name) and not self._is_only_like(span)
        self._add(span, word, form=form, definite=said.definite and not said.other, adds=adds)
        self._taken.update(range(span.start, span.end))
        self._somebody = self._somebody or name == PERSON

    def _add(
        self, span: Span, word: Word, *, form: Form = Form.NONE, definite: bool = False, adds: bool = True
    ) -> None:
        self.found.append(
            Mention(
                lemma=word.lemma, start=span.start, end=span.end, form=form,
                classes=word.classes, perhaps=word.perhaps, definite=definite, adds=adds,
            )
        )  # fmt: skip

    def _around(self, at: int) -> Around:
        return Around(
            words=self.words,
            spans=self.spans,
            at=at,
            person_before=self._somebody,
            kin_of=self._kin_of,
            subject=self._subject(self.spans[at].start),
        )

    def _subject(self, start: int) -> Form | None:
        """The form of somebody or of an animal whose name ends at ``start``."""
        last = self.found[-1] if self.found else None
        if last is None or not last.classes or last.end != start:
            return None
        return last.form if class_rows()[last.classes[0]].kind in (PERSON, "animal") else None

    def _adjacent(self, at: int) -> Word | None:
        """What the phrase right after this one can name."""
        after = self.spans[at + 1] if at + 1 < len(self.spans) else None
        return after.word if after is not None and after.start == self.spans[at].end else None

    def _only_describes(self, at: int, word: Word) -> bool:
        """Whether it says of what age, sex or trade the thing after it is: "police car", "mother and baby elephant"."""
        span = self.spans[at]
        after = self._adjacent(at)
        if " ".join(self.words[span.start : span.end]) not in people()["modifiers"]:
            return False
        if after is None and self.words[span.end : span.end + 1] == ("and",):
            return self._joined_to_another(at)
        if after is None or PERSON in after.classes[:1] or (PERSON in after.perhaps and not after.classes):
            return after is not None and (not word.classes or word.shape is Shape.MANY)
        if after.is_animal and after.classes:
            self._kin_of = after.classes[0]
        return True

    def _joined_to_another(self, at: int) -> bool:
        """Whether "and", another such word and an animal follow, which then are two: "an adult and a baby elephant"."""
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

    def _says_it_again(self, word: Word, after: Word) -> bool:
        """Whether the next word names the same thing: "taxi cab", "woman skier", but not "man woman and child"."""
        same = word.classes[:1] == after.classes[:1]
        return same and may_be_the_same(word.lemma, after.lemma, word.classes[0])

    def _is_the_last_one(self, span: Span, name: str) -> bool:
        """Whether it says what the thing named last is: "the man is a surfer"."""
        last = next((each for each in reversed(self.found) if each.classes), None)
        if last is None or last.classes[0] != name or last.form is not Form.SINGULAR:
            return False
        between = self.words[last.end : span.start]
        return len(between) > 1 and between[0] in ("is", "was") and between[1] in grammar().one

    def _is_only_like(self, span: Span) -> bool:
        """Whether it says what somebody looks like: "dressed as a pirate"."""
        near = self.words[max(span.start - 5, 0) : span.start]
        return any(a in _DRESSED and b in ("as", "like") for a, b in pairwise(near))

    def _is_played(self, start: int) -> bool:
        """Whether it is a game: "playing frisbee", "a game of frisbee"."""
        return self.words[max(start - 1, 0)] in grammar().playing or self.words[max(start - 2, 0) : start] == (
            "game",
            "of",
        )

    def _denied_with_the_last(self, span: Span) -> bool:
        """Whether "or" joins it to what was denied: "no cars or people"."""
        return self.words[self._denied_up_to : span.start] in (("or",), ("nor",))


_OF_ANIMALS = frozenset({"adult", "mother", "mama", "momma", "father", "parent", "male", "female", "juvenile"})
"""Of an animal even with an article of its own: "a kid and a baby elephant" are two, one of them a person."""
_DRESSED = frozenset({"dressed", "disguised", "up", "costumed", "looks", "look", "looking", "acting", "posing"})
