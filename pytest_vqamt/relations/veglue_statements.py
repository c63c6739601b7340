"""Statements: hypotheses that the scene entails, with the things that they mention, written or published."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Protocol

from pytest_vqamt.core.case import Fact
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.meaning import Entails, Group, Related, Unit
from pytest_vqamt.core.scene import LinkedUnit, Scene, Thing
from pytest_vqamt.language.english.nouns import head, is_plural, singular
from pytest_vqamt.language.english.phrases import stands_before_its_noun
from pytest_vqamt.language.questions.hypotheses import Hypothesis, hypothesis, wordings_for
from pytest_vqamt.language.tables import word_set
from pytest_vqamt.language.units import DescriptionUnit, head_noun, recombine, remaining_units
from pytest_vqamt.language.units.lexicon import VERBS, Tag, VerbForm, look_up, verb_forms, words_of
from pytest_vqamt.language.units.parser import parse
from pytest_vqamt.relations.askable_scene import AskableScene, askable_scene_of
from pytest_vqamt.relations.lexical_knowledge import LexicalKnowledge
from pytest_vqamt.relations.rules import SALIENT
from pytest_vqamt.relations.soundness import WIDER_THAN_THE_WORD, countable_names
from pytest_vqamt.relations.veglue_erasing import erasure_facts, is_place
from pytest_vqamt.sampling.chooser import Chooser

_MIN_LETTERS = 3
"""WordNet has shorter nouns of chemistry and of units of measurement."""
_PEOPLE = frozenset({"person.n.01"})

_RESULTING = frozenset({"get", "have", "keep", "leave", "make", "want"})
"""Verbs after whose object a participle is what comes of it: "getting his hair cut"."""
_PLACED = frozenset({"above", "behind", "below", "beneath", "beside", "by", "in", "inside", "near", "on", "under"})
"""Prepositions that say where the object of a verb is: "puts a ball in a box", not "into a box"."""
_UNENDING = frozenset(
    {"a", "an", "and", "as", "at", "between", "by", "during", "for", "from", "into", "of", "onto", "the", "to", "with"}
)
"""Words that end no sentence."""
_TRANSITIVE = frozenset({"carry", "contain", "cover", "face", "have", "hold", "put", "use", "wear"})
_DIRECTIONS = frozenset({"away", "back", "down", "forward", "off", "out", "over", "up"})

# Words of what needs nothing else (standing, smiling), by which an erased thing cannot be missed.
_UNAIDED = "english/unaided.toml"

_MAX_THINGS = 3
"""No units are added once so many things are mentioned."""
_BODY_PARTS = frozenset({"body_part.n.01"})
"""Parts that go without saying are not mentioned: a zebra has a head."""


class Statement(Protocol):
    """A hypothesis and the things that it mentions."""

    @property
    def hypothesis(self) -> Hypothesis: ...

    @property
    def things(self) -> tuple[Thing, ...]:
        """The linked objects, each once, in the order of the text."""
        ...

    @property
    def names(self) -> frozenset[str]:
        """Every noun of the text that may name a thing."""
        ...

    @property
    def facts(self) -> tuple[tuple[str, Fact], ...]:
        """Its shape, the number of its units, its wording."""
        ...

    def without(self, thing: Thing) -> Statement | None:
        """Returns the statement without this thing; None if nothing is left."""
        ...

    @property
    def needs_nothing_unnamed(self) -> bool:
        """True if the hypothesis stays true without any thing that it does not name."""
        ...


def erased_statement_facts(
    statement: Statement, erased: Thing, beside: Iterable[Thing], scene: Scene
) -> tuple[tuple[str, Fact], ...]:
    """Returns the facts of a case: the erased thing, its relation to the things ``beside``, and the statement."""
    others = tuple(other for other in beside if other.id != erased.id)
    return (("erased", erased.name), *erasure_facts(erased, others, scene), *statement.facts)


# The meaning has only the linked units: nothing is known about the others.


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedStatement:
    """A hypothesis of a data set, or the rest of one after an erasure."""

    text: str
    """The hypothesis as published, or the recombined rest of it."""
    units: tuple[LinkedUnit, ...]
    """The object description units of the text; a unit that is linked to no box has "" for its thing."""
    scene: Scene
    """The scene that the hypothesis is about."""
    known: LexicalKnowledge
    """Decides which nouns can mean one thing."""
    source: str = ""
    """The whole hypothesis of which this is the rest; "" if this is the whole one."""

    @property
    def hypothesis(self) -> Hypothesis:
        return Hypothesis(self.text, Entails(units=tuple(self._meant(unit) for unit in self.units if unit.thing)))

    @property
    def things(self) -> tuple[Thing, ...]:
        return tuple(map(self.scene.thing, dict.fromkeys(unit.thing for unit in self.units if unit.thing)))

    @property
    def names(self) -> frozenset[str]:
        heads = (head_noun(unit.object) for unit in self.units)
        return frozenset((*heads, *(thing.name for thing in self.things), *nouns_in(self.text, self.known)))

    @property
    def is_all_located(self) -> bool:
        """True if everything that it mentions has a known position, even without a unit ("holding a knife").

        Places are exempt, since no patch removes them.
        """
        # Each word of an object counts: of "soccer ball", "soccer" is located with the ball.
        words = {singular(word) for unit in self.units for word in unit.object.lower().split()}
        known = words | {thing.name for thing in self.scene.objects}
        return all(unit.thing for unit in self.units) and all(
            noun in known or is_place(noun, self.known.wordnet) for noun in nouns_in(self.text, self.known)
        )

    @property
    def facts(self) -> tuple[tuple[str, Fact], ...]:
        return (("shape", "published"), ("units", len(self.units)), ("wording", "published"))

    def names_of(self, thing: Thing) -> frozenset[str]:
        """Returns the thing's name, and the nouns for it in all hypotheses: a boy may be a child in another."""
        units = (unit for each in self.scene.hypotheses for unit in each.units if unit.thing == thing.id)
        return frozenset((thing.name, *(head_noun(unit.object) for unit in units)))

    def is_only(self, thing: Thing) -> bool:
        """True if nothing else in the scene or the text could go by a name of the thing."""
        own = self.names_of(thing)
        others = {other.name for other in self.scene.objects if other.id != thing.id}
        # Nouns of the text count, too: "a man and his friend" has two who go by "man".
        others |= {region.name for region in self.scene.regions} | (self.names - own)
        return all(self.known.is_named(name) and all(self._is_apart(name, other) for other in others) for name in own)

    def has_article(self, thing: Thing) -> bool:
        """True if the text mentions it with an article: "a bike", and not "people are bike riding"."""
        objects = [unit.object for unit in self.units if unit.thing == thing.id]
        return all(head_noun(each) in _heads_with_article(self.text) for each in objects)

    def is_unmentioned(self, thing: Thing) -> bool:
        """True if the text names neither the thing nor something that it is a part or garment of."""
        return all(
            self.known.is_absent(name, self.names, self.scene.exhaustive)
            and all(self._is_apart(name, other) for other in self.names)
            for name in self.names_of(thing)
        )

    def _is_apart(self, name: str, other: str) -> bool:
        """True if no thing goes by both names. Of people only listed names count: a defender may be a player."""
        # WordNet has hundreds of kinds of people, and one person is of many: runner, boy, spectator.
        if self.known.wordnet.is_under(name, _PEOPLE) and self.known.wordnet.is_under(other, _PEOPLE):
            return any(other in each.others(name) for each in self.known.classes_of(name))
        return self.known.is_apart(name, other, self.scene)

    def without(self, thing: Thing) -> PublishedStatement | None:
        """Returns the other units, recombined, without their mentions of this thing."""
        left = self.units
        # A text may speak of a thing in several units; each is taken out by itself, as the others change with it.
        while (place := next((n for n, unit in enumerate(left) if unit.thing == thing.id), None)) is not None:
            left = _without(left, place)
        if left is self.units:
            return self
        # The words of the whole hypothesis, even after a second thing is taken out: recombined text is no source.
        source = self.source or self.text
        text = recombine([worded(_described(unit), source) for unit in left])
        return replace(self, text=text, units=left, source=source) if left else None

    @property
    def needs_nothing_unnamed(self) -> bool:
        return needs_nothing_unnamed(self.text, self.known)

    def _meant(self, unit: LinkedUnit) -> Unit:
        name = self.scene.thing(unit.thing).name
        return Unit(group=Group(name=name, attributes=(unit.property,) if unit.property else ()))


def published_statements(scene: Scene, known: LexicalKnowledge) -> tuple[PublishedStatement, ...]:
    """Returns the entailed hypotheses of the scene with a linked unit."""
    return tuple(
        PublishedStatement(text=each.text, units=each.units, scene=scene, known=known)
        for each in scene.hypotheses
        # Of other labels nothing follows: what contradicts may do so by any word.
        if each.label == "entailment" and any(unit.thing for unit in each.units)
    )


def _described(unit: LinkedUnit) -> DescriptionUnit:
    return DescriptionUnit(object=unit.object, property=unit.property, is_plural=is_plural(head(unit.object)))


def _without(units: tuple[LinkedUnit, ...], erased: int) -> tuple[LinkedUnit, ...]:
    """Returns the units without the erased one, each with its thing."""
    return tuple(
        replace(units[place], object=left.object, property=left.property)
        for place, left in remaining_units([_described(unit) for unit in units], erased)
    )


@lru_cache(maxsize=4096)
def worded(unit: DescriptionUnit, source: str) -> DescriptionUnit:
    """Returns the unit as a sentence of its own can have it, by the words of the hypothesis ``source``.

    What stands before the noun there stays there. What says how a verb ends ("ready" of "getting a meal ready") is
    dropped, and so is what is no predicate ("away facing").

    >>> bridge = DescriptionUnit(object="bridge", property="covered in the forest")
    >>> worded(bridge, "They pass a covered bridge in the forest.")
    DescriptionUnit(object='covered bridge', property='in the forest', is_plural=False)
    >>> worded(DescriptionUnit(object="meal", property="ready"), "A woman is getting a meal ready.").property
    ''
    """
    words = unit.property.strip(" .,;").split()
    # Recombining writes its own "is".
    while words and look_up(words[0].lower()).closed is Tag.BE:
        del words[0]
    # The property follows the object in the source as it is, so nothing needs to be put in order.
    if not words or _has(source, f"{unit.object} {unit.property}", f"{unit.object} {' '.join(words)}"):
        return _predicated(unit, words, source)
    # The longest words before the noun first: "old covered bridge" before "covered bridge".
    for count in range(len(words), 0, -1):
        first, rest = words[:count], " ".join(words[count:])
        is_in_name = unit.object.lower().split()[:count] == [word.lower() for word in first]
        name = unit.object if is_in_name else " ".join((*first, unit.object))
        if _has(source, name) and not any(look_up(word.lower()).closed for word in first):
            return replace(unit, object=name, property=rest if rest and _has(source, f"{name} {rest}") else "")
    return _predicated(unit, words, source)


def _has(text: str, *either: str) -> bool:
    """True if the text has one of these, as whole words, in any case."""
    plain = " ".join(text.lower().split())
    return any(re.search(rf"(?<![\w-]){re.escape(words.lower())}(?![\w-])", plain) for words in either)


def _predicated(unit: DescriptionUnit, words: Sequence[str], source: str) -> DescriptionUnit:
    """Returns the unit, without its property if that is no predicate of the thing.

    A fragment is none ("away facing"), nor is a complement of the verb before the thing ("getting a meal ready").
    """
    said = parse(" ".join(("they", *words)))
    last = len(said.tokens) - 1
    verb, forms = verb_forms(said.word(last))
    # A unit may end in the middle: "bridge" + "covered by the", or "man" + "is holding".
    is_cut = said.word(last) in _UNENDING or (verb in _TRANSITIVE and VerbForm.PARTICIPLE not in forms)
    is_cut = is_cut or _has(
        source, *(f"{' '.join(words)} {each}" for each in words_of("article", "possessive") | {"the"})
    )
    is_turned = said.word(1) in _DIRECTIONS and VerbForm.ING in verb_forms(said.word(2))[1]  # "away facing"
    is_turned = is_turned or (said.tag(1) is Tag.ADVERB and said.word(2) in _DIRECTIONS and last == 2)  # "seated down"
    return replace(unit, property="") if is_cut or is_turned or _ends_a_verb(unit, words, source) else unit


def _ends_a_verb(unit: DescriptionUnit, words: Sequence[str], source: str) -> bool:
    sentence = parse(source)
    text, name = [token.word for token in sentence.tokens], [token.word for token in parse(unit.object).tokens]
    both = [*name, *(token.word for token in parse(" ".join(words)).tokens)]
    start = next((at for at in range(len(text)) if text[at : at + len(both)] == both), 0)
    place = start + len(name)
    # Back over "his long" in "getting his long hair cut", to the verb.
    while start > 0 and sentence.tag(start - 1) in (Tag.DETERMINER, Tag.POSSESSIVE, Tag.NUMBER, Tag.ADJECTIVE):
        start -= 1
    verb = verb_forms(sentence.word(start - 1))[0] if sentence.tag(start - 1) in VERBS - {Tag.BE} else ""
    if not words or not verb or start == 0:
        return False
    # "Puts the ball into a box": the ball alone is not "into a box"; "in a box" it may be said to be.
    if sentence.tag(place) is Tag.PREPOSITION:
        return sentence.word(place) not in _PLACED or verb in _RESULTING
    # "Getting his hair cut" does not say that the hair is cut; "sees a dog running" says that it runs.
    if sentence.tag(place) in (Tag.ING, Tag.PARTICIPLE):
        return verb in _RESULTING
    return sentence.tag(place) not in (Tag.BASE, Tag.FINITE, Tag.RELATIVE, Tag.BE)


@lru_cache(maxsize=4096)
def nouns_in(text: str, known: LexicalKnowledge) -> frozenset[str]:
    """Returns every noun of the text that names a physical thing by WordNet, in the singular."""
    # Nouns that name nothing physical ("fun", "front") cannot be erased, and are not looked for.
    nouns = (token.word for token in parse(text).tokens if token.tag is Tag.NOUN and len(token.word) >= _MIN_LETTERS)
    return frozenset(singular(noun) for noun in nouns if known.is_named(noun))


@lru_cache(maxsize=4096)
def needs_nothing_unnamed(text: str, known: LexicalKnowledge) -> bool:
    """True if a published hypothesis stays true without any thing that it does not name.

    "A woman is reading" may be false once the book is erased, as may "soccer" without the ball, and "a cyclist" without
    the bicycle. Words that are on no list count as words that need something.
    """
    return all(_is_unaided(token.tag, token.word, known) for token in parse(text).tokens)


@lru_cache(maxsize=4096)
def _is_unaided_attribute(attribute: str) -> bool:
    """True unless the attribute begins with a verb that needs something: "sitting" needs nothing, "reading" does."""
    verb, forms = verb_forms(attribute.split(" ", 1)[0])
    return VerbForm.ING not in forms or verb in word_set(_UNAIDED, "verbs")


def _is_unaided(tag: Tag, word: str, known: LexicalKnowledge) -> bool:
    # Unknown verbs count as needing something: it costs a case, and a wrong case costs more.
    if tag in VERBS:
        return tag is Tag.BE or verb_forms(word)[0] in word_set(_UNAIDED, "verbs")
    noun = singular(word)
    if tag is not Tag.NOUN or noun in word_set(_UNAIDED, "others"):
        return True
    # "Cyclist" needs the bicycle, "woman" needs nothing.
    if known.wordnet.is_under(noun, _PEOPLE):
        return noun in word_set(_UNAIDED, "people")
    if is_place(noun, known.wordnet):
        return noun in word_set(_UNAIDED, "places")
    return known.is_named(noun)


@lru_cache(maxsize=4096)
def _heads_with_article(text: str) -> frozenset[str]:
    """Returns the heads of noun phrases that have a determiner, begin the text, or follow "and"."""
    sentence = parse(text)
    return frozenset(
        singular(sentence.word(phrase.head))
        for phrase in sentence.phrases
        if phrase.name > phrase.start or phrase.start == 0 or sentence.tag(phrase.start - 1) is Tag.AND
    )


# Written statements have one to three units, after Chang et al., VEglue, section 3.2: an object with a property, which
# is an attribute or a relationship to another object. The other object is a unit, too ("the man is aiming his rifle":
# the man, who is aiming his rifle, and the rifle).
#
# Attributes follow ``askable_scene``, without those that depend on other things ("small"). Each thing is salient
# (``rules.SALIENT``), and no thing goes by the names of two units.


_RELATED_CHANCE, _EXACT_CHANCE = 0.5, 0.7
"""How often a relationship is used if there is one, and a relationship that is not vague ("near") if there is one."""
_ATTRIBUTE_COUNTS, _ATTRIBUTE_COUNT_WEIGHTS = (0, 1, 2), (0.3, 0.5, 0.2)
"""The numbers of attributes of a unit, with their weights."""
_EXTRA_UNITS, _EXTRA_UNIT_WEIGHTS = (0, 1, 2), (0.35, 0.4, 0.25)


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementUnit:
    """A unit of a written statement."""

    group: Group
    """The words: a name with attributes or with one relationship."""
    thing: Thing
    """The thing that the name means."""
    beside: Thing | None = None
    """The thing that it is related to; None without a relationship."""

    def attributes_of(self, thing: Thing) -> tuple[str, ...]:
        """Returns the attributes that it gives the thing."""
        groups = (self.group, *(each.to for each in self.group.related))
        return tuple(word for group in groups if group.name == thing.name for word in group.attributes)


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenStatement:
    """A hypothesis written from the scene, in one of its wordings."""

    said: tuple[StatementUnit, ...]
    """One to three units, in the order of the text."""
    wording: int
    """The number of the wording (``wordings_for``)."""

    @property
    def hypothesis(self) -> Hypothesis:
        return hypothesis([Unit(group=each.group) for each in self.said], self.wording)

    @property
    def things(self) -> tuple[Thing, ...]:
        return tuple(thing for each in self.said for thing in (each.thing, each.beside) if thing is not None)

    @property
    def names(self) -> frozenset[str]:
        return frozenset(thing.name for thing in self.things)

    @property
    def facts(self) -> tuple[tuple[str, Fact], ...]:
        return (("shape", self._shape), ("units", len(self.things)), ("wording", self.wording))

    @property
    def needs_nothing_unnamed(self) -> bool:
        """True unless an attribute needs an unnamed thing ("reading"); the things of relationships are all named."""
        words = (
            word
            for each in self.said
            for thing in (each.thing, each.beside)
            if thing
            for word in each.attributes_of(thing)
        )
        return all(_is_unaided_attribute(word) for word in words)

    @property
    def _shape(self) -> str:
        if any(each.beside for each in self.said):
            return "relation"
        return "attribute" if any(each.group.attributes for each in self.said) else "name"

    def changed(self, thing: Thing, change: Callable[[Group], Group]) -> Hypothesis:
        """Returns the hypothesis with another group for the thing, in the same wording."""
        groups = (_changed(each.group, thing.name, change) for each in self.said)
        return hypothesis([Unit(group=group) for group in groups], self.wording)

    def without(self, thing: Thing) -> WrittenStatement | None:
        """Returns the units of other things, without this one. A related thing becomes a unit of its own."""
        left = tuple(rest for each in self.said if (rest := _said_without(each, thing)))
        return replace(self, said=left) if left else None


def _changed(group: Group, name: str, change: Callable[[Group], Group]) -> Group:
    beside = tuple(replace(each, to=_changed(each.to, name, change)) for each in group.related)
    return replace(change(group) if group.name == name else group, related=beside)


def _said_without(each: StatementUnit, thing: Thing) -> StatementUnit | None:
    if each.beside is None:
        return None if each.thing.id == thing.id else each
    if each.beside.id == thing.id:
        return StatementUnit(group=replace(each.group, related=()), thing=each.thing)
    if each.thing.id == thing.id:
        return StatementUnit(group=each.group.related[0].to, thing=each.beside)
    return each


@dataclass(frozen=True, slots=True)
class StatementWriter:
    """Writes hypotheses about one scene."""

    view: AskableScene
    """The scene to write about; without gradable words if its picture is edited."""

    @property
    def things(self) -> tuple[Thing, ...]:
        """The things that can be mentioned, in scene order."""
        return self.view.cached("spoken of", self._things)

    def about(
        self, first: Thing, others: Sequence[Thing], choose: Chooser, *, least: int = 1, saying: str = ""
    ) -> WrittenStatement:
        """Samples a hypothesis about ``first``, with the attribute ``saying`` if given, and about some of ``others``.

        It mentions at least ``least`` things; ``others`` must have enough, with names that ``first`` does not go by.
        """
        said = [self._said(first, others, choose, saying=saying)]
        more = choose.weighted(_EXTRA_UNITS, _EXTRA_UNIT_WEIGHTS)
        # Units are added up to the drawn number, or beyond it until ``least`` things are mentioned.
        while free := self._free(said, others):
            spoken_of = sum(1 + (each.beside is not None) for each in said)
            if spoken_of >= (least if len(said) > more else _MAX_THINGS):
                break
            said.append(self._said(choose.one(free), free, choose))
        drawn = choose.several(said, len(said))
        return WrittenStatement(
            said=drawn, wording=choose.one(wordings_for([Unit(group=each.group) for each in drawn]))
        )

    def _group(
        self, thing: Thing, choose: Chooser, *, most: int = 2, before_its_noun: bool = False, saying: str = ""
    ) -> Group:
        """Samples the name with up to two attributes of different categories, or with the given one.

        Actions are one category: "waving standing boy" is no English.
        """
        if saying:
            return Group(name=thing.name, attributes=(saying,))
        words = self.view.cached(
            ("one of each category", thing.id, before_its_noun), lambda: self._words(thing, before_its_noun)
        )
        at_most = min(most, len(words))
        number = choose.weighted(_ATTRIBUTE_COUNTS[: at_most + 1], _ATTRIBUTE_COUNT_WEIGHTS[: at_most + 1])
        return Group(name=thing.name, attributes=choose.several(words, number))

    def _words(self, thing: Thing, before_its_noun: bool) -> tuple[str, ...]:
        kinds = self.view.known.ontology
        words: dict[str, str] = {}
        for word in self.view.askable_attributes(thing):
            # In a relationship attributes stand before their nouns: "a red ball on a table", not "a ball asleep on a
            # table".
            if not before_its_noun or stands_before_its_noun(word):
                category = kinds.category_of(word) or ""
                words.setdefault("action" if kinds.is_action(category) else category, word)
        return tuple(words.values())

    def _things(self) -> tuple[Thing, ...]:
        scene = self.view.scene
        names = frozenset(countable_names(scene)).intersection(self.view.nouns) - WIDER_THAN_THE_WORD
        words = self.view.known.wordnet
        named = frozenset(name for name in names if not words.is_under(name, _BODY_PARTS))
        return tuple(thing for thing in scene.objects if thing.name in named and SALIENT.check(thing, scene))

    def _said(self, thing: Thing, others: Sequence[Thing], choose: Chooser, *, saying: str = "") -> StatementUnit:
        """Samples a unit of the thing, half of the time related to one of the others."""
        ids = {other.id for other in others}
        related = [
            (subject, predicate, target)
            for subject, predicate, target in self.view.relations
            if (subject.id == thing.id and target.id in ids) or (target.id == thing.id and subject.id in ids)
            # "A bird near a duck" would name one thing twice.
            if self.view.known.is_apart(subject.name, target.name, self.view.scene)
        ]
        if not related or (saying and not stands_before_its_noun(saying)) or not choose.chance(_RELATED_CHANCE):
            return StatementUnit(group=self._group(thing, choose, saying=saying), thing=thing)
        # "Near" is annotated of almost anything, and would fill most statements.
        exact = [each for each in related if not self.view.known.ontology.is_vague(each[1])]
        subject, predicate, target = choose.one(exact if exact and choose.chance(_EXACT_CHANCE) else related)
        group, to = (
            self._group(each, choose, most=1, before_its_noun=True, saying=saying if each.id == thing.id else "")
            for each in (subject, target)
        )
        return StatementUnit(
            group=replace(group, related=(Related(predicate=predicate, to=to),)), thing=subject, beside=target
        )

    def _free(self, said: Sequence[StatementUnit], others: Sequence[Thing]) -> list[Thing]:
        """Returns the others whose names no mentioned thing goes by."""
        named = {thing.name for each in said for thing in (each.thing, each.beside) if thing is not None}
        return [
            other
            for other in others
            if other.name not in named
            and all(self.view.known.is_apart(other.name, name, self.view.scene) for name in named)
        ]


def sample_statement(
    scene: Scene, corpus: Corpus, known: LexicalKnowledge, choose: Chooser
) -> WrittenStatement | PublishedStatement | None:
    """Samples a published hypothesis that the scene entails, or writes one if the scene has no hypotheses."""
    if scene.hypotheses:
        found = published_statements(scene, known)
        return choose.one(found) if found else None
    writer = statement_writer(scene, corpus, known, gradable=True)
    things = writer.things
    return writer.about(choose.one(things), things, choose) if things else None


def statement_writer(
    scene: Scene, corpus: Corpus, known: LexicalKnowledge, *, gradable: bool = False
) -> StatementWriter:
    """Returns the writer for a scene; ``gradable`` if the picture is not edited."""
    return StatementWriter(askable_scene_of(scene, corpus, known, gradable=gradable))
