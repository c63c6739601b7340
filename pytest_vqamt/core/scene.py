"""Scenes: pictures with annotations of their content."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.codec import registered
from pytest_vqamt.core.lru import cached_by_identity
from pytest_vqamt.core.text import ShortRepr

if TYPE_CHECKING:
    from pytest_vqamt.core.picture import Picture


_SHOWN_NAMES = 8
"""The most names in the representation of a scene."""


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Photo:
    """A source image: its id within its scene source and a digest of its pixels."""

    id: str
    digest: str


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """One object of a scene.

    Attributes:
        id: unique within the scene.
        name: a singular noun in lower case, of one or more words.
        box: in pixels of the picture.
        attributes: adjectives and actions that hold ("red", "open", "standing"), in lower case.
        synset: a WordNet synset such as "dog.n.01" where the source gives one.
        fragmented: whether only pieces of it are visible, as behind a railing: it counts, but could not be recognised
            by its mask.
        has_mask: whether the source has a mask of it.
        multi_coloured: whether it has no single colour; such things get no question about colour.
    """

    id: str
    name: str
    box: Box
    attributes: tuple[str, ...] = ()
    synset: str | None = None
    has_mask: bool = False
    fragmented: bool = False
    multi_coloured: bool = False


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """A crowd: several things of one name, annotated together. Never one object."""

    name: str
    box: Box


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Relationship:
    """A relationship such as "on" or "holding"; ``subject`` and ``object`` are ids of things."""

    subject: str
    predicate: str
    object: str


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The number of a thing's parts of one kind, such as a dog's legs.

    Attributes:
        thing: the id of the thing.
        name: a singular noun ("leg").
        number: of those that the picture shows.
        usual: the number that everybody expects.
        drawable: the numbers of parts with which the source can draw the thing (``edits.Redraw``), in order.
    """

    thing: str
    name: str
    number: int
    usual: int
    drawable: tuple[int, ...] = ()


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Inscription:
    """A text that an edit wrote into the picture."""

    text: str
    box: Box


Demand: TypeAlias = Literal["same", "opposite", "implied"]
"""The required relation of the answers to two published questions; "implied": the same, by implication."""


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedPair:
    """The link from a published question to the original question that it was made from.

    Attributes:
        original: the id of the original, which is about the same picture.
        test: the data set's name of the test.
        demand: the required relation of the two answers.
    """

    original: str
    test: str
    demand: Demand


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedQuestion:
    """A question about a picture in a data set.

    Attributes:
        id: unique within the scene.
        answers: of the annotators, each as often as it was given; each once if there are ``scores``.
        kind: the data set's name of the kind of question.
        scores: how right each answer is; empty if all are alike.
        options: the possible answers, in the order of the text; ("yes", "no") for yes/no questions; empty if unknown.
        pair: the link to its original question; None if it has none.
    """

    id: str
    text: str
    answers: tuple[str, ...]
    kind: str = ""
    scores: tuple[float, ...] = ()
    options: tuple[str, ...] = ()
    pair: PublishedPair | None = None


LabelName: TypeAlias = Literal["entailment", "neutral", "contradiction"]
"""The label of a hypothesis about a picture."""


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedUnit:
    """An object description unit of a published hypothesis (VEglue section 3.2), with the thing that it describes.

    Attributes:
        object: as worded, without an article ("young girl").
        property: the predicate as worded ("stands nearby"); empty without one.
        thing: the id of a thing of the scene; empty if unknown, as for a plural ("people").
    """

    object: str
    property: str = ""
    thing: str = ""


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedHypothesis:
    """A sentence with its label from a data set.

    ``units`` are in the order of the sentence. If the label is entailment, the property of a linked unit is one of the
    thing's attributes.
    """

    id: str
    text: str
    label: LabelName
    units: tuple[LinkedUnit, ...] = ()


@registered
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Scene(ShortRepr):
    """A picture with annotations of its content.

    Attributes:
        id: stable within its source.
        photo: the image that was annotated, before any edit.
        width, height: of the picture, in pixels.
        objects: in a stable order.
        regions: crowds.
        setting: the kind of place ("beach"), or "".
        captions: sentences about the whole picture; dropped by edits that change its content.
        questions: of its data set; dropped like captions.
        hypotheses: of its data set; dropped like captions.
        exhaustive: names of which every instance is annotated; only for these is absence known.
        inscriptions: texts that edits wrote into the picture and that can be read; other texts are not annotated.
        parts: of things that are seen whole; dropped by edits that move or cover things.
        presumed: whether a model wrote the annotations and nobody checked them: every case of the scene is presumed.
    """

    id: str
    photo: Photo
    width: int
    height: int
    objects: tuple[Thing, ...] = ()
    regions: tuple[Region, ...] = ()
    relationships: tuple[Relationship, ...] = ()
    setting: str = ""
    captions: tuple[str, ...] = ()
    questions: tuple[PublishedQuestion, ...] = ()
    hypotheses: tuple[PublishedHypothesis, ...] = ()
    exhaustive: frozenset[str] = frozenset()
    inscriptions: tuple[Inscription, ...] = ()
    parts: tuple[Parts, ...] = ()
    presumed: bool = False

    def __repr__(self) -> str:
        """Names of things with their numbers, in place of all annotations ("2 dog": plurals need word lists)."""
        numbers = Counter(thing.name for thing in self.objects)
        named = [name if n == 1 else f"{n} {name}" for name, n in numbers.most_common(_SHOWN_NAMES)]
        more = [f"{len(numbers) - _SHOWN_NAMES} names more"] if len(numbers) > _SHOWN_NAMES else []
        return f"<Scene {self.id!r}, {self.width:g} x {self.height:g} px: {', '.join((*named, *more)) or 'nothing'}>"

    @property
    def picture(self) -> Picture:
        """The scene's photo with no edit."""
        return _picture(self)

    @property
    def frame(self) -> Box:
        return _frame(self.width, self.height)

    def thing(self, thing_id: str) -> Thing:
        """The object with this id.

        Raises:
            KeyError: no object has it.
        """
        for thing in self.objects:
            if thing.id == thing_id:
                return thing
        raise KeyError(thing_id)

    def count(self, name: str) -> int:
        """The number of objects with exactly this name."""
        return sum(thing.name == name for thing in self.objects)


@cached_by_identity
def _picture(scene: Scene) -> Picture:
    from pytest_vqamt.core.picture import Picture  # a picture holds a scene, so the import cannot be at the top

    return Picture(photo=scene.photo, scene=scene)


@lru_cache(maxsize=4096)
def _frame(width: int, height: int) -> Box:
    return Box(0, 0, width, height)
