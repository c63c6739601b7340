"""A scene: a picture with what is known to be in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from pytest_vqamt.core.box import Box

if TYPE_CHECKING:
    from pytest_vqamt.core.picture import Picture


@dataclass(frozen=True, slots=True, kw_only=True)
class Photo:
    """A source image: its id within its scene source and a digest of its pixels."""

    id: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """One object of a scene.

    Attributes:
        id: unique within the scene.
        name: a singular noun in lower case, of one or more words.
        box: in pixels of the picture.
        attributes: adjectives and actions that hold ("red", "open", "standing"), in lower case.
        synset: a WordNet synset such as "dog.n.01" where the source gives one.
        fragmented: whether only pieces or a sliver of it are in sight, as behind a railing: it counts, and nobody would
            tell what it is by them alone.
        has_mask: whether the source can give its pixels, as a mask.
        multi_coloured: whether no one colour describes it, so that its colour is never asked about.
    """

    id: str
    name: str
    box: Box
    attributes: tuple[str, ...] = ()
    synset: str | None = None
    has_mask: bool = False
    fragmented: bool = False
    multi_coloured: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """A crowd: many things of one name that are not told apart. Never one object."""

    name: str
    box: Box


@dataclass(frozen=True, slots=True, kw_only=True)
class Relationship:
    """``subject`` stands in the relation ``predicate`` ("on", "holding") to ``object``; both are ids of things."""

    subject: str
    predicate: str
    object: str


Demand: TypeAlias = Literal["same", "opposite", "implied"]
"""How the answers to two published questions must relate; "implied": the same, since the first answer implies it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedPair:
    """What a published question has to do with the one that it was made from.

    Attributes:
        original: the id of that one, which is asked about the same picture.
        test: what its data set calls the test that the two belong to.
        demand: what is expected of the two answers.
    """

    original: str
    test: str
    demand: Demand


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedQuestion:
    """A question that a data set asks about a picture.

    Attributes:
        id: unique within the scene.
        answers: those of its annotators, each as often as it was given, or each once where there are ``scores``.
        kind: the kind of question, as the data set calls it.
        scores: how right each of the answers is; empty where they are alike.
        options: what may be answered, in the order of the text; ("yes", "no") for yes/no questions, and empty where
            that is not known.
        pair: of what question it is a changed one; None for a question that stands for itself.
    """

    id: str
    text: str
    answers: tuple[str, ...]
    kind: str = ""
    scores: tuple[float, ...] = ()
    options: tuple[str, ...] = ()
    pair: PublishedPair | None = None


LabelName: TypeAlias = Literal["entailment", "neutral", "contradiction"]
"""What a picture is to a hypothesis."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedUnit:
    """An object description unit of a published hypothesis (VEglue section 3.2), and the thing that it speaks of.

    Attributes:
        object: what it is about, as worded, without an article ("young girl").
        property: what the hypothesis says of it, as worded ("stands nearby"); empty where it says nothing.
        thing: the id of the thing of the scene; empty where none is known, as of a plural ("people").
    """

    object: str
    property: str = ""
    thing: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedHypothesis:
    """A sentence of which a data set says whether the picture entails it.

    ``units`` are in the order of the sentence. What a linked unit says holds of its thing, where the label is
    entailment: its property is one of the thing's attributes.
    """

    id: str
    text: str
    label: LabelName
    units: tuple[LinkedUnit, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A picture with what is known to be in it.

    Attributes:
        id: stable within its source.
        photo: the image that was annotated, before any edit.
        width, height: of the picture, in pixels.
        objects: in a stable order.
        regions: crowds.
        setting: where it plays ("beach"), or "".
        captions: sentences that describe all of it; dropped by every edit that changes what is there.
        questions: what its data set asks about the photo; dropped with the captions.
        hypotheses: what its data set says the photo entails or not; dropped with the captions.
        exhaustive: the names of which every instance is annotated; absence is known for these alone.
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
    exhaustive: frozenset[str] = field(default=frozenset(), repr=False)

    @property
    def picture(self) -> Picture:
        """The scene's photo with no edit."""
        from pytest_vqamt.core.picture import Picture  # a picture holds a scene, so the import cannot be at the top

        return Picture(photo=self.photo, scene=self)

    @property
    def frame(self) -> Box:
        return Box(0, 0, self.width, self.height)

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
        """How many objects bear exactly this name."""
        return sum(thing.name == name for thing in self.objects)
