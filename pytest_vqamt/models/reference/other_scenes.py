"""Answers about other scenes than the query's, as from models that do not look at the picture.

The other scene is from the same source, and follows from the query and the source alone: it is the same in every
process, order and shard. A class covers what it covers in that scene: "animal" its cats, not the dogs of the picture.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.edits import BESIDE, Beside, with_objects
from pytest_vqamt.core.errors import DataError, ModelError
from pytest_vqamt.core.identity import digest
from pytest_vqamt.core.meaning import (
    ORDINALS,
    Annotated,
    Choice,
    Group,
    Meaning,
    MovesFirst,
    WhichPicture,
    groups_of,
    is_yes_no,
    truth,
    with_groups,
)
from pytest_vqamt.core.query import Query
from pytest_vqamt.core.salience import is_salient
from pytest_vqamt.core.scene import Photo, PublishedQuestion, Scene
from pytest_vqamt.core.spelling import option
from pytest_vqamt.data.scene_source import SceneSource
from pytest_vqamt.language.ontology import ontology
from pytest_vqamt.language.wordnet import wordnet
from pytest_vqamt.models.reference.oracle import Responder, answer_text, meet_sources, true_answer

BUCKETS = 8
"""The pictures that the cache of ``image-hash-8`` tells apart."""
_SURVEYED = 32
"""The most scenes that the prior of a source is taken from, evenly spaced."""
_HALF = 2
"""One picture in so many is not looked at by ``half-blind``."""


def hashed(*parts: str) -> int:
    """A whole number of 64 bits, the same on every machine."""
    return int(digest(*parts), 16)


class OtherSceneModel:
    """Replies to a query by other scenes of the source that its picture is from."""

    def __init__(self, reply: Callable[[Query, SceneSource], str]) -> None:
        self._reply = reply
        self._sources: tuple[SceneSource, ...] = ()
        self._source_of: dict[Photo, SceneSource] = {}

    def meet(self, sources: Sequence[SceneSource]) -> None:
        """Takes the sources of the run, in their order."""
        # A session gives the same sources for each item, and finding a photo in them takes time.
        if tuple(sources) != self._sources:
            self._sources = tuple(sources)
            self._source_of = {}

    def __call__(self, query: Query) -> str:
        return self._reply(query, self._source(query.picture.photo))

    def _source(self, photo: Photo) -> SceneSource:
        if photo not in self._source_of:
            source = next((each for each in self._sources if _has(each, photo)), None)
            if source is None:
                raise ModelError(
                    f"Expected the data that photo={photo.id!r} is from, to answer about another scene of it, but this "
                    f"model was not given it: name it with {option('data')}"
                )
            self._source_of[photo] = source
        return self._source_of[photo]


def _has(source: SceneSource, photo: Photo) -> bool:
    try:
        # Two sources may have photos of one id: the digest decides.
        return source.scene(source.place(photo.id)).photo == photo
    except DataError:
        return False


def first_scene(_query: Query, source: SceneSource) -> Scene:
    """The first scene of the source."""
    return _scene_at(source, 0)


def scene_by_text(query: Query, source: SceneSource) -> Scene:
    """The scene that a cache keyed by the text would give: a fixed one for each text."""
    return _scene_at(source, hashed("text", query.task, query.text))


def scene_by_bucket(query: Query, source: SceneSource) -> Scene:
    """The scene that a cache keyed by a short hash would give: a fixed one for each of its ``BUCKETS`` values."""
    bucket = hashed("bucket", query.picture.digest) % BUCKETS
    return _scene_at(source, hashed("first of bucket", str(bucket)))


def is_unseen(query: Query) -> bool:
    """True if the picture is in the half that the model does not look at."""
    return hashed("half", query.picture.digest) % _HALF == 0


def scene_instead(query: Query, source: SceneSource) -> Scene:
    """Another scene than the picture's own, where the source has one."""
    shown = source.place(query.picture.photo.id)
    # Never the scene itself, unless the source has one alone.
    return _scene_at(source, shown + 1 + hashed("instead", query.picture.digest) % max(1, len(source) - 1))


def scene_without_specks(query: Query, source: SceneSource) -> Scene:
    """The picture's scene without the things that are not salient in the unedited photo."""
    shown = query.picture.scene
    photo = source.scene(source.place(query.picture.photo.id))
    specks = {thing.id for thing in photo.objects if not is_salient(thing, photo)}
    for edit in query.picture.edits:
        if isinstance(edit, Beside):
            specks |= {f"{BESIDE}{each.id}" for each in edit.second.objects if not is_salient(each, edit.second)}
    seen = tuple(thing for thing in shown.objects if thing.id not in specks)
    parts = tuple(each for each in shown.parts if each.thing not in specks)
    # Nothing is edited: what is written and asked, and the parts of what is seen, are as they were.
    return replace(
        with_objects(shown, seen, shown.regions),
        inscriptions=shown.inscriptions,
        parts=parts,
        questions=shown.questions,
        captions=shown.captions,
    )


def _scene_at(source: SceneSource, index: int) -> Scene:
    """The scene at ``index``, counted round; the next one where its record is broken."""
    # A broken record of the data is no error of this model.
    for place in range(index, index + len(source)):
        try:
            return source.scene(place % len(source))
        except DataError:
            continue
    raise ModelError(f"Expected a scene of {source.spec} to answer about, but none of {len(source)} can be read")


def answer_about(query: Query, *scenes: Scene) -> str:
    """The right answer to the query about one scene for each picture, or a guess that depends on the meaning alone."""
    known = _known_answer(query, *scenes)
    return _guess(query.meaning) if known is None else known


def prior_model() -> OtherSceneModel:
    """A model that gives the most frequent right answer over the source, or over some of its scenes, evenly spaced."""
    answers: dict[tuple[str, Meaning, str], str] = {}

    def reply(query: Query, source: SceneSource) -> str:
        asked = source.digest, query.meaning, query.text
        if asked not in answers:
            count = min(len(source), _SURVEYED)
            scenes = (_scene_at(source, place * len(source) // count) for place in range(count))
            shown = len(query.pictures)
            found = Counter(known for scene in scenes if (known := _known_answer(query, *(scene,) * shown)) is not None)
            # Of equally frequent answers the first in the alphabet, in every process.
            answers[asked] = min(found, key=lambda text: (-found[text], text)) if found else _guess(query.meaning)
        return answers[asked]

    return OtherSceneModel(reply)


def _known_answer(query: Query, *scenes: Scene) -> str | None:
    if isinstance(query.meaning, Annotated):  # it holds the answers about the picture that is shown
        return next(_published(query.text, scenes[0]), None)
    value = truth(_in_scene(query.meaning, scenes[0]), *scenes)
    return None if value is None else answer_text(value)


def _published(text: str, scene: Scene) -> Iterator[str]:
    for question in scene.questions:
        if question.text == text and question.answers:
            yield _best(question)


def _best(question: PublishedQuestion) -> str:
    weights = Counter(question.answers)
    if question.scores:
        return max(zip(question.scores, question.answers, strict=True))[1]
    return min(weights, key=lambda text: (-weights[text], text))


def _guess(meaning: Meaning) -> str:
    if is_yes_no(meaning):
        return answer_text(False)
    if isinstance(meaning, WhichPicture):
        return ORDINALS[0]
    if isinstance(meaning, MovesFirst):
        return min(group.name for group in meaning.groups)
    options = meaning.options if isinstance(meaning, Choice | Annotated) else ()
    return min(options, default="nothing")


def _in_scene(meaning: Meaning, scene: Scene) -> Meaning:
    """The meaning of the same text about ``scene``."""
    groups = groups_of(meaning)
    return with_groups(meaning, tuple(_group_in(group, scene) for group in groups)) if groups else meaning


def _group_in(group: Group, scene: Scene) -> Group:
    related = tuple(replace(each, to=_group_in(each.to, scene)) for each in group.related)
    names = dict.fromkeys(thing.name for thing in scene.objects) if group.covers else ()
    more = (name for name in names if name not in group.covers and _is_of(name, group.name))
    return replace(group, covers=(*group.covers, *more), related=related)


@cache
def _is_of(name: str, word: str) -> bool:
    return word in ontology().classes_of(name, wordnet())


class GradedModel:
    """Has a fault in a share of the queries, chosen by the hash of their ids, and is right about the others.

    All trials of a query are alike, unless ``each_trial`` makes it a share of the trials.
    """

    def __init__(self, reply: Responder, share: float, *, each_trial: bool = False) -> None:
        self._reply = reply
        self._limit = share * 2**64
        self._each_trial = each_trial

    def meet(self, sources: Sequence[SceneSource]) -> None:
        """Gives the sources to the faulty responder."""
        meet_sources(self._reply, sources)

    def __call__(self, query: Query) -> str:
        text = self._reply(query)  # of every query, since a fault may depend on earlier ones (sees-erased)
        # By the id alone: the same queries in every order, process and shard.
        chosen_by = query if self._each_trial or not query.trial else replace(query, trial=0)
        return text if hashed("graded", chosen_by.id) < self._limit else answer_text(true_answer(query))
