"""The relations ``text.*``: a hypothesis with a word exchanged for a synonym, or for an antonym."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

from pytest_vqamt.core.case import Case, Fact, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.meaning import Entails, Group, Label, Unit
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import LinkedUnit, Scene, Thing
from pytest_vqamt.language.english.lexical_relations import (
    Replacement,
    apply_replacements,
    find_words,
    name_replacements,
    opposite_name,
    opposite_place,
    opposite_pronouns,
    pronouns,
    synonym_replacements,
)
from pytest_vqamt.language.english.nouns import counting_noun, is_countable, is_person, plural, singular
from pytest_vqamt.language.questions.hypotheses import Hypothesis
from pytest_vqamt.relations.askable_scene import AskableScene, askable_scene_of
from pytest_vqamt.relations.draw import Draw
from pytest_vqamt.relations.expectations import label_becomes, same_label
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalKnowledge, LexicalRelation
from pytest_vqamt.relations.rules import ANTONYM, FALSE, UNGRADED
from pytest_vqamt.relations.soundness import annotated_names, object_names, presumed
from pytest_vqamt.relations.veglue_statements import (
    PublishedStatement,
    Statement,
    StatementWriter,
    WrittenStatement,
    published_statements,
    sample_statement,
    statement_writer,
)
from pytest_vqamt.sampling.chooser import Chooser

_ALSO_OF_PEOPLE = frozenset({"human", "climber"})
"""Names of animals and plants in WordNet that people use for people."""
_WORD = re.compile(r"[a-z-]+")
_SHARING = re.compile(
    r" (?:and|or) (?!(?:a|an|the|his|her|its|their|one|another|is|are|has)\b|\w+(?:s|ing)\b)", re.IGNORECASE
)
"""Another noun, without an article of its own; "sits and talks" has verbs."""


@dataclass(frozen=True, slots=True)
class AntonymSwap(LexicalRelation):
    """With an antonym for one of its words, an entailed hypothesis is contradicted.

    The baseline TextFlint of Chang et al., VEglue, section 4.5 (Wang et al., ACL 2021): mostly words for the sexes. The
    hypothesis is one of the data set's own that its picture entails, where there are any with units linked to boxes;
    else it is written from the scene (``veglue.statements``).

    **Deviations:** antonyms are curated (``language.ontology``, ``language.english``), not all that WordNet has.
    That of a name is taken only where nothing in the scene could go by it, nor anything else that the hypothesis names;
    that of an attribute only where each bearer of the name surely lacks it. Pronouns go with the name. Where something
    of the name may be there without being annotated, the case is presumed.
    """

    info = RelationInfo(
        name="text.antonym_swap",
        task=Task.ENTAILMENT,
        source="Chang et al., VEglue, section 4.5; Wang et al., TextFlint, ACL 2021",
        version=2,
        tags=("baseline",),
        breakdown=("kind", "shape", "units"),
        settings=(WORDNET, ONTOLOGY),
    )
    expect = partial(label_becomes, label=Label.CONTRADICTION)

    def derive(self, draw: Draw) -> Case | NotApplicable:
        change = sample_antonym_swap(draw.scene, draw.corpus, self.known, draw.choose)
        if change is None:
            return NotApplicable(reason="no word of a hypothesis has a surely false antonym")
        return change.case(draw, expected="second is contradiction")


def sample_antonym_swap(scene: Scene, corpus: Corpus, known: LexicalKnowledge, choose: Chooser) -> WordChange | None:
    """Draws a published or written hypothesis and an antonym for one of its words; None if no word has one.

    Names and attributes are drawn evenly if there are both.
    """
    if scene.hypotheses:
        every = [change for each in published_statements(scene, known) for change in _of_published(each)]
        return choose.one(every) if every else None
    writer = statement_writer(scene, corpus, known, gradable=True)
    names = [(thing, other) for thing in writer.things if (other := _opposite_name(thing, writer))]
    words = [pair for thing in writer.things for pair in _opposite_attributes(thing, writer)]
    # The kinds are drawn before the words, since scenes have many attributes and one or two people.
    if names and (not words or choose.chance(0.5)):
        return _of_name(*choose.one(names), writer, choose)
    return _of_attribute(*choose.one(words), writer, choose) if words else None


def _opposite_name(thing: Thing, writer: StatementWriter) -> str | None:
    """Returns the name of the other sex if nothing in the scene could go by it."""
    scene, known = writer.view.scene, writer.view.known
    other = opposite_name(thing.name)
    # Another man may stand beside the man: then "a woman" is still false. A woman anywhere makes it true.
    here = annotated_names(scene) - {thing.name}
    return other if other and known.is_absent(other, here, scene.exhaustive) else None


def _of_name(thing: Thing, other: str, writer: StatementWriter, choose: Chooser) -> WordChange:
    statement = writer.about(thing, writer.things, choose)
    return WordChange(
        statement=statement,
        after=statement.changed(thing, lambda group: replace(group, name=other)),
        kind="name",
        word=thing.name,
        instead=other,
        unsure=presumed((other,), writer.view.scene),
    )


def _opposite_attributes(thing: Thing, writer: StatementWriter) -> Iterator[tuple[Thing, str, str]]:
    """Yields attributes of a thing with their antonyms, where every thing of its name surely lacks the antonym.

    It keeps the rules of sure falsehood and of annotated antonyms (docs/explanation/soundness.md).
    """
    view = writer.view
    # "A closed door" is false only if nothing else that goes by "door" is there, closed.
    if not view.is_unambiguous(thing.name):
        return
    for word in view.askable_attributes(thing):
        other = ANTONYM.check(view, thing, word)
        if other and all(FALSE.check(view, bearer, other) for bearer in view.things_named(thing.name)):
            yield thing, word, other


def _of_attribute(thing: Thing, word: str, other: str, writer: StatementWriter, choose: Chooser) -> WordChange:
    statement = writer.about(thing, writer.things, choose, saying=word)

    def swapped(group: Group) -> Group:
        return replace(group, attributes=tuple(other if each == word else each for each in group.attributes))

    return WordChange(
        statement=statement,
        after=statement.changed(thing, swapped),
        kind="attribute",
        word=word,
        instead=other,
        unsure=writer.view.is_presumed(thing.name),
    )


def _of_published(statement: PublishedStatement) -> Iterator[WordChange]:
    for unit in statement.units:
        yield from _names(statement, unit)
        yield from _attributes(statement, unit)


def _names(statement: PublishedStatement, unit: LinkedUnit) -> Iterator[WordChange]:
    """Yields the unit with a name of the other sex that nothing in the scene or the text could go by."""
    scene, known = statement.scene, statement.known
    said = _last_word(unit.object)
    name = singular(said)
    other = opposite_name(name)
    # Names in the text count as well: people describe things that nobody annotated.
    here = (annotated_names(scene) | statement.names) - {name}
    if other is None or not known.is_absent(other, here, scene.exhaustive):
        return
    places = name_replacements(statement.text, name, other)
    pronouns = _pronouns(statement, name)
    if places and pronouns is not None:
        after = apply_replacements(statement.text, (*places, *pronouns))
        meant = _instead(statement, unit, plural(other) if said != name else other, unit.property)
        yield WordChange(
            statement=statement,
            after=Hypothesis(after, meant),
            kind="name",
            word=name,
            instead=other,
            unsure=presumed((other,), scene),
        )


def _pronouns(statement: PublishedStatement, name: str) -> tuple[Replacement, ...] | None:
    """Returns the pronouns of the name; None if one may refer to somebody else or has two counterparts."""
    text, instead = statement.text, opposite_pronouns(name)
    said = [word for word in sorted(pronouns()) if any(find_words(text, word))]
    people = [each for each in statement.units if opposite_name(singular(_last_word(each.object)))]
    # "A man and a woman with her dog": whose dog is it? And "her" is "his" or "him".
    if said and (len(people) > 1 or not set(said) <= instead.keys()):
        return None
    return tuple(
        Replacement(place.start(), place.end(), instead[word]) for word in said for place in find_words(text, word)
    )


def _last_word(text: str) -> str:
    return text.lower().rpartition(" ")[2]


def _attributes(statement: PublishedStatement, unit: LinkedUnit) -> Iterator[WordChange]:
    """Yields the unit of a unique thing with the antonym of its adjective or place, which the text has once."""
    if not unit.thing or not statement.is_only(thing := statement.scene.thing(unit.thing)):
        return
    for kind, word, other in _candidates(statement, unit, thing.name):
        places = tuple(find_words(statement.text, word))
        # A word that stands twice may mean two things, and only one of them would be made false.
        if len(places) == 1:
            after = apply_replacements(statement.text, [Replacement(places[0].start(), places[0].end(), other)])
            yield WordChange(
                statement=statement,
                after=Hypothesis(after, _instead(statement, unit, thing.name, other)),
                kind=kind,
                word=word,
                instead=other,
                unsure=presumed((thing.name,), statement.scene),
            )


def _candidates(statement: PublishedStatement, unit: LinkedUnit, name: str) -> Iterator[tuple[str, str, str]]:
    """Yields the kind of word, the word and its antonym; people have no size."""
    kinds = statement.known.ontology
    verb, _, said = unit.property.lower().rpartition(" ")
    # "Is open" is said of the thing; in "holds the open door" the word belongs to another noun.
    after_is = [said] if verb in ("", "is", "are") else []
    for word in (*unit.object.lower().split()[:-1], *after_is):
        other = kinds.antonym(word, name)
        # "A little girl" is young; "a big girl" contradicts nothing.
        if other and not (kinds.category_of(word) == "size" and is_person(name)):
            yield "attribute", word, other
    for word in after_is:
        if there := opposite_place(word):
            yield "place", word, there


def _instead(statement: PublishedStatement, unit: LinkedUnit, name: str, attribute: str) -> Entails:
    """Returns the other linked units, and one that is false of the scene."""
    others = PublishedStatement(
        text=statement.text,
        units=tuple(each for each in statement.units if each is not unit),
        scene=statement.scene,
        known=statement.known,
    )
    added = Unit(group=Group(name=name, attributes=(attribute,) if attribute else ()))
    return Entails(units=(*others.hypothesis.meaning.units, added))


@dataclass(frozen=True, slots=True, kw_only=True)
class WordChange:
    """A hypothesis in which one word is replaced."""

    statement: Statement
    """The source hypothesis, which the picture entails."""
    after: Hypothesis
    """The hypothesis with the other word."""
    kind: str
    """The kind of replacement: "name", "attribute", "place", "synonym" or "class"."""
    word: str
    """The word that is replaced, as the source has it ("man")."""
    instead: str
    """The word that replaces it ("woman")."""
    unsure: bool = False
    """True if the label afterwards rests on an absence that the annotations do not guarantee."""

    def case(self, draw: Draw, *, expected: str) -> Case | NotApplicable:
        """Returns the case with both hypotheses on the scene's own picture."""
        facts: tuple[tuple[str, Fact], ...] = (("kind", self.kind), ("word", self.word), ("instead", self.instead))
        return draw.case(
            draw.here((self.statement.hypothesis, self.after)),
            expected=expected,
            facts=(*facts, *self.statement.facts),
            presumed=self.unsure,
        )


@dataclass(frozen=True, slots=True)
class WordSubstitution(LexicalRelation):
    """With a near word for one of its words, an entailed hypothesis has the same label.

    The baseline CAT of Chang et al., VEglue, section 4.5 (Sun et al., ICSE 2022). The hypothesis is one of the data
    set's own that its picture entails, where there are any with units linked to boxes; else it is written from the
    scene (``veglue.statements``).

    **Deviations:** hypotheses that are entailed alone. CAT takes words that a language model thinks likely in the
    place, antonyms now and then among them (a fifth of its tests are wrong, Table 2). Here it is a synonym
    (``language.english``), or the word for a class that every thing of the name is of, by WordNet and the ontology
    ("animal" for "dog"), which is entailed as well; not where something is said of it that depends on its class, since
    a small elephant is no small animal.
    """

    info = RelationInfo(
        name="text.word_substitution",
        task=Task.ENTAILMENT,
        source="Chang et al., VEglue, section 4.5; Sun et al., CAT, ICSE 2022",
        version=2,
        tags=("baseline",),
        breakdown=("kind", "shape", "units"),
        settings=(WORDNET, ONTOLOGY),
    )
    expect = same_label

    def derive(self, draw: Draw) -> Case | NotApplicable:
        change = sample_substitution(draw.scene, draw.corpus, self.known, draw.choose)
        if change is None:
            return NotApplicable(reason="no word of a hypothesis has a synonym or a class")
        return change.case(draw, expected="first = second")


def sample_substitution(scene: Scene, corpus: Corpus, known: LexicalKnowledge, choose: Chooser) -> WordChange | None:
    """Draws a hypothesis and a synonym or a class for one of its words, evenly if it has both."""
    statement = sample_statement(scene, corpus, known, choose)
    if statement is None:
        return None
    view = askable_scene_of(scene, corpus, known)
    synonyms = tuple(_synonyms(statement))
    classes = tuple(_classes(statement, view))
    # The kind is drawn first: a text has many synonyms and few classes.
    sorts = [sort for sort in (synonyms, classes) if sort]
    return choose.one(choose.one(sorts)) if sorts else None


def _synonyms(statement: WrittenStatement | PublishedStatement) -> Iterator[WordChange]:
    before = statement.hypothesis
    for each in synonym_replacements(before.text):
        yield WordChange(
            statement=statement,
            after=Hypothesis(apply_replacements(before.text, [each]), before.meaning),
            kind="synonym",
            word=before.text[each.start : each.end].lower(),
            instead=each.words,
        )


def _classes(statement: WrittenStatement | PublishedStatement, view: AskableScene) -> Iterator[WordChange]:
    for thing in statement.things:
        for word in _classes_of(thing, view) if _has_no_gradable_attribute(statement, thing, view) else ():
            after = _with_class(statement, thing, word, view)
            if after is not None:
                yield WordChange(statement=statement, after=after, kind="class", word=thing.name, instead=word)


def _has_no_gradable_attribute(
    statement: WrittenStatement | PublishedStatement, thing: Thing, view: AskableScene
) -> bool:
    """True if no attribute of the thing depends on its class: a small elephant is not a small animal."""
    if isinstance(statement, WrittenStatement):
        said = [word for each in statement.said for word in each.attributes_of(thing)]
    else:
        units = [unit for unit in statement.units if unit.thing == thing.id]
        said = [word for unit in units for word in _WORD.findall(f"{unit.object} {unit.property}".lower())]
    return all(UNGRADED.check(view.known, word) for word in said)


def _classes_of(thing: Thing, view: AskableScene) -> Iterator[str]:
    """Yields the countable classes of a thing; for names that people go by ("female"), only classes of people."""
    of_people = is_person(thing.name) or thing.name in _ALSO_OF_PEOPLE
    for each in view.classes_of(thing.name):
        # WordNet has "female" and "human" below animals and "climber" below plants; people mean people.
        is_sure = each.word == "person" or not of_people
        if each.word != thing.name and is_sure and is_countable(counting_noun(each.word)):
            yield each.word


def _with_class(
    statement: WrittenStatement | PublishedStatement, thing: Thing, word: str, view: AskableScene
) -> Hypothesis | None:
    """Returns the hypothesis with the class for the thing; None unless it is named once, with an article."""

    def as_class(group: Group) -> Group:
        return replace(group, name=word, covers=view.known.class_group(word, object_names(view.scene)).covers)

    if isinstance(statement, WrittenStatement):
        return statement.changed(thing, as_class)
    places = name_replacements(statement.text, thing.name, counting_noun(word))
    # "A man and woman" as "a man and person" is no English.
    if len(places) != 1 or not _has_own_article(statement.text[: places[0].start], statement.text[places[0].end :]):
        return None
    units = (
        replace(unit, group=as_class(unit.group)) if unit.group.name == thing.name else unit
        for unit in statement.hypothesis.meaning.units
    )
    return Hypothesis(apply_replacements(statement.text, places), Entails(units=tuple(units)))


def _has_own_article(before: str, after: str) -> bool:
    """True if the noun has an article of its own and no adjective, so not "a man and woman"."""
    if _SHARING.match(after):
        return False
    return before.lower().endswith((" a ", " an ", " the ")) or before.lower() in ("a ", "an ", "the ")
