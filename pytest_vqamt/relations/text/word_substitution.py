"""The relation ``text.word_substitution``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from pytest_vqamt.core.case import Case, NotApplicable, RelationInfo
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.meaning import Entails, Group
from pytest_vqamt.core.query import Task
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.language.english.lexical_relations import apply_replacements, name_replacements, synonym_replacements
from pytest_vqamt.language.english.nouns import counting_noun, is_countable, is_person
from pytest_vqamt.language.questions.hypotheses import Hypothesis
from pytest_vqamt.relations.askable_scene import AskableScene, askable_scene_of
from pytest_vqamt.relations.expectations import same_label
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalKnowledge, LexicalRelation
from pytest_vqamt.relations.soundness import object_names
from pytest_vqamt.relations.text.antonym_swap import WordChange
from pytest_vqamt.relations.veglue.statements import PublishedStatement, WrittenStatement, sample_statement
from pytest_vqamt.sampling.chooser import Chooser


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

    def derive(self, scene: Scene, corpus: Corpus, choose: Chooser, variant: str) -> Case | NotApplicable:
        change = sample_substitution(scene, corpus, self.known, choose)
        if change is None:
            return NotApplicable(reason="no word of a hypothesis has a synonym or a class")
        return change.case(self, variant, scene, expected="first = second")


_ALSO_OF_PEOPLE = frozenset({"human", "climber"})
"""Names of animals and plants in WordNet that people use for people."""
_WORD = re.compile(r"[a-z-]+")
_SHARING = re.compile(
    r" (?:and|or) (?!(?:a|an|the|his|her|its|their|one|another|is|are|has)\b|\w+(?:s|ing)\b)", re.IGNORECASE
)
"""Another noun, without an article of its own; "sits and talks" has verbs."""


def sample_substitution(scene: Scene, corpus: Corpus, known: LexicalKnowledge, choose: Chooser) -> WordChange | None:
    """Draws a hypothesis and a synonym or a class for one of its words, evenly if it has both."""
    statement = sample_statement(scene, corpus, known, choose)
    if statement is None:
        return None
    view = askable_scene_of(scene, corpus, known)
    synonyms = tuple(_synonyms(statement))
    classes = tuple(_classes(statement, view))
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
    """Whether no attribute of the thing depends on its class: a small elephant is not a small animal."""
    if isinstance(statement, WrittenStatement):
        said = [word for each in statement.said for word in each.attributes_of(thing)]
    else:
        units = [unit for unit in statement.units if unit.thing == thing.id]
        said = [word for unit in units for word in _WORD.findall(f"{unit.object} {unit.property}".lower())]
    return not any(map(view.known.ontology.is_gradable, said))


def _classes_of(thing: Thing, view: AskableScene) -> Iterator[str]:
    """Yields the countable classes of a thing; for names that people go by ("female"), only classes of people."""
    of_people = is_person(thing.name) or thing.name in _ALSO_OF_PEOPLE
    for each in view.classes_of(thing.name):
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
    if len(places) != 1 or not _has_own_article(statement.text[: places[0].start], statement.text[places[0].end :]):
        return None
    units = (
        replace(unit, group=as_class(unit.group)) if unit.group.name == thing.name else unit
        for unit in statement.hypothesis.meaning.units
    )
    return Hypothesis(apply_replacements(statement.text, places), Entails(units=tuple(units)))


def _has_own_article(before: str, after: str) -> bool:
    """Whether the noun has an article of its own and no adjective, so not "a man and woman"."""
    if _SHARING.match(after):
        return False
    return before.lower().endswith((" a ", " an ", " the ")) or before.lower() in ("a ", "an ", "the ")
