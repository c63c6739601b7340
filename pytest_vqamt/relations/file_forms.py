"""The relations ``form.*``: the same pixels in another form of file.

Two queries ask one question: of the pixels, sent without loss, and of the file. What a file cannot hold, and what its
encoding loses, is gone from both, so that only the form of the file differs. Models that get no files get the same
pixels twice, upright.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pytest_vqamt.core.case import Case, Fact, NotApplicable, RelationInfo
from pytest_vqamt.core.edits import FileForm
from pytest_vqamt.core.meaning import Choice, Group, groups_of
from pytest_vqamt.core.query import Task
from pytest_vqamt.language.questions import templates
from pytest_vqamt.language.questions.free import Kept
from pytest_vqamt.language.questions.simple import Question
from pytest_vqamt.language.questions.templates import Asking, QuestionType
from pytest_vqamt.relations.askable_scene import AskableScene
from pytest_vqamt.relations.draw import Draw
from pytest_vqamt.relations.expectations import same_answer
from pytest_vqamt.relations.lexical_knowledge import ONTOLOGY, WORDNET, LexicalRelation
from pytest_vqamt.relations.presence import the_color
from pytest_vqamt.relations.rules import UNIQUE
from pytest_vqamt.relations.view import (
    KINDS,
    LEAST_QUALITY,
    MOST_QUALITY,
    NO_QUESTION,
    PUBLISHED,
    ViewQuestion,
    readable_names,
    sample_view_question,
)

COLOR = "color"
"""The kind of a question whether a thing is red or blue."""
_EXCHANGED = ("red", "blue")
"""The names that pure colours exchange where the first and the last channel are exchanged."""
_COLORS = 0.5
"""The share of questions about colors where there is a red or a blue thing: few faults of files keep the channels."""
_PLACES = 0.75
"""The share of questions about places where a picture is turned."""

_MOST_WEBP_PX = 16_383
"""The most that the format has bits for, on either side."""

_GRAY = frozenset({FileForm.GRAYSCALE, FileForm.GRAYSCALE_JPEG})

_JPEGS: Mapping[str, FileForm] = MappingProxyType(
    {
        "baseline": FileForm.JPEG,
        "progressive": FileForm.PROGRESSIVE_JPEG,
        "grayscale": FileForm.GRAYSCALE_JPEG,
        "cmyk": FileForm.CMYK_JPEG,
    }
)
_WEBPS: Mapping[str, FileForm] = MappingProxyType({"lossless": FileForm.WEBP, "lossy": FileForm.LOSSY_WEBP})
_PNGS: Mapping[str, FileForm] = MappingProxyType(
    {
        each.value: each
        for each in (
            FileForm.ALPHA,
            FileForm.PALETTE,
            FileForm.GRAYSCALE,
            FileForm.SIXTEEN_BITS,
            FileForm.INTERLACED,
        )
    }
)
_TURNED: Mapping[str, FileForm] = MappingProxyType({"jpeg": FileForm.JPEG, "png": FileForm.PNG})


_SOURCE = "a relation of this project: the same pixels in another file"


def _info(name: str, variants: Mapping[str, FileForm], *breakdown: str, source: str = _SOURCE) -> RelationInfo:
    return RelationInfo(
        name=name,
        task=Task.VQA,
        source=source,
        variants=tuple(variants),
        breakdown=("asked", *breakdown),
        settings=(WORDNET, ONTOLOGY),
        exact_pixels=True,
    )


@dataclass(frozen=True, slots=True)
class JpegFile(LexicalRelation):
    """A JPEG file gets the same answer as its pixels, also if it is progressive, grayscale or CMYK.

    The quality is 85 to 95, with the usual chroma subsampling; the pixels are those that Pillow decodes. Half of the
    questions are whether a thing is red or blue, where one is: a decoder of its own may exchange the channels.
    """

    info = _info("form.jpeg", _JPEGS, "quality", source="a relation of this project, after sglang #33464")
    expect = same_answer

    def derive(self, draw: Draw) -> Case | NotApplicable:
        return _case(draw, _JPEGS[draw.variant])


@dataclass(frozen=True, slots=True)
class WebPFile(LexicalRelation):
    """A WebP file gets the same answer as its pixels.

    ``lossless`` holds the very pixels of the picture, ``lossy`` has a quality of 85 to 95. Questions are as in
    ``form.jpeg``.
    """

    info = _info("form.webp", _WEBPS, "quality")
    expect = same_answer

    def derive(self, draw: Draw) -> Case | NotApplicable:
        if max(draw.scene.width, draw.scene.height) > _MOST_WEBP_PX:
            return NotApplicable(reason="the picture is too large for WebP")
        return _case(draw, _WEBPS[draw.variant])


@dataclass(frozen=True, slots=True)
class PngFile(LexicalRelation):
    """A PNG file with alpha, with a palette, in grayscale, of 16 bits or interlaced gets the same answer as its pixels.

    The alpha is opaque, a palette has 256 colours, and 16 bits hold the values of 8. Interlaced rows (Adam7) come from
    coarse to fine: a decoder that takes them for plain ones shows the picture small, several times over.
    """

    info = _info("form.png", _PNGS)
    expect = same_answer

    def derive(self, draw: Draw) -> Case | NotApplicable:
        return _case(draw, _PNGS[draw.variant])


@dataclass(frozen=True, slots=True)
class ExifFile(LexicalRelation):
    """A file whose EXIF turns its pixels upright gets the same answer as the upright pixels.

    The orientation is one of 2 to 8, as phones write it. Most questions are about places, which a turned or mirrored
    picture has not kept.
    """

    info = _info("form.exif", _TURNED, "orientation")
    expect = same_answer

    def derive(self, draw: Draw) -> Case | NotApplicable:
        orientation = draw.choose.between(2, 8)
        return _case(draw, _TURNED[draw.variant], orientation)


def _case(draw: Draw, form: FileForm, orientation: int = 1) -> Case | NotApplicable:
    asked = _question(draw, form, is_turned=orientation != 1)
    if isinstance(asked, NotApplicable):
        return asked
    facts: tuple[tuple[str, Fact], ...] = (("asked", asked.kind),)
    quality = draw.choose.between(LEAST_QUALITY, MOST_QUALITY) if form.is_lossy else 0
    if quality:
        facts += (("quality", quality),)
    if orientation != 1:
        facts += (("orientation", orientation),)
    plain, stored = (
        draw.picture.store(form, plain=plain, quality=quality, orientation=orientation) for plain in (True, False)
    )
    # The picture itself where it loses nothing: other relations ask about it, too.
    first = draw.picture if form.keeps_pixels else plain
    inputs = (first, asked.question), (stored, asked.question)
    return draw.case(inputs, expected="first = second", facts=facts, presumed=asked.presumed)


def _question(draw: Draw, form: FileForm, *, is_turned: bool) -> ViewQuestion | NotApplicable:
    """Draws what is asked: mostly places of a turned picture, and colors as often as all else of any that has some."""
    view, frame = draw.view, draw.scene.frame
    if is_turned:
        if draw.choose.chance(_PLACES):
            place = sample_view_question(view, draw.choose, frame, kinds=("place",), change=Kept.JPEG)
            if not isinstance(place, NotApplicable) and place.kind != PUBLISHED:
                return place
    elif form not in _GRAY and draw.choose.chance(_COLORS):
        question = _red_or_blue(draw, readable_names(view, frame))
        if question is not None:
            return ViewQuestion(question=question, kind=COLOR, about=(), presumed=False)
    found = sample_view_question(view, draw.choose, frame, kinds=KINDS, change=Kept.JPEG)
    if form not in _GRAY or isinstance(found, NotApplicable):
        return found
    if _is_of_properties(found):  # "How many green bowls are there?"
        found = sample_view_question(view, draw.choose, frame, kinds=("exists", "place"), change=Kept.JPEG)
    # Nobody knows whether a published question is about a color.
    return NO_QUESTION if isinstance(found, NotApplicable) or found.kind == PUBLISHED else found


def _red_or_blue(draw: Draw, among: Collection[str]) -> Question | None:
    """Draws a question whether a thing is red or blue, of one of the names; None if no thing is."""
    view = draw.view
    names = view.cached("red or blue", lambda: tuple(_red_or_blue_names(view)))
    names = tuple(name for name in names if name in among)
    if not names:
        return None
    choice = Choice(what=Group(name=draw.choose.one(names)), options=draw.choose.several(_EXCHANGED, 2))
    asking = Asking(type=QuestionType.ATTRIBUTE_CHOICE, meaning=choice, category="color")
    return templates.question(asking, draw.wording(templates.count(asking.type, related=False)))


def _red_or_blue_names(view: AskableScene) -> Iterator[str]:
    """The names of which one thing is there, red or blue and of no other colour."""
    for thing in view.scene.objects:
        if thing.name in view.names and UNIQUE.check(view, thing):
            yield from (thing.name for color in the_color(thing, view) if color in _EXCHANGED)


def _is_of_properties(asked: ViewQuestion) -> bool:
    return any(group.attributes for group in groups_of(asked.question.meaning))
