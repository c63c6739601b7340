"""Units as one English sentence, and properties as predicates."""

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
    """Returns a sentence of the units, with "a" for any article; "" for none.

    An object without a property that another property names is not repeated. Things with the same property share a
    verb.

    >>> man = DescriptionUnit(object="man", property="walking")
    >>> recombine((man, DescriptionUnit(object="old dog"), DescriptionUnit(object="boys", is_plural=True)))
    'A man is walking and there is an old dog and boys.'
    """
    left = [unit for unit in units if not any(says_all_of(other, unit) for other in units if other is not unit)]
    text = _joined([clause for said, group in groupby(left, key=_said) for clause in _clauses(said, tuple(group))])
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _joined(clauses: Sequence[str]) -> str:
    """Joins the clauses with "and", after a comma if one has an "and" of its own."""
    *before, last = clauses or [""]
    if any(" and " in clause for clause in before):
        return f"{', '.join(before)}, and {last}"
    return join_phrases(clauses)


def _said(unit: DescriptionUnit) -> str | None:
    """Returns the shared predicate of the object; None if only its existence or its company is stated."""
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
    """Yields the things with their company; a second one of the same name is "another"."""
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
    """Returns the object with "a" or "an", or bare if it takes none: plurals, stuff, names, pronouns.

    ``is_new``: for "there is", after which "the" does not stand.

    >>> object_phrase(DescriptionUnit(object="old man")), object_phrase(DescriptionUnit(object="dogs", is_plural=True))
    ('an old man', 'dogs')
    >>> object_phrase(DescriptionUnit(object="him")), object_phrase(DescriptionUnit(object="tallest boy"))
    ('he', 'the tallest boy')
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
    """Whether "is there" follows it, as after "she" and names, instead of "there is" before it."""
    return name.lower() in words_of("personal") or is_proper(name)


def is_pronoun(name: str) -> bool:
    """Whether the word is a pronoun."""
    return look_up(name.lower()).closed in (Tag.PRONOUN, Tag.DETERMINER)


@lru_cache(maxsize=65536)
def is_proper(name: str) -> bool:
    """Whether it is a person's name: with a capital, and no word that is known otherwise."""
    word = name.lower()
    if not name[:1].isupper() or " " in name or word in words_of("capitalised"):
        return False
    return word in words_of("given_names") or not (look_up(word).is_plural or shares(word) or wordnet().sense(word))


def _uncapitalised(name: str) -> str:
    """Returns the name without the capital of a first word; nationalities keep theirs."""
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
"""Do not follow "is": "a man with a hat", "a card to buy"."""
_THEY = "they "
_LONG = {"'s": "is", "'re": "are"}


class PropertyKind(StrEnum):
    """The grammatical kind of a property."""

    NOTHING = auto()
    VERB = auto()
    """With a verb: "rides a horse", "in a hat is asleep"."""
    STATE = auto()
    """Lacks "is": "riding a horse", "asleep", "on a horse"."""
    MORE = auto()
    """Goes behind its noun: "with a hat", "of the picture"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Predicate:
    """A property, with the spans of its verbs that depend on the number of things."""

    kind: PropertyKind
    text: str = ""
    verbs: tuple[tuple[int, int], ...] = ()

    def of_one(self) -> str:
        """Returns the predicate of one thing: "walks", "is walking"."""
        return self._said(third_person, "is")

    def of_many(self) -> str:
        """Returns the predicate of several things: "walk", "are walking"."""
        return self._said(plural_form, "are")

    def _said(self, form: Callable[[str], str], be: str) -> str:
        said = self.text
        for start, end in reversed(self.verbs):
            said = said[:start] + form(said[start:end]) + said[end:]
        return f"{be} {said}" if self.kind is PropertyKind.STATE else said


@lru_cache(maxsize=65536)
def parse_predicate(said: str) -> Predicate:
    """Parses a property.

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
    """Returns the place of the main verb: outside of relative clauses, and before any "while"."""
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
    """Yields the places of verbs that "and" joins to the main one."""
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
