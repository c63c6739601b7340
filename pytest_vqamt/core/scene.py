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

Demand: TypeAlias = Literal["same", "opposite", "implied"]
"""The required relation of the answers to two published questions; "implied": the same, by implication."""

RoleName: TypeAlias = Literal["user", "assistant", "system"]
"""Who says a turn of a published conversation; the values of ``conversation.Role``."""

PHOTO_MARK = "\ufffc"
"""Stands in the texts of published conversations where a photo is shown: Unicode's object replacement character."""

LabelName: TypeAlias = Literal["entailment", "neutral", "contradiction"]
"""The label of a hypothesis about a picture."""


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Photo:
    """A source image."""

    id: str
    """Unique within its scene source; mostly the name of a file."""
    digest: str
    """Identifies its pixels, as 16 hexadecimal digits; "" in scenes of readers, which open no photos."""


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """One object of a scene."""

    id: str
    """Unique within the scene."""
    name: str
    """A singular noun in lower case, of one or more words."""
    box: Box
    """In pixels of the picture."""
    attributes: tuple[str, ...] = ()
    """Adjectives and actions that hold ("red", "open", "standing"), in lower case."""
    synset: str | None = None
    """A WordNet synset such as "dog.n.01" where the source gives one."""
    has_mask: bool = False
    """True if the source has a mask of it."""
    fragmented: bool = False
    """True if only pieces of it are visible, as behind a railing: it counts, but its mask does not show what it is."""
    multi_coloured: bool = False
    """True if it has no single colour; such things get no question about colour."""


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """A crowd: several things of one name, annotated together. Never one object."""

    name: str
    """The singular noun of one of them."""
    box: Box
    """Around all of them, in pixels of the picture."""


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Relationship:
    """A relationship between two things of a scene."""

    subject: str
    """The id of the thing that is on, or holds, the other."""
    predicate: str
    """In lower case ("on", "holding")."""
    object: str
    """The id of the other thing."""


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The number of a thing's parts of one kind, such as a dog's legs."""

    thing: str
    """The id of the thing."""
    name: str
    """A singular noun ("leg")."""
    number: int
    """Of those that the picture shows."""
    usual: int
    """The number that everybody expects."""
    drawable: tuple[int, ...] = ()
    """The numbers of parts with which the source can draw the thing (``edits.Redraw``), in order."""


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class Inscription:
    """A text that an edit wrote into the picture."""

    text: str
    box: Box
    """The card that it stands on, in pixels of the picture."""


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedPair:
    """The link from a published question to the original question that it was made from."""

    original: str
    """The id of the original, which is about the same picture."""
    test: str
    """The data set's name of the test."""
    demand: Demand
    """The required relation of the two answers."""


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPhoto:
    """A photo in a published conversation."""

    photo: Photo
    """The scene's own has the scene's photo."""
    width: int
    height: int
    """``width`` and ``height``: in pixels."""


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedTurn:
    """A turn of the conversation that a published question ends."""

    role: RoleName = "user"
    text: str = ""
    """With ``PHOTO_MARK`` at each of its photos."""
    photos: tuple[ShownPhoto, ...] = ()
    """In their order. Those of the last turn beyond its own marks stand at the marks of the question's text."""


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedQuestion:
    """A question about a picture in a data set."""

    id: str
    """Unique within the scene."""
    text: str
    answers: tuple[str, ...]
    """Of the annotators, each as often as it was given; each once if there are ``scores``."""
    kind: str = ""
    """The data set's name of the kind of question."""
    scores: tuple[float, ...] = ()
    """How right each answer is; empty if all are alike."""
    options: tuple[str, ...] = ()
    """The possible answers, in the order of the text; ("yes", "no") for yes/no questions; empty if unknown."""
    pair: PublishedPair | None = None
    """The link to its original question; None if it has none."""
    turns: tuple[PublishedTurn, ...] = ()
    """The conversation that it ends: its last turn is what the user shows and says before ``text``. Empty for a
    question behind the scene's one picture."""

    @property
    def words(self) -> str:
        """The text without the marks of photos."""
        if not self.turns:
            return self.text
        # "... and [picture]?" without the space that the picture leaves.
        return " ".join(self.text.replace(PHOTO_MARK, " ").split()).replace(" ?", "?")


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedUnit:
    """An object description unit of a published hypothesis (VEglue section 3.2), with the thing that it describes."""

    object: str
    """As worded, without an article ("young girl")."""
    property: str = ""
    """The predicate as worded ("stands nearby"); empty without one."""
    thing: str = ""
    """The id of a thing of the scene; empty if unknown, as for a plural ("people")."""


@registered
@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedHypothesis:
    """A sentence with its label from a data set."""

    id: str
    """Unique within the scene."""
    text: str
    label: LabelName
    units: tuple[LinkedUnit, ...] = ()
    """In the order of the sentence. Of an entailed one, the property of a linked unit is an attribute of its thing."""


@registered
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Scene(ShortRepr):
    """A picture with annotations of its content."""

    id: str
    """Stable within its source."""
    photo: Photo
    """The image that was annotated, before any edit."""
    width: int
    height: int
    """``width`` and ``height``: of the picture, in pixels."""
    objects: tuple[Thing, ...] = ()
    """In a stable order."""
    regions: tuple[Region, ...] = ()
    """Crowds."""
    relationships: tuple[Relationship, ...] = ()
    setting: str = ""
    """The kind of place ("beach"), or ""."""
    captions: tuple[str, ...] = ()
    """Sentences about the whole picture; dropped by edits that change its content."""
    questions: tuple[PublishedQuestion, ...] = ()
    """Of its data set; dropped like captions."""
    hypotheses: tuple[PublishedHypothesis, ...] = ()
    """Of its data set; dropped like captions."""
    exhaustive: frozenset[str] = frozenset()
    """Names of which every instance is annotated; only for these is absence known."""
    inscriptions: tuple[Inscription, ...] = ()
    """Texts that edits wrote into the picture and that can be read; other texts are not annotated."""
    parts: tuple[Parts, ...] = ()
    """Of things that are seen whole; dropped by edits that move or cover things."""
    movable: tuple[str, ...] = ()
    """The ids of things that the source can draw elsewhere (``edits.Move``)."""
    presumed: bool = False
    """True if a model wrote the annotations and nobody checked them: every case of the scene is presumed."""

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
