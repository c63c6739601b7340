"""Finds questions that have two meanings with different answers on one picture: their cases are not applicable.

A model answers a text on a picture once, whichever relation asks it, so all that the text may mean there must have one
truth. The meanings are found from the scenes of the picture and from the case alone: neither the other cases of a run
nor their order, workers or shards matter. They are:

- a name and the class of that name, of which other names are kinds ("animal" beside "dog");
- a name of two words and a name with an attribute ("black bear"), and a name in the singular and in the plural;
- a question or a hypothesis of the data set with the same text;
- the same of every other scene that shows the same picture.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache, reduce
from itertools import product

from pytest_vqamt.core.case import Case, NotApplicable
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.meaning import Annotated, Count, Entails, Group, Meaning, Related, groups_of, truth, with_groups
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Query
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.answers.vqa_accuracy import normalise_answer
from pytest_vqamt.language.english.nouns import singular
from pytest_vqamt.relations.base import PublishedRelation, Relation
from pytest_vqamt.relations.draw import Draw
from pytest_vqamt.relations.in_conversation import is_of_conversation, query_of
from pytest_vqamt.relations.lexical_knowledge import LexicalKnowledge, knowledge_of
from pytest_vqamt.relations.published import question_of
from pytest_vqamt.relations.soundness import object_names
from pytest_vqamt.sampling.chooser import Chooser

TWO_MEANINGS = NotApplicable(reason="a question has two meanings with different answers on the picture")
TWO_ANSWERS = NotApplicable(reason="the data has two answers to a question about the picture")

_NOT_KNOWN = "?"


def derive_case(
    relation: Relation, scene: Scene, corpus: Corpus, choose: Chooser, variant: str
) -> Case | NotApplicable:
    """Derives one case of ``scene`` whose questions each have one truth, or returns why there is none.

    Published cases stay as they are: their data set's figures are of all of them. Those of a presumed scene are
    presumed.
    """
    drawn = relation.derive(Draw(relation, scene, corpus, choose, variant))
    # Published figures are of all pairs, contradictory ones included.
    if isinstance(drawn, NotApplicable) or _is_published(type(relation)):
        return drawn
    known = knowledge_of(relation)
    for query in drawn.queries:
        if found := contradiction(query, corpus, known):
            return found
    # What nobody checked by hand, such as a detector's boxes, makes each of its cases presumed.
    if scene.presumed and not drawn.is_presumed:
        return replace(drawn, tags=(*drawn.tags, "presumed"))
    return drawn


def contradiction(query: Query, corpus: Corpus, known: LexicalKnowledge) -> NotApplicable | None:
    """Returns why the text has no single truth about the picture; None if it has one."""
    scene = query.picture.scene
    given = set(_given(query, scene)) if scene.questions or scene.hypotheses else set()
    others = corpus.same_picture.get(scene.photo.id, ())
    meanings = _meanings(query.meaning, object_names(scene), known)
    if not given and not others and meanings == (query.meaning,):
        return None  # nearly always, so that no truth need be known
    right = _truth_text(query.meaning, scene)
    if any(_truth_text(each, scene) != right for each in meanings):
        return TWO_MEANINGS
    for index in others:
        # The other scene of the same photo gets the same edits, so that boxes are compared where they are now.
        other = reduce(lambda before, edit: edit.after(before), query.picture.edits, corpus.scene(index))
        given.update(_given(query, other))
        # Of a published question nothing but its own answers is known.
        if not isinstance(query.meaning, Annotated):
            given.update(_truth_text(each, other) for each in _meanings(query.meaning, object_names(other), known))
    # An unknown truth contradicts nothing: it is of a question that no annotation decides.
    return TWO_ANSWERS if len({right, *given} - {_NOT_KNOWN}) > 1 else None


@cache
def _is_published(kind: type[Relation]) -> bool:
    return issubclass(kind, PublishedRelation)


def _given(query: Query, scene: Scene) -> Iterator[str]:
    """Yields the answers that the data set has to this text, in the same conversation."""
    text = query.text
    for question in map(question_of, scene.questions):
        if question.turns:
            asked = query_of(scene, scene.picture, question)
            if isinstance(asked, Query) and is_of_conversation(query) and _said(asked) == _said(query):
                yield _truth_text(question.meaning, scene)
        elif question.text == text and not is_of_conversation(query):
            yield _truth_text(question.meaning, scene)
    for hypothesis in scene.hypotheses:
        if hypothesis.text == text:
            yield hypothesis.label


def _said(query: Query) -> list[tuple[str, ...]]:
    """Who says what about which photos, whatever is done to these."""
    return [
        (turn.role.value, *(part.photo.digest if isinstance(part, Picture) else str(part) for part in turn.parts))
        for turn in query.turns
    ]


@lru_cache(maxsize=32768)
def _meanings(meaning: Meaning, names: tuple[str, ...], known: LexicalKnowledge) -> tuple[Meaning, ...]:
    """Returns every meaning that a relation may give to the text of this one, in a scene with things of these names."""
    if isinstance(meaning, Entails):  # its text is the data set's own
        return (meaning,)
    classes = not isinstance(meaning, Count)  # things are counted by name
    own = groups_of(meaning)
    every = product(*(_same_phrase(group, names, known, classes=classes) for group in own))
    return tuple(meaning if groups == own else with_groups(meaning, groups) for groups in every)


@lru_cache(maxsize=32768)
def _same_phrase(group: Group, names: tuple[str, ...], known: LexicalKnowledge, *, classes: bool) -> tuple[Group, ...]:
    """Returns the groups that the words of ``group`` can mean in a scene with things of these names."""
    word, attributes = group.name, group.attributes
    found: dict[Group, None] = {}
    if known.ontology.noun_class(word) and (classes or group.covers):
        of_class = known.class_group(word, names, attributes)
        found[replace(of_class, related=group.related) if group.related else of_class] = None
    elif group.covers:
        found[group] = None
    # The name itself, apart from the class of the same word: "animal" may be annotated as a name.
    if word in names or not found:
        found[replace(group, covers=()) if group.covers else group] = None
    one = singular(word)
    for name in names:
        if name != word and singular(name) == one:
            found[replace(group, name=name, covers=())] = None
    # "A black bear" may be a bear that is black, or the kind.
    joined = " ".join((*attributes, word))
    if attributes and joined in names:
        found[replace(group, name=joined, covers=(), attributes=())] = None
    first, _, rest = word.partition(" ")
    if rest in names and not attributes:
        found[replace(group, name=rest, covers=(), attributes=(first,))] = None
    if not group.related:
        return tuple(found)
    targets = [_same_phrase(each.to, names, known, classes=classes) for each in group.related]
    return tuple(
        replace(each, related=tuple(map(_related_to, group.related, to))) for each in found for to in product(*targets)
    )


def _related_to(condition: Related, to: Group) -> Related:
    return replace(condition, to=to)


def _truth_text(meaning: Meaning, scene: Scene) -> str:
    """Returns the truth as one short text: "yes", "2", "red"."""
    value = truth(meaning, scene)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return str(sorted(value))
    if value is None:
        return _NOT_KNOWN
    return normalise_answer(str(value))
