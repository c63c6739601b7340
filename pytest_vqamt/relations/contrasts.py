"""Contrasts: one text of a case about another picture, for which the right answer surely differs.

A relation that demands the same answer is kept by every model whose answers depend on the text alone. Such a model
gives the contrast the same answer, too. The other picture is of the same source; the choice follows from the case's id,
so that it is the same on every worker and in every shard.

Differing is demanded, being right is not (docs/explanation/grounding.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from random import Random
from typing import NamedTuple

from pytest_vqamt.core.case import Case, Change, Contrast, ContrastVerdict, Outcome
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.conversation import Role, Turn
from pytest_vqamt.core.corpus import Corpus
from pytest_vqamt.core.edits import Fill, Store
from pytest_vqamt.core.errors import DataError, VqamtError
from pytest_vqamt.core.identity import digest, seed_for
from pytest_vqamt.core.meaning import (
    NO_SUCH_THING,
    Absent,
    Annotated,
    Choice,
    Count,
    Describe,
    Either,
    Entails,
    Exists,
    Group,
    Happens,
    Has,
    InAll,
    InPicture,
    Label,
    Meaning,
    MovesFirst,
    Neither,
    Property,
    groups_of,
    truth,
    what_is_asked,
    with_groups,
)
from pytest_vqamt.core.picture import Picture
from pytest_vqamt.core.query import Answer, Failure, Query
from pytest_vqamt.core.scene import Scene
from pytest_vqamt.language.answers.answer_text import Unreadable, UnreadableAnswer, prepare
from pytest_vqamt.language.captions.caption_reader import class_of, classes_in
from pytest_vqamt.language.questions.free import Kept, QuestionForm, compares, form_of, is_label, keeps_answer
from pytest_vqamt.relations.askable_scene import AskableScene, askable_scene_of
from pytest_vqamt.relations.base import Relation
from pytest_vqamt.relations.contradictions import contradiction
from pytest_vqamt.relations.contrast_edits import edited_pictures
from pytest_vqamt.relations.expectations import format_reading, read_answer, same_reading
from pytest_vqamt.relations.lexical_knowledge import LexicalKnowledge, knowledge_of
from pytest_vqamt.relations.published import question_of
from pytest_vqamt.relations.sure_answers import (
    MIN_AGREEMENT,
    CountRange,
    SureAnswer,
    agreed_answer,
    group_in,
    sure_answer,
    surely_differ,
    surely_only_there,
)
from pytest_vqamt.sampling.chooser import RandomChooser

MAX_SCENES = 16
"""The scenes that are looked at for one contrast."""
_MAX_DRAWS = 200
"""The scenes that are drawn to find these, of which most may lack what is wanted."""
# Each draw takes two random numbers of 53 bits, for which Random uses 64 each.
_BITS_OF_A_DRAW = 128
"""Of two random numbers."""

_GRAY = (127, 127, 127)
_SHOWN_BY_NOTHING = frozenset(
    [
        "no",
        "none",
        "nothing",
        "nobody",
        "0",
        "zero",
        "unknown",
        "unsure",
        "gray",
        "grey",
        # What people may call plain gray, or the lack of anything.
        "silver",
        "white",
        "black",
        "blank",
        "empty",
        "blurry",
        "dark",
    ]
)
"""Answers, or words of answers, that may be right about a blank picture."""

# About a gray picture these are right: there is nothing to see. Elsewhere they are no reading.
_CANNOT_TELL = frozenset(
    {Unreadable.REFUSAL, Unreadable.SEES_NOTHING, Unreadable.UNSURE, Unreadable.NO_NUMBER, Unreadable.NO_YES_OR_NO}
)


def with_contrast(relation: Relation, case: Case, corpus: Corpus, share: float) -> Case:
    """Returns the case with a contrast, if there is one and the case is among the ``share`` of cases that have one."""
    info = relation.info
    # Directional variants demand another answer themselves, so a model that does not look fails them already.
    if info.is_directional(case.variant) or info.contrast is False:
        return case
    # By the case's id, not by a counter: every worker and shard must choose the same cases.
    if int(digest("contrast", case.id), 16) >= share * 2**64:
        return case
    known = knowledge_of(relation)
    contrast = _contrast(case, corpus, known, None if info.contrast is True else info.contrast)
    return case if contrast is None else replace(case, contrast=contrast)


def _contrast(case: Case, corpus: Corpus, known: LexicalKnowledge, only: int | None) -> Contrast | None:
    """Returns the contrast of the first query that has one, or of the query ``only``."""
    random = Random(seed_for("contrast", case.id, 0))
    for of, query in enumerate(case.queries):
        # Follow-ups about an edited picture and repeated trials get there: the contrast is of the plain picture, once.
        is_film = isinstance(query.meaning, Happens | MovesFirst)  # whose frames are edits
        if only in (None, of) and (is_film or any(map(_is_plain, query.pictures))) and query.trial == 0:
            found = _of_query(query, corpus, known, random)
            if found is not None:
                return replace(found, of=of) if of else found
    return None


def _is_plain(picture: Picture) -> bool:
    """True if nothing was edited but what another form of file could not hold (``relations.file_forms``)."""
    return all(isinstance(each, Store) and each.plain for each in picture.edits)


def _of_conversation(query: Query, corpus: Corpus, known: LexicalKnowledge, random: Random) -> Contrast | None:
    """Returns the conversation with another picture at a place that decides its answer; None where there is none.

    One that quotes the model's own answer has none: about another picture that answer would be wrong.
    """
    if query.replies:
        return None
    if isinstance(query.meaning, Happens | MovesFirst):
        return _played_backwards(query)
    if isinstance(query.meaning, Annotated):
        return _all_blank(query, query.meaning)
    for which in _deciding(query):
        picture = query.pictures[which]
        if picture.edits or query.pictures.count(picture) > 1:
            continue
        alone = Query(picture=picture, text=query.text, meaning=what_is_asked(query.meaning), task=query.task)
        found = _of_query(alone, corpus, known, random)
        # A picture that is shown beside it anyway would be shown twice.
        if found is not None and found.query.picture not in query.pictures:
            return replace(found, query=query.with_picture(which, found.query.picture))
    return None


def _played_backwards(query: Query) -> Contrast | None:
    """Returns the question of the film that is played backwards, where another answer is right."""
    backwards = Query.of(Turn((*query.pictures[::-1], query.text)), meaning=query.meaning, task=query.task)
    if None in (query.truth, backwards.truth) or query.truth == backwards.truth:
        return None
    return Contrast(of=0, query=backwards, scene=query.picture.scene.id, change=Change.OTHER)


def _deciding(query: Query) -> tuple[int, ...]:
    """The places of pictures of which each alone changes the answer, as long as the others stay."""
    meaning, pictures = query.meaning, query.pictures
    if isinstance(meaning, InPicture):
        return (meaning.which,)
    if isinstance(meaning, InAll):
        showing = [bool(truth(meaning.meaning, each.scene)) for each in pictures]
        # Any picture changes the sum, but of two with a dog neither alone decides whether there is one.
        deciding = range(len(pictures))
        if not isinstance(meaning.meaning, Count):
            return tuple(place for place in deciding if sum(showing) == showing[place])
        return tuple(deciding)
    return (0,) if len(pictures) == 1 else ()


def _of_query(query: Query, corpus: Corpus, known: LexicalKnowledge, random: Random) -> Contrast | None:
    """Returns the text about an edit of the picture, else about another picture; None if there is neither."""
    if query.turns:
        return _of_conversation(query, corpus, known, random)
    if isinstance(query.meaning, Describe):
        return _other_caption(query, corpus, known, random)
    # Nothing but its answers is known of a published question, so no edit of ours changes them for sure.
    if isinstance(query.meaning, Annotated):
        return _other_annotation(query, query.meaning, corpus, known, random) or _blank(query, query.meaning)
    view = askable_scene_of(query.picture.scene, corpus, known)
    here = _source_answer(query, view)
    if here is None:  # one thing more or less changes a count that is not known, too
        return _same_scene(query, None, view, random) if isinstance(query.meaning, Count) else None
    # The same picture first: nothing differs but what is asked about, so a changed answer is due to that.
    return _same_scene(query, here, view, random) or _other_scene(query, here, view, random)


def _same_scene(query: Query, here: SureAnswer | None, view: AskableScene, random: Random) -> Contrast | None:
    meaning, scene = query.meaning, view.scene
    for edited in edited_pictures(meaning, view, RandomChooser(random)):
        change, presumed = edited.change, False
        # The view's cache is not taken along: replace() makes a new object, whose names are those after the edit.
        after = replace(view, scene=edited.picture.scene)
        # The edit itself settles counts (one more, one less); of all else both truths must be known.
        if change is None:
            there = sure_answer(meaning, after)
            if here is None or there is None or _change(here, there, meaning, view.known) is None:
                continue
            change, presumed = Change.OTHER, here.presumed or there.presumed
        # The words stay, but a class covers other names once a thing is gone or new.
        asked = replace(query, picture=edited.picture, meaning=_meaning_in(meaning, after))
        # A text with two meanings on the other picture has no one right answer there.
        if contradiction(asked, view.corpus, view.known) is None:
            return Contrast(of=0, query=asked, scene=scene.id, change=change, presumed=presumed)
    return None


def _other_scene(query: Query, here: SureAnswer, view: AskableScene, random: Random) -> Contrast | None:
    meaning, scene, corpus, known = query.meaning, view.scene, view.corpus, view.known
    for other in islice(_scenes(_wanted(meaning, here, corpus, known), scene, corpus, random), MAX_SCENES):
        other_view = askable_scene_of(other, corpus, known)
        there = sure_answer(meaning, other_view)
        change = _change(here, there, meaning, known) if there else None
        if there is None or change is None:
            continue
        asked = replace(query, picture=other.picture, meaning=_meaning_in(meaning, other_view))
        if contradiction(asked, corpus, known) is None:
            return Contrast(of=0, query=asked, scene=other.id, change=change, presumed=here.presumed or there.presumed)
    return None


def _source_answer(query: Query, view: AskableScene) -> SureAnswer | None:
    if isinstance(query.meaning, Entails):  # the label of a hypothesis is the data set's, or follows from a template
        entailed = truth(query.meaning, view.scene) == Label.ENTAILMENT
        return SureAnswer(Label.ENTAILMENT.value) if entailed else None
    return sure_answer(query.meaning, view)


def _meaning_in(meaning: Meaning, view: AskableScene) -> Meaning:
    """Returns the meaning of the same text about another scene, where a class may cover other names."""
    own = groups_of(meaning)
    groups = tuple(found for group in own if (found := group_in(group, view)) is not None)
    return with_groups(meaning, groups) if len(groups) == len(own) and groups != own else meaning


def _change(here: SureAnswer, there: SureAnswer, meaning: Meaning, known: LexicalKnowledge) -> Change | None:
    """Returns how the second right answer differs from the first; None if it may be the same."""
    # Two words may be right of one thing (gray and silver), so that they differ is not enough.
    if isinstance(meaning, Property) and NO_SUCH_THING not in (here.value, there.value):
        return Change.OTHER if known.ontology.excludes(str(here.value), str(there.value)) else None
    # Ranges must not touch: 2 to 3 dogs and 3 to 4 dogs may both be 3.
    if isinstance(here.value, CountRange) and isinstance(there.value, CountRange):
        if there.value.least > here.value.most:
            return Change.MORE
        return Change.LESS if there.value.most < here.value.least else None
    return Change.OTHER if here.value != there.value else None


# Where something else must be there, scenes are drawn from those that have a name of it; where something must be
# missing, from all.


def _wanted(meaning: Meaning, here: SureAnswer, corpus: Corpus, known: LexicalKnowledge) -> tuple[SceneDemand, ...]:
    """Returns the demands on another scene, of which one must be met."""
    if isinstance(meaning, Choice):
        return tuple(
            wanted
            for option in meaning.options
            if option != here.value
            for wanted in (
                (_of_group(option, meaning.what),)
                # An option is a name (a dog or a cat), or an attribute (red or blue) of the thing that is asked about.
                if corpus.cooccurring.places(option)
                else tuple(
                    _of_group(name, meaning.what, option) for name in _names_of(meaning.what.name, corpus, known)
                )
            )
        )
    groups = groups_of(meaning)
    if isinstance(meaning, Has):
        # A no becomes a yes where the attribute is annotated; a yes becomes a no by another attribute, which no index
        # has.
        attributes = () if here.value else (meaning.attribute,)
        groups = (replace(meaning.group, attributes=(*meaning.group.attributes, *attributes)),)
    something = tuple(_of_group(name, group) for group in groups for name in _names_of(group.name, corpus, known))
    match meaning:
        case Exists() | Either():
            return (_ANY,) if here.value else something
        case Absent() | Neither():
            return something if here.value else (_ANY,)
        case Count() if isinstance(here.value, CountRange) and here.value.least:
            # Half of the draws look for other numbers of the same, half take any scene, where mostly there is none.
            return (*something, *[_ANY] * len(something))
        case Entails():
            return (_ANY,)
    return something


class SceneDemand(NamedTuple):
    """A demand on a scene: a thing of a name with attributes, and relationships."""

    name: str
    """The name of the thing; "" for any scene."""
    attributes: tuple[str, ...] = ()
    """The attributes that the one thing has, all of them."""
    predicates: frozenset[str] = frozenset()
    """The predicates that relationships of the scene have, of whatever things."""

    def is_in(self, scene: Scene) -> bool:
        """True if a scene with the name may meet the demand; relationships are not followed to their things."""
        if not self.attributes and not self.predicates:
            return True
        return self.predicates <= {each.predicate for each in scene.relationships} and any(
            thing.name == self.name and all(word in thing.attributes for word in self.attributes)
            for thing in scene.objects
        )


_ANY = SceneDemand("")


def _of_group(name: str, group: Group, *attributes: str) -> SceneDemand:
    predicates = frozenset(condition.predicate for condition in group.related)
    return SceneDemand(name, (*group.attributes, *attributes), predicates)


@lru_cache(maxsize=16384)
def _names_of(word: str, corpus: Corpus, known: LexicalKnowledge) -> tuple[str, ...]:
    """Returns the names of the corpus that the word means: itself, or the names of the class."""
    if corpus.cooccurring.places(word) or not known.ontology.noun_class(word):
        return (word,)
    return tuple(name for name in corpus.names if any(each.word == word for each in known.classes_of(name)))


def _scenes(wanted: Sequence[SceneDemand], scene: Scene, corpus: Corpus, random: Random) -> Iterator[Scene]:
    """Yields scenes of other pictures that meet one of the demands, in a random order."""
    seen: dict[SceneDemand, set[int]] = {each: set() for each in wanted}
    choices = [(each, places, seen[each]) for each in wanted if (places := _places(each, corpus))]
    number, left, draw = len(choices), sum(len(_places(each, corpus)) for each in seen), random.random
    # Draws are counted, not scenes: of a rare attribute 200 draws may find none, and planning must end.
    for drawn in range(_MAX_DRAWS if choices else 0):
        if not left:
            random.getrandbits(_BITS_OF_A_DRAW * (_MAX_DRAWS - drawn))  # another text's draws do not depend on it
            return
        one, places, known = choices[int(draw() * number)]
        place = places[int(draw() * len(places))]
        # A place that was drawn before costs a draw and no look.
        if place in known:
            continue
        known.add(place)
        left -= 1
        try:
            other = corpus.scene(place)
        except DataError:  # a broken record is reported where a case is drawn from it
            continue
        # Data may have several scenes of one photo, which show the same.
        if other.photo.id != scene.photo.id and one.is_in(other):
            yield other


def _places(wanted: SceneDemand, corpus: Corpus) -> Sequence[int]:
    return corpus.cooccurring.places(wanted.name) if wanted.name else range(corpus.scenes)


@lru_cache(maxsize=8)
def _places_by_text(corpus: Corpus) -> Mapping[str, tuple[int, ...]]:
    """Returns the indices of the scenes that have a published question of each text that several have."""
    found: dict[str, list[int]] = {}
    for index in range(corpus.scenes):
        try:
            # Of a conversation the text alone asks something else.
            texts = {question_of(each).text: None for each in corpus.scene(index).questions if not each.turns}
        except DataError:
            continue
        for text in texts:
            found.setdefault(text, []).append(index)
    # A text that one picture has alone gives no contrast.
    return {text: tuple(places) for text, places in found.items() if len(places) > 1}


def _other_annotation(
    query: Query, meaning: Annotated, corpus: Corpus, known: LexicalKnowledge, random: Random
) -> Contrast | None:
    """Returns the same published question about another picture, where another answer is surely right."""
    if agreed_answer(meaning) is None:
        return None
    asking = list(_places_by_text(corpus).get(query.text, ()))
    random.shuffle(asking)
    # Broken records are no matter here: _places_by_text has left them out.
    for index in asking[:MAX_SCENES]:
        other = corpus.scene(index)
        if other.photo.id == query.picture.photo.id:
            continue
        for published in other.questions:
            asked = question_of(published)
            if asked.text != query.text or asked.turns:
                continue
            if isinstance(asked.meaning, Annotated) and surely_differ(meaning, asked.meaning, known):
                asked_there = replace(query, picture=other.picture, meaning=asked.meaning)
                return Contrast(of=0, query=asked_there, scene=other.id, change=Change.OTHER)
    return None


def _all_blank(query: Query, meaning: Annotated) -> Contrast | None:
    """Returns the conversation about gray pictures alone, where no text of it tells what they show."""
    spoken = [turn for turn in query.turns if turn.role is not Role.SYSTEM]
    # "This is my dog." before "Is there a dog?" is an answer by itself.
    if len(spoken) > 1 or any(each.edits for each in query.pictures):
        return None
    *before, _ = (part for part in spoken[0].parts if isinstance(part, str))
    if any(part not in meaning.question and not is_label(part) for part in before):
        return None
    # Gray pictures are the same and have the sizes of the photos: "Do these match?" is right to be yes.
    if len(query.pictures) > 1 and compares(meaning.question):
        return None
    found = _blank(query, meaning)
    if found is None:
        return None
    blank = {each: _grayed(each) for each in query.pictures}
    turns = (
        Turn(tuple(blank[part] if isinstance(part, Picture) else part for part in turn.parts), turn.role)
        for turn in query.turns
    )
    return replace(found, query=Query.of(*turns, meaning=found.query.meaning, task=query.task))


def _grayed(picture: Picture) -> Picture:
    return picture.erase(picture.scene.frame, Fill.MEAN, _GRAY)


def _blank(query: Query, meaning: Annotated) -> Contrast | None:
    """Returns the question about a gray picture, where its answer claims that something is there; None for others."""
    here = agreed_answer(meaning)
    scene = query.picture.scene
    if here is None or not scene.width or meaning.options or not keeps_answer(meaning.question, Kept.BLANK):
        return None
    said = str(here.value)
    if not _SHOWN_BY_NOTHING.isdisjoint(said.split()):
        return None
    # The right answer about gray, by which the oracle answers too.
    nothing = {QuestionForm.YES_NO: "no", QuestionForm.COUNT: "0"}.get(form_of(meaning.question), "nothing")
    asked = replace(query, picture=_grayed(query.picture), meaning=replace(meaning, answers=((nothing, 1.0),)))
    return Contrast(of=0, query=asked, scene=scene.id, change=Change.NOTHING)


def _other_caption(query: Query, corpus: Corpus, known: LexicalKnowledge, random: Random) -> Contrast | None:
    """Returns another picture with things that a caption surely names, and of which this one shows none.

    Of all that a picture shows a caption names some: where people have written captions, nearly all of them name one.
    """
    scene = query.picture.scene
    view = askable_scene_of(scene, corpus, known)
    # Also what people's captions of this picture say: they name things that nobody annotated.
    here = {*map(class_of, view.annotated_names), *_said(scene.captions)}
    for other in islice(_scenes((_ANY,), scene, corpus, random), MAX_SCENES):
        found = {name: class_of(name) for name in surely_only_there(other, view)}
        new = {name: each for name, each in found.items() if each and each not in here}
        # Of 304 pairs of COCO photos, people's captions told 75 % apart by annotations alone, since they leave out a
        # sink or a book; where nearly all captions name a class, 96 % (214 pairs).
        if other.captions:
            said = [_said((caption,)) for caption in other.captions]
            if sum(not each.isdisjoint(new.values()) for each in said) < MIN_AGREEMENT * len(said):
                continue
            new = {name: each for name, each in new.items() if each in _said(other.captions)}
        if new:
            names = tuple(dict.fromkeys(new.values()))
            # One name that is guaranteed to be absent here is enough for the contrast to be sure.
            presumed = all(map(view.is_presumed, new))
            asked = replace(query, picture=other.picture)
            return Contrast(of=0, query=asked, scene=other.id, change=Change.NAMES, names=names, presumed=presumed)
    return None


@lru_cache(maxsize=16384)
def _said(captions: tuple[str, ...]) -> frozenset[str]:
    return frozenset(name for caption in captions for name in classes_in(caption))


# The verdict


def judge_contrast(case: Case, answers: Sequence[Answer | Failure], answer: Answer | Failure) -> ContrastVerdict:
    """Judges the ``answer`` to the case's contrast; ``answers`` are those to the case's own queries.

    Raises:
        VqamtError: the case has no contrast.
    """
    contrast = case.contrast
    if contrast is None:
        raise VqamtError(f"Expected a case with a contrast, but got {case.id}")
    first = answers[contrast.of]
    for each in (first, answer):
        if isinstance(each, Failure):
            return ContrastVerdict(answer=answer, outcome=Outcome.ERROR, reason=each.reason)
    assert isinstance(first, Answer)
    assert isinstance(answer, Answer)
    for each in (first, answer):
        if each.declined:
            return ContrastVerdict(answer=answer, outcome=Outcome.DECLINED, reason=f"declined: {each.declined}")
    return (
        _names_others(contrast, first, answer) if contrast.change is Change.NAMES else _differs(contrast, first, answer)
    )


def _differs(contrast: Contrast, first: Answer, answer: Answer) -> ContrastVerdict:
    # Both are read by the contrast's query: its meaning has the same kind and options as the first one's.
    before, after = read_answer(contrast.query, first), read_answer(contrast.query, answer)
    reading = format_reading(after)
    if contrast.change is Change.NOTHING and isinstance(after, UnreadableAnswer) and after.reason in _CANNOT_TELL:
        # "I cannot see anything" is a right answer about gray; as no reading equals it, it counts as changed.
        after = ""
    for each in (before, after):
        if isinstance(each, UnreadableAnswer):
            return ContrastVerdict(answer=answer, outcome=Outcome.UNPARSED, reason=each.reason.value, reading=reading)
    # Both False and None ("many" and 7): a quantifier that leaves it open is not held against the model.
    changed = not same_reading(before, after)
    # type() and not isinstance: yes and no are ints, too.
    if type(before) is int and type(after) is int and contrast.change is not Change.OTHER:
        changed = after > before if contrast.change is Change.MORE else after < before
    return _contrast_verdict(contrast, answer, reading, changed=changed)


def _names_others(contrast: Contrast, first: Answer, answer: Answer) -> ContrastVerdict:
    for each in (first, answer):
        if unreadable := prepare(each.text).unreadable:
            return ContrastVerdict(
                answer=answer, outcome=Outcome.UNPARSED, reason=unreadable.reason.value, reading="unparsed"
            )
    before, after = (classes_in(prepare(each.text).said) for each in (first, answer))
    # One new class is enough, since a caption names what it likes.
    changed = any(name in after and name not in before for name in contrast.names)
    return _contrast_verdict(contrast, answer, ", ".join(after) or "no class", changed=changed)


def _contrast_verdict(contrast: Contrast, answer: Answer, reading: str, *, changed: bool) -> ContrastVerdict:
    if changed:
        return ContrastVerdict(answer=answer, outcome=Outcome.HOLDS, reading=reading)
    return ContrastVerdict(
        answer=answer,
        outcome=Outcome.VIOLATED,
        reason=f"{contrast.expected}, but got {reading}",
        reading=reading,
    )
