"""Words of a hypothesis, and those that say the same of its picture, or less."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.meaning import Entails, Group
from pytest_vqamt.core.scene import Scene, Thing
from pytest_vqamt.language.hypotheses import Hypothesis
from pytest_vqamt.language.nouns import counted, is_countable
from pytest_vqamt.language.synonyms import replaced, replacements, replacements_of
from pytest_vqamt.relations.carets.knowledge import Knowledge
from pytest_vqamt.relations.carets.view import View, view_of
from pytest_vqamt.relations.text.change import Change
from pytest_vqamt.relations.veglue.published import Published
from pytest_vqamt.relations.veglue.writing import Written, any_statement
from pytest_vqamt.sampling.chooser import Chooser


def with_a_near_word(scene: Scene, corpus: Corpus, known: Knowledge, choose: Chooser) -> Change | None:
    """A hypothesis with a synonym or a class for one of its words; where it has both sorts, they are drawn evenly."""
    statement = any_statement(scene, corpus, known, choose)
    if statement is None:
        return None
    view = view_of(scene, corpus, known)
    synonyms = tuple(_synonyms(statement))
    classes = tuple(_classes(statement, view))
    sorts = [sort for sort in (synonyms, classes) if sort]
    return choose.one(choose.one(sorts)) if sorts else None


def _synonyms(statement: Written | Published) -> Iterator[Change]:
    before = statement.hypothesis
    for each in replacements(before.text):
        yield Change(
            statement=statement,
            after=Hypothesis(replaced(before.text, [each]), before.meaning),
            kind="synonym",
            word=before.text[each.start : each.end].lower(),
            instead=each.words,
        )


def _classes(statement: Written | Published, view: View) -> Iterator[Change]:
    for thing in statement.things:
        for word in _classes_of(thing, view):
            after = _with_class(statement, thing, word, view)
            if after is not None:
                yield Change(statement=statement, after=after, kind="class", word=thing.name, instead=word)


def _classes_of(thing: Thing, view: View) -> Iterator[str]:
    """The classes of a thing, but for those of which one is not counted: nobody speaks of "small fruit"."""
    words = (each.word for each in view.classes_of(thing.name))
    yield from (word for word in words if word != thing.name and is_countable(counted(word)))


def _with_class(statement: Written | Published, thing: Thing, word: str, view: View) -> Hypothesis | None:
    """The hypothesis with the class for the thing; None of a text that does not name it once, with an article."""

    def as_class(group: Group) -> Group:
        return replace(group, name=word, covers=view.known.class_group(word, view.scene).covers)

    if isinstance(statement, Written):
        return statement.changed(thing, as_class)
    places = replacements_of(statement.text, thing.name, counted(word))
    if len(places) != 1 or not _has_article(statement.text[: places[0].start]):
        return None
    units = (
        replace(unit, group=as_class(unit.group)) if unit.group.name == thing.name else unit
        for unit in statement.hypothesis.meaning.units
    )
    return Hypothesis(replaced(statement.text, places), Entails(units=tuple(units)))


def _has_article(before: str) -> bool:
    """Whether the words before a noun are an article alone: no size, which a class may not have, and no "bride and"."""
    return before.lower().endswith((" a ", " an ", " the ")) or before.lower() in ("a ", "an ", "the ")
