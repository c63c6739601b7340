"""Units put together again, as one English sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum, auto
from functools import lru_cache
from itertools import groupby

from pytest_vqamt.language.english.nouns import is_everywhere, is_mass, is_plural, plural, with_article
from pytest_vqamt.language.english.phrases import join_phrases
from pytest_vqamt.language.units.lexicon import Tag, look_up, plural_form, shares, third_person, words_of
from pytest_vqamt.language.units.parser import parse
from pytest_vqamt.language.units.unit import DescriptionUnit, Sentence, says_all_of
from pytest_vqamt.language.wordnet import wordnet


def recombine(units: Sequence[DescriptionUnit]) -> str:
    """A sentence that says what the units say, with "a" for whatever article there was; "" where there are none.

    An object of which nothing is said, and that another unit's property names, is not said again. Things of which the
    same is said share a verb.

    >>> man = DescriptionUnit(object="man", property="walking")
    >>> recombine((man, DescriptionUnit(object="old dog"), DescriptionUnit(object="boys", is_plural=True)))
    'A man is walking and there is an old dog and boys.'
    """
    left = [unit for unit in units if not any(says_all_of(other, unit) for other in units if other is not unit)]
    text = _joined([clause for said, group in groupby(left, key=_said) for clause in _clauses(said, tuple(group))])
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _joined(clauses: Sequence[str]) -> str:
    """The clauses with "and"; with a comma before it where one of them has an "and" of its own."""
    *before, last = clauses or [""]
    if any(" and " in clause for clause in before):
        return f"{', '.join(before)}, and {last}"
    return join_phrases(clauses)


def _said(unit: DescriptionUnit) -> str | None:
    """What is said of the object; None where no more is said than that it is there, or what it has with it."""
    says = parse_predicate(unit.property)
    if says.kind in (PropertyKind.VERB, PropertyKind.STATE):
        return says.of_many()
    return "there" if stands_alone(unit.object) else None


def _clauses(said: str | None, units: Sequence[DescriptionUnit]) -> Iterator[str]:
    if said is None:
        yield f"there {'are' if takes_plural_verb(units[0]) else 'is'} {join_phrases(_with_more(units))}"
        return
    says = parse_predicate(units[0].property or said)
    is_of_one = len(units) == 1 and not takes_plural_verb(units[0])
    # "Sandy, wearing a hat, sings": the comma before the verb has another before what stands in between.
    comma = "," if says.verbs and says.text[: says.verbs[0][0]].rstrip().endswith(",") else ""
    yield f"{join_phrases(map(object_phrase, units))}{comma} {says.of_one() if is_of_one else says.of_many()}"


def _with_more(units: Sequence[DescriptionUnit]) -> Iterator[str]:
    """What there is, each with what it has; a second thing of the same name is "another"."""
    seen: set[str] = set()
    for unit, following in zip(units, [*units[1:], None], strict=True):
        is_second = unit.object in seen and not unit.is_plural
        seen.add(unit.object)
        is_said_next = following is not None and following.property == unit.property
        name = f"another {unit.object}" if is_second else object_phrase(unit, is_new=True)
        yield name if is_said_next else f"{name} {unit.property}".strip()


_AS_SUBJECT = {"him": "he", "her": "she", "me": "I", "them": "they", "us": "we"}
_OF_MANY = frozenset({"all", "both", "few", "many", "most", "others", "several", "some", "they", "we", "you"})


def object_phrase(unit: DescriptionUnit, *, is_new: bool = False) -> str:
    """The object with "a" or "an", or without where it takes none: plurals, stuff, names, pronouns.

    >>> object_phrase(DescriptionUnit(object="old man")), object_phrase(DescriptionUnit(object="dogs", is_plural=True))
    ('an old man', 'dogs')
    >>> object_phrase(DescriptionUnit(object="him")), object_phrase(DescriptionUnit(object="tallest boy"))
    ('he', 'the tallest boy')

    Args:
        unit: the unit.
        is_new: whether it is said that there is one, which nothing has "the" after.
    """
    name = unit.object
    if is_pronoun(name):
        return _AS_SUBJECT.get(name.lower(), name.lower())
    if is_proper(name):
        return name
    name = _uncapitalised(name)
    if unit.is_plural and " of " not in name:
        name = plural(name)  # "two girl"
    owner, apostrophe, _ = name.partition("'s ")
    if apostrophe and not is_proper(owner):
        return with_article(name)
    first = name.split(" ", 1)[0].lower()
    head, of, _ = name.partition(" of ")
    if first == "one" and of:
        return name
    is_only = is_everywhere(name) or name in words_of("the_only") or first in words_of("the") or _is_superlative(first)
    if is_only and not is_new:
        return f"the {name}"
    if (
        look_up(first).closed is Tag.NUMBER
        or is_mass(name)
        or name.rpartition(" ")[2] in words_of("mass")
        or is_plural(head)
        or (unit.is_plural and not of)
    ):
        return name
    return with_article(name)


def takes_plural_verb(unit: DescriptionUnit) -> bool:
    """Whether the verb after it is in the plural; a group of men is one group."""
    name = unit.object.lower()
    if is_pronoun(name):
        return _AS_SUBJECT.get(name, name) in _OF_MANY
    head, of, _ = name.partition(" of ")
    return is_plural(head) if of else unit.is_plural


def stands_alone(name: str) -> bool:
    """Whether one says of it that it is there rather than that there is one: of "she", and of a person by his name."""
    return name.lower() in words_of("personal") or is_proper(name)


def is_pronoun(name: str) -> bool:
    """Whether it stands for a noun."""
    return look_up(name.lower()).closed in (Tag.PRONOUN, Tag.DETERMINER)


@lru_cache(maxsize=65536)
def is_proper(name: str) -> bool:
    """Whether it is somebody's name: with a capital, and no word that is known otherwise."""
    word = name.lower()
    if not name[:1].isupper() or " " in name or word in words_of("capitalised"):
        return False
    return word in words_of("given_names") or not (look_up(word).is_plural or shares(word) or wordnet().sense(word))


def _uncapitalised(name: str) -> str:
    """Without the capital that the first word of a sentence has; nationalities keep theirs."""
    first, _, others = name.partition(" ")
    keeps = first.lower() in words_of("capitalised") or first.isupper() or others != others.lower()
    keeps = keeps or (bool(others) and is_proper(first))
    return name if keeps else name[:1].lower() + name[1:]


def _is_superlative(word: str) -> bool:
    """Whether it ends as "tallest" does and is an adjective without that: not "forest"."""
    if not word.endswith("est"):
        return False
    stems = (word[:-3], word[:-2], f"{word[:-4]}y", word[:-4])
    return any(look_up(stem).adjective > 0.3 for stem in stems if stem)


_MORE = frozenset({"of", "to", "with", "without"})
"""What does not follow "is": "a man with a hat", "a card to buy"."""
_THEY = "they "
_LONG = {"'s": "is", "'re": "are"}


class PropertyKind(StrEnum):
    """How a property says what it says."""

    NOTHING = auto()
    VERB = auto()
    """With a verb of its own: "rides a horse", "in a hat is asleep"."""
    STATE = auto()
    """Lacking "is": "riding a horse", "asleep", "on a horse"."""
    MORE = auto()
    """More of its noun, to be put behind that: "with a hat", "of the picture"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Predicate:
    """A property, and where in it the verbs stand that change with the number of things: from where to where."""

    kind: PropertyKind
    text: str = ""
    verbs: tuple[tuple[int, int], ...] = ()

    def of_one(self) -> str:
        """As it is said of one thing: "walks", "is walking"."""
        return self._said(third_person, "is")

    def of_many(self) -> str:
        """As it is said of several: "walk", "are walking"."""
        return self._said(plural_form, "are")

    def _said(self, form: Callable[[str], str], be: str) -> str:
        said = self.text
        for start, end in reversed(self.verbs):
            said = said[:start] + form(said[start:end]) + said[end:]
        return f"{be} {said}" if self.kind is PropertyKind.STATE else said


@lru_cache(maxsize=65536)
def parse_predicate(said: str) -> Predicate:
    """The property as a predicate.

    >>> parse_predicate("walk and sing").of_one(), parse_predicate("flying a kite").of_many()
    ('walks and sings', 'are flying a kite')
    >>> str(parse_predicate("with a hat").kind)
    'more'
    """
    if not said:
        return Predicate(kind=PropertyKind.NOTHING)
    short, _, rest = said.replace("\u2019", "'").partition(" ")
    if short in _LONG:
        said = f"{_LONG[short]} {rest}"
    sentence = parse(_THEY + said)
    main = _main_verb(sentence)
    if main is None:
        return _without_verb(sentence, said)
    verbs = (sentence.tokens[place] for place in (main, *_joined_verbs(sentence, main)))
    spans = tuple((verb.start - len(_THEY), verb.end - len(_THEY)) for verb in verbs)
    return Predicate(kind=PropertyKind.VERB, text=said, verbs=spans)


def _without_verb(sentence: Sentence, said: str) -> Predicate:
    if sentence.tag(1) is Tag.RELATIVE:
        # "who is asleep" says the same as "is asleep"; "that a man holds" can only be put behind its noun.
        is_subject = sentence.tag(2) in (Tag.BE, Tag.FINITE)
        return (
            parse_predicate(sentence.words(2, len(sentence.tokens)))
            if is_subject
            else Predicate(kind=PropertyKind.MORE, text=said)
        )
    is_more = sentence.tag(1) is Tag.TO or sentence.word(1) in _MORE
    return Predicate(kind=PropertyKind.MORE if is_more else PropertyKind.STATE, text=said)


def _main_verb(sentence: Sentence) -> int | None:
    """The place of the verb that the whole speaks with: in no relative clause, and before every "while"."""
    relatives = 0
    for place in range(1, len(sentence.tokens)):
        if _begins_another(sentence, place):
            return None
        if sentence.tag(place) is Tag.RELATIVE:
            relatives += 1
        elif _is_finite(sentence, place):
            if not relatives:
                return place
            relatives -= 1
    return None


def _joined_verbs(sentence: Sentence, main: int) -> Iterator[int]:
    """The verbs that "and" joins to the main one."""
    for place in range(main + 1, len(sentence.tokens)):
        if _begins_another(sentence, place) or sentence.tag(place) is Tag.RELATIVE:
            return
        before = place - 1
        while sentence.tag(before) is Tag.ADVERB:
            before -= 1
        if sentence.tag(place) in (Tag.FINITE, Tag.BE) and sentence.tag(before) in (Tag.AND, Tag.MARK):
            yield place


def _is_finite(sentence: Sentence, place: int) -> bool:
    return sentence.tag(place) in (Tag.BE, Tag.FINITE) and sentence.word(place) not in ("be", "been", "being")


def _begins_another(sentence: Sentence, place: int) -> bool:
    """Whether a clause with a subject of its own begins there."""
    if sentence.tag(place) is Tag.SUBORDINATOR:
        return True
    is_like_one = sentence.word(place) in ("after", "as", "before", "until")
    return is_like_one and sentence.word(place + 1) in words_of("personal")
