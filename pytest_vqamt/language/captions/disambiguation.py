"""Words with several meanings: "orange" a fruit or a colour, "bats" a noun or a verb, "its baby" an elephant."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pytest_vqamt.language.captions.naming_words import (
    PERSON,
    STOP,
    LexiconEntry,
    PhraseSpan,
    WordShape,
    class_rows,
    descriptive_adjectives,
    grammar,
    people,
    several_words,
)
from pytest_vqamt.language.captions.number import NounForm, is_adjective

_COLLECTIVE = frozenset({"crowd", "family", "team", "crew", "audience", "group", "pair", "duo", "trio", "band", "gang"})
_SEXES = frozenset({"male", "female"})
_IMPLYING = frozenset({"sports", "vehicle"})
"""Super-categories of verbs that need the thing: "to snowboard"."""
_OWNERS = frozenset({"its", "her", "his", "their"})
_SHADES = frozenset({"bright", "dark", "light", "pale", "neon", "deep", "burnt"})
_STUFFED = frozenset({"stuffed", "plush"})
_VESSELS = frozenset({"bowl", "basket", "bag", "plate"})
_NEAR = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class PhraseContext:
    """A listed phrase in its caption."""

    words: tuple[str, ...]
    """All words of the caption."""
    spans: Sequence[PhraseSpan]
    """All listed phrases of the caption."""
    at: int
    """The place of this one among them."""
    person_before: bool
    """True if somebody was named before."""
    kin_of: str
    """The animal that was called a mother or a baby ("a mother bear"), "" without one."""
    subject: NounForm | None
    """The form of the person or animal whose name ends where this phrase starts; None without one."""

    @property
    def span(self) -> PhraseSpan:
        return self.spans[self.at]

    @property
    def previous(self) -> str:
        return self.words[self.span.start - 1] if self.span.start else STOP

    @property
    def next(self) -> str:
        return self.words[self.span.end] if self.span.end < len(self.words) else STOP

    def before(self, most: int) -> tuple[str, ...]:
        return self.words[max(self.span.start - most, 0) : self.span.start]


def disambiguate(around: PhraseContext) -> LexiconEntry | None:
    """Returns the meaning of the phrase here, None if it names nothing."""
    word = around.span.word
    if _is_verb(around, word):
        return _implied(word)
    if word.lemma in people()["kin"] and any(span.word.is_animal for span in around.spans[: around.at]):
        return _kin(around, word)
    if word.lemma in _IS_NAME:
        return word if _IS_NAME[word.lemma](around) else None
    # "A stuffed elephant" is a teddy bear in COCO; the elephant stays as an alternative.
    if around.previous in _STUFFED and word.is_animal and word.classes:
        return replace(word, classes=("teddy bear", *word.classes), is_animal=False)
    rule = _RULES.get(word.lemma)
    return rule(around, word) if rule is not None else word


def _is_verb(around: PhraseContext, word: LexiconEntry) -> bool:
    """True if it is a verb here: "a man ties his shoe", "two men bike", "learning to snowboard"."""
    if word.lemma not in grammar("verbs"):
        return False
    if around.previous == "to" and word.shape is WordShape.ONE:
        start = around.span.start
        # "Next to bench" has lost its article, and has no verb.
        return start < 2 or around.words[start - 2] not in grammar("towards")
    if around.subject is None:
        return False
    # "Men bike" and "a man bats": subject and verb agree, as two nouns need not.
    return (around.subject is NounForm.PLURAL) == (word.shape is WordShape.ONE)


def _implied(word: LexiconEntry) -> LexiconEntry | None:
    # Who snowboards has a snowboard, who ties his shoe has no tie.
    may = [name for name in word.classes if class_rows()[name].kind in _IMPLYING]
    return replace(word, classes=(), perhaps=(*may, *word.perhaps)) if may or word.perhaps else None


def _kin(around: PhraseContext, word: LexiconEntry) -> LexiconEntry | None:
    """Reads a word for young and old: of the animal that was named before, if it is its."""
    owner = _owner(around)
    # "Her baby" is a person where one was named, else the young of the animal.
    its = owner == "its" or (owner and not around.person_before)
    marked = bool(around.kin_of) and not around.person_before
    if not its and not marked:
        return word
    animal = next(span.word for span in reversed(around.spans[: around.at]) if span.word.is_animal)
    return replace(word, classes=animal.classes[:1], perhaps=(), is_animal=True) if animal.classes else None


def _owner(around: PhraseContext) -> str:
    """Returns the pronoun before the word, with adjectives between: "its small"."""
    for at in range(around.span.start - 1, max(around.span.start - _NEAR, -1), -1):
        if around.words[at] in _OWNERS:
            return around.words[at]
        if around.words[at] in grammar("prepositions") or around.words[at] == STOP:
            break
    return ""


def _orange(around: PhraseContext, word: LexiconEntry) -> LexiconEntry | None:
    """Reads the fruit if the phrase ends with the word and is about one or several."""
    if word.shape is WordShape.MANY:
        return word
    after = around.next
    if after in grammar("joining"):
        end = around.span.end + 1
        # "An orange and white cat" has two colours, "an orange and a banana" two fruits.
        colour = (
            end < len(around.words) and around.words[end] in descriptive_adjectives() and around.words[end] != "orange"
        )
        ends = not colour
    else:
        ends = after == STOP or after in grammar("prepositions", "after_a_fruit")
    return word if ends and _is_counted(around) else None


def _is_counted(around: PhraseContext) -> bool:
    """True if an article, a number or a list of food stands before the word."""
    # "A bright orange" is a colour without its noun.
    if around.previous in _SHADES:
        return False
    for at in range(around.span.start - 1, max(around.span.start - _NEAR, -1), -1):
        before = around.words[at]
        if before in grammar("one", "same", "whose", "several") or before in several_words():
            return True
        if before in grammar("joining") or before == STOP:
            # "Apples and orange" lists fruit, "red and orange" colours.
            fruits = (name for span in around.spans for name in span.word.classes[:1] if name != "orange")
            return any(class_rows()[name].kind == "food" for name in fruits)
        if before == "of":
            return at > 0 and around.words[at - 1].removesuffix("s") in grammar("pieces") | _VESSELS
        if not is_adjective(before) and before not in grammar("after_a_fruit"):
            break
    return False


def _pitcher(around: PhraseContext, word: LexiconEntry) -> LexiconEntry | None:
    """Reads a player by the verb; else it may be of glass."""
    throws = around.next in grammar("pitches")
    on_the_mound = "mound" in around.words[around.span.end : around.span.end + _NEAR]
    return replace(word, classes=(PERSON,), perhaps=()) if throws or on_the_mound else word


def _couple(around: PhraseContext, word: LexiconEntry) -> LexiconEntry | None:
    """Reads two people, unless it counts what follows: "a couple of dogs", "a couple dogs"."""
    if around.next == "of":
        return None
    end = around.span.end
    for span in around.spans[around.at + 1 :]:
        between = around.words[end : span.start]
        if len(between) >= _NEAR or any(each in grammar("prepositions", "joining") or each == STOP for each in between):
            break
        # "A couple dogs" are two dogs; "a couple walking a dog" are two people.
        if span.word.shape is not WordShape.ONE and span.word.classes:
            return None
    return word


def _collective(around: PhraseContext, word: LexiconEntry) -> LexiconEntry | None:
    """Reads people, unless their kind follows ("a crowd of sheep", not "a family of four"); a group if it acts."""
    end = around.span.end
    if around.next != "of":
        return (
            word if word.classes or not _is_subject(around) else replace(word, classes=(PERSON,), shape=WordShape.MANY)
        )
    if not word.classes:
        return None
    if around.words[end + 1 : end + 2] and around.words[end + 1] in several_words():
        return word
    named = any(span.word.classes for span in around.spans[around.at + 1 :] if span.start <= end + _NEAR)
    return None if named else word


def _is_subject(around: PhraseContext) -> bool:
    """True if the sentence begins with it and a verb follows: "a group sits at a table"."""
    after = around.next
    if any(span.word.classes or span.word.is_animal for span in around.spans[: around.at]):
        return False
    return after in grammar("singular_verbs", "plural_verbs") or after.endswith("ing")


def _sex(around: PhraseContext, word: LexiconEntry) -> LexiconEntry | None:
    """Reads a person by what follows ("a male in a suit"), unless it is of an animal."""
    animal = any(span.word.is_animal for span in around.spans[: around.at])
    says_more = around.next in grammar("prepositions") or around.next.endswith("ing")
    return replace(word, classes=(PERSON,), perhaps=()) if says_more and not animal else word


_IS_NAME: dict[str, Callable[[PhraseContext], bool]] = {
    "remote": lambda around: around.next not in grammar("far_off"),
    "bed": lambda around: around.next != "of",
    "herd": lambda around: around.next != "of",
    "flock": lambda around: around.next != "of",
    "mouse": lambda around: grammar("hunting").isdisjoint(around.before(3)),  # a device, unless it is hunted or eaten
    "drink": lambda around: around.subject is None and around.previous != "to",  # a container, not "a cow drinks"
    "wave": lambda around: not grammar("riding").isdisjoint(around.before(_NEAR)),  # the one that a board rides
}
_Rule = Callable[[PhraseContext, LexiconEntry], "LexiconEntry | None"]
_RULES: dict[str, _Rule] = {
    "orange": _orange,
    "pitcher": _pitcher,
    "couple": _couple,
    **dict.fromkeys(_COLLECTIVE, _collective),
    **dict.fromkeys(_SEXES, _sex),
}
