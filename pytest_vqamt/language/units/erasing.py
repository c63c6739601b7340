"""The units that remain when one of the objects is erased."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum, auto
from functools import cache, lru_cache, partial
from itertools import groupby, takewhile

from pytest_vqamt.core.lazy_pattern import pattern_of
from pytest_vqamt.language.english.families import is_kind_either_way
from pytest_vqamt.language.english.nouns import is_everywhere, is_mass, is_plural, plural, singular, with_article
from pytest_vqamt.language.english.phrases import join_phrases
from pytest_vqamt.language.tables import word_set
from pytest_vqamt.language.units.lexicon import (
    VERBS,
    Tag,
    look_up,
    plural_form,
    shares,
    third_person,
    verb_forms,
    words_of,
)
from pytest_vqamt.language.units.parser import parse
from pytest_vqamt.language.units.unit import DescriptionUnit, Sentence, head_noun, is_living, is_people, says_all_of
from pytest_vqamt.language.wordnet import wordnet

_AS_SUBJECT = {"him": "he", "her": "she", "me": "I", "them": "they", "us": "we"}
_OF_MANY = frozenset({"all", "both", "few", "many", "most", "others", "several", "some", "they", "we", "you"})

_MORE = frozenset({"of", "to", "with", "without"})
"""Do not follow "is": "a man with a hat", "a card to buy"."""
_THEY = "they "
_LONG = {"'s": "is", "'re": "are"}

_WORD = pattern_of(r"\w+(?:-\w+)*")
_SHORTEST_STEM = 4

_WHERE = frozenset({"at", "behind", "beside", "by", "in", "inside", "near", "on", "outside", "under"})
_DEFINITE = frozenset({"that", "the", "these", "this", "those"})


def recombine(units: Sequence[DescriptionUnit]) -> str:
    """Returns a sentence of the units, with "a" for any article; "" for none.

    An object without a property that another property names is not repeated. Things with the same property share a
    verb.

    >>> man = DescriptionUnit(object="man", property="walking")
    >>> recombine((man, DescriptionUnit(object="old dog"), DescriptionUnit(object="boys", is_plural=True)))
    'A man is walking and there is an old dog and boys.'
    """
    # "A man rides a horse" says that there is a horse, if nothing more is said of it.
    left = [unit for unit in units if not any(says_all_of(other, unit) for other in units if other is not unit)]
    text = _joined(
        [clause for said, group in groupby(left, key=_shared_predicate) for clause in _clauses(said, tuple(group))]
    )
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _joined(clauses: Sequence[str]) -> str:
    """Joins the clauses with "and", after a comma if one has an "and" of its own."""
    *before, last = clauses or [""]
    # "A man sings and dances and a dog barks" would be misread without commas.
    if any(" and " in clause for clause in before):
        return f"{', '.join(before)}, and {last}"
    return join_phrases(clauses)


def _shared_predicate(unit: DescriptionUnit) -> str | None:
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
        # "There is a cup and a plate on a table": the shared company follows the last.
        is_said_next = following is not None and following.property == unit.property
        name = f"another {unit.object}" if is_second else object_phrase(unit, is_new=True)
        yield name if is_said_next else f"{name} {unit.property}".strip()


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
        name = plural(name)  # "two girl", as annotators write
    owner, apostrophe, _ = name.partition("'s ")
    # "A man's hat" has the article of the man.
    if apostrophe and not is_proper(owner):
        return with_article(name)
    first = name.split(" ", 1)[0].lower()
    head, of, _ = name.partition(" of ")
    if first == "one" and of:
        return name
    # There is one sky, one floor and one tallest boy.
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
    """True if the verb after it is in the plural; a group of men is one group."""
    name = unit.object.lower()
    if is_pronoun(name):
        return _AS_SUBJECT.get(name, name) in _OF_MANY
    head, of, _ = name.partition(" of ")
    return is_plural(head) if of else unit.is_plural


def stands_alone(name: str) -> bool:
    """True if "is there" follows it, as after "she" and names, instead of "there is" before it."""
    return name.lower() in words_of("personal") or is_proper(name)


def is_pronoun(name: str) -> bool:
    """True if the word is a pronoun."""
    return look_up(name.lower()).closed in (Tag.PRONOUN, Tag.DETERMINER)


@lru_cache(maxsize=65536)
def is_proper(name: str) -> bool:
    """True of a person's name: with a capital, and no word that is known otherwise."""
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
    """True of a word that ends as "tallest" does and is an adjective without that: not "forest"."""
    if not word.endswith("est"):
        return False
    stems = (word[:-3], word[:-2], f"{word[:-4]}y", word[:-4])
    return any(look_up(stem).adjective > 0.3 for stem in stems if stem)


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
    """A property, and the verbs in it that depend on the number of things."""

    kind: PropertyKind
    """What decides how it is put behind its noun."""
    text: str = ""
    """The property as it is put behind its noun, without "is" where the kind is a state."""
    verbs: tuple[tuple[int, int], ...] = ()
    """The first character of each and the one after its last, in ``text``; empty but for verbs."""

    def of_one(self) -> str:
        """Returns the predicate of one thing: "walks", "is walking"."""
        return self._with_verbs(third_person, "is")

    def of_many(self) -> str:
        """Returns the predicate of several things: "walk", "are walking"."""
        return self._with_verbs(plural_form, "are")

    def _with_verbs(self, form: Callable[[str], str], be: str) -> str:
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
    # "They're running": "'re" alone would be no verb behind another subject.
    short, _, rest = said.replace("\u2019", "'").partition(" ")
    if short in _LONG:
        said = f"{_LONG[short]} {rest}"
    # The tagger needs a subject to tell verbs from nouns: "waves", "race".
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
            # The first verb behind "who" belongs to it.
            relatives -= 1
    return None


def _joined_verbs(sentence: Sentence, main: int) -> Iterator[int]:
    """Yields the places of verbs that "and" joins to the main one."""
    for place in range(main + 1, len(sentence.tokens)):
        if _begins_another(sentence, place) or sentence.tag(place) is Tag.RELATIVE:
            return
        before = place - 1
        # "Stops and quickly runs".
        while sentence.tag(before) is Tag.ADVERB:
            before -= 1
        if sentence.tag(place) in (Tag.FINITE, Tag.BE) and sentence.tag(before) in (Tag.AND, Tag.MARK):
            yield place


def _is_finite(sentence: Sentence, place: int) -> bool:
    return sentence.tag(place) in (Tag.BE, Tag.FINITE) and sentence.word(place) not in ("be", "been", "being")


def _begins_another(sentence: Sentence, place: int) -> bool:
    """True if a clause with a subject of its own begins there."""
    if sentence.tag(place) is Tag.SUBORDINATOR:
        return True
    is_like_one = sentence.word(place) in ("after", "as", "before", "until")
    return is_like_one and sentence.word(place + 1) in words_of("personal")


_mentions = partial(word_set, "units/mentions.toml")
_unasserted = partial(word_set, "units/unasserted.toml")


def without_unit(units: Sequence[DescriptionUnit], erased: int) -> tuple[DescriptionUnit, ...]:
    """Returns the other units; those whose property mentions the erased object lose it (VEglue section 3.4.1).

    **Deviation** for soundness: the paper looks for the words of the erased object. Here synonyms, kinds and plurals of
    it are mentions, too, as are pronouns that may stand for it and mutual actions ("are hugging"). An object that only
    a dropped property names as sought, meant or pictured is dropped, too.

    >>> man = DescriptionUnit(object="man", property="is aiming his rifle at something")
    >>> without_unit((man, DescriptionUnit(object="rifle")), 1)
    (DescriptionUnit(object='man', property='', is_plural=False),)

    Args:
        units: those of one hypothesis, in order.
        erased: the place of the one to leave out.
    """
    return tuple(unit for _, unit in remaining_units(units, erased))


def remaining_units(units: Sequence[DescriptionUnit], erased: int) -> tuple[tuple[int, DescriptionUnit], ...]:
    """Returns the units of ``without_unit``, each with its place among ``units``."""
    gone = units[erased]
    # Things go with the erased one, and properties that mention it; then things that only a dropped property named.
    kept = [(place, unit) for place, unit in enumerate(units) if place != erased and not _is_some_of(unit, gone)]
    left = [
        replace(
            unit,
            object=_without_owner(unit.object, gone),
            property="" if mentions(unit, gone, is_first=place < erased) else unit.property,
        )
        for place, unit in kept
    ]
    pairs = [(unit, now) for (_, unit), now in zip(kept, left, strict=True)]
    return tuple((place, now) for (place, unit), now in zip(kept, left, strict=True) if _stays(unit, units, pairs))


def _stays(
    unit: DescriptionUnit, units: Sequence[DescriptionUnit], pairs: Sequence[tuple[DescriptionUnit, DescriptionUnit]]
) -> bool:
    """True if the hypothesis asserts the thing, or a remaining property mentions it as the hypothesis does.

    ``pairs``: each remaining unit before and after.
    """
    tells = (was for was, now in pairs if was is not unit and says_all_of(now, unit))
    return _is_sure(unit, units) or any(_stays(was, units, pairs) for was in tells)


def _is_sure(unit: DescriptionUnit, units: Sequence[DescriptionUnit]) -> bool:
    """True if the hypothesis asserts the thing: not "bus" of "is waiting for the bus"."""
    tellers = [other for other in units if other is not unit and says_all_of(other, unit)]
    # A thing that stands by itself in the hypothesis is asserted; else one of those that name it must assert it.
    return not tellers or any(is_assertive(other, unit) and _is_sure(other, units) for other in tellers)


def _is_some_of(unit: DescriptionUnit, gone: DescriptionUnit) -> bool:
    """True if the unit is one of the erased: "one of the men"."""
    return unit.object.lower().startswith("one of ") and head_noun(unit.object) == head_noun(gone.object)


def _without_owner(name: str, gone: DescriptionUnit) -> str:
    """Returns "hat" of "man's hat" if the man is erased."""
    owner, apostrophe, own = name.partition("'s ")
    if apostrophe and head_noun(owner) == head_noun(gone.object):
        return own
    whole, of, part_of = name.partition(" of ")
    return (
        whole if of and head_noun(whole) == head_noun(name) and head_noun(part_of) == head_noun(gone.object) else name
    )


# Where that is in doubt, it does: a property that is dropped costs a test some of its words, and one that speaks of
# something erased would make the test wrong.


def mentions(unit: DescriptionUnit, erased: DescriptionUnit, *, is_first: bool) -> bool:
    """True if the property of ``unit`` mentions the erased unit.

    ``is_first``: the unit comes before the erased one, so that "his" in it is more likely its own.
    """
    words = _WORD.findall(unit.property.lower())
    name = head_noun(erased.object)
    return (
        any(_is_word_for(word, name) for word in words)
        or any(_stands_for(word, unit, erased, is_first=is_first) for word in words)
        or _takes_both(unit.property, erased.property)
    )


@lru_cache(maxsize=65536)
def _is_word_for(word: str, name: str) -> bool:
    """True if a word can name a thing of the name: a synonym, a kind, a hypernym."""
    one = singular(word)
    if name in (one, word):
        return True
    # Articles, prepositions and the like name nothing.
    if look_up(word).closed is not None:
        return False
    # Any two words for people may mean one person, but for sex and age: a skier may be the man.
    if is_people(word) and is_people(name):
        return not _exclude_each_other(one, name)
    stem = name.removesuffix("e")
    if one.endswith(name) or name.endswith(one) or (len(stem) >= _SHORTEST_STEM and word.startswith(stem)):
        return True  # "football" with the ball erased, "skateboarding" with the skateboard
    is_known = wordnet().sense(one) is not None and wordnet().sense(name) is not None
    return is_known and (wordnet().may_name_the_same(one, name) or is_kind_either_way(one, name))


def _exclude_each_other(one: str, other: str) -> bool:
    """True if no person is both: a man and a woman, a boy and an adult."""
    return any(
        a in _mentions(these) and b in _mentions(those)
        for these, those in (("men", "women"), ("young", "grown"))
        for a, b in ((one, other), (other, one))
    )


def _stands_for(word: str, unit: DescriptionUnit, erased: DescriptionUnit, *, is_first: bool) -> bool:
    """True if a pronoun or a word such as "something" may mean the erased thing."""
    name = head_noun(erased.object)
    if word in _mentions("somebody"):
        return is_people(name)
    if word in _mentions("something"):
        return not is_people(name)
    if word in _mentions("another"):
        return is_living(name) == is_living(head_noun(unit.object))
    if not _can_stand_for(word, erased):
        return False
    # "His" of a man who comes before the erased one is his own.
    return not (is_first and word in _mentions("of_subject") and _can_stand_for(word, unit))


def _can_stand_for(pronoun: str, unit: DescriptionUnit) -> bool:
    """True if the pronoun agrees with the thing in number and sex."""
    name = head_noun(unit.object)
    # "They" is said of one person as well.
    if pronoun in _mentions("many"):
        return unit.is_plural or is_people(name)
    if unit.is_plural:
        return False
    if pronoun in _mentions("male"):
        return is_living(name) and name not in _mentions("women")
    if pronoun in _mentions("female"):
        return is_living(name) and name not in _mentions("men")
    return pronoun in _mentions("neuter") and (not is_people(name) or name in ("baby", "child", "infant"))


def _takes_both(one: str, other: str) -> bool:
    """True if the words that both share at the end are a mutual action, or a state of two."""
    shared = _words_at_the_end(_WORD.findall(one.lower()), _WORD.findall(other.lower()))
    text = " ".join(shared)
    if not _mentions("mutual_words").isdisjoint(shared) or any(each in text for each in _mentions("mutual_phrases")):
        return True
    if any(verb_forms(word)[0] in _mentions("mutual_verbs") for word in shared):
        return True
    # "Are twins", "are a couple": no single thing is that.
    are = parse(f"they {text}")
    return any(
        are.tag(it.start - 1) is Tag.BE and (are.is_plural(it) or are.word(it.head) in words_of("collective"))
        for it in are.phrases[1:2]
    )


def _words_at_the_end(one: Sequence[str], other: Sequence[str]) -> list[str]:
    pairs = zip(reversed(one), reversed(other), strict=False)
    return [word for word, _ in takewhile(lambda pair: pair[0] == pair[1], pairs)][::-1]


# Where that is in doubt, it does not: a thing that is left out costs a test some words, and one that the picture lacks
# would make the test wrong.


def is_assertive(unit: DescriptionUnit, other: DescriptionUnit) -> bool:
    """True if the property of the unit, which names the other one, implies that it is there.

    >>> man = DescriptionUnit(object="man", property="is waiting for the bus near a sign")
    >>> is_assertive(man, DescriptionUnit(object="bus")), is_assertive(man, DescriptionUnit(object="sign"))
    (False, True)
    """
    subject = object_phrase(unit)
    return _asserts(f"{subject} {unit.property}", len(parse(subject).tokens), other.object.lower())


@lru_cache(maxsize=65536)
def _asserts(text: str, start: int, name: str) -> bool:
    sentence = parse(text)
    return any(_is_there(sentence, start, place, end) for place, end in _places(sentence, start, name))


def _places(sentence: Sentence, start: int, name: str) -> Iterator[tuple[int, int]]:
    words = [token.word for token in parse(name).tokens]
    for place in range(start, len(sentence.tokens) - len(words) + 1):
        if [token.word for token in sentence.tokens[place : place + len(words)]] == words:
            yield place, place + len(words)


def _is_there(sentence: Sentence, start: int, place: int, end: int) -> bool:
    """True if nothing in its clause leaves open that the thing from ``place`` to ``end`` is there."""
    while place > start and sentence.tag(place - 1) in (Tag.ADJECTIVE, Tag.NUMBER):
        place -= 1
    is_definite = sentence.word(place - 1) in _DEFINITE or sentence.tag(place - 1) is Tag.POSSESSIVE
    # Leftward over adjectives and the article to the word that decides: "without a red ball".
    if is_definite or sentence.word(place - 1) in words_of("article"):
        place -= 1
    if sentence.word(place - 1) in _unasserted("before") or sentence.word(end) in ("nor", "or"):
        return False
    if (sentence.word(place - 2), sentence.word(place - 1)) == ("instead", "of"):
        return False
    return not any(_leaves_open(sentence, at, place, is_definite=is_definite) for at in _before(sentence, place))


def _before(sentence: Sentence, place: int) -> Iterator[int]:
    """Yields the places before, from the nearest back to the begin of the clause or the verb that "and" joins."""
    has_verb = False
    for at in range(place - 1, -1, -1):
        tag = sentence.tag(at)
        # "Climbs a tree and waits for a bus": what stands before "and" says nothing of the bus.
        if tag is Tag.SUBORDINATOR or (tag is Tag.AND and has_verb):
            return
        has_verb = has_verb or tag in (Tag.FINITE, Tag.ING)
        yield at


def _leaves_open(sentence: Sentence, at: int, place: int, *, is_definite: bool) -> bool:
    """True if the word at ``at`` leaves open that the thing at ``place`` is there."""
    word, tag = sentence.word(at), sentence.tag(at)
    if tag is Tag.NOT or word == "never":
        return True
    if tag is Tag.TO or word in _modals():
        return not is_definite  # "tries to climb onto the horse": the horse is there, "a horse" need not be
    if tag is Tag.NOUN:
        return _is_pictured(sentence, at, place) or (word, sentence.word(at + 1)) == ("way", "to")
    verb = verb_forms(word)[0] if tag in VERBS else ""
    if verb in _unasserted("awaited") or (verb in _unasserted("for") and sentence.word(at + 1) == "for"):
        # "Waiting for the bus near a sign": where it is done is there.
        return all(sentence.word(between) not in _WHERE for between in range(at + 1, place))
    is_bound = verb in _unasserted("bound") and sentence.word(place - 1) == "to"
    return is_bound or verb in _unasserted("thought") or verb in _unasserted("draws")


def _is_pictured(sentence: Sentence, at: int, place: int) -> bool:
    """True if a picture named at ``at`` shows the thing at ``place``, and was not taken of it."""
    if singular(sentence.word(at)) not in _unasserted("depictions"):
        return False
    between = [verb_forms(sentence.word(it))[0] for it in range(at + 1, place) if sentence.tag(it) in VERBS]
    if between:
        return not _unasserted("shows").isdisjoint(between)
    is_taken = not _unasserted("takes").isdisjoint(verb_forms(token.word)[0] for token in sentence.tokens[:at])
    return sentence.word(at + 1) in ("about", "of") and not is_taken


@cache
def _modals() -> frozenset[str]:
    return words_of("modal") - {"did", "do", "does"}
